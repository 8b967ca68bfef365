"""Login through an OpenID provider: the authorization code flow with PKCE, state and nonce.

OpenID Connect Core 1.0 and Discovery 1.0, RFC 7636 (PKCE), RFC 9207 (issuer in the response). The result is
an `Identity`; `annotation.people.openid_identities` maps it to a person.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

import httpx

from annotation.people.openid_identities import LONGEST_NAME, LONGEST_SUBJECT, Identity, host_of
from annotation.records.allowed_values import Role
from annotation.records.errors import NotAllowed
from backends.errors import BackendError, UsageError
from ui.auth.site_address_and_cookies import is_loopback

ROLES: tuple[Role, ...] = ("admin", "researcher", "expert", "annotator")
"""If a claim names several roles, the first match in this order is used."""
LEAST_ROLE = ROLES[-1]
NAMES = ("preferred_username", "email")
TIMEOUT = httpx.Timeout(10.0, connect=5.0)
KEPT_S = 3600.0
"""How long the provider's metadata and keys are cached, in seconds."""
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class ProviderDown(BackendError):
    """The provider does not respond, or its response is not valid."""


@dataclass(frozen=True, slots=True)
class OidcRule:
    """The provider, and which of its claims are used."""

    issuer: str
    client: str
    secret: str = ""
    """Empty: a public client, protected by PKCE alone."""
    names: tuple[str, ...] = NAMES
    """Claims that may hold a new person's name; the first one present is used."""
    roles: str = ""
    """Claim with roles; dots separate nested keys (`realm_access.roles`).

    Empty: roles are set in the workspace.
    """

    @classmethod
    def of(
        cls, issuer: str, client: str | None, secret: str, name: str | None, roles: str | None
    ) -> OidcRule:
        """Raises UsageError if the issuer's address could be read or changed in transit."""
        if not safe(issuer, issuer) or "?" in issuer or "#" in issuer:
            raise UsageError(
                f"--oidc {issuer}: give the URL of the issuer, such as https://login.example.org"
            )
        if not client:
            raise UsageError("--oidc needs --oidc-client ID, the client id of this app at the provider")
        return cls(issuer, client, secret, (name,) if name else NAMES, roles or "")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One login in progress; the browser that started it keeps it in a cookie."""

    state: str
    nonce: str
    verifier: str
    to: str
    """The path of this app to open after the login."""

    @classmethod
    def new(cls, to: str) -> Attempt:
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        return cls(state, nonce, verifier, to)

    @classmethod
    def read(cls, packed: str) -> Attempt | None:
        """Unpack an attempt from a cookie; None if it is not valid."""
        try:
            found = cls(**json.loads(bytes.fromhex(packed)))
        except (ValueError, TypeError):
            return None
        return found if all(isinstance(value, str) and value for value in asdict(found).values()) else None

    def packed(self) -> str:
        return json.dumps(asdict(self)).encode().hex()


class Provider:
    """Client of one provider. Thread-safe; fetches nothing before the first login."""

    def __init__(self, rule: OidcRule) -> None:
        """Raises UsageError if the package that verifies signatures is not installed."""
        try:
            from ui.auth import id_token
        except ImportError as error:
            raise UsageError("--oidc needs joserfc: pip install -r requirements-oidc.txt") from error
        self.rule, self.host = rule, host_of(rule.issuer)
        self._tokens = id_token
        # A proxy from the environment cannot reach this machine.
        inside = is_loopback(urlsplit(rule.issuer).hostname or "")
        self._http = httpx.Client(timeout=TIMEOUT, follow_redirects=False, trust_env=not inside)
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[float, Any]] = {}

    def login_url(self, attempt: Attempt, redirect_uri: str) -> str:
        """The address to send the browser to. Raises ProviderDown."""
        facts = self._facts()
        challenge = (
            urlsafe_b64encode(hashlib.sha256(attempt.verifier.encode()).digest()).rstrip(b"=").decode()
        )
        return _with(
            facts["authorization_endpoint"],
            {
                "response_type": "code",
                "client_id": self.rule.client,
                "redirect_uri": redirect_uri,
                "scope": self._scope(facts),
                "state": attempt.state,
                "nonce": attempt.nonce,
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            },
        )

    def logout_url(self, back: str) -> str | None:
        """The address that ends the provider's own session.

        Returns None if the provider has none or does not respond.
        """
        try:
            facts = self._facts()
        except ProviderDown:
            return None
        end = facts.get("end_session_endpoint")
        if not isinstance(end, str) or not safe(end, self.rule.issuer):
            return None
        return _with(end, {"client_id": self.rule.client, "post_logout_redirect_uri": back})

    def identity(self, attempt: Attempt, code: str, iss: str, redirect_uri: str) -> Identity:
        """The person who logged in. `iss` is the issuer in the response, if it has one.

        Raises ProviderDown, and NotAllowed if the response is not valid.
        """
        facts = self._facts()
        if iss and iss != facts["issuer"]:
            raise NotAllowed(f"the response comes from {iss}, not from {facts['issuer']}")
        answer = self._redeem(facts, attempt, code, redirect_uri)
        claims = self._claims(facts, str(answer.get("id_token") or ""), attempt.nonce)
        access = answer.get("access_token")
        if self._lacks(claims) and isinstance(access, str) and "userinfo_endpoint" in facts:
            claims = self._more(facts, access, claims) | claims
        return self._identity(facts["issuer"], claims)

    # --- requests to the provider -----------------------------------------------------

    def _claims(self, facts: Mapping[str, Any], token: str, nonce: str) -> dict[str, Any]:
        check = self._tokens.IdTokenCheck(facts["issuer"], self.rule.client, nonce)
        try:
            return check.read(token, self._keys(facts["jwks_uri"]))
        except self._tokens.UnknownKey:  # providers rotate their keys
            return check.read(token, self._keys(facts["jwks_uri"], anew=True))

    def _lacks(self, claims: Mapping[str, Any]) -> bool:
        named = any(claims.get(name) for name in self.rule.names)
        return not named or (bool(self.rule.roles) and inner(claims, self.rule.roles) is None)

    def _more(self, facts: Mapping[str, Any], access: str, claims: Mapping[str, Any]) -> dict[str, Any]:
        """The claims of the userinfo endpoint. Its subject must be the same (Core, 5.3.2)."""
        found = self._get(str(facts["userinfo_endpoint"]), {"Authorization": f"Bearer {access}"})
        if found.get("sub") != claims["sub"]:
            raise NotAllowed(f"{self.host} returned two different subjects")
        return found

    def _identity(self, issuer: str, claims: Mapping[str, Any]) -> Identity:
        subject = str(claims["sub"])
        if not 0 < len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
            raise NotAllowed(f"{self.host} returned no valid subject")
        given = next((str(claims[name]) for name in self.rule.names if claims.get(name)), "")
        name = "".join(c for c in given if c.isprintable()).strip()[:LONGEST_NAME].strip()
        if not name:
            raise NotAllowed(
                f"{self.host} returned no {' and no '.join(self.rule.names)}; ask an admin to set another "
                "claim with --oidc-name-claim"
            )
        return Identity(issuer, subject, name, role_of(claims, self.rule.roles) if self.rule.roles else None)

    def _scope(self, facts: Mapping[str, Any]) -> str:
        """The requested scopes. A claim with roles often needs a scope of the same name (`groups`)."""
        claim = self.rule.roles.split(".")[0]
        known = facts.get("scopes_supported")
        return f"openid profile email {claim if isinstance(known, list) and claim in known else ''}".strip()

    # --- requests ---------------------------------------------------------------------

    def _facts(self) -> dict[str, Any]:
        """The discovery document."""
        url = f"{self.rule.issuer.rstrip('/')}/.well-known/openid-configuration"
        facts = self._cached(url)
        if str(facts.get("issuer")).rstrip("/") != self.rule.issuer.rstrip("/"):
            raise ProviderDown(f"the issuer of {self.host} is {facts.get('issuer')}; give that with --oidc")
        for name in ENDPOINTS:
            if not safe(str(facts.get(name)), self.rule.issuer):
                raise ProviderDown(f"{self.host} has no {name} with an https URL")
        return facts

    def _keys(self, url: str, *, anew: bool = False) -> Any:
        try:
            return self._tokens.read_keys(self._cached(url, anew=anew))
        except ValueError as error:
            raise ProviderDown(f"{self.host}: {error}") from error

    def _cached(self, url: str, *, anew: bool = False) -> dict[str, Any]:
        with self._lock:
            at, kept = self._kept.get(url, (0.0, None))
            if kept is None or anew or time.monotonic() - at > KEPT_S:
                kept = self._get(url, {})
                self._kept[url] = (time.monotonic(), kept)
            return cast(dict[str, Any], kept)

    def _redeem(
        self, facts: Mapping[str, Any], attempt: Attempt, code: str, redirect_uri: str
    ) -> dict[str, Any]:
        """Exchange the code for tokens. A code works once: the provider refuses it the second time."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": attempt.verifier,
            "client_id": self.rule.client,
        }
        auth = None
        methods = facts.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        if self.rule.secret and "client_secret_basic" in methods:
            auth = (quote(self.rule.client, safe=""), quote(self.rule.secret, safe=""))
        elif self.rule.secret:
            form["client_secret"] = self.rule.secret
        return self._read(facts["token_endpoint"], "POST", data=form, auth=auth)

    def _get(self, url: str, headers: Mapping[str, str]) -> dict[str, Any]:
        return self._read(url, "GET", headers=headers)

    def _read(self, url: str, method: str, **options: Any) -> dict[str, Any]:
        try:
            answer = self._http.request(method, url, **options)
            body = answer.json()
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise ProviderDown(f"{self.host} returned no valid response; try again later") from error
        found: dict[str, Any] = body if isinstance(body, dict) else {}
        if method == "POST" and 400 <= answer.status_code < 500:
            raise NotAllowed(f"{self.host} refused the login: {found.get('error', answer.status_code)}")
        if answer.status_code != 200 or not found:
            raise ProviderDown(f"{self.host} returned status {answer.status_code}; try again later")
        return found


def role_of(claims: Mapping[str, Any], path: str) -> Role:
    """The highest role that a claim names; the lowest role if it names none."""
    value = inner(claims, path)
    named = value.split() if isinstance(value, str) else value if isinstance(value, list) else ()
    return next((role for role in ROLES if role in named), LEAST_ROLE)


def inner(claims: Mapping[str, Any], path: str) -> Any:
    """The claim of this name, or at this dotted path; None if there is none."""
    if path in claims:
        return claims[path]
    value: Any = claims
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def safe(url: str, issuer: str) -> bool:
    """Whether requests to this address cannot be read or changed in transit.

    http is accepted only for this machine, and only if the issuer itself is on it.
    """
    try:
        one, home = urlsplit(url), urlsplit(issuer)
        host = one.hostname or ""
        if "@" in one.netloc or not host or (one.port or 1) > 65535:
            return False
        near = is_loopback(host) and is_loopback(home.hostname or "")
    except ValueError:
        return False
    return one.scheme == "https" or (one.scheme == "http" and near)


def _with(url: str, parameters: Mapping[str, str]) -> str:
    return f"{url}{'&' if urlsplit(url).query else '?'}{urlencode(parameters)}"
