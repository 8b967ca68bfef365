"""From what a page names - address, label of the field, its surroundings - to the row that is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.monkey.database import Place
from benchmarks.monkey.page import Look
from ui.pages.page_table import page_table

ROWS = {row["id"]: row for row in page_table()["rows"]}
NEAR_S = 0.002
FRAME = re.compile(r"#([\d,]+)")
SCENE = re.compile(r"^scene (\d+)")
AUTHOR = re.compile(r"^by (.+)")
LINE = re.compile(r"^speech (?:(\d+):)?(\d+):(\d+\.\d+) to")
ASPECTS = ("camera", "short", "background", "main_object", "detailed")
FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "script": {
        "title": ("script:scene_title",),
        "shot type": ("script:shot_type",),
        "content": ("script:content",),
        "camera movement": ("script:camera_movement",),
        "speech": ("speech",),
        **{f"{name.replace('_', ' ')} caption": (f"vdc:{name}",) for name in ASPECTS},
    },
    "verdicts": {
        "question": ("question",),
        "caption": ("vdc:", "mmlu:"),
        "extracted answer": ("answer",),
        "reference answer": ("reference",),
        "reason": ("verdict",),
    },
    "items": {"reason": ("verdict",)},
    "split": {
        "full caption": ("carebench:full", "vdc:detailed"),
        "spatial text": ("carebench:spatial",),
        "temporal text": ("carebench:temporal",),
        "overview": ("carebench:overview",),
        "object": ("carebench:object",),
        "action": ("carebench:action",),
        "misc": ("carebench:misc",),
    },
    "keyframes": {"caption of": ("frame",)},
}
"""Kinds of text by the label of their field; the longest label that a name begins with counts."""
LEAD = re.compile(r"^(new|my|merged) ")
TEXT_KEYS: dict[str, tuple[str, ...]] = {
    "script.edit_camera": ("script:camera_movement",),
    "verdicts.edit_caption": ("vdc:", "mmlu:"),
    "verdicts.edit_answer": ("answer",),
    "verdicts.edit_question": ("question",),
    "keyframes.edit": ("frame",),
}
WRITE_KEYS = {
    "split.edit_full": "overview",
    "split.edit_spatial": "object",
    "split.edit_temporal": "action",
    "split.part_4": "misc",
}
SPLIT_KEYS = {
    "split.edit_full": "full caption",
    "split.edit_spatial": "spatial text",
    "split.edit_temporal": "temporal text",
}
COMMENTS = ("queue.flag", "verdicts.exclude", "split.dismiss", "keyframes.action")
"""Keys that ask for words about the thing that is open."""


@dataclass(frozen=True)
class Named:
    """What a page said that the next letters are for. Empty: it did not say."""

    page: str
    video: str
    verdict: str = ""
    scene: int | None = None
    frame: int | None = None
    start_s: float | None = None
    kinds: tuple[str, ...] = ()
    label: str = ""
    title: str = ""
    """What stands as the heading of the page: of most pages the title of the video."""
    asked: str = ""
    """The text of the open question, and what follows it."""
    author: str = ""
    """Of a text in a list of several: who it is by."""

    def fits(self, place: Place) -> bool:
        """Whether a row may be what was named."""
        return not (
            (self.video and place.video and place.video != self.video)
            or (self.kinds and place.kind and not place.kind.startswith(self.kinds))
            or (self.scene and place.scenes and self.scene not in place.scenes)
            or (self.frame is not None and place.frame is not None and place.frame != self.frame)
            or (self.verdict and place.verdicts and self.verdict not in place.verdicts)
            or (
                self.start_s is not None
                and place.start_s is not None
                and abs(place.start_s - self.start_s) > NEAR_S
            )
        )


@dataclass(frozen=True)
class Walk:
    """Keys that lead from scene to scene of a script."""

    start: str
    """The scene before it, as in the address."""
    scenes: int
    keys: Sequence[str]

    def end(self) -> int | None:
        """The scene after it. None: unknown, since ArrowUp leads to the start of a scene that is shown
        from a later frame on, and from its start to the one before."""
        if not self.start.isdigit():
            return None
        at, at_start = int(self.start), False
        for key in self.keys:
            if key == "ArrowDown" and at < self.scenes:
                at, at_start = at + 1, True
            elif key == "ArrowUp" and not at_start:
                return None
            elif key == "ArrowUp":
                at = max(1, at - 1)
        return at


def keys_of(row_id: str, page: str) -> list[str]:
    """The keys that do this on a page, as ui/lib/keys/keymap.js reads the table."""
    row = ROWS[row_id]
    pages = page_table()["scopes"].get(row["page"], [row["page"]])
    return list(row.get("on", {}).get(page, row["keys"])) if page in pages else []


def rows_of(chord: str, page: str) -> list[str]:
    """What a key does on a page."""
    return [row_id for row_id in ROWS if chord in keys_of(row_id, page)]


def named_field(look: Look, held: dict[str, Any]) -> Named:
    """What the page says of a field."""
    name = held["name"]
    frame = FRAME.search(name) if name.startswith("caption of") else None
    line = LINE.search(name)
    scenes = [SCENE.search(text) for role, _, text in held["scopes"] if role == "listitem"]
    scene = next((int(found.group(1)) for found in scenes if found), None)
    return Named(
        look.page,
        look.part("video"),
        look.part("qa") or look.part("item"),
        scene if look.page == "script" else None,
        int(frame.group(1).replace(",", "")) if frame else None,
        int(line.group(1) or 0) * 3600 + int(line.group(2)) * 60 + float(line.group(3)) if line else None,
        () if look.dialog else _kinds(look.page, name),
        name,
        look.heading,
        look.asked,
        _author(look, held),
    )


def _author(look: Look, held: dict[str, Any]) -> str:
    labels = [label for role, label, _ in held["scopes"] if role in ("listitem", "article")]
    names = [found.group(1) for label in labels if (found := AUTHOR.search(label))]
    return look.name if "my own" in labels else next(iter(names), "")


def _kinds(page: str, name: str) -> tuple[str, ...]:
    plain = LEAD.sub("", name)
    known = FIELDS.get(page, {})
    return next(
        (known[label] for label in sorted(known, key=len, reverse=True) if plain.startswith(label)), ()
    )


def _as_it_came(row_id: str, look: Look) -> bool:
    """Whether the key works on this page, and this person has neither switched it off nor changed it."""
    keys, own = keys_of(row_id, look.page), look.changed_keys
    changed = {one.split("@")[0] for one in own.get("keys", {})}
    off = own.get("singles") is False and all(len(key) == 1 for key in keys)
    return bool(keys) and not off and row_id not in changed


def promised(row_id: str, look: Look) -> Named | None:
    """The field that a key promises; None when it promises none here."""
    if look.login or not _as_it_came(row_id, look):
        return None
    kinds = TEXT_KEYS.get(row_id)
    tab = look.part("tab")
    if row_id == "script.edit":
        kinds = ("speech",) if tab == "speech" else (f"vdc:{tab}",) if tab else ("script:scene_title",)
    elif row_id == "script.edit_camera" and tab:
        return None
    elif row_id in SPLIT_KEYS or row_id in WRITE_KEYS:
        label = WRITE_KEYS.get(row_id) if tab == "write" else None if tab else SPLIT_KEYS.get(row_id)
        if tab in ("", "split"):
            label = SPLIT_KEYS.get(row_id)
        there = any(one["name"] == label for one in look.fields)
        if not label or (there and tab != "write"):  # the key of a text that is open goes back to the clauses
            return None
        kinds = FIELDS["split"][label]
    elif row_id.startswith("keyframes.") and look.part("view"):
        return None
    elif row_id in COMMENTS:
        kinds = ()
    if kinds is None:
        return None
    scene = look.part("scene") if look.page == "script" and not tab else ""
    return Named(
        look.page,
        look.part("video"),
        look.part("qa") or look.part("item"),
        int(scene) if scene.isdigit() else None,
        kinds=kinds,
        label=f"the field of {row_id}",
        title=look.heading,
        asked=look.asked,
    )
