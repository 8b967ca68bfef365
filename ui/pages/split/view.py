"""The Split page as data: full, spatial and temporal text, aligned by clause."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from annotation.people.hidden_texts import AspectSight
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.store import Store
from annotation.systems.carebench.split_checks.clauses import clauses
from annotation.systems.carebench.split_checks.cut_and_put_words import sentence
from annotation.systems.carebench.split_checks.finding import Side
from annotation.systems.carebench.split_requests import WORD_RANGE, align
from annotation.systems.carebench.texts_of_split import Column, texts_of_split
from annotation.texts.writers import writer
from backends.text.sentences import Clause, sentences
from backends.text.words import content, keys
from ui.lib.view_parts import author_word, people_by_id, player_json, text_json
from ui.pages.split.findings_view import split_findings
from ui.pages.split.wire_types import (
    AlignedRow,
    ClauseRow,
    ColumnText,
    SharedWords,
    SideName,
    SideSpans,
    Span,
    SplitPage,
    TextVersion,
)

SIDES: tuple[SideName, ...] = ("spatial", "temporal")
MERGED_SHARE = 0.5
"""Share of a full sentence's content words that a side's sentence must contain to cover it too."""


def split_json(
    store: Store,
    media: MediaLibrary,
    video_id: str,
    wanted: Mapping[Side, str] | None = None,
    *,
    player: bool = True,
    sight: AspectSight | None = None,
) -> SplitPage:
    """The Split page. `wanted` selects a text per column; by default those that count. Raises NotFound.

    `sight` is what the person may see; None: everything.
    """
    video = store.get(Video, video_id)
    people = people_by_id(store)
    found = texts_of_split(store, video.id, wanted, sight)
    texts = found.values
    values: dict[Side, str] = {"full": texts.full, "spatial": texts.spatial, "temporal": texts.temporal}
    return {
        "video": {"id": video.id, "title": video.title},
        "player": player_json(store, media, video) if player else None,
        "texts": {
            "full": _text(store, found.full, people),
            "spatial": _text(store, found.spatial, people),
            "temporal": _text(store, found.temporal, people),
        },
        "versions": {
            "full": _versions(found.full, people),
            "spatial": _versions(found.spatial, people),
            "temporal": _versions(found.temporal, people),
        },
        "words": WORD_RANGE,
        "rows": aligned(values["full"], values["spatial"], values["temporal"]),
        **split_findings(store, video, values, sight),
    }


def _text(store: Store, column: Column, people: dict[str, Person]) -> ColumnText | None:
    if column.shown is None or column.now is None:
        return None
    text = text_json(column.shown, column.now, people, writer(store, column.shown, column.now))
    return {**text, "by": _by(column.shown), "of_other": column.of_other}


def _by(text: Text) -> Literal["person", "dataset", "run"]:
    """`person`, `dataset` or `run`: exports of the current values contain the first two."""
    return "person" if text.person_id else "dataset" if text.dataset_id else "run"


def _versions(column: Column, people: dict[str, Person]) -> list[TextVersion]:
    return [
        {
            "id": text.id,
            "kind": text.kind,
            "author": author_word(text, people),
            "baseline": text.baseline,
            "created_at": text.created_at,
        }
        for text, _ in column.written
    ]


# --- rows -----------------------------------------------------------------------------


def aligned(full: str, spatial: str, temporal: str) -> list[AlignedRow]:
    """One row per clause of the full caption, with the clauses of each side that came from it.

    Positions are offsets in code points of each text. `also` lists clauses assigned to another row that cover
    this one too; `place` is the position in a side's text at which to insert the full clause; `told` is the
    clause as a complete sentence; `continues` is true if the clause above belongs to the same sentence;
    `shared` are the words that the columns of a row share. Clauses of a side that match nothing come last, in
    rows without a full clause.
    """
    whole = clauses(full)
    opens = {row.start for row in sentences(full)}
    values: dict[Side, str] = {"full": full, "spatial": spatial, "temporal": temporal}
    parts = {side: clauses(values[side]) for side in SIDES}
    rows: list[ClauseRow] = [
        {
            "full": _span(clause),
            "told": sentence(clause.text),
            "continues": clause.start not in opens,
            "spatial": [],
            "temporal": [],
        }
        for clause in whole
    ]
    for side in SIDES:
        rows += _fill(rows, whole, parts[side], side)
    return [_row(rows, index, values, parts) for index in range(len(rows))]


def _row(
    rows: Sequence[ClauseRow],
    index: int,
    values: Mapping[Side, str],
    parts: Mapping[SideName, Sequence[Clause]],
) -> AlignedRow:
    row = rows[index]
    also: SideSpans = {
        "spatial": _also(row, values["full"], parts["spatial"], "spatial"),
        "temporal": _also(row, values["full"], parts["temporal"], "temporal"),
    }
    return {
        **row,
        "also": also,
        "place": {
            "spatial": _place(rows, index, "spatial", len(values["spatial"])),
            "temporal": _place(rows, index, "temporal", len(values["temporal"])),
        },
        "shared": _shared(row, also, values),
        "state": _state(row, also),
    }


def _span(clause: Clause) -> Span:
    return clause.start, clause.end


def _fill(
    rows: Sequence[ClauseRow], whole: Sequence[Clause], part: Sequence[Clause], side: SideName
) -> list[ClauseRow]:
    """Add a side's clauses to their rows. Returns a row for clauses without a match, if there are any."""
    home = {index: sentence for sentence, index in align(whole, part)}
    extra: ClauseRow = {"full": None, "told": "", "continues": False, "spatial": [], "temporal": []}
    for index, clause in enumerate(part):
        row = rows[home[index]] if index in home else extra
        row[side].append(_span(clause))
    return [extra] if extra[side] else []


