"""The one error of the core: a message key and the values that belong to it, never a sentence."""

from __future__ import annotations

from core.words import languages, say


class CoreError(Exception):
    """Something was asked that cannot be done; `key` names the message in `assets/words/*/errors.toml`.

    The message always has four parts: what was asked, what came, what is allowed, what to do next.
    """

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key, values)
        self.key = key
        self.values = values

    def __str__(self) -> str:
        return say("en", f"errors.{self.key}", **self.values)

    def in_every_language(self) -> str:
        """Return the message once in each language, for whoever has not chosen one."""
        return "\n".join(say(language, f"errors.{self.key}", **self.values) for language in languages())

    def __reduce__(self) -> tuple[object, ...]:
        return (_again, (self.key, self.values))


def _again(key: str, values: dict[str, object]) -> CoreError:
    return CoreError(key, **values)
