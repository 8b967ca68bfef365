"""The Label and Study views of the Keyframes page.

They hide the opinions of judges and others until the person has given their own.
"""

from __future__ import annotations

from annotation.people.permissions import may
from annotation.people.who_labels_blind import Sight
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import Person, Study, StudyChoice
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.store import Store
from annotation.systems.progress_captioner import studies
from annotation.systems.progress_captioner.frame_labels import labels, pairs_of
from annotation.systems.progress_captioner.frame_sequences import (
    Pair,
    caption_names,
    caption_runs,
    captions_of,
    judge_names,
)
from ui.lib.view_parts import people_by_id
from ui.pages.keyframes.wire_types import (
    CaptionAuthor,
    CaptionModel,
    ChosenPlaces,
    FrameLabels,
    JudgeLabel,
    KeyframeRow,
    KeyframesPage,
    PairToLabel,
    PersonLabel,
    StudyFacts,
    StudyFrame,
    StudyList,
    StudyResult,
    StudySequence,
)
from ui.systems.progress_captioner.selection_rates import selection_rates


def labels_json(store: Store, media: MediaLibrary, video_id: str, person: Person) -> FrameLabels:
    """Every pair of a video; opinions of judges and others only for pairs that the person has labelled.

    Raises NotFound.
    """
    video = store.get(Video, video_id)
    own_labels, times, judged = labels(store, video.id), _seconds(media, video), _judged(store, video.id)
    names = people_by_id(store)
    pairs: list[PairToLabel] = []
    for pair in pairs_of(store, video.id):
        rows = own_labels.get((video.id, pair), {})
        mine = rows[person.id].label if person.id in rows else ""
        others: list[PersonLabel] = [
            {"by": names[who].name, "label": row.label} for who, row in rows.items() if who != person.id
        ]
        pairs.append(
            {
                "first": pair[0],
                "second": pair[1],
                "seconds": [times.get(i) for i in pair],
                "mine": mine,
                "judges": judged.get(pair, []) if mine else None,
                "others": others if mine else None,
            }
        )
    return {
        "video": {"id": video.id, "title": video.title, "action": video.action, "file": bool(times)},
        "pairs": pairs,
    }


def _seconds(media: MediaLibrary, video: Video) -> dict[int, float]:
    """`{frame index: seconds}`; empty while the file is missing."""
    return dict(enumerate(media.table(video).seconds.tolist())) if video.facts and video.path else {}


def _judged(store: Store, video_id: str) -> dict[Pair, list[JudgeLabel]]:
    rows = store.find(Verdict, video_id=video_id, subject_type="frame_pair", order_by=["created_at", "id"])
    runs = {run.id: run for run in store.find(Run, id=sorted({row.run_id for row in rows}))}
    captions, judges = caption_names(store), judge_names(runs.values())
    found: dict[Pair, list[JudgeLabel]] = {}
    for row, now in store.not_superseded(row for row in rows if "frames" in row.extra):
        run = runs[row.run_id]
        pair = (int(row.extra["frames"][0]), int(row.extra["frames"][1]))
        found.setdefault(pair, []).append(
            {
                "judge": judges[run.id],
                "captions": captions.get(run.upstream[0], "") if run.upstream else "",
                "label": now.value["label"],
                "state": now.state,
                "baseline": row.baseline,
            }
        )
    return found


def for_person(store: Store, person: Person, seen: Sight, found: KeyframesPage) -> KeyframesPage:
    """The Keyframes page without what is hidden from this person for now."""
    shown: KeyframesPage = {**found}
    if seen.blind:
        mine = {pair for (_, pair), by in labels(store, shown["video"]["id"]).items() if person.id in by}
        shown["pairs"] = [p for p in shown["pairs"] if tuple(p["frames"]) in mine or seen.sees(p["id"])]
        shown["rows"] = [row for row in shown["rows"] if _is_unnamed(row)]
    if hidden := studies.hidden_runs(store, person):
        shown["authors"] = [
            _unnamed(author) if author["id"] in hidden else author for author in shown["authors"]
        ]
    return shown


def _unnamed(author: CaptionAuthor) -> CaptionAuthor:
    return {**author, "model": studies.HIDDEN, "name": studies.HIDDEN, "options": None}


def _is_unnamed(row: KeyframeRow) -> bool:
    """Whether neither the row's frames nor its size depend on verdicts."""
    return "progression" not in (row["method"], row["size_of"])


# --- studies ------------------------------------------------------------------------------


def studies_json(store: Store, person: Person) -> StudyList:
    """All studies, newest first, with the person's progress, and whether they may create and close them."""
    found = store.find(Study, order_by=["created_at"])
    return {
        "studies": [_study(store, study, person) for study in reversed(found)],
        "may": may(person, "assign"),
    }


def _study(store: Store, study: Study, person: Person) -> StudyFacts:
    mine = studies.choices(store, study, person.id)
    done: dict[int, int] = {}
    for sequence, _, _ in mine:
        done[sequence] = done.get(sequence, 0) + 1
    return {
        "id": study.id,
        "name": study.name,
        "closed": study.closed_at is not None,
        "models": len(study.runs),
        "sequences": [len(s["frames"]) for s in study.sequences],
        "done": [done.get(n, 0) for n in range(len(study.sequences))],
    }


def models_json(store: Store) -> list[CaptionModel]:
    """Runs that can be compared, for people who create studies."""
    names = caption_names(store)
    return [
        {
            "id": run.id,
            "model": run.model,
            "name": names[run.id],
            "baseline": run.baseline,
            "captions": store.count(Text, run_id=run.id, kind="frame"),
            "params": dict(run.params),
        }
        for run in caption_runs(store)
    ]


def sequence_json(
    store: Store, media: MediaLibrary, study_id: str, number: int, person: Person
) -> StudySequence:
    """One sequence: captions in the order of this sequence, without model names while the study is open.

    Raises NotFound.
    """
    study = store.get(Study, study_id)
    number = max(0, min(number, len(study.sequences) - 1))
    shown = study.sequences[number]
    video, order = store.get(Video, str(shown["video_id"])), studies.order_of(study, number)
    captions = captions_of(store, study.runs, video.id)
    mine, times = studies.choices(store, study, person.id), _seconds(media, video)
    frames: list[StudyFrame] = [
        {
            "index": i,
            "seconds": times.get(i),
            "captions": [captions.get((run_id, video.id), {}).get(i, "") for run_id in order],
            "mine": _places(mine.get((number, i, person.id)), order),
        }
        for i in shown["frames"]
    ]
    names = caption_names(store) if study.closed_at else {}
    return {
        "study": study.id,
        "number": number,
        "of": len(study.sequences),
        "frames": frames,
        "video": {"id": video.id, "title": video.title, "action": video.action, "file": bool(times)},
        "models": [names[run_id] for run_id in order] if names else None,
    }


def _places(choice: StudyChoice | None, order: tuple[str, ...]) -> ChosenPlaces | None:
    """A choice as positions in the order that the person sees."""
    if choice is None:
        return None
    return {
        "best": order.index(choice.best) if choice.best in order else None,
        "second": order.index(choice.second) if choice.second in order else None,
    }


def result_json(store: Store, study_id: str) -> StudyResult:
    """Selection rates with the models' names; empty until the study is closed. Raises NotFound."""
    study = store.get(Study, study_id)
    choices = studies.choices(store, study)
    return {
        "name": study.name,
        "closed": study.closed_at is not None,
        "people": len({key[2] for key in choices}),
        "rows": selection_rates(store, study) if study.closed_at else [],
    }
