"""A browser page for somebody with eyes and hands: what it shows, real keys, clicks, an input method."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.browser.slow import delayed

SCRIPT = (Path(__file__).parent / "page.js").read_text(encoding="utf-8")
LOOK_AGAIN_S = 0.02
MOST_LOOK_S = 8.0
CYRILLIC = dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "F,DULT`;PBQRKVYJGHCNEA[WXIO]SM'.Z", strict=True))
"""Where the letters are on a Russian keyboard, as the letters of an English one."""
SIGNS = {
    ",": "Comma",
    ";": "Semicolon",
    "[": "BracketLeft",
    "]": "BracketRight",
    "'": "Quote",
    ".": "Period",
    "`": "Backquote",
}
AWAY = re.compile(
    r"Failed to load resource|net::ERR_|Failed to fetch|NetworkError|AbortError|dynamically imported"
    r"|Unable to preload"
)
EXPECTED = re.compile(r"ApiError|^Error: |the server does not answer|a draft could not be kept")
"""What a page may write to the console: a server that is away, and refusals that it also shows."""
BROKEN = re.compile(r"(Type|Reference|Range|Syntax|InvalidState|InvalidAccess|NotFound|Data|Quota\w*)Error")


@dataclass
class Look:
    """What the page shows at one moment."""

    url: str = ""
    person: str = ""
    """Who works here, as the page says; empty where it does not."""
    heading: str = ""
    scenes: int = 0
    """How many of them are listed."""
    asked: str = ""
    """The text of what is open on Verdicts; it begins with the question."""
    dialog: str = ""
    fields: list[dict[str, Any]] = field(default_factory=list)
    controls: list[dict[str, Any]] = field(default_factory=list)
    focus: dict[str, Any] | None = None
    saved: list[dict[str, Any]] = field(default_factory=list)
    """Fields that the page has called saved since it was looked at the last time."""
    said: list[dict[str, Any]] = field(default_factory=list)
    """Other notices since then."""
    passed: list[dict[str, Any]] = field(default_factory=list)
    """What it has named since then, each for however short a time."""
    document: float = 0.0
    """Another number for every page that was loaded."""
    own_keys: dict[str, Any] = field(default_factory=dict)
    """By the id of a person: whether keys of one letter are on (`singles`), and other `keys` for rows."""
    changed_keys: dict[str, Any] = field(default_factory=dict)
    """Those of who works here."""
    gone: bool = False
    """The browser could not show any page."""
    ready: bool = True

    @property
    def page(self) -> str:
        """As in keymap.json."""
        name = urlsplit(self.url).path.strip("/") or "library"
        return "items" if name == "verdicts" and self.part("of") else name

    def part(self, name: str) -> str:
        """A part of the address."""
        return parse_qs(urlsplit(self.url).query).get(name, [""])[0]

    @property
    def login(self) -> bool:
        return any(one["secret"] for one in self.fields) and any(
            one["name"] == "Log in" for one in self.controls
        )

    @property
    def held(self) -> dict[str, Any] | None:
        """The field that has the caret."""
        return next((one for one in self.fields if one["focused"] and not one["closed"]), None)

    @property
    def name(self) -> str:
        """Of who works here."""
        return self.person.split(" · ")[0]

    @property
    def holder(self) -> str:
        """What the next key belongs to: `field`, `form`, `dialog`, `press` (a button) or `page`."""
        role = (self.focus or {}).get("role")
        if self.held:
            return "field"
        if role in ("radio", "checkbox", "combobox", "spinbutton", "menuitem", "menuitemradio"):
            return "form"
        if self.dialog:
            return "dialog"
        return "press" if role in ("button", "link", "tab", "option") else "page"

    @property
    def holds_form(self) -> bool:
        """Whether a form is open: what was chosen in it is saved when one goes on, wherever the focus is."""
        asked = any(one["name"] == "reason" for one in self.fields)
        chosen = any(
            one["role"] == "radio" or (one["role"] == "button" and one["name"].startswith("Save"))
            for one in self.controls
        )
        return self.holder == "form" or asked or chosen


class Page:
    """A browser page with the monkey's eyes in it."""

    def __init__(self, context: Any, url: str, late_ms: int) -> None:
        self.page = context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.set_default_navigation_timeout(30_000)
        self.url = url
        self.problems: list[str] = []
        self.saved: list[dict[str, Any]] = []
        self.said: list[dict[str, Any]] = []
        self.page.add_init_script(delayed(late_ms, late_ms) + SCRIPT)
        self.cdp = context.new_cdp_session(self.page)
        self.page.on("pageerror", lambda error: self._erred(str(error)))
        self.page.on("console", lambda line: self._erred(line.text) if line.type == "error" else None)
        self.page.on("response", self._answered)
        self.page.on("dialog", lambda dialog: dialog.dismiss())

    def _erred(self, text: str) -> None:
        if not AWAY.search(text) and (BROKEN.search(text) or not EXPECTED.search(text)):
            self.problems.append(f"console: {text[:600]}")

    def _answered(self, response: Any) -> None:
        if response.status >= 500 and response.status != 507:
            self.problems.append(f"{response.status} {response.request.method} {response.url}")

    # --- looking ----------------------------------------------------------------------------

    def ask(self, what: str, argument: Any = None) -> Any:
        """The answer of `window.monkey`; None while there is no page."""
        from playwright.sync_api import Error as BrowserError

        end = time.monotonic() + MOST_LOOK_S
        why = ""
        while time.monotonic() < end:
            try:
                found = self.page.evaluate(
                    f"async (given) => JSON.stringify(await window.monkey?.{what}(given))", argument
                )
                if found is not None:
                    return json.loads(found)
            except BrowserError as error:  # the driver has many for a page that is being left
                why = str(error)
            if self.page.url.startswith("chrome-error:"):
                return None
            time.sleep(LOOK_AGAIN_S)
        print(f"{self.page.url} says nothing: {why[:300]}", file=sys.stderr, flush=True)
        return None

    def look(self) -> Look:
        found = self.ask("look")
        look = Look(**found) if found else Look(gone=True)
        self.saved += look.saved
        self.said += look.said
        return look

    def told(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """What the page has called saved, and its other notices, since this was asked the last time."""
        saved, said = self.saved, self.said
        self.saved, self.said = [], []
        return saved, said

    def calm(self, still_ms: float) -> bool:
        return self.ask("calm", still_ms) is not False

    def drafts(self) -> list[tuple[str, str]]:
        return [(key, value) for key, value in self.ask("drafts") or []]

    def shows(self, texts: list[str]) -> list[str]:
        """Of each text where it stands: in a `field`, elsewhere on the `page`, or nowhere (empty)."""
        return list(self.ask("shows", texts) or [""] * len(texts))

    # --- hands ------------------------------------------------------------------------------

    def goto(self, path: str) -> None:
        with suppress(Exception):  # nobody answers while the server is away
            self.page.goto(f"{self.url}{path}", wait_until="domcontentloaded")

    def press(self, chord: str) -> None:
        """A key as keymap.json writes it."""
        parts = re.split(r"\+(?!$)", chord)
        names = {"Ctrl": "Control", " ": "Space"}
        last = parts[-1]
        if "Shift" in parts[:-1] and len(last) == 1:
            last = last.upper()
        self.page.keyboard.press(
            "+".join([*(names.get(one, one) for one in parts[:-1]), names.get(last, last)])
        )

    def click(self, at: list[int]) -> bool:
        """Whether it was into the text of a field."""
        text = self.ask("isText", at) is True
        self.page.mouse.click(*at)
        return text

    def type(self, text: str, how: str = "keys") -> None:
        """`how`: `keys`, `paste` (inserted at once), or `method` (composed by an input method)."""
        if how == "method":
            for end in range(1, len(text) + 1, 2):
                part = text[:end]
                self._process_key()
                self.cdp.send(
                    "Input.imeSetComposition",
                    {"text": part, "selectionStart": len(part), "selectionEnd": len(part)},
                )
            self.cdp.send("Input.insertText", {"text": text})
        elif how == "paste":
            self.cdp.send("Input.insertText", {"text": text})
        else:
            for letter in text:
                self._letter(letter)

    def delay_answer(self, ms: float) -> None:
        """The answer to the next text that is saved comes so much later."""
        with suppress(Exception):  # no page is there
            self.page.evaluate("(ms) => monkey.delayAnswer(ms)", ms)

    def lose_answer(self) -> Callable[[], bool]:
        """The next text that is saved is stored, and the page never hears of it; whether it has happened."""
        lost: list[str] = []

        def store(route: Any) -> None:
            with suppress(Exception):  # the server, or the page, may be gone
                route.fetch()
            with suppress(Exception):
                route.abort()
            lost.append(route.request.url)

        self.page.route(re.compile(r"/api/(edit|text)$"), store, times=1)
        return lambda: bool(lost)

    def _process_key(self) -> None:
        self.cdp.send(
            "Input.dispatchKeyEvent", {"type": "rawKeyDown", "windowsVirtualKeyCode": 229, "key": "Process"}
        )

    def _letter(self, letter: str) -> None:
        place = CYRILLIC.get(letter)
        if place is None:
            self.page.keyboard.type(letter)
            return
        key = {
            "key": letter,
            "text": letter,
            "code": SIGNS.get(place, f"Key{place}"),
            "windowsVirtualKeyCode": ord(place),
        }
        self.cdp.send("Input.dispatchKeyEvent", {"type": "keyDown", **key})
        self.cdp.send("Input.dispatchKeyEvent", {"type": "keyUp", **key})

    def picture(self, path: Path) -> None:
        with suppress(Exception):
            self.page.screenshot(path=path)
