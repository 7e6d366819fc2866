"""The replicas on Ray Serve: how they are started, joined and told apart from lost ones. The only place that knows Ray.

Which replica gets a request is Ray Serve's own `ConsistentHashRouter`; how many there are, its autoscaling.
"""

from __future__ import annotations

import logging
import os
import secrets
from dataclasses import replace
from typing import Any

from core.engine.replica import Replica
from core.errors import CoreError
from core.settings import MEBIBYTE, Settings

NAME, PLACE = "heads-up", "127.0.0.1"
ROUTER = "ray.serve.experimental.consistent_hash_router.ConsistentHashRouter"
AT_ONCE, BUSY = 64, 2.0
STORE = 100 * MEBIBYTE
QUIET = {"log_to_driver": False, "logging_level": logging.WARNING}


def joined(settings: Settings) -> Any:
    """Return a handle of the replicas: of the cluster at the address, or of one that is started on this machine where
    no address is given.

    Raises:
        CoreError: `ray_missing`, `ray_unreachable`, or `ray_empty` for a cluster on which nobody deployed the engine.
    """
    _connect(settings)
    if not settings.ray_address:
        return deployed(settings)
    from ray import serve
    from ray.serve.exceptions import RayServeException

    try:
        return serve.get_app_handle(NAME)
    except RayServeException as none:
        raise CoreError("ray_empty", address=settings.ray_address) from none


def deployed(settings: Settings) -> Any:
    """Start the replicas on the cluster that this process is connected to, and return a handle of them."""
    from ray import serve
    from ray.serve.config import AutoscalingConfig, RequestRouterConfig

    serve.start(proxy_location="Disabled", logging_config=_quiet())
    cards = 1 if settings.device.startswith("cuda") else 0
    made = serve.deployment(
        Replica,
        name="engine",
        max_ongoing_requests=AT_ONCE,
        autoscaling_config=AutoscalingConfig(
            min_replicas=settings.ray_least,
            max_replicas=max(settings.ray_least, settings.ray_most),
            target_ongoing_requests=BUSY,
        ),
        ray_actor_options={"num_cpus": 1, "num_gpus": cards},
        request_router_config=RequestRouterConfig(request_router_class=ROUTER),
        logging_config=_quiet(),
    )
    kept = replace(settings, sign_in=None, code="", operator_code="", metrics_port=0)
    return serve.run(made.bind(kept, secrets.token_bytes(16)), name=NAME, route_prefix=None, logging_config=_quiet())


def deploy(settings: Settings) -> None:
    """Start the replicas on the cluster at the address, or new ones in their place.

    Raises:
        CoreError: `ray_missing` or `ray_unreachable`.
    """
    _connect(settings)
    deployed(settings)


def lost() -> tuple[type[Exception], ...]:
    """Return the errors that say that a replica is gone, whatever it was asked."""
    from ray import exceptions
    from ray.serve.exceptions import DeploymentUnavailableError, ReplicaUnavailableError

    gone = (exceptions.RayActorError, exceptions.ObjectLostError, exceptions.WorkerCrashedError)
    return (*gone, exceptions.NodeDiedError, DeploymentUnavailableError, ReplicaUnavailableError)


def _connect(settings: Settings) -> None:
    """Connect this process to a cluster; one on this machine alone gets a password of its own, and listens on this
    machine only: Ray does so where it is told that it makes no cluster with others, by the name that this has there."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    alone: dict[str, Any] = {}
    if not settings.ray_address:
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        places = max(settings.ray_least, settings.ray_most)
        alone = {"num_cpus": places, "object_store_memory": STORE, "include_dashboard": False}
    try:
        import ray
        from ray import serve  # noqa: F401  half of what is needed comes with ray alone
    except ImportError as missing:
        raise CoreError("ray_missing", needed="requirements-ray.txt") from missing
    try:
        if not ray.is_initialized():
            ray.init(address=settings.ray_address or "local", namespace=NAME, **alone, **QUIET)
    except (ray.exceptions.RayError, ConnectionError, OSError, RuntimeError, ValueError) as failed:
        raise CoreError("ray_unreachable", address=settings.ray_address or PLACE) from failed


def _quiet() -> dict[str, Any]:
    """Return how Ray Serve writes its logs: no request is named in them."""
    logging.getLogger("ray.serve").setLevel(logging.WARNING)
    return {"enable_access_log": False, "log_level": "WARNING"}
