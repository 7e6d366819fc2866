"""Logs: one object a line, and not a word that anybody typed."""

import json
import logging

import pytest

from pages.plumbing.operating import logs

SECRET = "zyzzyva"


@pytest.fixture
def written():
    """Begin as the launcher does, and give back what is written as objects; everything is put back afterwards."""
    lines, before = [], logging.getLogRecordFactory()

    class Kept(logging.Handler):
        def emit(self, record):
            lines.append(json.loads(self.format(record)))

    handler, names = Kept(), ("somebody.else", logs.NAME)
    logs.begin()
    for name in names:
        logging.getLogger(name).addHandler(handler)
    logs._recent.clear()
    yield lines
    logging.setLogRecordFactory(before)
    for name in names:
        logging.getLogger(name).removeHandler(handler)


def fail():
    raise KeyError(SECRET)


def test_of_an_error_its_kind_and_places_are_kept_and_no_word(written):
    try:
        fail()
    except KeyError:
        logging.getLogger("somebody.else").exception("read %s", SECRET)
    (line,) = written
    assert (line["level"], line["error"], line["logger"]) == ("ERROR", "KeyError", "somebody.else")
    assert line["places"][-1].startswith("tests/pages/test_logs.py:")
    assert line["places"][-1].endswith(" fail")
    assert SECRET not in json.dumps(line)
    (met,) = logs.recent()
    assert (met.kind, met.places[-1]) == ("KeyError", line["places"][-1])


def test_a_message_of_other_code_is_told_by_its_place_only(written):
    logging.getLogger("somebody.else").warning(f"{SECRET} was read")
    (line,) = written
    assert line["place"].startswith("tests/pages/test_logs.py:")
    assert SECRET not in json.dumps(line)
    assert logs.recent() == ()


def test_what_the_page_reports_has_names_and_values(written):
    logs.event("ready", model="minilm", seconds=0.5)
    (line,) = written
    assert (line["event"], line["model"], line["seconds"], line["logger"]) == ("ready", "minilm", 0.5, "heads_up")


def test_an_operator_may_ask_for_texts(written):
    logs.begin(texts=True)
    try:
        fail()
    except KeyError:
        logging.getLogger("somebody.else").exception("read %s", SECRET)
    (line,) = written
    assert (line["said"], line["why"]) == (f"read {SECRET}", f"'{SECRET}'")


@pytest.mark.usefixtures("written")
def test_only_the_latest_errors_are_kept():
    for _ in range(logs.KEPT + 5):
        try:
            fail()
        except KeyError:
            logging.getLogger("somebody.else").exception("again")
    assert len(logs.recent()) == logs.KEPT
