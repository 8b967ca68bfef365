"""People who work at random on the videos of `drafts.py`, through the real services."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from annotation.editing import assignments, edits, undo_and_redo
from annotation.editing.assignments import Place
from annotation.editing.cut_edits import CutEdit, change_cuts
from annotation.editing.edits import Edit, OwnText
from annotation.editing.find_and_replace import Search, preview, replace
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.systems.carebench import write_merge_approve
from annotation.systems.carebench.split_stage import text_to_split
from backends.errors import DailiesError
from tests.exports.shown_and_written.drafts import ANN, BEN, EVA, FRAMES, KINDS, PEOPLE, SCRIPT, Drafts
from tests.exports.shown_and_written.model import PARTS, Words, Written

Undo = Callable[[], Callable[[], None]]
"""Takes a decision back in the model; gives what does it again."""


class World(Drafts):
    """What people do."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self.merging: set[str] = set()
        self.last: tuple[Person, Undo] | None = None
        self.undone: tuple[Person, Callable[[], None]] | None = None
        self.accepted: Counter[str] = Counter()
        self.done: list[str] = []
        """What was done, for the message of a failure."""

    # --- what people do -----------------------------------------------------------------

    def act(self) -> None:
        """One decision at random; what is refused changes nothing."""
        actions = [
            (self.write, 6),
            (self.correct, 8),
            (self.keep, 2),
            (self.clear, 2),
            (self.swap_words, 1),
            (self.give, 3),
            (self.say, 4),
            (self.merge_parts, 1),
            (self.judge, 4),
            (self.exclude, 1),
            (self.cut, 2),
            (self.split_again, 1),
            (self.remove, 0.15),
            (self.undo, 4),
            (self.redo, 2),
        ]
        action = self.draw.choices([a for a, _ in actions], [n for _, n in actions])[0]
        if not self.videos:
            return
        person, video = self.draw.choice(PEOPLE), self.draw.choice(self.videos)
        try:
            back = action(person, video)
        except DailiesError as error:
            self.done.append(f"{person.name} {action.__name__} {video}: refused, {error}")
            return
        self.done.append(f"{person.name} {action.__name__} {video}")
        self.accepted[action.__name__] += 1
        if action not in (self.undo, self.redo):
            self.last, self.undone = (person, back) if back else None, None

    def _place(self, video: str) -> tuple[str, str]:
        if self.draw.random() < 0.4:
            return self.draw.choice(SCRIPT), self.draw.choice(self.keys(video))
        return self.draw.choice(KINDS), video

    def write(self, person: Person, video: str) -> Undo | None:
        kind, about = self._place(video)
        value = self.words() if self.draw.random() < 0.9 else "  "
        source = text_to_split(self.store, video) if kind in PARTS else None
        mine = [
            one
            for one in self.model.texts.values()
            if (one.video, one.kind, one.about, one.author) == (video, kind, about, ("person", person.id))
            and one.alive
        ]
        base = self.store.current("text", mine[-1].id, "value").revision if mine else 0
        own = OwnText(
            video,
            kind,
            value,
            "" if about == video else about,
            source.text.id if source else None,
            base_revision=base,
        )
        text_id = edits.write_text(self.store, person, own).subject_id
        if text_id in self.model.texts:
            return self._said(text_id, value, person)
        made = self.store.get(Text, text_id)
        at = self.model.tick()
        text = Written(
            text_id, video, kind, about, ("person", person.id), "", made.source_text_id, baseline=False, at=at
        )
        self.model.texts[text_id] = text
        self.model.say(text_id, value, person.id)
        text.alive = bool(value.strip()) or kind.startswith("carebench:")
        if not text.alive:
            return None

        def again() -> None:
            text.alive = True

        def back() -> Callable[[], None]:
            text.alive = False
            return again

        return back

    def _said(self, text_id: str, value: str | None, person: Person) -> Undo:
        words, text = self.model.say(text_id, value, person.id), self.model.texts[text_id]
        self._show(text)
        return self._undo_of([words], [text])

    def _show(self, text: Written) -> None:
        """A person's own text whose words were all deleted is not there until it has words again."""
        if text.author[0] == "person" and not text.kind.startswith("carebench:"):
            claim = text.claim()
            text.alive = bool(claim and claim.words.strip())

    def _undo_of(self, said: list[Words], texts: list[Written]) -> Undo:
        def lay(undone: bool) -> None:
            for words in said:
                words.undone = undone
            for text in texts:
                self._show(text)

        def back() -> Callable[[], None]:
            lay(undone=True)
            return lambda: lay(undone=False)

        return back

    def correct(self, person: Person, video: str) -> Undo | None:
        text = self._any_text(video)
        value = self.words() if self.draw.random() < 0.93 else ""
        edit = Edit("text", text.id, "value", value, self._revision(text))
        edits.apply_edit(self.store, person, edit)
        return self._said(text.id, value, person)

    def keep(self, person: Person, video: str) -> Undo | None:
        """The words that stand there, under one's own name."""
        text = self._any_text(video)
        last = text.last()
        words = last.value if last else text.value
        edits.apply_edit(self.store, person, Edit("text", text.id, "value", words, self._revision(text)))
        if last and last.person == person.id:
            return None  # they are that already
        return self._said(text.id, words, person)

    def clear(self, person: Person, video: str) -> Undo | None:
        text = self._any_text(video)
        if text.author[0] == "person" or text.last() is None:
            return None
        edit = Edit("text", text.id, "value", None, self._revision(text), cleared=True)
        edits.apply_edit(self.store, person, edit)
        return self._said(text.id, None, person)

    def _any_text(self, video: str) -> Written:
        keys = {video, *self.keys(video)}
        found = [
            one for one in self.model.texts.values() if one.video == video and one.alive and one.about in keys
        ]
        corrected = [one for one in found if one.said]
        parts = [one for one in found if one.kind in PARTS]
        choices = [some for some in (corrected, parts, found) if some]
        return self.draw.choice(self.draw.choice(choices))

    def _revision(self, text: Written) -> int:
        return self.store.current("text", text.id, "value").revision

    def swap_words(self, person: Person, video: str) -> Undo | None:
        """Find and replace, in all texts of a video; what the preview lists is what changes."""
        search = Search(video_id=video, find="kettle", replace=f"pot{self.model.tick()}")
        found = preview(self.store, person, search)
        hits = [hit for hit in found.hits if hit.subject[1] in self.model.texts and hit.allowed]
        if not hits:
            return None
        replace(self.store, person, search, [(hit.subject, hit.revision) for hit in hits])
        said = [self.model.say(hit.subject[1], hit.after, person.id) for hit in hits]
        return self._undo_of(said, [self.model.texts[hit.subject[1]] for hit in hits])

    def give(self, person: Person, video: str) -> None:
        task = self.draw.choice(("script", "captions", "split"))
        key = (video, task, person.id)
        assignments.assign(self.store, EVA, [video], person.id, task)
        if key not in self.model.tasks:
            self._state(key, "open")

    def say(self, person: Person, video: str) -> Undo | None:
        mine = [
            key for key in self.model.tasks if key[0] == video and key[1] != "merge" and key[2] == person.id
        ]
        if not mine:
            return None
        key = self.draw.choice(mine)
        state = self.draw.choice(("done", "approved", "approved", "returned", "withdrawn"))
        by = person if state == "done" else EVA
        assignments.set_state(self.store, by, Place(video, person.id, key[1]), state, "see below")
        back = self._state(key, state)
        return back if by is person else None

    def _state(self, key: tuple[str, str, str], state: str) -> Undo:
        def lay(value: str | None) -> None:
            if value in (None, "withdrawn"):
                self.model.tasks.pop(key, None)
            else:
                self.model.tasks[key] = (str(value), self.model.tick())

        before = self.model.tasks.get(key, (None, 0))[0]
        lay(state)

        def back() -> Callable[[], None]:
            lay(before)
            return lambda: lay(state)

        return back

    def merge_parts(self, _person: Person, video: str) -> None:
        """Two annotators write four parts each, the expert merges, joins and often approves."""
        if video in self.merging or any(key[:2] == (video, "merge") for key in self.model.tasks):
            return
        self.merging.add(video)
        for writer in (ANN, BEN):
            assignments.assign(self.store, EVA, [video], writer.id, "aspects")
            self._fill(writer, write_merge_approve.begin(self.store, writer, video))
            assignments.set_state(self.store, writer, Place(video, writer.id, "aspects"), "done")
        self._fill(EVA, write_merge_approve.begin_merge(self.store, EVA, video))
        self.model.tasks[video, "merge", EVA.id] = ("working", self.model.tick())
        row = write_merge_approve.write_full(self.store, EVA, video, self._full_revision(video))
        value = str(self.store.current("text", row.text_id, "value").value)
        if row.text_id in self.model.texts:
            self.model.say(row.text_id, value, EVA.id)
        else:
            self.model.texts[row.text_id] = Written(
                row.text_id,
                video,
                "carebench:full",
                video,
                ("person", EVA.id),
                value,
                None,
                baseline=False,
                at=self.model.tick(),
            )
        if self.draw.random() < 0.6:
            seen = self._seen(video)
            write_merge_approve.approve(self.store, EVA, video, seen)
            self.model.tasks[video, "merge", EVA.id] = ("approved", self.model.tick())

    def _fill(self, who: Person, parts: dict[str, write_merge_approve.Part]) -> None:
        for part in parts.values():
            edit = Edit("text", part.text.id, "value", self.words(), part.now.revision)
            edits.apply_edit(self.store, who, edit)

    def _full_revision(self, video: str) -> int:
        full = write_merge_approve.full_of(self.store, video, EVA.id)
        return full.now.revision if full else 0

    def _seen(self, video: str) -> dict[str, int]:
        found = [
            p for who in PEOPLE for p in write_merge_approve.parts_of(self.store, video, who.id).values()
        ]
        full = write_merge_approve.full_of(self.store, video, EVA.id)
        return {part.text.id: part.now.revision for part in [*found, *([full] if full else [])]}

    def judge(self, person: Person, video: str) -> Undo | None:
        ids = [key for key in self.model.verdicts if key.endswith(video)]
        if not ids:
            return None
        verdict, score = self.draw.choice(ids), float(self.draw.randint(0, 5))
        said = self.model.verdicts[verdict]
        mine = next((one for one in said if one[0] == person.id), None)
        value = {"label": "yes" if score > 2 else "no", "score": score}
        reason = self.draw.choice(("", f"seen at {self.model.tick()} s"))
        edit = Edit("verdict", verdict, "verdict", value, self._opinion_revision(verdict, person), reason)
        edits.apply_edit(self.store, person, edit)
        now = (person.id, str(value["label"]), score)
        if said[-1] == now and not reason:
            return None  # the same again, and nobody spoke since: no decision
        before = list(said)
        said[:] = [*(one for one in said if one != mine), now]
        after = list(said)

        def back() -> Callable[[], None]:
            # An opinion that is brought back is the person's latest.
            said[:] = [one for one in before if one != mine] + ([mine] if mine else [])

            def again() -> None:
                said[:] = after

            return again

        return back

    def _opinion_revision(self, verdict: str, person: Person) -> int:
        del person
        return max((one.revision for one in self.store.history("verdict", verdict, "verdict")), default=0)

    def exclude(self, person: Person, video: str) -> Undo | None:
        ids = [f"qst-{key[4:]}" for key in self.model.verdicts if key.endswith(video)]
        if not ids:
            return None
        question = self.draw.choice(ids)
        out = question in self.model.excluded
        edits.exclude(self.store, person, question, "" if out else "unfair")

        def lay(*, out: bool) -> None:
            (self.model.excluded.add if out else self.model.excluded.discard)(question)

        lay(out=not out)

        def back() -> Callable[[], None]:
            lay(out=out)
            return lambda: lay(out=not out)

        return back

    def cut(self, person: Person, video: str) -> Undo | None:
        base = self.store.scene_list(video)
        kind = self.draw.choice(("split", "merge"))
        edit = CutEdit(kind, self.draw.randrange(1, FRAMES))
        change_cuts(self.store, self.media, person, video, base.id if base else "", edit)
        return lambda: lambda: None  # which scenes there are is asked of the store

    def split_again(self, _person: Person, video: str) -> None:
        self.split(video)

    def remove(self, _person: Person, video: str) -> None:
        if len(self.videos) < 2:
            return
        self.store.remove_video(video)
        self.media.forget(Video(id=video, title="", created_at=1.0))
        self.videos.remove(video)
        self.model.texts = {key: one for key, one in self.model.texts.items() if one.video != video}
        self.model.verdicts = {k: said for k, said in self.model.verdicts.items() if not k.endswith(video)}
        self.model.tasks = {key: state for key, state in self.model.tasks.items() if key[0] != video}

    def undo(self, _person: Person, _video: str) -> None:
        """The last decision of all, by the one who made it."""
        if self.last is None:
            return
        person, back = self.last
        turn = undo_and_redo.undo(self.store, person)
        assert turn is not None and not turn.left, self.done[-5:]
        self.last, self.undone = None, (person, back())

    def redo(self, _person: Person, _video: str) -> None:
        if self.undone is None:
            return
        person, again = self.undone
        turn = undo_and_redo.redo(self.store, person)
        assert turn is not None and not turn.left, self.done[-5:]
        again()
        self.undone = None
