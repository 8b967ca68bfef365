"""`vript-hard`: the annotations of Vript-Hard, `HAL_`, `RR_` and `ERO_annotations.jsonl`.

One item per line. HAL: two captions of one clip, its four fields lists of two. RR: a question about one
scene, four options, an open answer. ERO: three described scenes and their order. The whole line is kept, so
that exports are identical. Source: Vript (NeurIPS 2024), vript-hard.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from annotation.records.captions_to_verdicts import BenchmarkItem
from annotation.records.ids import Json, record_id
from annotation.store.store import Store
from annotation.systems.vript.hard_replies import PLACES, TASKS, HardTask, answer_letter, answer_order
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, json_items, text_at
from exports.files.several_files import read_files
from exports.files.write_files import json_line

NAME = "vript-hard"
SYSTEM = "vript-hard"
DATASETS: Mapping[HardTask, str] = {"hal": "Vript-HAL", "rr": "Vript-RR", "ero": "Vript-ERO"}
FILES: Mapping[HardTask, str] = {task: f"{task.upper()}_annotations.jsonl" for task in TASKS}
OLD_NAMES = {"CAP_annotations.jsonl": "hal"}


def recognise(head: Head) -> bool:
    if head.folder:
        return any(_file_task(name) for name in head.names)
    return task_of(head.first) is not None


def _file_task(name: str) -> HardTask | None:
    known: dict[str, HardTask] = {FILES[task]: task for task in TASKS}
    known |= {file.removesuffix("l"): task for file, task in known.items()}
    return known.get(name) or ("hal" if name in OLD_NAMES else None)


def task_of(value: Json) -> HardTask | None:
    """Return the task of an annotation, by its keys; None for other values."""
    if not isinstance(value, dict) or not isinstance(value.get("video_id"), str):
        return None
    if isinstance(value.get("multiple_choice"), list) and "question" in value:
        return "rr"
    if isinstance(value.get("content"), list) and isinstance(value.get("clip_id"), str):
        return "hal"
    question = value.get("question")
    if isinstance(question, str) and "Scene (A)" in question and "answer" in value:
        return "ero"
    return None


def name_of(task: HardTask, value: Mapping[str, Json]) -> str:
    """Return the item's name in files: the clip of HAL and RR, the video of ERO; empty if it is missing."""
    return text_at(value, "video_id" if task == "ero" else "clip_id").strip()


def item_id(task: HardTask, dataset_id: str, name: str) -> str:
    return record_id("itm", dataset_id, task, name)


def make_item(
    intake: Intake, task: HardTask, value: Mapping[str, Json], index: int, where: str
) -> BenchmarkItem | None:
    """Return the item of an annotation and add its video. None, with a problem, without a name."""
    name, video_name = name_of(task, value), text_at(value, "video_id").strip()
    if not name or not video_name:
        intake.problem(where, "video_id or clip_id is missing; left out")
        return None
    of_video = name if task == "hal" else video_name
    dataset = intake.dataset_of(of_video, DATASETS[task])
    title = text_at(value, "video_title")
    extra = {"video_title": title} if title else {}
    file = text_at(value, "video_name")  # an additional field of ours: the file
    video_id = intake.video(dataset, of_video, where, file_name=file, extra=extra)
    return BenchmarkItem(
        id=item_id(task, dataset.id, name),
        video_id=video_id,
        dataset_id=dataset.id,
        task=task,
        name=name,
        index=index,
        value=dict(value),
        created_at=intake.now,
    )


# --- reading --------------------------------------------------------------------------


def read(source: Source) -> Batch:
    """Read items of one file, or of each file of a folder. Raises FormatError."""
    intake, unread = read_files(_files(source.path), lambda: Intake(source, NAME, system=SYSTEM), _read_file)
    return intake.batch(unread)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.iterdir() if file.is_file() and _file_task(file.name))


def _read_file(intake: Intake, path: Path) -> None:
    found: list[BenchmarkItem] = []
    for index, line in enumerate(json_items(path)):
        task = task_of(line.value)
        if task is None:
            intake.problem(line.where, "not an annotation of HAL, RR or ERO; left out")
            continue
        item = make_item(intake, task, line.value, index, line.where)
        if item is None or not intake.is_first(line.where, repr(item.name), path, item.id):
            continue
        found.append(item)
        intake.add(item)
        for problem in problems_of(item):
            intake.problem(line.where, problem)
    _check_places(intake, path, found)


def problems_of(item: BenchmarkItem) -> list[str]:
    """Return descriptions of an annotation's irregularities."""
    value = item.value
    if item.task == "ero":
        return (
            [] if answer_order(value.get("answer")) else ["the answer is not an order of the scenes A, B, C"]
        )
    if item.task == "rr":
        choices: Sequence[Json] = value.get("multiple_choice") or ()
        odd = (
            []
            if answer_letter(choices, value.get("multiple_choice_answer"))
            else ["the answer is not one of the options"]
        )
        return odd + ([] if len(choices) == 4 else [f"{len(choices)} options, not 4"])
    captions = [text for text in value.get("content", ()) if isinstance(text, str) and text.strip()]
    return [] if len(captions) == 2 else [f"{len(captions)} captions, not 2"]


def _check_places(intake: Intake, path: Path, items: Sequence[BenchmarkItem]) -> None:
    """Report videos without exactly four questions, whose order gives the position of the scenes."""
    counts = Counter(item.video_id for item in items if item.task == "rr")
    odd = [video for video, count in counts.items() if count != len(PLACES)]
    if odd:
        intake.problem(
            path.name,
            f"{len(odd)} of {len(counts)} videos do not have {len(PLACES)} questions: "
            "the position of their scenes in the video is unknown",
        )


# --- writing --------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """Write a file for each task that has items."""
    for task in TASKS:
        items = items_of(wanted.store, task)
        if items:
            yield FILES[task], [json_line(dict(item.value)) for item in items]


def items_of(store: Store, task: HardTask) -> list[BenchmarkItem]:
    return store.find(BenchmarkItem, task=task, order_by=["dataset_id", "index", "id"])


class KnownItems:
    """The items of the store and of this import, by task and name."""

    def __init__(self, store: Store | None) -> None:
        self._by_name: dict[tuple[str, str], list[BenchmarkItem]] = defaultdict(list)
        self._by_video: dict[tuple[str, str], list[BenchmarkItem]] = defaultdict(list)
        for task in TASKS if store else ():
            for item in items_of(store, task):  # type: ignore[arg-type]  # checked above
                self.add(item)

    @property
    def ids(self) -> set[str]:
        return {item.id for items in self._by_name.values() for item in items}

    def add(self, item: BenchmarkItem) -> None:
        self._by_name[item.task, item.name].append(item)
        self._by_video[item.task, str(item.value.get("video_id"))].append(item)

    def named(self, task: HardTask, name: str) -> BenchmarkItem | None:
        """Return the newest item of this name; None if there is none."""
        found = self._by_name.get((task, name))
        return max(found, key=lambda item: item.created_at) if found else None

    def of_video(self, task: HardTask, video_name: str) -> list[BenchmarkItem]:
        """Return the video's items in the order of the file."""
        return sorted(self._by_video.get((task, video_name), ()), key=lambda item: item.index)
