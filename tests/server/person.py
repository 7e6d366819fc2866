"""Somebody who signs in: with cookies, following where the page and the provider lead."""

import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from urllib.parse import urljoin

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

from tests.server.visitor import raised, stream


class Person:
    """Somebody with cookies, who can open the page and follow where it leads."""

    def __init__(self, address):
        self.address, self.jar = address, CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        self.go("_stcore/health")

    def go(self, place):
        """Where one ends up, all redirections followed."""
        try:
            with self.opener.open(urljoin(f"{self.address}/", place), timeout=30) as answer:
                return answer.geturl()
        except urllib.error.HTTPError as refused:
            refused.close()
            return refused.geturl()

    def cookies(self):
        return {cookie.name: cookie.value for cookie in self.jar}

    def status(self, address, method="GET", body=None, headers=()):
        """How an answer begins."""
        request = urllib.request.Request(address, body, dict(headers), method=method)
        try:
            with self.opener.open(request, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as refused:
            refused.close()
            return refused.code

    def channel(self):
        """The channel of a page that this person has open."""
        cookies = self.cookies()
        told = "; ".join(f"{name}={value}" for name, value in cookies.items())
        headers = {"Cookie": told, "Origin": urljoin(self.address, "/").rstrip("/")}
        protocols = ["streamlit", cookies.get("_streamlit_xsrf", "")]
        options = {"subprotocols": protocols, "compression": None, "max_size": None, "additional_headers": headers}
        return connect(stream(self.address), **options)

    def run(self, query="", section="", **pressed):
        """Everything that a run of the page sends, and one after each thing that is done: a text is typed, True presses
        a button."""
        with self.channel() as channel:
            came = _run(channel, query, section)
            for name, value in pressed.items():
                came += _run(channel, query, section, _state(came, name.replace("__", "."), value))
        return came

    def sign_in(self, query=""):
        """Press the button, go to the provider, press its button; where one ends up."""
        leads = [m.auth_redirect.url for m in self.run(query, sign_in=True) if m.WhichOneof("type") == "auth_redirect"]
        asked = self.go(leads[0])
        return self.go(asked.replace("/authorize?", "/approve?"))


def _run(channel, query, section, *states):
    request, came = BackMsg(), []
    request.rerun_script.query_string = query
    request.rerun_script.page_name = section
    request.rerun_script.widget_states.widgets.extend(states)
    channel.send(request.SerializeToString())
    while not came or came[-1].WhichOneof("type") != "script_finished":
        came.append(ForwardMsg.FromString(channel.recv(timeout=60)))
    assert raised(came) == []
    return came


def _state(messages, name, value):
    elements = [m.delta.new_element for m in messages if m.WhichOneof("type") == "delta"]
    found = [one.button.id for one in elements] + [one.text_input.id for one in elements]
    kept = {"string_value": value} if isinstance(value, str) else {"trigger_value": value}
    return WidgetState(id=next(one for one in found if one.endswith(name)), **kept)
