"""`video-mmlu`: the questions of Video-MMLU, one video per line, with its discipline and reference notes.

`captions_qa` are about the notes, `reasoning_qa` about the video. Answers and questions contain a literal
`\\'`, which all published scripts replace by `'` before asking. This reader does the same, and keeps the
file's form for writing. Lines with only a discipline (`video_sources.jsonl`) are read too. Source:
`source/video_mmlu.jsonl`, `source/video_sources.jsonl` and `post_eval` of Video-MMLU 45b41bf.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.intake.names_of_videos import VideoNames
from annotation.records.allowed_values import TextKind
from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.disciplines import discipline
from annotation.records.ids import Json, record_id
from annotation.records.videos import Alias, Dataset, Video
from annotation.store.exclusions import exclusions
from annotation.store.store import Store
from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from annotation.texts.which_text_counts import REFERENCES, CountingText, counting_texts
from backends.text.plural import plural
from exports.files.evaluations_and_corrections import pick
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, json_items, text_at
from exports.files.write_files import json_line

NAME = "video-mmlu"
DATASET = "Video-MMLU"
SYSTEM = "mmlu"
LISTS: Mapping[str, TextKind] = {"captions_qa": NOTES, "reasoning_qa": REASONING}
NOTES_FIELDS = ("caption", "transcript")
LABELS = ("discipline", "label")
"""`video_sources.jsonl` calls it `label`."""
EXTRA = "mmlu"
"""The key of `Video.extra` for fields that have no other place."""
KNOWN = {"video_id", "baseline", *LISTS, *NOTES_FIELDS, *LABELS}


def recognise(head: Head) -> bool:
    first = head.first
    if not isinstance(first, dict) or not isinstance(first.get("video_id"), str):
        return False
    if LISTS.keys() & first.keys():
        return True
    return _label(first) != "" and not first.keys() - {"video_id", *LABELS, *NOTES_FIELDS}


def read(source: Source) -> Batch:
    """Read one question per entry and one reference text per video. Raises FormatError."""
    intake = Intake(source, NAME, system=SYSTEM)
    unknown: Counter[str] = Counter()
    lines = intake.videos_named(json_items(source.path), "video_id", "not an object with a video_id")
    for name, item in lines:
        _Line(intake, item.where, name, item.value, unknown).read()
    for field, count in sorted(unknown.items()):
        intake.problem(source.path.name, f"the field {field!r} of {plural(count, 'question')} is not kept")
    return intake.batch()


def unescape(text: str) -> str:
    r"""Replace a literal `\'` by `'`, as all scripts of the benchmark do."""
    return text.replace("\\'", "'")


def _label(line: Mapping[str, Json]) -> str:
    return next((found for key in LABELS if (found := text_at(line, key).strip())), "")


class _Line:
    """One video's line."""

    def __init__(
        self, intake: Intake, where: str, name: str, value: Mapping[str, Json], unknown: Counter[str]
    ) -> None:
        self.intake, self.where, self.name, self.value, self.unknown = intake, where, name, value, unknown
        self.escaped: dict[str, Json] = {}
        """`{question id: [question, answer]}` in the file's form, if it differs."""

    def read(self) -> None:
        label = _label(self.value)
        if not label:
            self.intake.problem(self.where, f"video {self.name!r} has no discipline")
        dataset = self.intake.dataset_of(self.name, DATASET)
        video_id = record_video_id(self.intake, dataset, self.name)
        questions = [
            q for field in LISTS if field in self.value for q in self._list(field, dataset, video_id)
        ]
        known = check_discipline(self.intake, dataset, self.name, self.where, label)
        self.intake.video(dataset, self.name, self.where, discipline=known, extra=self._extra())
        for question in questions:
            self.intake.add(question)
        self._notes(dataset, video_id)

    def _extra(self) -> dict[str, Json]:
        about = {key: value for key, value in self.value.items() if key not in KNOWN}
        if not text_at(self.value, "caption") and text_at(self.value, "transcript"):
            about["notes_field"] = "transcript"
        if self.escaped:
            about["escaped"] = self.escaped
        return {EXTRA: about} if about else {}

    def _notes(self, dataset: Dataset, video_id: str) -> None:
        value = next((found for key in NOTES_FIELDS if (found := text_at(self.value, key)).strip()), "")
        if not value:
            if LISTS.keys() & self.value.keys():
                self.intake.problem(self.where, f"video {self.name!r} has no reference notes (caption)")
            return
        self.intake.add(
            Text(
                id=record_id("txt", dataset.id, video_id, NOTES, value),
                video_id=video_id,
                kind=NOTES,
                subject_type="video",
                subject_id=video_id,
                value=value,
                created_at=self.intake.now,
                dataset_id=dataset.id,
                baseline=self.value.get("baseline") is True,
            )
        )

    def _list(self, field: str, dataset: Dataset, video_id: str) -> Iterator[Question]:
        entries = self.value[field]
        if not isinstance(entries, list):
            self.intake.problem(self.where, f"video {self.name!r}: {field} is not a list; left out")
            return
        times: Counter[tuple[str, str]] = Counter()
        for index, entry in enumerate(entries):
            which = f"video {self.name!r}, {field} {index + 1}"
            if not isinstance(entry, dict):
                self.intake.problem(self.where, f"{which}: not an object; left out")
                continue
            self.unknown.update(entry.keys() - {"question", "answer", "category", "baseline"})
            raw = tuple(self._field(which, entry, key) for key in ("question", "answer"))
            words = unescape(raw[0]), unescape(raw[1])
            times[words] += 1
            made = question_record(self.intake, dataset, video_id, LISTS[field], index, words, times[words])
            if raw != words:
                self.escaped[made.id] = list(raw)
            made_by_baseline = entry.get("baseline") is True
            yield replace(made, category=text_at(entry, "category"), baseline=made_by_baseline)

    def _field(self, which: str, entry: Mapping[str, Any], key: str) -> str:
        value = entry.get(key)
        if not isinstance(value, str):
            self.intake.problem(self.where, f"{which}: no {key}")
            return ""
        if not value.strip():
            self.intake.problem(self.where, f"{which}: the {key} is empty")
        return value


