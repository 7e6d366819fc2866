"""Which engine the settings ask for."""

from __future__ import annotations

from core.catalog.opening import choose_device
from core.engine.engine import LocalEngine
from core.engine.interface import Engine
from core.settings import Settings, from_environment


def begin(settings: Settings | None = None) -> Engine:
    """Return the engine of this process, or one whose replicas are kept by Ray Serve.

    Raises:
        CoreError: what `from_environment` raises, and `no_device`, `ray_missing`, `ray_unreachable` or `ray_empty`.
    """
    settings = settings or from_environment()
    if settings.engine == "local":
        choose_device(settings.device)
        return LocalEngine(settings)
    from core.engine.cluster import ClusterEngine

    return ClusterEngine(settings)
