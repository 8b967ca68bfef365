"""The invariants: what may be in the database after what was typed and pressed.

I1: a row that changed is the row that the page had named. I2: what the page calls saved is there, letter for
letter, under the person who is shown. I3: no row of another person changed. I4: every letter typed is stored,
in its owner's draft, on the screen, or was visibly refused.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace
from typing import Any

from annotation.records.decisions import AGAIN
from benchmarks.monkey.database import MAY_CHANGE, MAY_GO, Change, Database, Place, Row
from benchmarks.monkey.meanings import CHOOSING, GIVING, NEEDS, NEWS, SAID, SAYING, UNDO, left_out, texts_in
from benchmarks.monkey.naming import FRAME, Named, named_field, promised
from benchmarks.monkey.page import Look, Page
from benchmarks.monkey.tokens import MARK, Token, Violation, Window, alike, pairs_of_frames

BEGINNING = 40
"""So many letters of a question tell it from others."""
REMEMBERED = 400
SESSION_OVER = re.compile(r"Your session has ended|This browser works as")
"""Dialogs over a page whose person is logged out, or is another one by now."""


class Rules:
    """Follows one session and raises Violation."""

    def __init__(self, database: Database, page: Page) -> None:
        self.database, self.page = database, page
        self.tokens: dict[str, Token] = {}
        self.window = Window()
        self.recent: deque[Change] = deque(maxlen=REMEMBERED)
        self.chosen = ""
        """The question in whose form something was chosen, while it stood there and nothing was under way."""
        self.meant: dict[str, set[Any]] = {}
        """By table the questions, or pairs of frames, of which something was said since the last rest, each
        while it stood there and nothing was under way. Empty: it may have been said of another one."""

    # --- what happens -----------------------------------------------------------------------

    def saw(self, look: Look) -> None:
        if not look.gone:
            self.window.looks.append(look)
            self.window.passed += [Look(**one, changed_keys=look.changed_keys) for one in look.passed]

    def did(self, *acts: str) -> None:
        self.window.acts.update(acts)
        if any(CHOOSING.match(act) for act in acts):
            self.chosen = ""
        if any(act.startswith("click:") for act in acts):
            self.meant = {}

    def says(self, look: Look, rows: list[str], *, calm: bool) -> None:
        """A key says something of what is open."""
        for table, keys in SAYING.items():
            if any(keys.match(row) for row in rows):
                open_now = pairs_of_frames([look]) if table == "frame_label" else {look.part("qa")}
                known = self.meant.get(table, open_now)
                certain = calm and known and len(open_now) == 1
                self.meant[table] = known | open_now if certain else set()

    def typed(self, token: Token) -> None:
        if token.named and token.field:
            token.named = self._as_read(token.named)
        self.tokens[token.mark] = token
        self.did("text:")

    def withdraw(self, label: str | None = None, *, loose: bool = False) -> None:
        """The person takes back what was typed in a field, or leaves forms."""
        for token in self.tokens.values():
            if (
                token.state == "open"
                and token.named
                and (
                    (loose and token.loose)
                    or (label is not None and token.named.label.lower() == label.lower())
                )
            ):
                token.state = "withdrawn"

    def forget(self, look: Look) -> None:
        """What was typed and done before is not followed any more."""
        for token in self.tokens.values():
            token.state = "stored" if token.state == "stored" else "withdrawn"
        self.page.told()
        self.database.read()
        self.window = Window(looks=[look])

    @property
    def people(self) -> set[str]:
        """The ids of those whom the page has shown."""
        names = {person.split(" · ")[0] for look in self.window.looks if (person := look.person)}
        return {self.database.person(name) for name in names} - {""}

    # --- after each step --------------------------------------------------------------------

    def check(self) -> None:
        """What the page said and what the database holds."""
        saved, said = self.page.told()
        if self.database.changed():
            self._changes(self.database.read())
        for one in saved:
            self._saved(one)
        for notice in said:
            self.window.said.append(notice["text"])
            self._said(notice)

    def _changes(self, changes: list[Change]) -> None:
        self.recent.extend(changes)
        turned = self._turned(changes)
        subjects = {
            (c.row.get("subject_type"), c.row.get("subject_id"), c.row.get("field"))
            for c in changes
            if c.table == "correction"
        }
        # A new text is empty; its words lie over it.
        worded = {
            c.row["subject_id"]
            for c in changes
            if c.table == "correction" and MARK.search(str(c.row["value"]))
        }
        for key in getattr(self.database, "moved", set()):
            if key not in subjects and key[0] != "verdict":
                raise Violation(f"I1: what counts of {key} changed without a correction of it")
        for change in changes:
            gone = not change.row and change.table in MAY_GO
            if change.before and not gone and change.table not in MAY_CHANGE:
                raise Violation(
                    f"I1: a row of {change.table} was overwritten: {change.before} -> {change.row}"
                )
            place = self.database.place(change)
            self._whose(change)
            typed = self._marks(change, place)
            typed = typed or (change.table == "text" and change.id in worded)
            if not turned and not typed and change.table != "action":
                self._asked_for(change, place)
                self._where(change, place)

    def _turned(self, changes: list[Change]) -> bool:
        """Whether something was undone or redone, or many texts replaced; it must have been asked for."""
        turned = [
            c for c in changes if c.table == "action" and c.before and c.before["state"] != c.row["state"]
        ]
        asked = any(UNDO.match(act) for act in self.window.acts)
        there_and_back = [c for c in turned if "dropped" not in (c.before["state"], c.row["state"])]
        if there_and_back and not asked:
            raise Violation(f"I4: undone without being asked: {there_and_back[0].row['what']}")
        # Undone and redone between two looks, the action itself is as before.
        again = [c for c in changes if c.row.get("reason") == AGAIN]
        many = any(c.table == "action" and not c.before and len(c.row["changes"]) > 1 for c in changes)
        return bool((turned or again) and asked) or (
            many and any(act.startswith("click:Replace") for act in self.window.acts)
        )

    def _whose(self, change: Change) -> None:
        people = self.people
        if not people or change.person in people or not change.person:
            return
        giver = any(" · expert" in look.person or " · admin" in look.person for look in self.window.looks)
        if change.table == "assignment" and giver and any(GIVING.match(act) for act in self.window.acts):
            return
        shown = ", ".join(self.database.name(one) for one in people)
        whose = self.database.name(change.person)
        raise Violation(
            f"I3: a row of {whose} in {change.table} changed, the page showed {shown}: {change.row}"
        )

    def _marks(self, change: Change, place: Place) -> bool:
        """Whether it is what somebody typed, in the row that it was typed for."""
        typed = False
        words, before = change.words(), self._before(change)
        for mark in set(MARK.findall(words)):
            token = self.tokens.get(mark)
            if token is None or mark in before:
                continue
            if (
                change.person
                and change.table != "assignment"
                and not self._derived(token, place)
                and self.database.name(change.person) != token.person
            ):
                raise Violation(
                    f"I3: {token.phrase!r}, typed by {token.person} in step {token.step}, is stored under "
                    f"{self.database.name(change.person)}: {change.row}"
                )
            if (
                change.table != "action"
                and token.named
                and token.state != "stored"
                and not self._fits(token, place)
            ):
                raise Violation(
                    f"I1: {token.phrase!r}, typed in step {token.step} for {token.named}, is stored in "
                    f"{place}: {change.row}"
                )
            if token.state == "open" and not self._same_text(token, change):
                raise Violation(
                    f"I1: {token.phrase!r}, typed in step {token.step} for {token.named} over "
                    f"{token.over!r}, is stored over another text: {change.row}"
                )
            typed = typed or token.named is not None
            if token.phrase in words:
                token.state = "stored"
        return typed

    @staticmethod
    def _derived(token: Token, place: Place) -> bool:
        """Whether a split or a joined caption has stored words of its source in it, whoever wrote those."""
        made = ("carebench:full", "carebench:spatial", "carebench:temporal")
        return token.state == "stored" and bool(place.kind) and str(place.kind).startswith(made)

    def _before(self, change: Change) -> str:
        """What stood there before, by whomever: to leave it in one's own version is not to write it."""
        taken = [str(one.get("before")) for one in change.row.get("changes") or []]
        return " ".join([*taken, *self.database.earlier(change), str(change.before)])

    def _fits(self, token: Token, place: Place) -> bool:
        """A page that is going on to something else may name both."""
        assert token.named
        looks = self.window.named
        if token.row:
            named = [token.named, *(promised(token.row, look) for look in looks)]
            return any(one.fits(place) and self._reads(one, place) for one in named if one)
        verdicts = {token.named.verdict, *(look.part("qa") or look.part("item") for look in looks)}
        return any(
            replace(token.named, verdict=verdict).fits(place)
            for verdict in verdicts
            if verdict or not token.named.verdict
        ) and self._reads(token.named, place)

    def _as_read(self, named: Named) -> Named:
        """The address of a video is there before its fields: the heading says whose fields are shown."""
        videos = self.database.titled(named.title)
        return replace(named, video=next(iter(videos))) if named.video and len(videos) == 1 else named

    def _reads(self, named: Named, place: Place) -> bool:
        """Whether a row fits what a person reads around the field: title, question, author."""
        videos = self.database.titled(named.title)
        if videos and place.video and place.video not in videos:
            return False
        if not self._question(place, {named.asked}):
            return False
        author = self.database.person(named.author)  # empty for a model
        return not named.author or place.author is None or place.author == author

    def _question(self, place: Place, shown: set[str]) -> bool:
        """Whether one of the questions that were to be read is that of the row; true where none was."""
        asked = {text[:BEGINNING] for text in self.database.wordings(place.verdicts)} - {""}
        return not asked or not shown - {""} or any(one in text for text in shown for one in asked)

    def _same_text(self, token: Token, change: Change) -> bool:
        """Whether the words that stood in the field are those of the row that was changed."""
        before = self.database.earlier(change)
        unsaved = [self.tokens.get(mark) for mark in MARK.findall(token.over) if mark not in str(before)]
        return (
            not token.field
            or any(one.emptied for one in (token, *unsaved) if one)
            or not before
            or any(alike(token.over, text, self.tokens.values()) for text in before)
        )

    def _asked_for(self, change: Change, place: Place) -> None:
        kind = "verdict" if change.table == "correction" and place.kind == "verdict" else change.table
        needed = NEEDS.get("confirmation" if self.database.confirms(change) else kind)
        acts = self.window.acts
        if needed and not any(needed.match(act) for act in acts):
            raise Violation(
                f"I4: a change that nobody asked for: {change.table} {change.row}; done were {sorted(acts)}"
            )

    def _where(self, change: Change, place: Place) -> None:
        videos = self.window.parts("video")
        if place.video and videos and place.video not in videos and change.table != "assignment":
            raise Violation(
                f"I1: {change.table} changed on video {place.video}, the page named {videos}: {change.row}"
            )
        on_two_frames = self.database.on_two_frames(place) and self.window.on("keyframes")
        verdicts = set() if on_two_frames else self.window.parts("qa", "item")
        if place.verdicts and verdicts and not place.verdicts & verdicts:
            raise Violation(
                f"I1: {change.table} changed on {set(place.verdicts)}, the page named {verdicts}: "
                f"{change.row}"
            )
        if self.chosen and place.kind == "verdict" and place.verdicts:
            if self.chosen not in place.verdicts:
                raise Violation(f"I1: chosen at {self.chosen}, stored at {set(place.verdicts)}: {change.row}")
            self.chosen = ""
        asked = {look.asked for look in self.window.looks}
        # Empty: a question was on its way, or being written.
        shown = asked | {look.asked for look in self.window.passed}
        if "" not in asked and not self._question(place, shown - {""}):
            raise Violation(f"I1: {change.table} changed on {set(place.verdicts)}, the page asked {asked}")
        pair = (change.row.get("first"), change.row.get("second"))
        if (meant := self.meant.get(change.table)) and not meant & {*place.verdicts, pair}:
            raise Violation(f"I1: {change.table} was said of {meant}, and is stored so: {change.row}")
        named = [pairs_of_frames([look]) for look in self.window.looks]
        if change.table == "frame_label" and all(named) and pair not in set().union(*named):
            raise Violation(f"I1: a pair of frames was labelled, the page named {named}: {change.row}")
        if change.table == "selection":
            self._picked(change)

    def _picked(self, change: Change) -> None:
        """Frames come into one's row, or leave it, that the page had named."""
        rows = [row for row in self.database.rows["selection"].values() if row["person_id"] == change.person]
        earlier = [
            row for row in rows if row["video_id"] == change.row["video_id"] and row["id"] != change.id
        ]
        before: Row = max(earlier, key=lambda row: float(row["created_at"]), default={"frames": []})
        toggled = set(before["frames"]) ^ set(change.row["frames"])
        fields = [
            f["name"] for look in self.window.looks for f in look.fields if f["name"].startswith("caption of")
        ]
        named = {int(found.group(1).replace(",", "")) for name in fields if (found := FRAME.search(name))}
        clicked = any(act.startswith("click:") for act in self.window.acts)
        if named and not clicked and not toggled <= named:
            raise Violation(f"I1: the frames {toggled} were picked, the page named {named}: {change.row}")

    # --- what is called saved ---------------------------------------------------------------

    def _saved(self, saved: dict[str, Any]) -> None:
        look = Look(**{name: saved[name] for name in ("url", "person", "heading", "asked")})
        named = self._as_read(named_field(look, saved))
        value = saved["value"].strip()
        if not named.kinds:
            return
        found = [
            (place, person, given)
            for place, person, given in self.database.versions()
            if named.fits(place) and self._reads(named, place)
        ]
        same = [person for _, person, given in found if value in texts_in(given)]
        if not same and value:
            raise Violation(f"I2: called saved ({saved['text']}) but not in the database: {named}: {value!r}")
        me = self.database.person(saved["person"].split(" · ")[0])
        marks = [self.tokens[mark] for mark in MARK.findall(value) if mark in self.tokens]
        mine = [token for token in marks if token.person == saved["person"].split(" · ")[0]]
        if mine and me and me not in same:
            raise Violation(
                f"I2: called saved for {saved['person']}, stored under "
                f"{[self.database.name(p) for p in same]}: {value!r}"
            )

    def _said(self, notice: dict[str, Any]) -> None:
        text = notice["text"]
        for label in left_out(text):
            self.withdraw(label)
        if "Not written" in text:
            for token in self.tokens.values():
                if token.state == "open" and token.mark in text:
                    token.state = "refused"
        table = next((table for pattern, table in SAID if pattern.search(text)), "")
        me = self.database.person(notice["person"].split(" · ")[0])
        if (
            table
            and me
            and not any(c.table == table and (c.person == me or table == "assignment") for c in self.recent)
        ):
            raise Violation(f"I2: the page said {text!r}, and no row of {table} was written")
        if table == "assignment" and ": done. " in text:
            self._handed_in(text, notice["person"].split(" · ")[0])

    def _handed_in(self, text: str, person: str) -> None:
        """All that was typed for a video is stored when it is called done."""
        titles = {row["id"]: row["title"] for row in self.database.about["video"].values()}
        for token in self.tokens.values():
            about = token.named and text.startswith(f"{titles.get(token.named.video)}: ")
            if about and token.field and token.person == person and token.state == "open" and not token.loose:
                raise Violation(
                    f"I2: the page said {text!r}, and {token.phrase!r} of step {token.step} is not stored"
                )

    # --- when nothing is under way ----------------------------------------------------------

    def settle(self, look: Look) -> None:
        """Every letter is somewhere; then what was shown and done until now is over."""
        open_ones = [token for token in self.tokens.values() if token.state == "open" and token.named]
        shown = self.page.shows([token.phrase for token in open_ones])
        drafts = self.page.drafts()
        # Words go from a field to a draft to the database: read in this order, none can slip past.
        self.check()
        for token in self.tokens.values():
            if token.state == "open" and token.loose and token.leaving not in (0.0, look.document):
                token.state = "withdrawn"  # the dialog went with the page that the person had asked to leave
        for token, where in zip(open_ones, shown, strict=True):
            if token.state == "open":
                self._letters(token, where, drafts, look)
        if (look.login and look.page != "login") or SESSION_OVER.match(look.dialog):
            return  # what was asked for before goes on once somebody has logged in
        in_form = {"form"} if look.holds_form else set()
        self.meant = {}
        self.window = Window(looks=[look], acts=in_form)

    def _letters(self, token: Token, where: str, drafts: list[tuple[str, str]], look: Look) -> None:
        if where and look.person and look.name != token.person and not look.login:
            raise Violation(f"I3: {token.phrase!r} of {token.person} is shown to {look.person}")
        if where == "field" and token.row:
            held = next((one for one in look.fields if token.phrase in one["value"]), None)
            token.named, token.row = (named_field(look, held), "") if held else (token.named, token.row)
        kept = [key for key, value in drafts if token.phrase in value]
        owner = self.database.person(token.person)
        if any(owner not in key for key in kept):
            raise Violation(f"I3: {token.phrase!r} of {token.person} is kept in a draft of others: {kept}")
        if where == "field" or kept:
            return
        if self._refused(token):
            token.state = "refused"
        elif where != "page":
            how = "typed into" if token.field else "typed ahead for"
            raise Violation(
                f"I4: {token.phrase!r} of step {token.step}, {how} {token.named}, is nowhere; "
                f"said since: {self.window.said}; drafts: {[value[:300] for _, value in drafts][-3:]}"
            )

    def _refused(self, token: Token) -> bool:
        """Its letters were shown as not written; where nothing had the caret yet, any notice refuses them."""
        if any("Not written" in text for text in self.window.said):
            return True
        return not token.field and any(not NEWS.match(text) for text in self.window.said)
