"""The Split page as data: full, spatial and temporal text, lined up by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.people.carebench_text_access import AspectSight
from annotation.records.decisions import Person
from annotation.records.texts import Text
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.store import Current, Store
from annotation.systems.carebench.approvals import rank, standing
from annotation.systems.carebench.split_checks.clauses import clauses
from annotation.systems.carebench.split_checks.sentence_edits import sentence
from annotation.systems.carebench.split_requests import WORD_RANGE, align
from annotation.systems.carebench.split_stage import text_to_split
from backends.chat.baseline_rules.language import Clause, content, keys, sentences
from ui.lib.view_parts import author_word, people_by_id, player_json, text_json
from ui.pages.split.findings_view import split_findings

SIDES = ("spatial", "temporal")
KINDS: Mapping[str, tuple[str, ...]] = {
    "full": ("carebench:full", "vdc:detailed"),
    "spatial": ("carebench:spatial",),
    "temporal": ("carebench:temporal",),
}
"""Which captions a column can show; the detailed VDC caption stands in for a full one."""
MERGED_SHARE = 0.5
"""Share of a full sentence's content words that a side's sentence must hold to tell of it too."""


def split_json(
    store: Store,
    media: MediaLibrary,
    video_id: str,
    wanted: Mapping[str, str] | None = None,
    *,
    player: bool = True,
    sight: AspectSight | None = None,
) -> dict[str, Any]:
    """`wanted` names a text per column; without it the ones that count are shown. Raises NotFound.

    `sight` is what the asker may see; None: everything.
    """
    video = store.get(Video, video_id)
    people = people_by_id(store)
    texts: dict[str, Any] = {}
    versions: dict[str, list[dict[str, Any]]] = {}
    for name in KINDS:
        found, now = _written(store, video.id, name, sight)
        whole = texts["full"]["id"] if texts.get("full") else ""
        shown = _chosen(store, video.id, name, found, (wanted or {}).get(name, ""), whole)
        texts[name] = (
            text_json(shown, now[shown.id], people) | {"by": _by(shown), "source": shown.source_text_id}
            if shown
            else None
        )
        versions[name] = [_version(text, people) for text in found]
    values = {name: str(text["value"]) if text else "" for name, text in texts.items()}
    return {
        "video": {"id": video.id, "title": video.title},
        "player": player_json(store, media, video) if player else None,
        "texts": texts,
        "versions": versions,
        "words": list(WORD_RANGE),
        "rows": aligned(values["full"], values["spatial"], values["temporal"]),
    } | split_findings(store, video, values, sight)


def _written(
    store: Store, video_id: str, name: str, sight: AspectSight | None
) -> tuple[list[Text], dict[str, Current]]:
    """Every author's newest text for a column, oldest first."""
    found = store.find(Text, video_id=video_id, kind=KINDS[name], order_by=["created_at", "id"])
    found = sight.shown(store, found) if sight else found
    now = store.currents("text", [text.id for text in found], "value")
    return [text for text in found if not now[text.id].superseded], now


def _by(text: Text) -> str:
    """`person`, `dataset` or `run`: exports of the current values hold the first two."""
    return "person" if text.person_id else "dataset" if text.dataset_id else "run"


def _version(text: Text, people: dict[str, Person]) -> dict[str, Any]:
    return {
        "id": text.id,
        "kind": text.kind,
        "author": author_word(text, people),
        "baseline": text.baseline,
        "created_at": text.created_at,
    }


def _chosen(
    store: Store, video_id: str, name: str, found: Sequence[Text], wanted: str, full: str = ""
) -> Text | None:
    """The text asked for; else one made of the full caption beside it, and of those the one that counts."""
    by_id = {text.id: text for text in found}
    if wanted in by_id:
        return by_id[wanted]
    if name == "full":
        first = text_to_split(store, video_id)
        done = [text for text in found if text.state == "done"]
        return by_id.get(first.id if first else "") or (done[-1] if done else None)
    now = standing(store, video_id)
    return max(
        reversed(found), key=lambda text: (text.source_text_id in (None, full), rank(text, now)), default=None
    )


# --- rows -----------------------------------------------------------------------------


