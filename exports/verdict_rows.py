"""One typed row per verdict with everything around it, for formats that programs read."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.records import Json
from exports.batch import Wanted
from exports.chain import KIND_ORDER, Row, load_chain
from exports.samples import model_of
from exports.values import find_evaluation, people
from exports.verdicts_csv import COLUMNS, cells
from exports.videos import VideoNames

FLAGS = ("corrected", "stale", "baseline")
NUMBERS = ("machine_score", "score")
EXTRA = ("caption", "machine_caption", "captioner", "extractor", "judge", "question_id", "answer_id",
         "judgement_id")  # fmt: skip
ROLES = {"captioner": "captions", "extractor": "answers", "judge": "verdicts"}
ALL = (*COLUMNS, *EXTRA)


def verdict_rows(wanted: Wanted) -> Iterator[dict[str, Json]]:
    """In the order of the evaluation. Raises UsageError or NotFound."""
    store = wanted.store
    chain = load_chain(store, find_evaluation(store, wanted.evaluation_id))
    names, who = VideoNames(store, "vdc"), people(store)
    models = {name: model_of(chain, role) for name, role in ROLES.items()}
    for row in chain.rows:
        made = dict(zip(COLUMNS, cells(row, chain.evaluation.name, names, who), strict=True))
        made |= {name: made[name] == "yes" for name in FLAGS}
        made |= {name: None if made[name] is None else float(made[name]) for name in NUMBERS}
        shown = chain.captions.get(row.question.video_id, {}).get(row.question.kind)
        made |= {"caption": shown.value("current") if shown else "",
                 "machine_caption": shown.value("machine") if shown else ""}  # fmt: skip
        yield made | models | _ids(row)


def caption_rows(wanted: Wanted) -> Iterator[dict[str, Json]]:
    """The evaluation's captions, a row each."""
    store = wanted.store
    chain = load_chain(store, find_evaluation(store, wanted.evaluation_id))
    names = VideoNames(store, "vdc")
    for video_id, texts in sorted(chain.captions.items()):
        for kind in sorted(texts.keys() & KIND_ORDER.keys(), key=KIND_ORDER.__getitem__):
            text = texts[kind].text
            yield {
                "video_id": names.name(video_id), "aspect": kind.removeprefix("vdc:"),
                "caption": texts[kind].value(wanted.values), "state": text.state, "reason": text.reason,
                "captioner": model_of(chain, "captions"), "baseline": text.baseline,
            }  # fmt: skip


def _ids(row: Row) -> dict[str, Json]:
    judgement = row.judgement.id if row.judgement else None
    return {"question_id": row.question.id, "answer_id": row.answer.id, "judgement_id": judgement}
