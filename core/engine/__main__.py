"""Start the engine's replicas on a Ray cluster: `python -m core.engine`, with the settings that the pages have too."""

from __future__ import annotations

from core.engine import rays
from core.errors import CoreError
from core.settings import from_environment


def main() -> None:
    """Deploy, and say so; a setting or a cluster that does not fit ends it."""
    try:
        settings = from_environment()
        rays.deploy(settings)
    except CoreError as refused:
        raise SystemExit(refused.in_every_language()) from refused
    print(f"{rays.NAME}: {settings.ray_least}-{max(settings.ray_least, settings.ray_most)}")  # noqa: T201


if __name__ == "__main__":
    main()
