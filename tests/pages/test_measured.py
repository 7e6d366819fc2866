"""The measured sections of the Cost page: a saved run, a run of one's own, refusals, and nothing there at all."""

import time

import pytest

import core
from core.engine.bench import Bench
from core.measure import Machine, Point, Run, Unit
from core.settings import Settings
from pages.plumbing.cost import measured_asking
from tests.pages.visits import address, charts, click, shows, texts, visit

PAGE = "pages/cost/cost.py"
LANGUAGES = core.words.languages()
LENGTHS = core.measure.steps(16_384)
MACHINE = Machine(
    name="A machine <b>of</b> old",
    device="cpu",
    threads=2,
    versions={"torch": "2"},
    date="2026-01-01",
    operations=5e10,
    read=1e10,
)
POWERS = {"plain": 2, "everyone": 2, "full": 2, "linear": 1, "lstm": 1}


def a_run(machine=MACHINE, factor=1.0):
    """Squares that begin low and lines that begin high: they cross at 1,000 tokens."""
    points = tuple(point(name, length, factor) for name in POWERS for length in LENGTHS)
    return Run(machine=machine, points=points)


def point(name, length, factor=1.0):
    if name == "plain" and length > 8192:
        return Point(unit=Unit(subject=name, length=length), outcome="refused", bytes=10**10)
    seconds = factor * (1e-9 * length**2 if POWERS[name] == 2 else 1e-6 * length)
    return Point(
        unit=Unit(subject=name, length=length), seconds=seconds, low=seconds, high=seconds, times=3, bytes=length
    )


class Measuring:
    """Stands in for the process: hands out as many points as it may."""

    def __init__(self):
        self.allowed, self.closed = 0, 0

    def __call__(self, forecast, settings, device):
        try:
            yield MACHINE
            for number, one in enumerate(forecast.units):
                while number >= self.allowed:
                    time.sleep(0.01)
                    yield None
                yield point(one.unit.subject, one.unit.length)
        finally:
            self.closed += 1


@pytest.fixture
def process(monkeypatch):
    here = Measuring()
    bench = Bench(Settings(), measuring=here)
    monkeypatch.setattr(measured_asking, "bench", lambda: bench)
    monkeypatch.setattr(core.measure.estimating, "available", lambda: 20 << 30)
    yield here
    here.allowed = 10_000


@pytest.fixture
def saved(monkeypatch):
    runs = {"old": a_run()}
    monkeypatch.setattr(core.measure, "saved", lambda: runs)
    return runs


def opened(section="measured", **words):
    what = {"measured.what": "plain,everyone,linear"} if section == "measured" else {}
    return visit(**{"cost.show": section, **what, **words}).switch_page(PAGE).run()


def until(true):
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.usefixtures("process", "saved")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("section", ["measured", "peers"])
def test_every_figure_has_its_source_and_its_numbers(section, language):
    tab = opened(section, lang=language)
    assert not tab.exception
    sources = {text for name, text in core.words.catalogue(language).items() if name.startswith("measured.source_")}
    told = sum(text.rpartition(" · ")[2] in sources for text in texts(tab))
    assert told == len(tab.get("download_button")) > 1


@pytest.mark.usefixtures("process", "saved")
def test_a_saved_run_is_drawn_with_its_machine_and_what_was_left_out():
    tab = opened()
    assert shows(tab, "A machine <b>of</b> old (cpu, 2 threads), 2026-01-01")
    assert shows(tab, "No run of a GPU is saved")
    timing = charts(tab)[0]["data"]
    assert [len(one["x"]) for one in timing[:3]] == [11, 13, 13]
    (lost,) = [one for one in timing[3:] if one["mode"] == "markers"]
    assert list(lost["x"]) == [12_288, 16_384]
    assert lost["y"][1] == pytest.approx(1e-9 * 16_384**2 * 1e3)


@pytest.mark.usefixtures("process", "saved")
def test_exponents_crossings_and_the_place_of_the_sentence_are_said():
    tab = opened(text="The cat sat.")
    assert shows(tab, "From about 1,000 tokens on, “Linear attention” takes less time than “Full, both ways, fused”")
    slopes = tab.dataframe[0].value
    assert list(slopes.iloc[:, 1]) == ["2.00  (2.00 … 2.00)", "2.00  (2.00 … 2.00)", "1.00  (1.00 … 1.00)"]
    assert list(slopes.iloc[:, 2]) == ["2, in the end", "2, in the end", "1"]
    here = [text for text in texts(tab) if "Your sentence has 12 characters" in text]
    assert "6 tokens: shorter than" in here[0]


@pytest.mark.usefixtures("process", "saved")
def test_a_longer_sentence_is_told_what_it_would_take():
    tab = opened(text="word " * 30)
    assert shows(tab, "for MiniLM-L6 32 tokens. So long a text takes: Full, both ways, written down 0.00102 ms")


