"""`vdc-qa`: the questions of VDCscore, one line `{video_id: [{question, answer, category}]}` per video.

One file per aspect, named after it, in a folder; a single file is read too. In the published files some ids
are on two lines. AuroraCap's scorer uses the last line (`dict.update` in `post_eval/process_vdc_result.py` of
2bf68d5); this reader does the same and reports the others. Source: VDCScore_qa of Video-Detailed-Caption.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from annotation.intake.names_of_videos import VideoNames
from annotation.records.allowed_values import VDC_ASPECTS, VdcAspect
from annotation.records.captions_to_verdicts import Question
from annotation.records.errors import FormatError
from annotation.records.ids import Json, record_id
from annotation.records.videos import Dataset
from annotation.store.exclusions import exclusions
from backends.text.plural import plural
from exports.files.evaluations_and_corrections import load_evaluation, pick
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, json_lines, text_at
from exports.files.several_files import read_files
from exports.files.write_files import json_line
from exports.logs.evaluation_rows import load_chain
from exports.logs.peer_log import DATASET

NAME = "vdc-qa"
FILES = {f"{aspect}.jsonl": aspect for aspect in VDC_ASPECTS}
KNOWN = {"question", "answer", "category", "baseline"}


def recognise(head: Head) -> bool:
    if head.folder:
        return any(recognise(head.inside(name)) for name in sorted(head.names & FILES.keys()))
    first = head.first
    return isinstance(first, dict) and bool(first) and all(_is_list(value) for value in first.values())


def _is_list(value: Json) -> bool:
    return isinstance(value, list) and (
        not value or any(isinstance(x, dict) and "question" in x for x in value)
    )


def read(source: Source) -> Batch:
    """Read one question per entry. Raises FormatError, also if the aspect is unknown."""
    folder = source.path.is_dir()
    named = None if folder else source.aspect
    paths = [file for name in FILES if (file := source.path / name).is_file()] if folder else [source.path]
    intake, unread = read_files(
        paths,
        lambda: Intake(source, NAME, system="vdc"),
        lambda intake, path: _read_file(intake, path, named or _aspect_of(path)),
    )
    return intake.batch(unread)


def _aspect_of(path: Path) -> VdcAspect:
    stem = path.stem.lower()
    if stem not in VDC_ASPECTS:
        raise FormatError(
            f"{path.name}: the aspect of these questions is unknown; name the file {', '.join(FILES)}, "
            "or choose it with --aspect"
        )
    return stem


def _read_file(intake: Intake, path: Path, aspect: VdcAspect) -> None:
    lists: dict[str, tuple[str, list[Json]]] = {}
    unknown: Counter[str] = Counter()
    for item in json_lines(path):
        if not isinstance(item.value, dict):
            intake.problem(item.where, "not an object {video_id: [questions]}; left out")
            continue
        for name, entries in item.value.items():
            if not name.strip() or not isinstance(entries, list):
                intake.problem(item.where, f"video {name!r} has no list of questions; left out")
                continue
            if name in lists:
                intake.problem(item.where, _duplicate_message(name, lists[name], entries))
            lists[name] = (item.where, entries)
    for name, (where, entries) in lists.items():
        _add_questions(intake, where, name, aspect, entries, unknown)
    for field, count in sorted(unknown.items()):
        intake.problem(path.name, f"the field {field!r} of {plural(count, 'question')} is not kept")


def _duplicate_message(name: str, first: tuple[str, list[Json]], second: list[Json]) -> str:
    where, entries = first
    same = entries == second
    how = (
        "they are identical" if same else f"they differ ({len(entries)} questions before, {len(second)} here)"
    )
    return f"video {name!r} already appears at {where}; {how}, the last is kept"


def _add_questions(
    intake: Intake, where: str, name: str, aspect: VdcAspect, entries: Sequence[Json], unknown: Counter[str]
) -> None:
    dataset = intake.dataset_of(name, DATASET)
    video_id = intake.video(dataset, name, where)
    times: Counter[tuple[str, str]] = Counter()
    for index, entry in enumerate(entries):
        which = f"video {name!r}, question {index + 1}"
        if not isinstance(entry, dict):
            intake.problem(where, f"{which}: not an object; left out")
            continue
        unknown.update(entry.keys() - KNOWN)
        if not isinstance(entry.get("category", ""), str):
            intake.problem(where, f"{which}: the category is not a text; left out")
        text, reference = (_field(intake, where, which, entry, key) for key in ("question", "answer"))
        times[text, reference] += 1
        words, time = (text, reference), times[text, reference]
        intake.add(question_record(intake, dataset, video_id, aspect, index, entry, words, time))


def _field(intake: Intake, where: str, which: str, entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        intake.problem(where, f"{which}: no {key}")
        return ""
    if not value.strip():
        intake.problem(where, f"{which}: the {key} is empty")
    return value


def question_record(
    intake: Intake,
    dataset: Dataset,
    video_id: str,
    aspect: VdcAspect,
    index: int,
    entry: dict[str, Any],
    words: tuple[str, str],
    time: int,
) -> Question:
    """Return a question. Its id does not contain the index, so that inserted questions change no ids."""
    return Question(
        id=record_id("qst", dataset.id, video_id, aspect, *words, time),
        video_id=video_id,
        kind=f"vdc:{aspect}",
        index=index,
        text=words[0],
        reference=words[1],
        created_at=intake.now,
        category=text_at(entry, "category"),
        dataset_id=dataset.id,
        baseline=entry.get("baseline") is True,
    )


def write(wanted: Wanted) -> Iterator[Output]:
    """Write a file per aspect: an evaluation's questions, or the datasets', else the newest run's.

    Current values leave out excluded questions, because the file is for scoring.
    """
    store = wanted.store
    questions, _ = _kept(wanted)
    ids = [q.id for q in questions]
    asked, references = (store.currents("question", ids, field) for field in ("text", "reference"))
    names = VideoNames(store, "vdc")
    for name, aspect in FILES.items():
        lines: dict[str, list[Json]] = defaultdict(list)
        for q in questions:
            if q.kind == f"vdc:{aspect}":
                lines[names.name(q.video_id, q.dataset_id)].append(
                    {
                        "question": pick(asked[q.id], wanted.values),
                        "answer": pick(references[q.id], wanted.values),
                        "category": q.category,
                        **({"baseline": True} if q.baseline else {}),
                    }
                )
        if lines:
            yield name, [json_line({video: entries}) for video, entries in sorted(lines.items())]


def note(wanted: Wanted) -> str:
    """Return a note on excluded questions that are left out."""
    out = _kept(wanted)[1]
    words = "1 excluded question is" if out == 1 else f"{out:,} excluded questions are"
    return f"{words} left out; --values machine keeps all" if out else ""


def _kept(wanted: Wanted) -> tuple[list[Question], int]:
    """Return the questions to write, and the number of excluded ones."""
    store = wanted.store
    if wanted.evaluation_id is None:
        questions = _chosen(store.find(Question, order_by=["video_id", "kind", "index", "id"]))
    else:
        chain = load_chain(store, load_evaluation(store, wanted.evaluation_id))
        questions = [row.question for row in chain.rows]
    questions = [q for q in questions if f"{q.kind.removeprefix('vdc:')}.jsonl" in FILES]
    out = exclusions(store) if wanted.values == "current" else {}
    kept = [question for question in questions if question.id not in out]
    return kept, len(questions) - len(kept)


def _chosen(questions: Sequence[Question]) -> list[Question]:
    """Return per video and aspect the questions of datasets and people, else those of the newest run."""
    groups: dict[tuple[str, str], list[Question]] = defaultdict(list)
    for question in questions:
        groups[question.video_id, question.kind].append(question)
    chosen: list[Question] = []
    for group in groups.values():
        given = [q for q in group if q.run_id is None]
        newest = max(group, key=lambda q: q.created_at).run_id
        chosen += given or [q for q in group if q.run_id == newest]
    return chosen
