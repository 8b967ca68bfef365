"""Vript-HAL: `HALScorer` of `bench_utils.py`, with the same tagger and vectors on both sides."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from annotation.reports.report_type import Options
from annotation.store.store import Store
from benchmarks.peers import made, ours
from benchmarks.peers.figures import ENDS, Figure, NotRun
from benchmarks.peers.loading import file_of, load, quiet, standing_in, stub
from exports.files.python_literal import read_literal
from exports.vript.hard_report import hal_reports

PEER = "vript (HAL)"
SCRIPTS = ("vript-hard/verification_pipeline/bench_utils.py", "verification_pipeline/bench_utils.py")
COLUMNS = {"precision": "precision", "recall": "recall", "f1_score": "f1_mean_of_clips"}
"""Of its output, and what we call the mean over them."""
AS_TEXT = "References of Vript-HAL in a table of replies"
NO_WORDS = "A caption without a word that counts"
TWICE = "An id that occurs twice in a table of Vript-Hard"
VERBS = ("turns", "floats", "is carried", "runs", "was painted", "stands", "burns", "sings")
ODD = (
    "",
    " 🎬 KITES!",
    " It's the mills' “odd” tram.",
    " They are the ones.",
    " Zürich, 漢字.",
    " end.End",
    "\n\nA tab\there.",
)
Annotations = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Engines:
    """The spaCy pipeline and the vectors of words that stand in for en_core_web_lg and all-mpnet-base-v2."""

    tagger: str = ""
    embeddings: str = ""

    @property
    def missing(self) -> str:
        """Why they cannot run, in a line; empty when they can."""
        if not self.tagger or not self.embeddings:
            return "no --tagger and --embeddings"
        packages = [name for name in ("spacy", "sentence_transformers") if not find_spec(name)]
        return f"{packages[0]} is not installed" if packages else ""


def hal(checkout: Path, folder: Path, seed: int, engines: Engines) -> Iterator[Figure | NotRun]:
    """The released tables, with the references as they stand there and as annotations, and made ones."""
    if engines.missing:
        yield NotRun(PEER, engines.missing)
        return
    script = file_of(checkout, *SCRIPTS)
    stand_ins = _stand_ins(engines)
    for table in sorted((script.parent.parent / "evaluation_output_examples" / "HAL").glob("*.csv")):
        here = folder / table.stem
        found = _ours(here, table, (), engines)
        yield from _compared(table.name, _theirs(script, table, (), here, stand_ins), found, AS_TEXT)
        released = _released(table)
        plain = _table(here / "HAL_plain_output.csv", pd.read_csv(table)[["id", "pred"]].to_dict("records"))
        name = f"{table.name}, references from the annotations"
        yield from _compared(name, _theirs(script, plain, released, here, stand_ins), found)
    for name, annotated, rows, explained in _made(seed):
        here = folder / f"hal-{name.replace(' ', '-')}"
        table = _table(here / "HAL_made_output.csv", rows)
        found = _ours(here, table, annotated, engines)
        yield from _compared(name, _theirs(script, table, annotated, here, stand_ins), found, explained)
        if not explained:
            out = here / "store" / "out-vript-predictions.csv"
            again = _theirs(script, out, annotated, here, stand_ins)
            yield from _compared(f"{name}: its code on our table", again, found)


def _released(table: Path) -> list[dict[str, Any]]:
    """The annotation of each clip, out of the column `meta`."""
    rows = pd.read_csv(table)
    found = [read_literal(str(meta), table.name) for meta in rows["meta"]]
    return [dict(one) | {"clip_id": name} for one, name in zip(found, rows["id"], strict=True)]


def _made(seed: int) -> Iterator[tuple[str, Annotations, list[dict[str, str]], str]]:
    """Captions with odd characters; one without a word that counts; ids that stand twice."""
    draw = random.Random(f"hal {seed}")
    annotated = [_annotation(draw, n) for n in range(40)]
    rows = [{"id": str(one["clip_id"]), "pred": _caption(draw, draw.randint(1, 5))} for one in annotated]
    yield "made", annotated, rows, ""
    yield "made, one without words", annotated, [{**rows[0], "pred": "It is."}, *rows[1:]], NO_WORDS
    twice = [{**row, "pred": _caption(draw, 2)} for row in rows[:8]]
    yield "made, eight ids twice", annotated, [*rows, *twice], TWICE


def _annotation(draw: random.Random, number: int) -> dict[str, Any]:
    clip = f"hal{number:02}-Scene-{draw.randint(1, 60):03}"
    fields = {
        field: [_caption(draw, 1), _caption(draw, 1)]
        for field in ("scene_title", "shot_type", "camera_movement")
    }
    return {
        "video_id": f"hal{number:02}",
        "clip_id": clip,
        **fields,
        "content": [_caption(draw, draw.randint(2, 8)), _caption(draw, draw.randint(1, 4))],
    }


def _caption(draw: random.Random, sentences: int) -> str:
    said = [
        f"{made.sentence(draw)} A {draw.choice(made.NOUNS)} {draw.choice(VERBS)}.{draw.choice(ODD)}"
        for _ in range(sentences)
    ]
    return " ".join(said)


def _table(path: Path, rows: Sequence[Mapping[Any, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


# --- its code ---------------------------------------------------------------------------------


class _Tagger:
    """A spaCy pipeline, whole, that reads each text once."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline, self._read = pipeline, dict[str, Any]()
        self.Defaults = pipeline.Defaults

    def __call__(self, text: str) -> Any:
        if text not in self._read:
            self._read[text] = self._pipeline(text)
        return self._read[text]