def aligned(full: str, spatial: str, temporal: str) -> list[dict[str, Any]]:
    """One row per clause of the full caption: the clauses of each side that came from it.

    Places are offsets in code points of each text. `also` are clauses at home in another row
    that tell of this one too; `place` is where the full clause would go into a side's text;
    `told` is the clause as a sentence of its own; `continues` tells that the clause above belongs to
    the same sentence; `shared` are the words that the columns of a row have in common. Clauses of a
    side that match nothing come last, in rows without a full clause.
    """
    whole = clauses(full)
    opens = {row.start for row in sentences(full)}
    values = {"full": full, "spatial": spatial, "temporal": temporal}
    parts = {side: clauses(values[side]) for side in SIDES}
    rows: list[dict[str, Any]] = [
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
    for index, row in enumerate(rows):
        row["also"] = {side: _also(row, full, parts[side], side) for side in SIDES}
        row["place"] = {side: _place(rows, index, side, len(values[side])) for side in SIDES}
        row["shared"] = _shared(row, values)
        row["state"] = _state(row)
    return rows


def _span(clause: Clause) -> list[int]:
    return [clause.start, clause.end]


def _fill(
    rows: list[dict[str, Any]], whole: Sequence[Clause], part: Sequence[Clause], side: str
) -> list[dict[str, Any]]:
    """Put a side's clauses into their rows; the row for those without one, if it is needed."""
    home = {index: sentence for sentence, index in align(whole, part)}
    extra: dict[str, Any] = {"full": None, "told": "", "continues": False, "spatial": [], "temporal": []}
    for index, clause in enumerate(part):
        row = rows[home[index]] if index in home else extra
        row[side].append(_span(clause))
    return [extra] if extra[side] else []


def _also(row: dict[str, Any], full: str, part: Sequence[Clause], side: str) -> list[list[int]]:
    """Where a sentence of the side, at home elsewhere, holds half of this row's content words."""
    if not row["full"] or row[side]:
        return []
    asked = keys(full[slice(*row["full"])])
    return [_span(c) for c in part if asked and len(asked & keys(c.text)) / len(asked) >= MERGED_SHARE]


def _place(rows: Sequence[dict[str, Any]], index: int, side: str, length: int) -> int:
    """Behind what the nearest row above gave to this side, else before all that is there."""
    for row in reversed(rows[:index]):
        if row["full"] and row[side]:
            return int(row[side][-1][1])
    later = [span[0] for row in rows[index + 1 :] for span in row[side] if row["full"]]
    return min(later, default=length)


def _shared(row: dict[str, Any], values: Mapping[str, str]) -> dict[str, list[list[Any]]]:
    """Stretches of words that the full sentence and a side have in common, by column.

    Those of the full sentence are `[start, end, side or "both"]`.
    """
    if not row["full"]:
        return {"full": [], "spatial": [], "temporal": []}
    source = keys(values["full"][slice(*row["full"])])
    held = {
        side: set[str]().union(*(keys(values[side][slice(*s)]) for s in [*row[side], *row["also"][side]]))
        for side in SIDES
    }
    found: dict[str, list[list[Any]]] = {
        side: [r[:2] for s in row[side] for r in _runs(values[side], s, {k: side for k in source})]
        for side in SIDES
    }
    where = {
        k: "both" if all(k in held[s] for s in SIDES) else next(s for s in SIDES if k in held[s])
        for k in source
        if any(k in held[s] for s in SIDES)
    }
    return found | {"full": _runs(values["full"], row["full"], where)}


def _runs(text: str, span: Sequence[int], where: Mapping[str, str]) -> list[list[Any]]:
    """`[start, end, label]` of neighbouring content words with the same label; others have none."""
    runs: list[list[Any]] = []
    last = ""
    for token in content(text[slice(*span)]):
        label = where.get(token.key, "")
        if label and label == last:
            runs[-1][1] = span[0] + token.end
        elif label:
            runs.append([span[0] + token.start, span[0] + token.end, label])
        last = label
    return runs


def _state(row: dict[str, Any]) -> str:
    """`spatial`, `temporal`, `both` or `neither`; `extra` where no full sentence stands behind it."""
    if not row["full"]:
        return "extra"
    went = [side for side in SIDES if row[side] or row["also"][side]]
    return "both" if len(went) == 2 else went[0] if went else "neither"
