"""What keys, clicks and notices mean for the tables of the database."""

from __future__ import annotations

import re
from typing import Any

from benchmarks.monkey.page import Look

UNDO = re.compile(r"everywhere\.(undo|redo)|click:(undo|redo)", re.I)

CUTS = r"script\.(split|merge|cut_\w+)|click:"

NEEDS: dict[str, re.Pattern[str]] = {
    "scene_list": re.compile(CUTS),
    "error_source": re.compile(r"verdicts\.(error_source_|confirm_source)|click:"),
    "pinned_frames": re.compile(r"verdicts\.pin|click:"),
    "exclusion": re.compile(r"verdicts\.exclude|click:"),
    "selection": re.compile(r"keyframes\.pick|click:"),
    "frame_label": re.compile(r"keyframes\.(yes|no|uncertain|clear)|click:"),
    "study_choice": re.compile(r"keyframes\.|click:"),
    "study": re.compile(r"keyframes\.|click:"),
    "dismissal": re.compile(r"split\.dismiss|script\.looks_right|click:|text:"),
    "blind_mode": re.compile(r"(verdicts|items)\.blind|click:"),
    "element": re.compile(r"items\.|click:|text:"),
    "merged_caption": re.compile(r"split\.join|click:"),
    "verdict": re.compile(
        r"items\.(choose|clear|save)|verdicts\.(edit|save|error_|label|score)|keyframes\.(yes|no|uncertain|clear)|form|click:"
    ),
    "confirmation": re.compile(
        r"items\.(choose|clear|save)|verdicts\.(save|label|score)|keyframes\.(yes|no|uncertain|clear)|queue\.done|"
        r"click:(save|done|confirm|(yes|no|correct|not)\b)",
        re.I,
    ),
}
"""What must have been done for a row of a table to come; `verdict` is a correction of a verdict, and
`confirmation` one that leaves it as it was: opening its form is not enough."""

CHOOSING = re.compile(r"items\.(choose|clear)|verdicts\.(edit|label|score)")
"""Keys that open a form or choose in one: the next verdict may be that of another question."""

SAYING = {
    "error_source": re.compile(r"verdicts\.(error_source_|confirm_source)"),
    "frame_label": re.compile(r"keyframes\.(yes|no|uncertain|clear)"),
}
"""Keys that say something of what is open, by the table that holds it."""

GIVING = re.compile(r"library\.assign|split\.(approve|return_work)|click:|text:")

SAID: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^(Verdict corrected|Verdict confirmed|Labelled|Correct(ed|ion))"), "correction"),
    (re.compile(r"^Excluded:"), "exclusion"),
    (re.compile(r": (done|skipped|flagged)\. "), "assignment"),
)
"""Notices that say that something is stored, and the table where it is."""


def says(rows: list[str]) -> bool:
    """Whether a key of these rows says something of what is open."""
    return any(keys.match(row) for keys in SAYING.values() for row in rows)


def puts_caret(look: Look) -> set[str]:
    """Keys that put the caret into the field of another part, where the page stands."""
    writes = look.page == "split" and look.part("tab") == "write"
    return {"split.next", "split.previous", "split.begin"} if writes else set()


NEWS = re.compile(r"Saved|Saving|Undone|Done again|shown:|loading|seeking|\d|.*(questions?|flagged) ·")
"""Notices that refuse nothing."""


def left_out(notice: str) -> list[str]:
    """The texts that a notice names as not saved: whoever goes on after it has decided so."""
    found = re.search(r"You typed more for this video, which is not saved: (.*)\. Open it", notice)
    return found[1].split(", ") if found else []


def texts_in(value: Any) -> list[str]:
    """The words of a value of the database: of a text, or of each line of speech in it."""
    if isinstance(value, str):
        return [value.strip()]
    if isinstance(value, list):
        return [str(part.get("text", "")).strip() for part in value if isinstance(part, dict)]
    return []
