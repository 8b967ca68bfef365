"""A person, or two in turn, at one browser: real keys and clicks, and the rules checked after each step."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlalchemy import text

from benchmarks.monkey.acts import LATE, UNTRACKED, Chooser, Step
from benchmarks.monkey.database import Database
from benchmarks.monkey.meanings import puts_caret, says
from benchmarks.monkey.naming import COMMENTS, Walk, named_field, promised, rows_of
from benchmarks.monkey.page import Look, Page
from benchmarks.monkey.rules import Rules
from benchmarks.monkey.served import PASSWORD, PEOPLE, App
from benchmarks.monkey.tokens import Token, Violation

QUIET_S = 6.0
PERSON_S = 4.0
STILL_MS = 60.0
POLL_S = 0.02
CATCHER = "Text for the field"
"""The name of what takes text while the field that a key has promised is being opened."""
SOME_FIELD = "some field"
"""Of the one that a key had promised it is not known which it becomes."""
PAUSE_S = 0.2
LATE_ANSWER_MS = 2500.0
LOST_S = 3.0
"""So long a save takes at most to be under way."""
REASON = "reason"
MOST_TABS = 8
"""To the field for the reason of a verdict, wherever the focus is in its form."""
MOVES = ("Ctrl+Enter", "Ctrl+Shift+Enter", "Enter")
CARET = ("Ctrl+z", "ArrowLeft", "ArrowUp", "Home")
"""Keys after which letters may stand inside those that were typed before, or take their place."""
CHOSEN = re.compile(r"(?:Open|Go on) as (\w+)")
"""Buttons by which somebody is another person from then on."""


class Session:
    """A person, or two in turn, at one browser."""

    def __init__(self, seed: int, page: Page, app: App, database: Database, *, passwords: bool) -> None:
        self.page, self.app, self.database, self.passwords = page, app, database, passwords
        self.rules = Rules(database, page)
        videos = sorted(database.about["video"])
        self.chooser = Chooser(seed, list(PEOPLE), videos, passwords=passwords)
        self.look = Look(gone=True)
        self.moving = False
        self.person = ""
        """Who was shown last."""
        self.called: set[str] = set()
        """Who was chosen, or has logged in: nobody else may be shown after that."""
        self.promise = ""
        """The last key that opens a field, as in keymap.json."""
        self.emptied: set[str] = set()
        """Fields in which not all is as it was saved."""
        self.caret = False
        """Whether a key was pressed that may have put the caret into a field meanwhile."""
        self.leaving = False
        """Whether a link was followed that has not led to its page yet."""
        self.n = 0

    # --- steps ------------------------------------------------------------------------------

    def next_step(self, n: int) -> Step:
        return self.chooser.step(n, self.look, runs=self.app.runs, moving=self.moving)

    def do(self, n: int, step: Step) -> None:
        """Raises Violation."""
        self.n = n
        what, *words = step
        with suppress(LookupError):  # what was to be clicked is not there this time
            getattr(self, f"_{what}")(*words)
        self.moving = what in ("press", "form") and words[-1] in MOVES
        self._see()
        self.rules.check()
        if what == "quiet":
            self._settle()
        if self.page.problems:
            raise Violation(f"the page: {self.page.problems}")

    def _see(self) -> None:
        before, self.look = self.look.document, self.page.look()
        self.leaving = self.leaving and before == self.look.document
        person_id = self.database.person(self.look.name)
        self.look.changed_keys = self.look.own_keys.get(person_id, {})
        self.rules.saw(self.look)
        now = self.look.person
        if now and self.person and now != self.person and self.look.name not in self.called:
            raise Violation(f"I3: the page shows {now}, and nobody has switched from {self.person}")
        self.called = self.called if now in ("", self.person) else set()
        self.person = now or self.person

    def begin_anew(self) -> None:
        """After a violation: what was typed before is not followed any more."""
        self.page.problems.clear()
        self.look = self.page.look()
        self.person, self.called = self.look.person, set(PEOPLE)
        self.rules.forget(self.look)

    def finish(self) -> None:
        """The server is there again, nothing is under way, and everything is where it belongs."""
        if not self.app.runs:
            self._start()
        self._settle()
        if problem := self.app.health() or "\n".join(self.app.faults()):
            raise Violation(f"the server: {problem}")

    # --- keys and clicks --------------------------------------------------------------------

    def _key(self, chord: str, holder: str) -> None:
        rows = rows_of(chord, self.look.page)
        if holder == "page" or (holder == "press" and chord not in (" ", "Enter")):
            self.rules.did(*rows)
        elif holder == "press":
            self.rules.did(f"click:{(self.look.focus or {}).get('name', '')}")
        elif chord in (*MOVES, " "):
            self.rules.did(*rows, "form", f"click:{holder}")
        elif chord.startswith(("Alt+", "Ctrl+", "Shift+Alt")):
            self.rules.did(*rows)
        self.page.press(chord)

    def _press(self, chord: str) -> None:
        self._see()  # what the key is for may have come since the last look
        held = self.look.held
        if held and chord in CARET:
            self._overwrites(held)
        if chord == "Escape" or (chord == "Enter" and self.look.dialog):
            self.rules.withdraw(loose=True)
        if chord == "Escape":
            self._gives_up()
        self._promises(chord)
        self._says(chord)
        self.caret = self.caret or bool(puts_caret(self.look) & {*rows_of(chord, self.look.page)})
        self._key(chord, self.look.holder)

    def _says(self, chord: str) -> None:
        rows = rows_of(chord, self.look.page)
        if self.look.holder in ("page", "press") and says(rows):
            self.rules.says(self.look, rows, calm=self.page.calm(STILL_MS))

    def _promises(self, chord: str) -> None:
        """The words that follow are for what this key opens, or for nothing."""
        meant, held = rows_of(chord, self.look.page), self.look.held
        letter = held and (len(chord) == 1 or held["name"].startswith(CATCHER))
        if meant and not letter:
            self.promise = next((row for row in meant if promised(row, self.look)), "")

    def _noise(self, what: str) -> None:
        for chord in [what] if len(what) == 1 or what[0].isupper() else what:
            self._promises(chord)
            self._key(chord, self.look.holder)
            self._see()  # the next key is for what this one has shown

    def _form(self, first: str, *keys: str) -> None:
        """The form of the verdict: what is pressed in it is the form's."""
        self._leave_field()
        self.rules.did("form", *rows_of(first, self.look.page))
        self.rules.chosen = self.look.part("qa") if self.page.calm(STILL_MS) else ""
        for chord in (first, *keys):
            if chord in MOVES:
                self._see()
            self.page.press(chord)

    def _reason(self, choice: str, phrase: str, how: str, mark: str) -> None:
        """The form of the verdict, and why: by Tab to the field for it."""
        self._form("e", choice)
        for _ in range(MOST_TABS):
            self._see()
            if self.look.held and self.look.held["name"] == REASON:
                self._type(phrase, how, mark)
                return
            self.page.press("Tab")

    def _click(self, role: str, name: str) -> None:
        self._see()  # it may stand elsewhere by now
        control = self._found(self.look.controls, role, name)
        if not self.look.held:
            self.rules.withdraw(f"the field of {self.promise}")
        self._gives_up()
        self.rules.did(f"click:{name}")
        if role not in ("tab", "option", "row", "link"):
            self.rules.chosen = ""
        if role in ("tab", "option", "row", "link") or self.look.dialog or name in ("Cancel", "Close"):
            self.rules.withdraw(loose=True)
        if chosen := CHOSEN.match(name):
            self.called |= {chosen.group(1)}
        self.leaving = self.leaving or role in ("link", "tab")
        if self.page.click(control["at"]) and self.look.held:  # it was somewhere else after all
            self._overwrites(self.look.held)

    @staticmethod
    def _found(things: list[dict[str, Any]], role: str, name: str, nth: int = 0) -> dict[str, Any]:
        """The nth of this role and name."""
        found = [one for one in things if (one["role"], one["name"]) == (role, name)]
        if len(found) <= nth or not found[nth]["at"]:
            raise LookupError(name)
        return found[nth]

    def _gives_up(self) -> None:
        """Whoever turns to something else before the field is there takes back what was typed for it."""
        if self.look.held and self.look.held["name"].startswith(CATCHER):
            self.rules.withdraw(f"the field of {self.promise}")

    def _leave_field(self) -> None:
        self._see()
        if self.look.holder in ("field", "form"):
            self.rules.withdraw(loose=True)
            self._gives_up()
            self.page.press("Escape")

    # --- typing -----------------------------------------------------------------------------

    def _write(self, role: str, name: str, nth: int, phrase: str, how: str, mark: str) -> None:
        self._see()
        field = self._found(self.look.fields, role, name, nth)
        self.rules.did(f"click:{name}")
        self.page.click(field["at"])
        self._see()
        if self.look.held and not self.look.held["secret"]:
            self.page.press("Ctrl+End")
            self._type(phrase, how, mark)

    def _replace(self, phrase: str, how: str, mark: str) -> None:
        if self.look.held:
            self._overwrites(self.look.held)
            self.page.press("Ctrl+a")
            self._type(phrase, how, mark, instead=True)

    def _overwrites(self, held: dict[str, Any]) -> None:
        """What was typed into this field, or ahead for the last one that a key promised, may go."""
        self.emptied.add(SOME_FIELD if held["name"].startswith(CATCHER) else held["name"])
        self.rules.withdraw(held["name"])
        self.rules.withdraw(f"the field of {self.promise}")

    def _type(self, phrase: str, how: str, mark: str, *, instead: bool = False) -> None:
        """`instead`: of what stands in the field, which is selected."""
        held = self.look.held
        if held is None or not self.look.person or held["room"] < 2 * len(phrase):
            return
        if held["name"].startswith(CATCHER):  # a key has promised a field that is not there yet
            named = promised(self.promise, self.look) if self.promise else None
            self._token(phrase, mark, named, row=self.promise, loose=self.promise in COMMENTS)
            self.page.type(phrase)
            return
        named = None if UNTRACKED.search(held["name"]) else named_field(self.look, held)
        loose = bool(self.look.dialog) or held["name"] == REASON or held["role"] != "textbox"
        emptied = instead or bool({held["name"], SOME_FIELD} & self.emptied)
        self._token(phrase, mark, named, over=held["value"], loose=loose, emptied=emptied)
        if held["value"] and not instead:
            self.page.type(" ")
        self.page.type(phrase.removesuffix(mark), how)
        self.page.type(mark)

    def _ahead(
        self, row: str, chord: str, phrase: str, _how: str, mark: str, *, walk: Walk | None = None
    ) -> None:
        """A key that promises a field, and the words for it at once; `walk` led to its scene just before."""
        self._leave_field()
        self.promise = row
        self.rules.did(row)
        named = None if self.caret else promised(row, self.look)
        if named and walk:  # the address follows a little later
            named = replace(named, scene=walk.end())
        self._token(phrase, mark, named, row=row, loose=row in COMMENTS)
        self.page.press(chord)
        self.page.type(phrase)
        self._see()
        held = self.look.held
        if (
            held and held["secret"] and phrase in held["value"]
        ):  # a login had come over the page before the key
            self.rules.tokens[mark].state = "withdrawn"

    def _hop(self, walk: list[str], here: Step, there: Step) -> None:
        """On to other scenes while the words of one are being saved, and words there at once."""
        if LATE in walk:
            walk = walk[1:]
            self.page.delay_answer(LATE_ANSWER_MS)
        if self.look.held:
            self._type(*here)
        else:
            self._ahead("script.edit", "e", *here)
        self._see()
        self._leave_field()
        before = self.look
        for chord in walk:
            if chord == "pause":
                time.sleep(PAUSE_S)
            else:
                self._key(chord, "page")
        self._see()
        self._ahead("script.edit", "e", *there, walk=Walk(before.part("scene"), before.scenes, walk))

    def _lost(self, here: Step, there: Step) -> None:
        """The answer to a save gets lost, and somebody writes on before it is sent again."""
        has_happened, end = self.page.lose_answer(), time.monotonic() + LOST_S
        self._type(*here)
        while not has_happened() and time.monotonic() < end:
            self._see()
        self._type(*there)

    def _gone(self, phrase: str, how: str, mark: str) -> None:
        """The server is away while somebody types, and the page is loaded again before it is back."""
        self._kill()
        self._type(phrase, how, mark)
        self._reload()
        self._start()

    def _token(
        self,
        phrase: str,
        mark: str,
        named: Any,
        *,
        over: str = "",
        row: str = "",
        loose: bool = False,
        emptied: bool = False,
    ) -> None:
        person = (self.look.person or self.person).split(" · ")[0]  # no name stands on a page that is loading
        leaving = self.look.document if self.leaving else 0.0
        self.rules.typed(
            Token(mark, phrase, person, self.n, named, not row, over, emptied, row, loose, leaving)
        )

    # --- pages, people, machines --------------------------------------------------------------

    def _goto(self, path: str) -> None:
        self.rules.withdraw(loose=True)
        self.page.goto(path)

    def _reload(self) -> None:
        self.rules.withdraw(loose=True)
        with suppress(Exception):
            self.page.page.reload(wait_until="domcontentloaded")

    def _back(self) -> None:
        self.rules.withdraw(loose=True)
        with suppress(Exception):
            self.page.page.go_back(wait_until="domcontentloaded")

    def _person(self, name: str) -> None:
        """By the menu on top of the page, as anybody may do it."""
        self.rules.withdraw(loose=True)
        self.called = {name}
        self.page.click(self._beginning("You are")["at"])
        self._see()
        self.page.click(self._beginning(f"{name} ·", "menuitemradio")["at"])
        if name != self.look.name:
            self._awaited(name)

    def _beginning(self, words: str, role: str = "") -> dict[str, Any]:
        found = [
            one for one in self.look.controls if one["name"].startswith(words) and role in ("", one["role"])
        ]
        if not found:
            raise LookupError(words)
        return found[0]

    def _awaited(self, name: str) -> None:
        end = time.monotonic() + PERSON_S
        while self.page.look().name != name and time.monotonic() < end and self.app.runs:
            time.sleep(POLL_S)

    def _login(self, name: str) -> None:
        self.called = {name}
        fields = {f["name"]: f for f in self.look.fields}
        if not fields["Name"]["closed"]:
            self.page.click(fields["Name"]["at"])
            self.page.press("Ctrl+a")
            self.page.type(name)
        self.page.click(fields["Password"]["at"])
        self.page.press("Ctrl+a")
        self.page.type(PASSWORD)
        self.page.press("Enter")
        end = time.monotonic() + PERSON_S
        while self.page.look().login and time.monotonic() < end:
            time.sleep(POLL_S)

    def _expire(self) -> None:
        """The session ends, as after its time or by an admin."""
        with self.database.engine.begin() as conn:
            conn.execute(text("DELETE FROM login_session"))

    def _kill(self) -> None:
        if self.app.runs:
            self.app.kill()

    def _start(self) -> None:
        if not self.app.runs:
            self.app.start()

    def _quiet(self) -> None:
        end = time.monotonic() + QUIET_S
        calm = 0
        while calm < 2 and time.monotonic() < end and self.app.runs:
            calm = calm + 1 if self.page.calm(STILL_MS) else 0
            time.sleep(POLL_S)

    def _settle(self) -> None:
        if self.app.runs and not self.look.gone:
            self._quiet()
            self._see()
            self.rules.settle(self.look)
            self.emptied.clear()
            self.caret = False
            self.leaving = self.leaving and self.look.login
