"""A file of a million lines imported: seconds and memory, in a process and a workspace of its own.

    python -m benchmarks.million_lines                       # every kind of file, on SQLite
    python -m benchmarks.million_lines --kind dailies-jsonl --lines 100000 --database postgresql://...

The files are drawn: `dailies-jsonl` holds videos, captions, questions, answers and verdicts; `loveu` is the
folder of an evaluation whose verdicts are the lines; `lmms-eval` one sample a line, of five tasks;
`vdc-captions` one video a line, each of them new. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from annotation.records import fingerprints
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Alias, Dataset, Video
from annotation.store.rows import to_row
from benchmarks.imports import apart
from exports.files.write_files import json_line
from exports.logs.roundtrip_fields import Role

PER_VIDEO = 100
"""Questions of a video."""
NOW = 1_767_225_600.0
CAPTION = (
    "The camera pans left slowly while a boat drifts past an old pier, and a man in a red coat waves. " * 3
)


def dailies_jsonl(lines: int, folder: Path) -> Path:
    """A video and its captions are seven lines, its questions with answers and verdicts three hundred."""
    path = folder / "million.jsonl"
    with path.open("w", encoding="utf-8") as file:
        records = list(_counted(_workspace(lines)))
        kinds: dict[str, int] = {}
        for name in records:
            kinds[name] = kinds.get(name, 0) + 1
        file.write(json_line({"format": "dailies", "version": 1, "records": kinds}))
        for name in kinds:
            for record in _workspace(lines):
                if type(record).__name__ == name:
                    file.write(json_line({"record": name, **to_row(record)}))
    return path


def _counted(records: Iterable[Record]) -> Iterator[str]:
    for record in records:
        yield type(record).__name__


def _workspace(lines: int) -> Iterator[Record]:
    """About as many records as asked for."""
    yield Dataset(id="dst-1", name="drawn", format="vdc")
    for role in get_args(Role):
        yield Run(id=f"run-{role}", stage=role, backend="drawn", model="drawn", created_at=NOW)
    yield Evaluation(id="evl-1", name="drawn", created_at=NOW)
    for role in get_args(Role):
        yield EvaluationRun(id=f"evr-{role}", evaluation_id="evl-1", role=role, run_id=f"run-{role}")
    for number in range(lines // (3 * PER_VIDEO + 7)):
        yield from _video(number)


def _video(number: int) -> Iterator[Record]:
    video_id = f"vid-{number:020x}"
    yield Video(id=video_id, title=f"clip {number}", created_at=NOW)
    yield Alias(id=f"als-{number:020x}", dataset_id="dst-1", alias=f"clip{number}", video_id=video_id)
    texts = [
        Text(
            id=f"txt-{number:016x}-{aspect[:3]}",
            video_id=video_id,
            kind=f"vdc:{aspect}",
            subject_type="video",
            subject_id=video_id,
            value=CAPTION,
            created_at=NOW,
            run_id="run-captions",
        )
        for aspect in VDC_ASPECTS
    ]
    yield from texts
    for index in range(PER_VIDEO):
        yield from _asked(number, index, texts[index % 5])


def _asked(number: int, index: int, text: Text) -> Iterator[Record]:
    mark = f"{number * 7919 % 65_521:06x}{number:08x}{index:06x}"
    words = f"What is seen at place {index} of the clip?", f"A boat number {index}"
    question = Question(
        id=f"qst-{mark}",
        video_id=text.video_id,
        kind=text.kind,
        index=index,
        text=words[0],
        reference=words[1],
        created_at=NOW,
        run_id="run-questions",
    )
    answer = Answer(
        id=f"ans-{mark}",
        video_id=text.video_id,
        question_id=question.id,
        run_id="run-answers",
        source="caption",
        value=f"an old boat {index}",
        created_at=NOW,
        text_id=text.id,
        source_hash=fingerprints.of_answer(text.value, words[0]),
    )
    yield question
    yield answer
    yield Verdict(
        id=f"jdg-{mark}",
        video_id=text.video_id,
        run_id="run-verdicts",
        subject_type="answer",
        subject_id=answer.id,
        value_type="yes_no_score",
        created_at=NOW,
        state="done",
        label="yes",
        score=4.0,
        reason="",
        raw="{'pred': 'yes', 'score': 4}",
        source_hash=fingerprints.of_verdict(*words, answer.value),
    )


def loveu(lines: int, folder: Path) -> Path:
    """Questions of the verdicts' file are those of the answers' file."""
    out = folder / "loveu"
    out.mkdir()
    places = [(n // PER_VIDEO, n % PER_VIDEO) for n in range(lines)]
    manifest = {
        "format": "loveu",
        "version": 1,
        "name": "drawn",
        "captioner": "drawn",
        "judge": "drawn",
        "created": "2026-01-01T00:00:00+00:00",
    }
    (out / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    captions = (
        {"video_id": f"clip{n}", "aspect": aspect, "caption": CAPTION}
        for n in range(lines // PER_VIDEO + 1)
        for aspect in VDC_ASPECTS
    )
    _write(out / "captions.jsonl", captions)
    _write(out / "answers.jsonl", (_loveu_answer(*place) for place in places))
    given = {"raw": "{'pred': 'yes', 'score': 4}", "state": "done", "pred": "yes", "score": 4}
    _write(out / "verdicts.jsonl", (_loveu_answer(*place) | given for place in places))
    return out


def _loveu_answer(number: int, index: int) -> dict[str, Any]:
    return {
        "video_id": f"clip{number}",
        "aspect": VDC_ASPECTS[index % 5],
        "index": index // 5,
        "question": f"What is seen at place {index} of the clip?",
        "answer": f"A boat number {index}",
        "pred_answer": f"an old boat {index}",
    }


def lmms_eval(lines: int, folder: Path) -> Path:
    """The means that lmms-eval keeps of a video and an aspect, in a file per task."""
    out = folder / "lmms-eval"
    out.mkdir()
    for aspect in VDC_ASPECTS:
        rows = (
            {
                "doc_id": n,
                "target": CAPTION,
                "resps": [[CAPTION]],
                "filtered_resps": [CAPTION],
                "doc": {"video_name": f"clip{n}.mp4"},
                "gpt_eval_score": {"score": 3.5},
                "gpt_eval_acc": {"acc": 0.5},
            }
            for n in range(lines // 5)
        )
        _write(out / f"20260101_000000_samples_{aspect}_test.jsonl", rows)
    return out


def vdc_captions(lines: int, folder: Path) -> Path:
    path = folder / "captions.jsonl"
    _write(path, ({"video_id": f"clip{n}", "short_caption": CAPTION} for n in range(lines)))
    return path


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(map(json_line, rows))


KINDS: dict[str, Callable[[int, Path], Path]] = {
    "dailies-jsonl": dailies_jsonl,
    "loveu": loveu,
    "lmms-eval": lmms_eval,
    "vdc-captions": vdc_captions,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=KINDS, action="append", help="may be repeated; default: all")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--database", help="a database that holds nothing yet, for one kind")
    parser.add_argument("--keep", type=Path, help="folder in which the files stay")
    given = parser.parse_args()
    print(
        "| file | lines | MB | new records | processor s | clock s | peak MB |\n|---|---|---|---|---|---|---|"
    )
    for kind in given.kind or KINDS:
        with TemporaryDirectory() as folder:
            home = given.keep or Path(folder)
            path = KINDS[kind](given.lines, home)
            f = apart([path], given.database)
            files = [path] if path.is_file() else list(path.iterdir())
            size = sum(file.stat().st_size for file in files) >> 20
            measured = f"{f['cpu']:.1f} | {f['seconds']:.1f} | {f['peak_mb']:.0f}"
            print(f"| `{kind}` | {given.lines:,} | {size} | {f['records']:,} | {measured} |", flush=True)


if __name__ == "__main__":
    main()
