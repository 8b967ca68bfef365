"""A small OpenID provider: a real HTTP server with real keys, a page to log in, and codes that work once."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, Key, KeySet, RSAKey

CLIENT, SECRET = "dailies", "a secret: with% odd/characters"
Claims = dict[str, Any]


class OpenIdProvider:
    """Its state; tests change what it says."""

    def __init__(self) -> None:
        self.people: dict[str, Claims] = {}
        """Claims by what is typed as the name on its page."""
        self.secret = SECRET
        """Empty: a public client."""
        self.keys: list[Key] = [RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})]
        self.facts: Claims = {}
        """Laid over the discovery document."""
        self.userinfo: Claims | None = None
        self.asked: list[str] = []
        """Paths that were asked for."""
        self.ended: list[dict[str, str]] = []
        self.codes: dict[str, dict[str, str]] = {}
        self.url = ""
        self.be_honest()

    def be_honest(self) -> None:
        """Take back what makes its answers wrong."""
        self.changed: Claims = {}
        """Claims that the next tokens hold instead; None: leaves one out."""
        self.sign: Callable[[Claims], str] = self.signed
        self.after: Claims = {}
        """Laid over what comes back in the address."""

    def signed(self, claims: Claims) -> str:
        key = self.keys[0]
        algorithm = "RS256" if isinstance(key, RSAKey) else "ES256"
        return jwt.encode({"alg": algorithm, "kid": key.kid}, claims, key)

    def discovery(self) -> Claims:
        here = {
            f"{name}_endpoint": f"{self.url}/{name}" for name in ("authorization", "token", "end_session")
        }
        return {"issuer": self.url, "jwks_uri": f"{self.url}/keys", **here} | self.facts

    def public_keys(self) -> Claims:
        return dict(KeySet(self.keys).as_dict(private=False))

    def code_for(self, name: str, query: dict[str, str]) -> str:
        """Where the browser is sent after it has logged in as somebody."""
        code = secrets.token_urlsafe(16)
        self.codes[code] = {**query, "name": name}
        back = {"code": code, "state": query["state"]} | self.after
        return f"{query['redirect_uri']}?{urlencode({k: v for k, v in back.items() if v is not None})}"

    def redeem(self, form: dict[str, str], authorization: str) -> tuple[int, Claims]:
        asked = self.codes.pop(form.get("code", ""), None)
        if not self._is_client(form, authorization):
            return 401, {"error": "invalid_client"}
        proof = urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if (
            asked is None
            or asked["code_challenge"] != proof.rstrip(b"=").decode()
            or asked["redirect_uri"] != form["redirect_uri"]
        ):
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": asked["name"], "token_type": "Bearer", "id_token": self.token(asked)}

    def token(self, asked: dict[str, str]) -> str:
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **self.people[asked["name"]],
        } | self.changed
        return self.sign({name: value for name, value in claims.items() if value is not None})

    def _is_client(self, form: dict[str, str], authorization: str) -> bool:
        if not self.secret:
            return form.get("client_id") == CLIENT and not authorization and "client_secret" not in form
        if authorization:
            name, _, given = b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
            return (unquote(name), unquote(given)) == (CLIENT, self.secret)
        return (form.get("client_id"), form.get("client_secret")) == (CLIENT, self.secret)


PAGE = """<!doctype html><html lang=en><title>The provider</title><h1>The provider</h1>
<form method=post action="/authorization?{query}"><label>User <input name=name></label>
<button>Go on</button></form>"""


class Handler(BaseHTTPRequestHandler):
    """One request; `provider` is set by the class of each server."""

    provider: OpenIdProvider

    def do_GET(self) -> None:
        path, query = self._asked()
        provider = self.provider
        if path == "/authorization":
            self._send(200, "text/html", PAGE.format(query=escape(urlencode(query))).encode())
        elif path == "/end_session":
            provider.ended.append(query)
            self._to(query["post_logout_redirect_uri"])
        elif path == "/userinfo" and provider.userinfo is not None:
            name = self.headers["Authorization"].removeprefix("Bearer ")
            self._json(200, {"sub": provider.people[name]["sub"]} | provider.userinfo)
        else:
            said = {"/.well-known/openid-configuration": provider.discovery, "/keys": provider.public_keys}
            self._json(*((200, said[path]()) if path in said else (404, {})))

    def do_POST(self) -> None:
        path, query = self._asked()
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body, keep_blank_values=True).items()}
        if path == "/authorization":
            self._to(self.provider.code_for(form["name"], query))
        else:
            self._json(*self.provider.redeem(form, self.headers.get("Authorization", "")))

    def _asked(self) -> tuple[str, dict[str, str]]:
        url = urlsplit(self.path)
        self.provider.asked.append(url.path)
        return url.path, {name: values[0] for name, values in parse_qs(url.query).items()}

    def _to(self, url: str) -> None:
        self.send_response(302)
        self.send_header("Location", url)
        self.end_headers()

    def _json(self, status: int, body: Claims) -> None:
        self._send(status, "application/json", json.dumps(body).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        pass


@contextmanager
def running_provider() -> Iterator[OpenIdProvider]:
    """The provider on this machine."""
    provider = OpenIdProvider()
    handler = type("OneHandler", (Handler,), {"provider": provider})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def new_key() -> Key:
    """Of the other kind than the first."""
    return ECKey.generate_key("P-256", {"kid": "two"})
