"""How the server does, for Prometheus: on a port of its own, which visitors do not reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

import core
from pages.plumbing import visits

STORES = {
    "things": GaugeMetricFamily,
    "bytes": GaugeMetricFamily,
    "limit": GaugeMetricFamily,
    "found": CounterMetricFamily,
    "made": CounterMetricFamily,
}
LINES = ("writing", "measuring", "waiting")


class Collected:
    """Asks the engine when Prometheus asks."""

    def __init__(self, vitals: Callable[[], core.engine.Vitals]) -> None:
        self._vitals = vitals

    def collect(self) -> Iterator[Metric]:
        """Yield every number there is."""
        vitals = self._vitals()
        yield GaugeMetricFamily("heads_up_sessions", _told("sessions"), value=visits.count())
        yield GaugeMetricFamily("heads_up_sessions_kept", _told("kept"), value=visits.kept())
        yield CounterMetricFamily("heads_up_sessions_rested", _told("rested"), value=visits.rested())
        for name in LINES:
            yield GaugeMetricFamily(f"heads_up_{name}", _told(name), value=getattr(vitals, name))
        for name, kind in STORES.items():
            family = kind(f"heads_up_store_{name}", _told(f"store_{name}"), labels=["store"])
            for store, kept in vitals.stores.items():
                family.add_metric([store], getattr(kept, name))
            yield family
        yield _phases(vitals.phases)
        refused = CounterMetricFamily("heads_up_refused", _told("refused"), labels=["reason"])
        for key, count in vitals.refused.items():
            refused.add_metric([key], count)
        yield refused


def _told(name: str) -> str:
    """Return what a number means; Prometheus has one language."""
    return core.words.say("en", f"server.number_{name}")


def _phases(phases: dict[str, core.engine.Phase]) -> Metric:
    family = HistogramMetricFamily("heads_up_phase_seconds", _told("phases"), labels=["phase"])
    for name, phase in phases.items():
        bounds = (*map(str, core.engine.BOUNDS), "+Inf")
        family.add_metric(
            [name], buckets=list(zip(bounds, (*phase.within, phase.count), strict=True)), sum_value=phase.seconds
        )
    return family


def memory() -> list[float]:
    """Return the bytes of memory that this process takes, nothing on a machine where that cannot be told."""
    found = (sample for family in ProcessCollector(registry=None).collect() for sample in family.samples)
    return [sample.value for sample in found if sample.name == "process_resident_memory_bytes"]


def serve(address: str, port: int, collected: Collected) -> Any:
    """Answer Prometheus on a port; return what can be shut down.

    Raises:
        CoreError: `setting_metrics`, for a port that is taken or an address that is not this machine's.
    """
    registry = CollectorRegistry()
    for collector in (collected, ProcessCollector(registry=None), PlatformCollector(registry=None)):
        registry.register(collector)
    try:
        served, _ = start_http_server(port, address, registry)
    except OSError as why:
        raise core.CoreError("setting_metrics", came=f"{address}:{port}", why=str(why)) from why
    return served
