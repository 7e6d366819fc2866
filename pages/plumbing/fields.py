"""What a person can set on a page: options that are in the address bar, by their names there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.plumbing import choice, extras, words


def now(option: str) -> str:
    """Return an option as its word."""
    return choice.extra(option)


def number(option: str) -> int:
    """Return an option that is a number."""
    return int(now(option))


def pick(option: str, *, label: bool = True) -> None:
    """Show an option that is one of some words as a row of buttons."""
    named = {word: words.t(f"{option}_{word}") for word in extras.EXTRAS[option].words}
    st.session_state[f"field.{option}"] = now(option)
    st.segmented_control(
        words.t(option),
        named,
        key=f"field.{option}",
        format_func=named.__getitem__,
        label_visibility="visible" if label else "collapsed",
        required=True,
        on_change=_picked,
        args=(option,),
    )


def count(option: str) -> None:
    """Show an option that is a number, to type or to step through."""
    _ranged(st.number_input, option, 150)


def slide(option: str) -> None:
    """Show an option that is a number, to slide along."""
    _ranged(st.slider, option, 340)


def choose(option: str, options: Sequence[str], named: Callable[[str], str], width: int = 260) -> str:
    """Show an option as a list of words to choose one from, and return it; the first where what was chosen is not
    there."""
    chosen = now(option) if now(option) in options else options[0]
    st.session_state[f"field.{option}"] = chosen
    key = f"field.{option}"
    st.selectbox(words.t(option), options, key=key, format_func=named, width=width, on_change=_picked, args=(option,))
    return chosen


def some(option: str, options: Sequence[str], named: Callable[[str], str]) -> tuple[str, ...]:
    """Show an option as a list of words to choose several from, and return those that there are, in their order."""
    chosen = [word for word in now(option).split(",") if word in options]
    st.session_state[f"field.{option}"] = chosen
    key = f"field.{option}"
    st.multiselect(
        words.t(option), options, key=key, format_func=named, max_selections=9, on_change=_several, args=(option,)
    )
    return tuple(chosen)


def amount(option: str, last: float, step: float) -> float:
    """Show an option that is an amount with a point, to type, and return it."""
    st.session_state[f"field.{option}"] = float(now(option))
    key = f"field.{option}"
    st.number_input(
        words.t(option), 0.0, last, key=key, step=step, format="%g", width=190, on_change=_amounted, args=(option,)
    )
    return float(now(option))


def shortcuts(option: str, places: Mapping[str, int]) -> None:
    """Show some numbers that an option may be by their names, to pick one."""
    named = {name: words.t(f"{option}_{name}", value=f"{place:,}") for name, place in places.items()}
    key = f"shortcut.{option}"
    st.session_state[key] = next((name for name, place in places.items() if place == number(option)), None)
    st.pills(
        words.t(option),
        named,
        key=key,
        format_func=named.__getitem__,
        label_visibility="collapsed",
        on_change=_shortened,
        args=(option, dict(places)),
    )


def typed(
    option: str,
    *,
    longest: int,
    empty: str = "",
    show: Callable[..., Any] = st.text_area,
    then: Callable[[], None] | None = None,
    **look: Any,
) -> str:
    """Show a box for an option that is a text, and return the text; `empty` is what stands for none.

    What has more than `longest` characters stays in its box and is refused with its length; the option is what it was.
    `then` says what a text changes, where that is more than its option.
    """
    key, long = f"field.{option}", st.session_state.get(f"{choice.LONG}{option}")
    st.session_state[key] = (now(option) or empty) if long is None else long
    show(words.t(option), key=key, on_change=_typed, args=(option, longest, then), **look)
    if long is not None:
        said = words.t("frame.too_long", came=f"{len(long):,}", most=f"{longest:,}")
        words.plain(said, "refused", f"long-{option}")
    return now(option) or empty


@dataclass(frozen=True)
class Page:
    """What a person can set on one page: its options, each by its name there."""

    name: str

    def option(self, name: str) -> str:
        """Return an option's name in the address."""
        return f"{self.name}.{name}"

    def field(self, name: str) -> str:
        """Return the key of an option's field."""
        return f"field.{self.option(name)}"

    def now(self, name: str) -> str:
        """Return an option as its word."""
        return now(self.option(name))

    def number(self, name: str) -> int:
        """Return an option that is a number."""
        return number(self.option(name))

    def put(self, name: str, word: object) -> None:
        """Change an option."""
        choice.set_extra(self.option(name), str(word))

    def pick(self, name: str, *, label: bool = True) -> str:
        """Show an option that is one of some words as a row of buttons, and return it."""
        pick(self.option(name), label=label)
        return self.now(name)

    def count(self, name: str) -> int:
        """Show an option that is a number, to type or to step through, and return it."""
        count(self.option(name))
        return self.number(name)

    def slide(self, name: str) -> int:
        """Show an option that is a number, to slide along its whole reach, and return it."""
        slide(self.option(name))
        return self.number(name)

    def chosen(self, name: str) -> Any:
        """Return what was chosen in a list, or typed into a box."""
        return st.session_state[self.field(name)]

    def take(self, name: str) -> None:
        """Change an option to what was chosen in its list, or typed into its box."""
        self.put(name, self.chosen(name))


def several(option: str, width: int) -> tuple[int, ...]:
    """Show an option that is a list of numbers below `width`, and return those of them that there are."""
    chosen = tuple(place for place in extras.numbers(now(option)) if place < width) or (0,)
    st.session_state[f"field.{option}"] = list(chosen)
    st.multiselect(
        words.t(option), range(width), key=f"field.{option}", max_selections=6, on_change=_several, args=(option,)
    )
    return chosen


def say(page: str, title: str, axes: Mapping[str, str], **values: Any) -> dict[str, str]:
    """Return the words of a figure: its title, and the name of whatever else it names by a message of its page."""
    named = {name: words.t(f"{page}.{key}") for name, key in axes.items()}
    return {"title": words.t(f"{page}.{title}", **values), **named}


def _ranged(show: Callable[..., Any], option: str, width: int) -> None:
    first, last, step = extras.EXTRAS[option].reach
    st.session_state[f"field.{option}"] = number(option)
    key = f"field.{option}"
    show(words.t(option), first, last, step=step, key=key, width=width, on_change=_picked, args=(option,))


def _typed(option: str, longest: int, then: Callable[[], None] | None) -> None:
    text = st.session_state[f"field.{option}"]
    if len(text) > longest:
        choice.hold(option, text)
    elif then is None:
        choice.set_extra(option, text)
    else:
        then()


def _picked(option: str) -> None:
    choice.set_extra(option, str(st.session_state[f"field.{option}"]))


def _several(option: str) -> None:
    choice.set_extra(option, ",".join(map(str, st.session_state[f"field.{option}"])))


def _amounted(option: str) -> None:
    choice.set_extra(option, f"{st.session_state[f'field.{option}']:.2f}".rstrip("0").rstrip("."))


def _shortened(option: str, places: Mapping[str, int]) -> None:
    chosen = st.session_state[f"shortcut.{option}"]
    if chosen is not None:
        choice.set_extra(option, str(places[chosen]))
