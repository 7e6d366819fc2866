"""A visitor without a browser: speaks to the server as its page does."""

from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

ENDED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


def stream(address: str) -> str:
    parts = urlsplit(address)
    return f"ws://{parts.netloc}{parts.path}/_stcore/stream"


def knock(address: str, *origins: str) -> int:
    """Open the page's channel as a page of those origins would; the status that comes back, 101 if it was let in."""
    headers = [("Origin", origin) for origin in origins]
    try:
        with connect(stream(address), subprotocols=["streamlit"], additional_headers=headers, compression=None):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def run_page(address: str, query: str = "", section: str = "", seconds: float = 60) -> list[ForwardMsg]:
    """Let a page, the first one unless it is named, run once for a new visitor; every message it sends."""
    came = []
    options = {"subprotocols": ["streamlit"], "compression": None, "max_size": None}
    with connect(stream(address), **options) as channel:
        request = BackMsg()
        request.rerun_script.query_string = query
        request.rerun_script.page_name = section
        request.rerun_script.context_info.url = f"{address}/{section}"
        channel.send(request.SerializeToString())
        while not came or came[-1].WhichOneof("type") != "script_finished":
            came.append(ForwardMsg.FromString(channel.recv(timeout=seconds)))
    assert came[-1].script_finished in ENDED
    return came


def raised(messages: list[ForwardMsg]) -> list[str]:
    """What went wrong in a run, as the page would show it."""
    deltas = (message.delta.new_element for message in messages if message.WhichOneof("type") == "delta")
    return [element.exception.message for element in deltas if element.WhichOneof("type") == "exception"]
