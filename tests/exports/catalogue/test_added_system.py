"""A system's files and reports are declared in its folder: three new files and two lines in one list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program_copy import ProgramCopy

SYSTEMS = "exports/catalogue/system_list.py"
FORMATS = '''"""One caption per line, `{"toy": name of the video, "caption": text}`."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.intake.names_of_videos import VideoNames
from annotation.records.captions_to_verdicts import Text
from annotation.records.ids import record_id
from annotation.texts.which_text_counts import counting_texts
from exports.files.format_types import Batch, Format, Keeps, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, json_items
from exports.files.write_files import json_line

KIND = "toy:caption"


def recognise(head: Head) -> bool:
    return isinstance(head.first, dict) and "toy" in head.first


def read(source: Source) -> Batch:
    intake = Intake(source, "toy-captions", system="toy")
    for item in json_items(source.path):
        name, value = item.value["toy"], item.value["caption"]
        dataset = intake.dataset_of(name, "Toy")
        video = intake.video(dataset, name, item.where)
        key = record_id("txt", dataset.id, video, KIND, value)
        intake.add(
            Text(
                id=key,
                video_id=video,
                kind=KIND,
                subject_type="video",
                subject_id=video,
                value=value,
                created_at=0.0,
                dataset_id=dataset.id,
            )
        )
    return intake.batch()


def write(wanted: Wanted) -> Iterator[Output]:
    names, found = VideoNames(wanted.store, "toy"), counting_texts(wanted.store, [KIND])
    if found:
        rows = [{"toy": names.name(video), "caption": of[KIND].value} for video, of in found.items()]
        yield "", [json_line(row) for row in rows]


FORMATS = (
    Format(
        name="toy-captions",
        what="captions of toys",
        group="annotations of benchmarks",
        suffix=".jsonl",
        cannot_hold="anything else",
        keeps=Keeps((), ("names of videos",)),
        looks_for="lines with toy",
        system="toy",
        recognise=recognise,
        reader=read,
        writer=write,
        scripts_to_check=lambda batch: [
            {
                "check": "of_toys",
                "aspect": "toy",
                "video": "a",
                "question": "",
                "why": text.value,
                "scene": 1,
                "text": "",
            }
            for text in batch.records.of_kind(Text)
        ],
    ),
)
'''
REPORT = '''"""`score toy`: the number of captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.records.captions_to_verdicts import Text
from annotation.reports.report_type import Options, Report
from annotation.store.store import Store


def reports(store: Store, options: Options) -> Sequence[Report]:
    n = len(store.find(Text, kind="toy:caption"))
    row = {"group": {}, "policy": "all", "metric": "captions", "value": n, "n": n, "of": n}
    return [{"system": "toy", "evaluation": "all", "rows": [{**row, "low": None, "high": None}]}]


def lines(found: Mapping[str, Any]) -> list[str]:
    return [f"{found['rows'][0]['value']} captions of toys"]
'''
SYSTEM = '''"""Toys: captions and their number."""

from __future__ import annotations

from annotation.reports.report_type import System
from exports.files.export_system import ExportSystem
from exports.toy.formats import FORMATS
from exports.toy.report import lines, reports

SYSTEM = ExportSystem(
    FORMATS, reports=(System("toy", "toys: captions", reports, lines, options=("tagger",)),)
)
'''
KINDS = '[[texts]]\nkinds = ["toy:caption"]\n'


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> ProgramCopy:
    made = ProgramCopy(tmp_path_factory.mktemp("added") / "program")
    made.add("annotation/systems/toy/system.toml", KINDS)
    for name, text in (("__init__", ""), ("formats", FORMATS), ("report", REPORT), ("system", SYSTEM)):
        made.add(f"exports/toy/{name}.py", text)
    made.insert(SYSTEMS, "from exports.vdc import", "from exports.toy import system as toy")
    made.insert(SYSTEMS, "    vdc.SYSTEM,", "    toy.SYSTEM,")
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "toys.jsonl"
    made.write_text('{"toy": "a", "caption": "A bear."}\n{"toy": "b", "caption": "A kite."}\n', "utf-8")
    return made


def test_one_file_is_edited(program: ProgramCopy) -> None:
    assert program.edited() == [SYSTEMS]


def test_its_format_is_listed_read_checked_and_written(
    program: ProgramCopy, file: Path, tmp_path: Path
) -> None:
    [row] = [row for row in json.loads(program.app("export", "--list", "--json")) if row["name"][:3] == "toy"]
    assert row["comes_back"] == "in part names of videos; nothing else" and row["reads"] and row["writes"]
    assert json.loads(program.app("lint", file, "--json"))["counts"]["of_toys"] == {"toy": 2}
    program.app("import", file, "--workspace", tmp_path / "w")
    program.app("export", "toy-captions", tmp_path / "out.jsonl", "--workspace", tmp_path / "w")
    written = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(written) == file.read_text(encoding="utf-8").splitlines()
    assert "## toy-captions" in program.python("from docs.make_pages import formats_page as p; print(p())")


def test_its_report_is_named_in_the_help_and_printed(
    program: ProgramCopy, file: Path, tmp_path: Path
) -> None:
    program.app("import", file, "--workspace", tmp_path / "w")
    assert program.app("score", "toy", "--workspace", tmp_path / "w").strip() == "2 captions of toys"
    shown = " ".join(program.app("score", "--help").split())
    assert "system <str> toy, vdc, video-mmlu" in shown
    assert "toy, vript-hal: parts of speech" in shown