class _Vectors:
    """A model of sentence-transformers that is asked for each word once."""

    def __init__(self, model: Any) -> None:
        self._model, self._known = model, dict[str, Any]()

    def encode(self, words: Sequence[str], *, convert_to_tensor: bool) -> Any:
        new = [word for word in words if word not in self._known]
        if new:
            encoded = self._model.encode(new, convert_to_tensor=convert_to_tensor, show_progress_bar=False)
            self._known.update(zip(new, encoded, strict=True))
        return importlib.import_module("torch").stack([self._known[word] for word in words])


def _stand_ins(engines: Engines) -> dict[str, ModuleType]:
    """Of both packages, with the models that are here under the names of the published ones."""
    spacy, sentences = (importlib.import_module(name) for name in ("spacy", "sentence_transformers"))
    vectors = _Vectors(sentences.SentenceTransformer(engines.embeddings, local_files_only=True))
    folder = Path(engines.tagger).is_dir()
    pipeline = spacy.load(engines.tagger) if folder else importlib.import_module(engines.tagger).load()
    tagger = _Tagger(pipeline)
    return {
        "spacy": stub("spacy", load=lambda _name: tagger),
        "sentence_transformers": stub(
            "sentence_transformers", SentenceTransformer=lambda _name: vectors, util=sentences.util
        ),
    }


def _theirs(
    script: Path, table: Path, annotated: Annotations, folder: Path, stand_ins: Mapping[str, ModuleType]
) -> dict[str, float] | None:
    """The means of the columns that it writes, unrounded; None where its run ends with an error."""
    datasets = stub("datasets", load_dataset=lambda *_args, **_more: {"test": annotated})
    module = load(script, "vript_hal_bench", {"datasets": datasets})
    out = folder / "scores.csv"
    with standing_in(stand_ins), quiet():
        scorer = module.HALScorer(traditional=False)
        try:
            scorer.compute_scores(pd.read_csv(table), output_file=out)
        except (ZeroDivisionError, RuntimeError, IndexError, TypeError):
            return None
    written = pd.read_csv(out)
    return {ours_name: float(written[column].mean()) for column, ours_name in COLUMNS.items()}


# --- ours -------------------------------------------------------------------------------------


def _ours(folder: Path, table: Path, annotated: Annotations, engines: Engines) -> dict[str, float | None]:
    store = ours.store_in(folder / "store")
    if annotated:
        ours.brought(store, ours.write_lines(folder / "HAL_annotations.jsonl", annotated))
    ours.brought(store, table)
    found = _figures(store, engines)
    ours.through(store, folder / "store", "vript-predictions")
    return found


def _figures(store: Store, engines: Engines) -> dict[str, float | None]:
    (report,) = hal_reports(store, Options(embeddings=engines.embeddings, tagger=engines.tagger))
    return {row["metric"]: row["value"] for row in report["rows"] if not row["group"]}


def _compared(
    name: str, theirs: Mapping[str, float] | None, found: Mapping[str, float | None], explained: str = ""
) -> Iterator[Figure]:
    for metric in COLUMNS.values():
        yield Figure(PEER, name, metric, theirs[metric] if theirs else ENDS, found[metric], explained)
