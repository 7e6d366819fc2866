"""A small OpenID provider on this machine: discovery, authorization with PKCE, tokens signed by RS256, keys, sign-out.

It knows one page and signs in whoever presses its button as `Provider.person`; `Provider.fault` names what is wrong
with the tokens that it gives.
"""

import base64
import hashlib
import html
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT, SECRET = "heads-up", "what only the page and its provider know"
ANNA = {"sub": "1", "name": "Anna <b>Example</b>", "email": "anna@example.org", "email_verified": True}


class Provider(ThreadingHTTPServer):
    """The provider, what it was asked, the codes that it gave and the tokens."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.key, self.other = (RSAKey.generate_key(2048, {"kid": "one"}) for _ in range(2))
        self.person, self.fault, self.away = dict(ANNA), "", False
        self.asked: list[str] = []
        self.given: list[str] = []
        self.codes: dict[str, dict[str, str]] = {}

    def discovery(self) -> dict[str, object]:
        places = {"authorization": "authorize", "token": "token", "end_session": "logout"}
        return {
            "issuer": self.address,
            **{f"{name}_endpoint": f"{self.address}/{place}" for name, place in places.items()},
            "jwks_uri": f"{self.address}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def token(self, asked: dict[str, str]) -> str:
        """What says who signed in, wrong in the way that `fault` names."""
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "nonce": asked["nonce"], "iat": now, "exp": now + 600}
        wrong = {
            "expired": {"iat": now - 7200, "exp": now - 3600},
            "for another page": {"aud": "somebody else"},
            "of another provider": {"iss": "https://provider.example"},
            "of another visit": {"nonce": "stolen"},
        }
        claims |= self.person | wrong.get(self.fault, {})
        if self.fault == "signed by a guess":
            return jwt.encode({"alg": "HS256", "kid": "one"}, claims, OctKey.import_key(SECRET))
        if self.fault == "not signed":
            parts = ({"alg": "none"}, claims)
            return ".".join(_plain(json.dumps(part).encode()) for part in parts) + "."
        key = self.other if self.fault == "signed by another key" else self.key
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)


class Answer(BaseHTTPRequestHandler):
    """One request."""

    server: Provider

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        parts = urlsplit(self.path)
        asked = dict(parse_qsl(parts.query))
        if self.server.away:
            self._send(503, "away")
        elif parts.path == "/.well-known/openid-configuration":
            self._send(200, json.dumps(self.server.discovery()), "application/json")
        elif parts.path == "/keys":
            keys = {"keys": [{**self.server.key.as_dict(private=False), "use": "sig", "alg": "RS256"}]}
            self._send(200, json.dumps(keys), "application/json")
        elif parts.path == "/authorize":
            self._ask(asked)
        elif parts.path in ("/approve", "/cancel"):
            self._lead_back(asked, approved=parts.path == "/approve")
        elif parts.path == "/logout":
            self._lead(asked["post_logout_redirect_uri"])
        else:
            self._send(404, "")

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        given = dict(parse_qsl(text))
        asked = self.server.codes.pop(given.get("code", ""), None)
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".replace(" ", "+").encode()).decode()
        plain = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        known = self.headers["Authorization"] in (f"Basic {basic}", f"Basic {plain}")
        proof = _plain(hashlib.sha256(given.get("code_verifier", "").encode()).digest())
        if not (
            known and asked and proof == asked["code_challenge"] and given["redirect_uri"] == asked["redirect_uri"]
        ):
            self._send(400, '{"error": "invalid_grant"}', "application/json")
            return
        self.server.given.append(self.server.token(asked))
        said = {"access_token": "opens nothing", "token_type": "Bearer", "id_token": self.server.given[-1]}
        self._send(200, json.dumps(said), "application/json")

    def _ask(self, asked: dict[str, str]) -> None:
        fits = asked["client_id"] == CLIENT and asked["code_challenge_method"] == "S256"
        assert fits, asked
        hidden = "".join(f'<input type=hidden name="{n}" value="{html.escape(v)}">' for n, v in asked.items())
        buttons = "".join(
            f"<form action=/{name}>{hidden}<button>{name}</button></form>" for name in ("approve", "cancel")
        )
        self._send(200, f"<!doctype html><title>A provider</title><h1>A provider</h1>{buttons}")

    def _lead_back(self, asked: dict[str, str], *, approved: bool) -> None:
        code = secrets.token_urlsafe(16)
        self.server.codes[code] = asked
        said = {"code": code} if approved else {"error": "access_denied"}
        self._lead(f"{asked['redirect_uri']}?{urlencode(said | {'state': asked['state']})}")

    def _lead(self, place: str) -> None:
        self.send_response(302)
        self.send_header("Location", place)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: int, text: str, kind: str = "text/html; charset=utf-8") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is written down."""


def _plain(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


@contextmanager
def providing() -> Iterator[Provider]:
    """Let a provider run."""
    provider = Provider()
    thread = threading.Thread(target=provider.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.shutdown()
        provider.server_close()
        thread.join(10)