@pytest.mark.usefixtures("process", "saved")
def test_two_and_four_times_the_text_stand_beside_the_formula():
    tab = opened()
    table = next(one.value for one in tab.dataframe if "time took" in one.value.columns)
    rows = {(row[0], row[1]): (row[2], row[3]) for row in table.itertuples(index=False)}
    assert rows["Full, both ways, fused", "4,096 → 8,192 → 16,384"][0] == "1 : 4.00 : 16.00"
    assert rows["Linear attention", "4,096 → 8,192 → 16,384"] == ("1 : 2.00 : 4.00", "1 : 2 : 4")
    counted = rows["Full, both ways, fused", "1,024 → 2,048 → 4,096"][1].split(" : ")
    assert 3.5 < float(counted[1]) < 4
    assert 13 < float(counted[2]) < 16


@pytest.mark.usefixtures("saved")
def test_a_measurement_is_estimated_begun_followed_and_stopped(process):
    tab = opened()
    assert shows(tab, "39 points, about")
    click(tab, "measured.begin")
    until(lambda: measured_asking.bench()._works)
    process.allowed = 4
    session = tab.session_state["measured.session"]
    until(lambda: len(measured_asking.bench().standing(session).points) == 4)
    tab.run()
    assert not tab.exception
    assert shows(tab, "4 of 39 points")
    click(tab, "measured.stop")
    until(lambda: process.closed == 1)
    tab.run()
    assert shows(tab, "Stopped after 4 of 39 points")
    assert tab.button(key="measured.begin")


def test_what_one_has_measured_is_drawn_with_the_saved_run_beside_it(process, saved):
    saved["old"] = a_run(factor=3.0)
    process.allowed = 10_000
    tab = opened()
    click(tab, "measured.begin")
    session = tab.session_state["measured.session"]
    until(lambda: measured_asking.bench().standing(session).ended == "done")
    tab.run()
    assert not tab.exception
    timing = charts(tab)[0]["data"]
    own, dotted = timing[1], next(one for one in timing if "saved run" in one["name"] and "fused" in one["name"])
    assert dotted["line"]["color"] == own["line"]["color"]
    assert dotted["y"][-1] == pytest.approx(3 * own["y"][-1])


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize("others", [0, 1])
def test_that_others_work_while_it_measures_is_said_h86(process, others):
    """H86: times are not taken for those of a quiet machine; what happens afterwards changes nothing of it."""
    tab = opened()
    click(tab, "measured.begin")
    for number in range(others):
        visit(text=f"Somebody else reads sentence {time.monotonic()} {number}.")
    session = tab.session_state["measured.session"]
    process.allowed = 10_000
    until(lambda: measured_asking.bench().standing(session).ended == "done")
    said = []
    for _ in range(2):
        tab.run()
        said.append([text for text in texts(tab) if "Meanwhile this server" in text])
        visit(text=f"Afterwards {time.monotonic()}.")
    assert said[0] == said[1]
    assert len(said[0]) == others


@pytest.mark.usefixtures("process", "saved")
def test_others_see_their_place_in_line():
    measured_asking.bench().begin(core.measure.Wanted(subjects=("linear",), lengths=(64,)), "somebody")
    until(lambda: measured_asking.bench().standing("somebody").machine)
    tab = opened()
    click(tab, "measured.begin")
    tab.run()
    assert shows(tab, "Before you: 1.")
    measured_asking.bench().stop("somebody")


@pytest.mark.usefixtures("process", "saved")
def test_what_is_too_large_is_refused_twice_the_same_and_what_is_left_is_offered():
    said = []
    for _ in range(2):
        tab = opened(**{"measured.longest": "65536"})
        assert not tab.exception
        said.append([text for text in texts(tab) if "65,536 positions" in text])
    assert said[0] == said[1]
    assert "“Full, both ways, written down” was to be measured" in said[0][0]
    assert shows(tab, "Without the 4 that are too large: 41 points")
    assert tab.button(key="measured.begin")


@pytest.mark.usefixtures("process")
def test_where_nothing_is_saved_that_is_said(monkeypatch):
    monkeypatch.setattr(core.measure, "saved", dict)
    for section in ("measured", "peers"):
        tab = opened(section)
        assert not tab.exception
        assert shows(tab, "Nothing is saved and nothing was measured yet.")


@pytest.mark.usefixtures("process", "saved")
def test_choices_are_in_the_address():
    tab = opened(**{"measured.wide": "256", "measured.way": "both"})
    assert shows(tab, "Not in this run:")
    assert address(tab)["measured.wide"] == "256"
    assert address(tab)["measured.what"] == "plain,everyone,linear"
