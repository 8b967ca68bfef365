"""What comes back through each format, measured noun by noun, is what its line says, and nothing else."""

from __future__ import annotations

import importlib
import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Text
from annotation.records.videos import Segment
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from exports.catalogue.format_registry import FORMATS
from exports.files.format_types import EVERYTHING
from tests.databases import new_store
from tests.exports.carebench.capst_files import LINES
from tests.exports.carebench.test_capst_files import infos
from tests.exports.nouns import NOUNS, facts
from tests.exports.peers.test_peer_logs import LOGS
from tests.exports.progress_captioner.test_progcap import record
from tests.exports.world import fill

KEPT = {name: known.keeps for name, known in FORMATS.items() if known.keeps}
ELSEWHERE = {
    # Read into a workspace that has their subject: compared before and after.
    "vdc-qa-patch": "vdc.test_qa_patch.test_it_does_the_same_where_the_dataset_is_the_same",
    "label-studio": "generic.test_label_studio.test_completed_tasks_come_back_as_verdicts",
    "vript-rr-judge": "vript.test_vript_hard.test_ratings_come_back_and_take_the_place_of_none",
    # Measured similarities and video files.
    "retrieval": "carebench.test_retrieval_files.test_an_npz_of_two_settings",
    "carebench-folder": "carebench.test_capst_files.test_a_folder_joins_each_text_with_its_video",
}
"""Formats that are no workspace's records, each with the test that takes it out and in again."""
BOTH_WAYS = [f.name for f in FORMATS.values() if f.reader and f.writer]
OF_CAPST = ("dream-infos", "capst-description")


def full(folder: Path, name: str) -> Store:
    """Something of everything, and what this format alone speaks of."""
    store = new_store(folder)
    if name in OF_CAPST:
        formats.commit(store, formats.read(infos(folder, LINES), store))
        return store
    fill(store)
    if name == "progcap":
        (folder / "model.json").write_text(json.dumps([record()]), "utf-8")
        formats.commit(store, formats.read(folder / "model.json", store))
    if name == "vriptor":  # which writes speech where the description speaks of it, to a tenth of a second
        for text in store.find(Text, kind="script:content"):
            store.correct(
                "text", text.id, "value", "A man talks.", person_id="per-1", reason="", base_revision=0
            )
        for segment in store.find(Segment):
            store.put(replace(segment, start_s=round(segment.start_s, 1), end_s=segment.start_s + 0.7))
    return store


def test_every_format_is_measured_or_has_a_test_of_its_own() -> None:
    assert set(BOTH_WAYS) == set(KEPT) | set(ELSEWHERE) and not set(KEPT) & set(ELSEWHERE)
    for place in ELSEWHERE.values():
        module, _, test = place.rpartition(".")
        assert callable(getattr(importlib.import_module(f"tests.exports.{module}"), test))


@pytest.mark.parametrize("name", KEPT)
def test_what_comes_back_is_what_the_line_says(tmp_path: Path, name: str) -> None:
    store, other = full(tmp_path, name), new_store(tmp_path, "other")
    out = tmp_path / f"out{FORMATS[name].suffix}"
    # What counts now may be a corrected caption of a model, which comes back as another noun.
    formats.write(store, name, out, whose="references" if name == "vdc-captions" else "")
    formats.commit(other, formats.read(out, other))
    before, after = facts(store), facts(other)
    whole, partly = _said(name)
    said = {noun: "whole" for noun in whole if before[noun]} | {noun: "partly" for noun in partly}
    found = {
        noun: "partly" if before[noun] - after[noun] else "whole"
        for noun in NOUNS
        if before[noun] & after[noun]
    }
    assert found == said


def _said(name: str) -> tuple[list[str], list[str]]:
    """What comes back as a whole, and in part."""
    kept = KEPT[name]
    return list(NOUNS) if kept.whole == EVERYTHING else list(kept.whole), list(kept.partly)


# --- files that the peers released --------------------------------------------------------

READ_ANEW = {"models of runs", "evaluations", "frame numbers of scenes", "measurements"}
"""Of a peer's file whatever is read out of its name, or reckoned from its times: the same again."""


@dataclass(frozen=True, slots=True)
class Released:
    """Files of a peer that are one import, in one of our formats."""

    format: str
    checkout: str
    """The environment variable that names it, or the peer's logs."""
    files: tuple[str, ...]
    lost: tuple[str, ...] = ()
    """Nouns of which something does not come back."""

    def __str__(self) -> str:
        return f"{self.format}: {Path(self.files[0]).name}"