def _also(row: ClauseRow, full: str, part: Sequence[Clause], side: SideName) -> list[Span]:
    """Sentences of the side in other rows that contain half of this row's content words."""
    if not row["full"] or row[side]:
        return []
    asked = keys(full[slice(*row["full"])])
    return [_span(c) for c in part if asked and len(asked & keys(c.text)) / len(asked) >= MERGED_SHARE]


def _place(rows: Sequence[ClauseRow], index: int, side: SideName, length: int) -> int:
    """After the side's clauses in the nearest row above, else before all of its matched clauses."""
    for row in reversed(rows[:index]):
        if row["full"] and row[side]:
            return row[side][-1][1]
    later = [span[0] for row in rows[index + 1 :] for span in row[side] if row["full"]]
    return min(later, default=length)


def _shared(row: ClauseRow, also: SideSpans, values: Mapping[Side, str]) -> SharedWords:
    """Ranges of words that the full sentence and a side share, by column."""
    if not row["full"]:
        return {"full": [], "spatial": [], "temporal": []}
    source = keys(values["full"][slice(*row["full"])])
    held = {
        side: set[str]().union(*(keys(values[side][slice(*s)]) for s in [*row[side], *also[side]]))
        for side in SIDES
    }
    where = {
        k: "both" if all(k in held[s] for s in SIDES) else next(s for s in SIDES if k in held[s])
        for k in source
        if any(k in held[s] for s in SIDES)
    }
    return {
        "full": _runs(values["full"], row["full"], where),
        "spatial": _runs_of(values["spatial"], row["spatial"], source),
        "temporal": _runs_of(values["temporal"], row["temporal"], source),
    }


def _runs_of(text: str, spans: Sequence[Span], source: Collection[str]) -> list[Span]:
    """`[start, end]` of adjacent content words that are in `source`."""
    labels = dict.fromkeys(source, "shared")
    return [(start, end) for span in spans for start, end, _ in _runs(text, span, labels)]


def _runs(text: str, span: Span, where: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """`[start, end, label]` of adjacent content words with the same label; others are skipped."""
    runs: list[tuple[int, int, str]] = []
    last = ""
    for token in content(text[slice(*span)]):
        label = where.get(token.key, "")
        if label and label == last:
            runs[-1] = (runs[-1][0], span[0] + token.end, label)
        elif label:
            runs.append((span[0] + token.start, span[0] + token.end, label))
        last = label
    return runs


def _state(row: ClauseRow, also: SideSpans) -> Literal["spatial", "temporal", "both", "neither", "extra"]:
    """The sides that contain the clause; `extra` if the row has no full clause."""
    if not row["full"]:
        return "extra"
    went = [side for side in SIDES if row[side] or also[side]]
    return "both" if len(went) == 2 else went[0] if went else "neither"
