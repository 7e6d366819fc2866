"""A visit to the page without a browser: what it shows, and what the map was given."""

import functools
import json
import struct

import numpy as np
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from tests.house.source import ROOT

MAP = "map.heads"

# For every new tab Streamlit reads what each installed package says of itself, which took half the time of a visit.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)


def visit(page: str = "", /, **address) -> AppTest:
    """Open the first page, or the one of a file, in a new tab, at an address."""
    tab = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    tab.query_params.update(address)
    return (tab.switch_page(page) if page else tab).run()


def given(tab: AppTest, name: str):
    """What a component was given."""
    return next(element.proto for element in tab.get("bidi_component") if element.proto.component_name == name)


def payload(tab: AppTest) -> bytes:
    return given(tab, "heads_map").bytes


def header(tab: AppTest) -> dict:
    frame = payload(tab)
    (length,) = struct.unpack_from("<I", frame)
    return json.loads(frame[4 : 4 + length])


def steer(tab: AppTest) -> dict:
    return json.loads(given(tab, "heads_steer").json)


def chosen(tab: AppTest) -> dict:
    return steer(tab)["choice"]


def charts(tab: AppTest) -> list[dict]:
    """Every chart as Plotly gets it."""
    return [json.loads(element.proto.spec) for element in tab.get("plotly_chart")]


def sketches(tab: AppTest) -> list[dict]:
    """What all pictures that the page draws itself say, with the `numbers` that are drawn."""
    packed = [element.proto.bytes for element in tab.get("bidi_component") if element.proto.component_name == "sketch"]
    return [_sketch(given) for given in packed]


def _sketch(given: bytes) -> dict:
    (length,) = struct.unpack_from("<I", given)
    told = json.loads(given[4 : 4 + length])
    return {**told, "numbers": np.frombuffer(given[4 + length :], "<f4")[: told["drawn"]]}


def texts(tab: AppTest) -> list[str]:
    """Every text that is shown letter by letter, without the places where a line may end."""
    return [element.value.replace("\u200b", "") for element in tab.text]


def shows(tab: AppTest, text: str) -> bool:
    return any(text in shown for shown in texts(tab))


def type_in(tab: AppTest, text: str) -> AppTest:
    return tab.text_area(key="field.text").set_value(text).run()


def click(tab: AppTest, key: str) -> AppTest:
    return tab.button(key=key).click().run()


def address(tab: AppTest) -> dict[str, str]:
    return {name: word if isinstance(word, str) else word[-1] for name, word in tab.query_params.items()}
