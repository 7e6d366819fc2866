"""The sign-in that an operator set up: one file, read and checked at the start, and who of those that sign in may stay.

The file has a table `auth` with the names that Streamlit has for it (docs.streamlit.io, "st.login"), and `allowed`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from streamlit import config

import core

NAME = "HEADS_UP_SIGN_IN"
NEEDED = "requirements-signin.txt"
SHORTEST_SECRET = 32
CALLBACK = "oauth2callback"
SAFE = "https"
NEAR = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True)
class SignIn:
    """An OpenID provider, what this page is there, and the addresses (`anna@example.org`) or ends of addresses
    (`@example.org`) that may come in; with none, whoever the provider lets in."""

    redirect_uri: str
    cookie_secret: str = field(repr=False)
    client_id: str
    client_secret: str = field(repr=False)
    server_metadata_url: str
    client_kwargs: Mapping[str, str] = field(default_factory=dict)
    allowed: tuple[str, ...] = ()

    @property
    def provider(self) -> str:
        """The name of the machine on which people sign in."""
        return urlsplit(self.server_metadata_url).hostname or ""

    def lets_in(self, user: Mapping[str, Any]) -> bool:
        """Tell whether a person who has signed in may stay; an address counts if the provider has verified it."""
        if not self.allowed:
            return True
        address = str(user.get("email", "")).casefold()
        return user.get("email_verified") is True and any(
            address.endswith(one) if one.startswith("@") else address == one for one in self.allowed
        )


def secrets(place: Path | None) -> dict[str, Any] | None:
    """Return what Streamlit has to know, None where nobody signs in.

    Raises:
        CoreError: what `read` raises, and `sign_in_packages`.
    """
    found = read(place)
    if found is None:
        return None
    if find_spec("authlib") is None or find_spec("httpx") is None:
        raise core.CoreError("sign_in_packages", name=NAME, needed=NEEDED)
    told = {one.name: getattr(found, one.name) for one in fields(found) if one.name != "allowed"}
    return {"auth": told}


@cache
def read(place: Path | None) -> SignIn | None:
    """Return what stands in the file, None where there is no file.

    Raises:
        CoreError: `sign_in_file`, `sign_in_names` or `sign_in_value`; no value is told, since errors are logged.
    """
    if place is None:
        return None
    try:
        given = tomllib.loads(place.read_text(encoding="utf-8"))["auth"]
    except (OSError, ValueError, KeyError) as why:
        raise core.CoreError("sign_in_file", name=NAME, came=str(place), why=type(why).__name__) from why
    _check(given, str(place))
    return SignIn(**{**given, "allowed": tuple(one.casefold() for one in given.get("allowed", ()))})


def _check(given: Any, place: str) -> None:
    known = [one.name for one in fields(SignIn)]
    optional = ("client_kwargs", "allowed")
    wrong = [name for name in given if name not in known] if isinstance(given, dict) else ["auth"]
    wrong = wrong or [name for name in known if name not in optional and name not in given]
    if wrong:
        raise core.CoreError("sign_in_names", came=", ".join(wrong), file=place, allowed=", ".join(known))
    for name, allowed in _fitting(given).items():
        if allowed:
            raise core.CoreError("sign_in_value", name=name, file=place, allowed=allowed)


def _fitting(given: Mapping[str, Any]) -> dict[str, str]:
    """Return, by name, what would be allowed in place of a value that does not fit."""
    back = f"/{config.get_option('server.baseUrlPath').strip('/')}/{CALLBACK}".replace("//", "/")
    texts = [name for name in ("client_id", "client_secret", "cookie_secret") if not _text(given[name])]
    short = _text(given["cookie_secret"]) and len(given["cookie_secret"]) < SHORTEST_SECRET
    extra, allowed = given.get("client_kwargs", {}), given.get("allowed", [])
    return dict.fromkeys(texts, '"…"') | {
        **({"cookie_secret": f">= {SHORTEST_SECRET}"} if short else {}),
        "redirect_uri": "" if _address(given["redirect_uri"], back) else f"{SAFE}://…{back}",
        "server_metadata_url": "" if _address(given["server_metadata_url"]) else f"{SAFE}://…",
        "client_kwargs": "" if isinstance(extra, dict) and all(map(_text, extra.values())) else '{ scope = "…" }',
        "allowed": "" if isinstance(allowed, list) and all(map(_mail, allowed)) else '["@example.org", …]',
    }


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _mail(value: object) -> bool:
    return isinstance(value, str) and "@" in value and not any(sign.isspace() for sign in value)


def _address(value: object, path: str = "") -> bool:
    """Tell whether a value is an address that nobody on the way can read, with that path if one is named."""
    if not isinstance(value, str):
        return False
    try:
        parts = urlsplit(value)
        near = parts.hostname in NEAR
    except ValueError:
        return False
    known = parts.scheme == SAFE or (parts.scheme == "http" and near)
    return known and bool(parts.hostname) and (not path or (parts.path, parts.query) == (path, ""))
