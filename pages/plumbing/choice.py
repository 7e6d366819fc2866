"""The state of a visit: one frozen View, kept in the session and written whole into the address bar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

import core
from pages.plumbing import doors, extras, link, samples
from pages.plumbing.state import Asked, Extent, Look, View

LONG = "long."


def start() -> None:
    """Take up the state at the start of a run: from the session, or from an address that was typed or gone back to."""
    state, came = st.session_state, st.query_params.to_dict()
    changed = state.pop("touched", False)
    state["first"] = "view" not in state
    if "view" not in state or (came and came != state.get("address") and not changed):
        state["view"] = _from_address(came)
        state["draft"] = state["view"].asked
        state["serial"] = state.get("serial", 0) + 1
        _forget_fields()
    elif any(doors.gone(asked.model) for asked in (view().asked, draft())):
        _leave_model()


def first() -> bool:
    """Tell whether this is the first run of a visit."""
    return bool(st.session_state["first"])


def view() -> View:
    """Return the state of this visit."""
    view: View = st.session_state["view"]
    return view


def draft() -> Asked:
    """Return what stands in the boxes, which may be something that could not be read."""
    draft: Asked = st.session_state["draft"]
    return draft


def ask(asked: Asked) -> None:
    """Put something else into the boxes; the picture follows once it could be read."""
    typed(asked)
    _forget_fields()


def typed(asked: Asked) -> None:
    """Note what a person put into the boxes."""
    st.session_state["draft"] = asked
    touch()


def touch() -> None:
    """Note that a person did something, so that this run does not come from an address gone back to."""
    st.session_state["touched"] = True


def change(**fields: object) -> None:
    """Change the View because of something a person did."""
    st.session_state["view"] = replace(view(), **fields)  # type: ignore[arg-type]
    touch()


def look(**fields: object) -> None:
    """Change how the picture is drawn."""
    change(look=replace(view().look, **fields))  # type: ignore[arg-type]


def extra(name: str) -> str:
    """Return an option of a single page."""
    return dict(view().extras).get(name, extras.EXTRAS[name].usual)


def set_extra(name: str, word: str) -> None:
    """Change an option of a single page; a word that may not stand there changes nothing."""
    st.session_state.pop(f"{LONG}{name}", None)
    if extras.fits(name, word):
        change(extras=extras.changed(view().extras, name, word))


def hold(name: str, text: str) -> None:
    """Keep a text that is too long for an option, which stays what it was, until another stands in its box."""
    st.session_state[f"{LONG}{name}"] = text
    touch()


def pick(choice: core.Choice) -> None:
    """Choose for the map: it will follow."""
    st.session_state["serial"] += 1
    change(choice=choice)


def with_token(which: str, position: int | None) -> core.Choice:
    """Choose one token, as `query` or as `key`; the rest of the choice stays."""
    now = view().chosen
    chosen = replace(now, query=position) if which == "query" else replace(now, key=position)
    pick(chosen)
    return chosen


def adopt(came: object, extent: Extent) -> None:
    """Take what the map reports, checked like anything that comes from outside."""
    chosen = link.reported(came, extent)
    if chosen is not None and view().choice is not None:
        change(choice=chosen)


def settle(asked: Asked, begin: core.Choice, follow: core.Choice, extent: Extent) -> None:
    """Settle on what was read: the link's wish if there was one, else `follow`; `begin` is what a bare link shows."""
    now = view()
    linked = now.choice is None and now.asked == asked
    bare = begin if not now.wish or samples.example_of(asked) else replace(begin, key=None)
    chosen = link.wished(dict(now.wish), bare, extent) if linked else follow
    st.session_state["view"] = replace(now, asked=asked, choice=chosen, begin=begin, wish=())
    st.session_state["serial"] += 1


def publish() -> None:
    """Write the state into the address bar."""
    wanted = _address(view())
    if wanted != st.query_params.to_dict():
        st.query_params.from_dict(wanted)
    st.session_state["address"] = wanted


def fits_link() -> bool:
    """Tell whether the text is short enough for the address bar."""
    return link.fits(view().asked.text, view().asked.pair)


def in_link(name: str) -> bool:
    """Tell whether the link says an option of a single page."""
    return name not in extras.left_out(view().extras)


def serial() -> int:
    """Return the number that rises whenever the page itself changed the choice."""
    serial: int = st.session_state["serial"]
    return serial


def browser_language() -> str:
    """Return the language of the browser if there is a catalogue for it, else English."""
    wanted = (st.context.locale or "en").lower().split("-")[0]
    return wanted if wanted in core.words.languages() else "en"


def _from_address(came: Mapping[str, str]) -> View:
    language = came.get("lang", "")
    return View(
        language=language if language in core.words.languages() else browser_language(),
        asked=Asked(**{"model": doors.usual(), **link.asked(came, doors.models())}),
        look=Look(**link.looks(came)),
        wish=tuple((name, came[name]) for name in link.CHOICE if name in came),
        extras=extras.found(came),
    )


def _leave_model() -> None:
    """Go back to the usual model, because the one that was looked into is deleted."""
    state, usual = st.session_state, doors.usual()
    state["view"] = replace(view(), asked=replace(view().asked, model=usual), choice=None, begin=None)
    state["draft"] = replace(draft(), model=usual)
    state["serial"] += 1
    _forget_fields()


def _address(now: View) -> dict[str, str]:
    if now.asked.model == doors.uploaded():
        words = {}  # nobody else can open it: a link would show another model
    elif now.choice is None or now.begin is None:
        words = extras.replaced(st.query_params.to_dict(), now.extras)
    else:
        measured = samples.example_of(now.asked) is None
        words = link.write(now.asked, now.look, now.choice, now.begin, measured=measured) | extras.linked(now.extras)
    return words | ({"lang": now.language} if words or now.language != browser_language() else {})


def _forget_fields() -> None:
    for name in [name for name in st.session_state if str(name).startswith(("field.", LONG))]:
        del st.session_state[name]