def question_record(
    intake: Intake,
    dataset: Dataset,
    video_id: str,
    kind: TextKind,
    index: int,
    words: tuple[str, str],
    time: int,
) -> Question:
    """Return a question. Its id does not contain the index, so that inserted questions change no ids.

    `time` counts equal questions of a video from 1.
    """
    return Question(
        id=record_id("qst", dataset.id, video_id, kind, *words, time),
        video_id=video_id,
        kind=kind,
        index=index,
        text=words[0],
        reference=words[1],
        created_at=intake.now,
        dataset_id=dataset.id,
    )


def record_video_id(intake: Intake, dataset: Dataset, name: str) -> str:
    """Return the id that `Intake.video` will assign, before the video is added."""
    found = intake.matcher.find(dataset.id, (name, ""))
    return found.pop() if len(found) == 1 else record_id("vid", dataset.name, name)


def check_discipline(intake: Intake, dataset: Dataset, name: str, where: str, label: str) -> str:
    """Return the label. A video with another discipline is reported."""
    known = intake.matcher.videos.get(record_video_id(intake, dataset, name))
    here = known.discipline if known else ""
    if label and here and discipline(label) != discipline(here):
        intake.problem(
            where,
            f"video {name!r} has the discipline {here!r} here, but {label!r} in the file; {here!r} is kept",
        )
    return label


# --- writing --------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the datasets' and people's questions and reference notes of every video that has any.

    If there are none, write only the disciplines, as in `video_sources.jsonl`. Current values leave out
    excluded questions, because the file is for scoring.
    """
    store = wanted.store
    found = store.find(Question, kind=list(LISTS.values()), run_id=None, order_by=["video_id", "index", "id"])
    out = exclusions(store) if wanted.values == "current" else {}
    questions: dict[str, list[Question]] = defaultdict(list)
    for question in found:
        if question.id not in out:
            questions[question.video_id].append(question)
    notes = counting_texts(store, [NOTES], REFERENCES, wanted.values)
    names = VideoNames(store, SYSTEM)
    lines = [
        _line_of(wanted, names, video_id, questions[video_id], notes.get(video_id, {}).get(NOTES))
        for video_id in sorted({*questions, *notes})
    ]
    lines = lines or list(_disciplines(store, names))
    if lines:
        yield "", (json_line(line) for line in sorted(lines, key=lambda line: str(line["video_id"])))


def _disciplines(store: Store, names: VideoNames) -> Iterator[dict[str, Json]]:
    """Yield the disciplines of Video-MMLU's videos, for a workspace without questions and notes."""
    datasets = [dataset.id for dataset in store.find(Dataset, format=SYSTEM)]
    for video_id in sorted({alias.video_id for alias in store.find(Alias, dataset_id=datasets)}):
        video = names.video(video_id)
        if video.discipline:
            yield {"video_id": names.name(video_id, None), "label": video.discipline}


def _line_of(
    wanted: Wanted,
    names: VideoNames,
    video_id: str,
    questions: Sequence[Question],
    notes: CountingText | None,
) -> dict[str, Json]:
    video = names.video(video_id)
    about = video.extra.get(EXTRA)
    about = dict(about) if isinstance(about, dict) else {}
    owners = [q.dataset_id for q in questions] + ([notes.text.dataset_id] if notes else [])
    dataset_id = next((owner for owner in owners if owner), None)
    line: dict[str, Json] = {"video_id": names.name(video_id, dataset_id), "discipline": video.discipline}
    if notes is not None:
        line[about.pop("notes_field", "caption")] = notes.value
        if notes.by_baseline:
            line["baseline"] = True
    line |= {field: [] for field in LISTS}
    for field, entry in _entries(wanted, video, questions):
        line[field].append(entry)
    about.pop("notes_field", None)
    about.pop("escaped", None)
    return line | {key: value for key, value in about.items() if key not in line}


def _entries(
    wanted: Wanted, video: Video, questions: Sequence[Question]
) -> Iterator[tuple[str, dict[str, Json]]]:
    ids = [q.id for q in questions]
    asked, references = (wanted.store.currents("question", ids, field) for field in ("text", "reference"))
    about = video.extra.get(EXTRA)
    escaped = about.get("escaped", {}) if isinstance(about, dict) else {}
    fields = {kind: field for field, kind in LISTS.items()}
    for q in questions:
        words = pick(asked[q.id], wanted.values), pick(references[q.id], wanted.values)
        raw = escaped.get(q.id, words)
        # Keep the file's own spelling unless a person changed the words.
        kept = [old if unescape(old) == new else new for old, new in zip(raw, words, strict=True)]
        entry: dict[str, Json] = {"question": kept[0], "answer": kept[1]}
        if q.category:
            entry["category"] = q.category
        if q.baseline:
            entry["baseline"] = True
        yield fields[q.kind], entry
