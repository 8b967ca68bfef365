"""A full evaluation of VDC imported: questions, captions, answers and a hundred thousand verdicts.

    python -m benchmarks.imports --questions FOLDER          # VDCscore_qa, five files

Prints a Markdown table: seconds of processor time and of the clock, and peak memory, of each file in a
process and a workspace of its own. The questions are the published ones; captions, answers and verdicts
are drawn.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from exports.files.write_files import json_line

CAPTION_WORDS = {"camera": 150, "short": 30, "background": 150, "main_object": 150, "detailed": 500}
WORDS = ["the", "camera", "pans", "left", "slowly", "while", "a", "boat", "drifts", "past", "an", "old"]
Asked = tuple[str, str, int, dict[str, Any]]
"""Video, aspect, place in the list, and the question as the file has it."""


def make_log(questions: Path, folder: Path, seed: int = 0) -> None:
    """A `loveu` folder with an answer and a verdict for every question."""
    draw = random.Random(seed)
    folder.mkdir()
    asked = list(_asked(questions))
    pairs = dict.fromkeys((video, aspect) for video, aspect, _, _ in asked)
    lines = [_answer(draw, one) for one in asked]
    files: dict[str, list[dict[str, Any]]] = {
        "captions": [
            {"video_id": v, "aspect": a, "caption": _prose(draw, CAPTION_WORDS[a])} for v, a in pairs
        ],
        "answers": lines,
        "verdicts": [line | _verdict(draw) for line in lines],
    }
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_text("".join(map(json_line, rows)), encoding="utf-8")
    manifest = {
        "format": "loveu",
        "version": 1,
        "name": "drawn",
        "captioner": "drawn",
        "judge": "drawn",
        "created": "2026-01-01T00:00:00+00:00",
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def _asked(questions: Path) -> Iterator[Asked]:
    """As a reader takes them: of two lists of one video the first."""
    for aspect in VDC_ASPECTS:
        seen: set[str] = set()
        for line in (questions / f"{aspect}.jsonl").read_text(encoding="utf-8").splitlines():
            for video, entries in json.loads(line).items():
                if video not in seen:
                    yield from ((video, aspect, n, entry) for n, entry in enumerate(entries))
                seen.add(video)


def _answer(draw: random.Random, asked: Asked) -> dict[str, Any]:
    video, aspect, index, entry = asked
    return {
        "video_id": video,
        "aspect": aspect,
        "index": index,
        "question": entry["question"],
        "answer": entry["answer"],
        "pred_answer": _prose(draw, draw.randint(1, 9)),
    }


def _verdict(draw: random.Random) -> dict[str, Any]:
    pred, score = draw.choice([("yes", 3), ("yes", 4), ("yes", 5), ("no", 0), ("no", 1), ("no", 2)])
    return {"raw": f"{{'pred': '{pred}', 'score': {score}}}", "state": "done", "pred": pred, "score": score}


def _prose(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(WORDS, k=words)).capitalize() + "."


# --- measuring ------------------------------------------------------------------------


def bring(paths: list[Path], database: str | None) -> dict[str, Any]:
    """Import one file after the other into a new workspace; figures are those of the last."""
    with TemporaryDirectory() as folder:
        space = Workspace(Path(folder), database)
        for path in paths:
            clock, processor = time.monotonic(), time.process_time()
            counts = formats.commit(space.store, formats.read(path, space.store))
            found = {"seconds": time.monotonic() - clock, "cpu": time.process_time() - processor}
        space.close()
    return {**found, "records": sum(counts.values()), "peak_mb": _peak_mb()}


def _peak_mb() -> float:
    """Of this process since it began; unlike getrusage, not of the one that started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def apart(paths: list[Path], database: str | None) -> dict[str, Any]:
    """As `bring`, in a process of its own, so that memory is that of this import."""
    command = [sys.executable, "-m", "benchmarks.imports", "--one", *map(str, paths)]
    command += ["--database", database] if database else []
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def table(questions: Path, database: str | None) -> Iterator[str]:
    yield "| import | new records | processor s | clock s | peak MB |"
    yield "|---|---|---|---|---|"
    with TemporaryDirectory() as folder:
        log, everything = Path(folder) / "log", Path(folder) / "all.jsonl"
        make_log(questions, log)
        space = Workspace(Path(folder) / "workspace")
        formats.commit(space.store, formats.read(log, space.store))
        formats.write(space.store, "dailies-jsonl", everything)
        space.close()
        for what, paths in (
            ("questions alone (`vdc-qa`)", [questions]),
            ("the whole log (`loveu`)", [log]),
            ("the log, onto the questions", [questions, log]),
            ("all of it as `dailies-jsonl`", [everything]),
        ):
            f = apart(paths, database)
            yield (
                f"| {what} | {f['records']:,} | {f['cpu']:.1f} | {f['seconds']:.1f} | {f['peak_mb']:.0f} |"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=Path, help="folder of VDCscore_qa")
    parser.add_argument("--database", help="a database that holds nothing yet, for one import")
    parser.add_argument("--one", type=Path, nargs="+", help="measure one import, print JSON")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(bring(given.one, given.database)))
    elif given.questions:
        for row in table(given.questions, given.database):
            print(row, flush=True)
    else:
        parser.error("name the questions with --questions")
