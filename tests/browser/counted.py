"""The page, and beside it an address that says how many texts are being written and how many tokens were made.

Who measures and has not asked for six seconds how it stands has gone away; on the page as it is that takes twenty.
"""

from contextlib import closing
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route

import core
from pages.plumbing import doors
from server import Guard

COUNTS = {"writing": 0, "made": 0}


def counted(write):
    """Write as before, and count."""

    def written(wanted, session):
        COUNTS["writing"] += 1
        try:
            with closing(write(wanted, session)) as coming:
                for one in coming:
                    COUNTS["made"] += isinstance(one, core.Step)
                    yield one
        finally:
            COUNTS["writing"] -= 1

    return written


async def counts(_):
    return JSONResponse(COUNTS)


engine = doors.engine()
engine.write = counted(engine.write)
engine.bench.lease = 6.0
app = st.App(
    Path(__file__).resolve().parents[2] / "app.py",
    routes=[Route("/counts", counts)],
    middleware=[Middleware(Guard)],
)
