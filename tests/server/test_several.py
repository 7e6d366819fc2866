"""Several processes behind one nginx: who has come once stays with one of them, with everything they ask and send."""

import re
from contextlib import ExitStack
from urllib.parse import urljoin

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.conftest import serving
from tests.server.person import Person
from tests.server.proxy import proxying

MAP = re.compile(rb"/attn/attn/([0-9a-f]{32})\?")
ROUTE = "heads_up_route"
MANY = 40  # one of two by chance, so often in a row, happens to nobody


@pytest.fixture(scope="module")
def processes(nginx, tmp_path_factory):
    """The address of nginx, the addresses of two processes of the page behind it, and what ends the first of them."""
    place = tmp_path_factory.mktemp("several")
    with ExitStack() as first, ExitStack() as rest:
        pages = tuple(
            each.enter_context(serving(place / f"log{number}", base="/attn", HEADS_UP_UPLOAD_MIB="1"))
            for number, each in enumerate((first, rest))
        )
        proxy = rest.enter_context(proxying(nginx, place, pages))
        yield proxy, pages, first


def visit(address, number):
    """Somebody new who opens the page; the key of the map that they were sent."""
    person = Person(address)
    keys = [found[1] for m in person.run(f"text=Visitor+{number}") if (found := MAP.search(m.SerializeToString()))]
    return person, keys[0].decode()


def status(person, address, key):
    return person.status(f"{address}/attn/{key}?layer=0&heads=0")


def test_a_visitors_channel_maps_and_uploads_reach_one_process_h88(processes):
    """H88: half of them would miss if each request went where it liked; both processes are in use."""
    proxy, pages, _ = processes
    used = set()
    for number in range(MANY):
        person, key = visit(proxy.address, number)
        route = person.cookies()[ROUTE]
        assert status(person, proxy.address, key) == 200
        assert upload(person) == 204
        assert person.cookies()[ROUTE] == route
        used |= {page for page in pages if status(person, page, key) == 200}
        if number > 5 and len(used) == len(pages):
            break
    assert used == set(pages)


def upload(person):
    """Bring a small file along as the page does: ask where it may go, and send it there."""
    with person.channel() as channel:
        request = BackMsg()
        request.file_urls_request.request_id = "1"
        request.file_urls_request.file_names.append("config.json")
        channel.send(request.SerializeToString())
        while (answer := ForwardMsg.FromString(channel.recv(timeout=30))).WhichOneof("type") != "file_urls_response":
            pass
        place = answer.file_urls_response.file_urls[0].upload_url
        body = b'--x\r\nContent-Disposition: form-data; name="a"; filename="config.json"\r\n\r\n{}\r\n--x--\r\n'
        kind = {"Content-Type": "multipart/form-data; boundary=x", "X-Xsrftoken": person.cookies()["_streamlit_xsrf"]}
        return person.status(urljoin(f"{person.address}/", place.lstrip("/")), "PUT", body, kind)


def test_a_stranger_chooses_no_process_with_a_cookie_of_their_own(processes):
    """What is no route is replaced, so that nothing of it is ever in an answer."""
    person = Person(processes[0].address)
    person.opener.addheaders = [("Cookie", f"{ROUTE}=x%0d%0aSet-Cookie:%20a=b")]
    person.jar.clear()
    person.go("_stcore/health")
    assert re.fullmatch("[0-9a-f]{32}", person.cookies()[ROUTE])


def test_who_was_with_a_process_that_died_comes_back_to_another(processes):
    """Last of all, since one of two processes ends here."""
    proxy, pages, first = processes
    visits = (visit(proxy.address, number) for number in range(MANY, 2 * MANY))
    person = next(person for person, key in visits if status(person, pages[0], key) == 200)
    first.close()
    came = person.run("text=Once+more")
    assert [m for m in came if MAP.search(m.SerializeToString())]