_TRAINING, _REPLIES = "vriptor/training_data", "vript-hard/evaluation_output_examples"
_SCRIPT = _TRAINING + "/vript_captions/vript_long_videos_captions/{0}_caption.json"
_SPEECH = _TRAINING + "/videos/vript_long_videos/{0}/{0}_asr.jsonl"
_CHOICE, _OPEN = (f"{_REPLIES}/RR/{way}/RR_{{}}_{way}_output.csv" for way in ("multiplechoice", "openended"))
_RUNS = ("clip_videochat2", "clip_videochat", "video_videochat2", "video_videochat")
_SEQUENCES = ("htc_valhs_seq", "coin_valhs_seq", "one_example")
RELEASED = (
    *(Released("lmms-eval", "", (f"lmms-eval_{name}",)) for name in ("v0.2.3", "v0.3.5", "HEAD-75571cf")),
    Released("vlmevalkit", "", ("vlmevalkit_e8e78f0",)),
    *(
        Released("vript", "DAILIES_VRIPT", (_SCRIPT.format(video), _SPEECH.format(video)))
        for video in ("0J7UPHL08fU", "1-p2Q93MAjs")
    ),
    *(
        Released("vriptor", "DAILIES_VRIPT", (f"{_TRAINING}/vriptor/vript_stage{stage}.json",), lost)
        for stage, lost in (
            ("1_single", ()),
            ("1_concat", ("titles of scenes", "speech")),
            ("2_single", ()),
            ("2_concat", ("titles of scenes", "speech")),
        )
    ),
    *(
        Released("vript-predictions", "DAILIES_VRIPT", (f"{_REPLIES}/{name}_output.csv",))
        for name in ("HAL/HAL_videochat2", "HAL/HAL_llava_next_34b", "ERO/ERO_claude-opus")
    ),
    *(
        Released("vript-predictions", "DAILIES_VRIPT", (way.format(run),))
        for way in (_CHOICE, _OPEN)
        for run in _RUNS
    ),
    *(
        Released("progcap", "DAILIES_PROGCAPTIONER", (f"data/data_files/{side}/{name}.json",))
        for side in ("input", "output")
        for name in _SEQUENCES
    ),
    Released("video-mmlu", "DAILIES_VIDEO_MMLU", ("source/video_sources.jsonl",)),
)
CHECKOUTS = {
    "DAILIES_VRIPT": "Vript",
    "DAILIES_PROGCAPTIONER": "ProgCaptioner",
    "DAILIES_VIDEO_MMLU": "Video-MMLU",
}
"""The names of the folders beside the checkout in which they are looked for without the variable."""


@pytest.mark.parametrize("released", RELEASED, ids=str)
def test_released_files_come_back(tmp_path: Path, released: Released) -> None:
    """Everything that the line names; of what the test names something is lost."""
    store, other = new_store(tmp_path), new_store(tmp_path, "other")
    source = _source(tmp_path, released)
    formats.commit(store, formats.read(source, store))
    # The name of a table says whose replies it holds.
    out = tmp_path / "out" / source.name
    out.parent.mkdir()
    formats.write(store, released.format, out)
    formats.commit(other, formats.read(out, other))
    before, after = facts(store), facts(other)
    whole, partly = _said(released.format)
    lost = {noun for noun in NOUNS if before[noun] - after[noun]}
    assert lost == set(released.lost) and not lost & set(whole)
    assert {noun for noun in NOUNS if before[noun]} <= {*whole, *partly, *READ_ANEW}


def _source(folder: Path, released: Released) -> Path:
    """The file, or a folder with copies of them. Skips where the peer's files are not here."""
    root = LOGS
    if released.checkout:
        root = Path(os.environ.get(released.checkout, f"../{CHECKOUTS[released.checkout]}"))
    if not root.is_dir():
        pytest.skip(f"no files of {released.format} beside the checkout; {released.checkout} names them")
    paths = [root / name for name in released.files]
    return paths[0] if len(paths) == 1 else _together(folder / "files", paths)


def _together(folder: Path, paths: Iterable[Path]) -> Path:
    folder.mkdir()
    for path in paths:
        shutil.copy(path, folder)
    return folder
