"""Put in front of a process's path: writes down every address that process looks up, connects to or sends to.

Packages that ABSENT names are not there for it.
"""

import json
import os
import sys

WATCHED = {
    "socket.connect",
    "socket.sendto",
    "socket.sendmsg",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.gethostbyaddr",
    "socket.getnameinfo",
}
book = os.open(os.environ["ADDRESS_BOOK"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def write_down(event: str, details: tuple) -> None:
    if event in WATCHED:
        os.write(book, (json.dumps([event, repr(details)]) + "\n").encode())


sys.addaudithook(write_down)
sys.modules.update(dict.fromkeys(os.environ.get("ABSENT", "").split()))
