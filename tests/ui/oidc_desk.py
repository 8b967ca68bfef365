"""An app at the door of a provider, and browsers that log in there."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from fastapi.testclient import TestClient

from annotation.people import audit_log
from tests.bench import Bench
from tests.ui.oidc_provider import CLIENT, SECRET, OpenIdProvider
from ui.auth.current_person import AuthRules
from ui.auth.openid import OidcRule
from ui.auth.site_address_and_cookies import Site
from ui.web_app import build_app

HTML = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
BO = {"sub": "17", "preferred_username": "bo"}


class Desk:
    """An app at the provider's door, and browsers."""

    def __init__(self, bench: Bench, provider: OpenIdProvider) -> None:
        self.bench, self.provider, self.store = bench, provider, bench.store
        self.browser = self.open()

    def open(self, *, passwords: bool = False, site: Site | None = None, **rule: Any) -> TestClient:
        """A new app, and a browser without cookies."""
        values = {"secret": SECRET, "name": None, "roles": None, "client": CLIENT} | rule
        known = OidcRule.of(self.provider.url, **values)
        app = build_app(
            self.bench.workspace,
            self.bench.engines,
            AuthRules(passwords=passwords, oidc=known),
            site=site or Site(),
        )
        base = site.url if site and site.url else "http://testserver"
        self.browser = TestClient(app, base, headers=HTML, follow_redirects=False)
        return self.browser

    def another_browser(self, address: str = "testclient") -> None:
        """One without cookies, at the same app."""
        self.browser = TestClient(
            self.browser.app, "http://testserver", headers=HTML, follow_redirects=False, client=(address, 1)
        )

    def leave_for(self, to: str = "/") -> dict[str, str]:
        """What the provider's page is asked for."""
        answer = self.browser.get("/login/provider", params={"next": to})
        assert answer.status_code == 303, answer.text
        assert answer.headers["location"].startswith(f"{self.provider.url}/authorization?")
        return {k: v[0] for k, v in parse_qs(urlsplit(answer.headers["location"]).query).items()}

    def log_in(self, name: str = "bo", to: str = "/") -> Any:
        """The answer to the browser that comes back."""
        return self.browser.get(self.provider.code_for(name, self.leave_for(to)))

    def who(self) -> str | None:
        answer = self.browser.get("/api/me")
        if answer.status_code == 401:
            return None
        person = answer.json()["person"]
        return f"{person['name']}: {person['role']}"

    def log(self) -> list[str]:
        return [f"{e.who}: {e.what} {e.about}".strip() for e in reversed(audit_log.entries(self.store))]
