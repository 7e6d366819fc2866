"""What an operator has: numbers on a port of its own, readiness, a door with a code, logs without anybody's words."""

import json
import time
import urllib.error
import urllib.request

import pyarrow as pa
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

from core import words
from tests.conftest import free_port, serving
from tests.server.visitor import raised, run_page, stream

SECRET, CODE, OPERATOR = "zyzzyva", "open sesame", "let me see"


@pytest.fixture(scope="module")
def operated(tmp_path_factory):
    """The address of a server with codes and numbers, the address of the numbers, and its log."""
    log, port = tmp_path_factory.mktemp("operated") / "log", free_port()
    given = {
        "HEADS_UP_METRICS_PORT": str(port),
        "HEADS_UP_CODE": CODE,
        "HEADS_UP_OPERATOR_CODE": OPERATOR,
        "HEADS_UP_MAX_CHARACTERS": "100",
    }
    with serving(log, **given) as address:
        yield address, f"http://127.0.0.1:{port}/metrics", log


def asked(address):
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def numbers(address):
    lines = (line for line in asked(address)[1].splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def shown(messages):
    """Every text of a run."""
    return "".join(str(message.delta) for message in messages if message.WhichOneof("type") == "delta")


class Visit:
    """A page that stays open, into which a code can be typed."""

    def __init__(self, channel):
        self.channel = channel

    def run(self, query="", section="", **typed):
        request, came = BackMsg(), []
        request.rerun_script.query_string, request.rerun_script.page_name = query, section
        for identity, text in typed.items():
            request.rerun_script.widget_states.widgets.append(WidgetState(id=identity, string_value=text))
        self.channel.send(request.SerializeToString())
        while not came or came[-1].WhichOneof("type") != "script_finished":
            came.append(ForwardMsg.FromString(self.channel.recv(timeout=60)))
        assert raised(came) == []
        return came


def box(messages, name):
    """The identity of the box into which a code is typed."""
    boxes = [m.delta.new_element.text_input.id for m in messages if m.delta.new_element.HasField("text_input")]
    return next(identity for identity in boxes if identity.endswith(name))


@pytest.fixture
def visit(operated):
    with connect(stream(operated[0]), subprotocols=["streamlit"], compression=None, max_size=None) as channel:
        yield Visit(channel)


def test_nobody_sees_anything_without_the_code(operated):
    said = shown(run_page(operated[0], f"text={SECRET}"))
    assert "A code, please" in said
    assert "bidi_component" not in said
    assert SECRET not in said


def test_a_wrong_code_lets_nobody_in_and_the_right_one_opens_the_link(visit):
    query = f"text={SECRET}+slept&lang=en"
    first = visit.run(query)
    wrong = visit.run(query, **{box(first, "code.class"): CODE.upper()})
    assert "This is not the code" in shown(wrong)
    assert "bidi_component" not in shown(wrong)
    right = shown(visit.run(query, **{box(wrong, "code.class"): f" {CODE} "}))
    assert "bidi_component" in right
    assert SECRET in right
    assert "bidi_component" in shown(visit.run(query))


def test_a_code_that_one_visit_gave_opens_no_other(operated, visit):
    first = visit.run()
    assert "bidi_component" in shown(visit.run(**{box(first, "code.class"): CODE}))
    assert "bidi_component" not in shown(run_page(operated[0]))


def test_how_the_server_does_is_behind_the_code_of_the_class_and_one_of_its_own(visit):
    asked, numbers = words.say("en", "door.operator"), words.say("en", "server.stores_title")
    first = visit.run(f"text={SECRET}&lang=en", "server")
    second = visit.run("lang=en", "server", **{box(first, "code.class"): CODE})
    wrong = visit.run("lang=en", "server", **{box(second, "code.operator"): CODE})
    right = visit.run("lang=en", "server", **{box(wrong, "code.operator"): OPERATOR})
    sent = [b"".join(message.SerializeToString() for message in came) for came in (first, second, wrong, right)]
    told = [(asked.encode() in one, numbers.encode() in one) for one in sent]
    assert told == [(False, False), (True, False), (True, False), (False, True)]
    assert SECRET.encode() not in sent[-1]


def test_the_operator_sees_what_each_page_holds_and_not_what_was_typed(operated, visit):
    query = f"text={SECRET}+sang&lang=en"
    visit.run(query, **{box(visit.run(query), "code.class"): CODE})
    with connect(stream(operated[0]), subprotocols=["streamlit"], compression=None, max_size=None) as channel:
        operator, came = Visit(channel), []
        for name, code in {"": "", "code.class": CODE, "code.operator": OPERATOR}.items():
            came = operator.run("lang=en", "server", **({box(came, name): code} if name else {}))
    pages = next(table for table in tables(came) if "MiB sent" in table)
    traces, files = (pages[f"MiB of {what}"] for what in ("traces it asked for", "files brought along"))
    assert len(traces) == 2
    assert min(traces) == 0
    assert 0.1 < max(traces) < 10
    assert files.tolist() == [0, 0]
    assert SECRET not in "".join(table.to_csv() for table in tables(came))


def tables(messages):
    elements = [message.delta.new_element for message in messages if message.WhichOneof("type") == "delta"]
    found = [one.dataframe.arrow_data.data for one in elements if one.WhichOneof("type") == "dataframe"]
    return [pa.ipc.open_stream(data).read_pandas() for data in found]


def test_without_a_code_of_its_own_there_is_no_page_on_how_the_server_does(server):
    came = run_page(server, section="server")
    assert raised(came) == []
    assert words.say("en", "server.stores_title") not in shown(came)
    assert "bidi_component" in shown(came)


def test_it_is_ready_once_a_model_is_open(operated):
    end = time.monotonic() + 60
    while asked(f"{operated[0]}/ready")[0] != 200 and time.monotonic() < end:
        time.sleep(0.2)
    assert asked(f"{operated[0]}/ready") == (200, "ready\n")
    assert asked(f"{operated[0]}/_stcore/health")[0] == 200


def test_numbers_follow_what_happens_and_hold_no_text(operated, visit):
    before = numbers(operated[1])
    query = f"text={SECRET}+ran&lang=en"
    opened = visit.run(query)
    visit.run(query, **{box(opened, "code.class"): CODE})
    visit.run(f"text={SECRET * 20}&lang=en")
    after = numbers(operated[1])
    made = 'heads_up_store_made_total{store="traces"}'
    assert after[made] == before[made] + 1
    seconds = 'heads_up_phase_seconds_count{phase="run"}'
    assert after[seconds] == before[seconds] + 1
    assert after['heads_up_refused_total{reason="too_many_characters"}'] >= 1
    assert after["process_resident_memory_bytes"] > 1e8
    assert SECRET not in asked(operated[1])[1]


def test_open_pages_are_counted_until_they_are_closed(operated, visit):
    def until(wanted):
        end = time.monotonic() + 20
        while numbers(operated[1])["heads_up_sessions"] != wanted and time.monotonic() < end:
            time.sleep(0.05)
        return numbers(operated[1])["heads_up_sessions"]

    visit.run()
    assert until(1) == 1
    with connect(stream(operated[0]), subprotocols=["streamlit"], compression=None, max_size=None):
        assert until(2) == 2
    assert until(1) == 1


def test_numbers_are_not_where_visitors_are(operated):
    assert "heads_up_" not in asked(f"{operated[0]}/metrics")[1]


def test_the_log_is_one_object_a_line_and_holds_no_text(operated, visit):
    visit.run(f"text={SECRET}&lang={SECRET}")
    logged = operated[2].read_text(encoding="utf-8")
    events = [json.loads(line) for line in logged.splitlines() if line.startswith("{")]
    assert {"started", "ready"} <= {one.get("event") for one in events}
    for word in (SECRET, CODE, OPERATOR):
        assert word not in logged


def test_a_setting_that_does_not_fit_ends_the_start_with_the_reason(tmp_path):
    log = tmp_path / "log"
    with pytest.raises(RuntimeError, match="HEADS_UP_CODE"), serving(log, HEADS_UP_CODE="q7!x"):
        pass
    logged = log.read_text(encoding="utf-8")
    assert "q7!x" not in logged
    for language in words.languages():
        assert words.say(language, "errors.setting_code", name="HEADS_UP_CODE", allowed=6) in logged
