"""`capst-description`: description.json of CaReBench's evaluation code, captions to be scored by CapST.

`{"<idx>": {"pred": text, "gt": text, "events": list or null, "objects": list or null}}`; the two lists are
the reference's elements, if known. There are no video names, so captions are matched by their text. Source:
MCG-NJU/CaReBench f67d9aa, `tasks/captioning.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.records.captions_to_verdicts import Text
from annotation.records.errors import FormatError
from annotation.records.ids import Json
from annotation.store.benchmark_of_evaluation import find_of
from annotation.systems.carebench.capst_requests import ElementKind
from annotation.systems.carebench.current_elements import predicted_captions, reference_captions
from annotation.systems.carebench.judged_elements import runs_of_evaluation
from exports.carebench.capst_import import CapstIntake, texts_of
from exports.carebench.dream_infos import numbered
from exports.carebench.metadata import ELEMENTS, listed_elements
from exports.files.evaluations_and_corrections import pick
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.read_text_and_json import Head, parse_document

NAME = "capst-description"
_BEGINS = re.compile(r'\ufeff?\s*\{\s*"[^"]{0,40}"\s*:\s*\{\s*"(?:pred|gt|events|objects)"\s*:')


def recognise(head: Head) -> bool:
    return not head.folder and bool(_BEGINS.match(head.text)) and '"pred"' in head.text


def read(source: Source) -> Batch:
    """Read predicted captions as an evaluation of CapST without verdicts. Raises FormatError."""
    document = parse_document(source.path)
    if not isinstance(document, dict):
        raise FormatError(f"{source.path.name}: not an object of captions by number")
    found = CapstIntake(source, NAME)
    for key, value in document.items():
        where = f"{source.path.name} {key}"
        texts = texts_of(value)
        if texts is None:
            found.intake.problem(where, "gt or pred is missing; left out")
            continue
        pair = found.pair(where, int(key) if key.isdecimal() else key, *texts)
        if pair:
            _add_elements(found, where, pair, value)
    return found.batch()


def _add_elements(
    found: CapstIntake, where: str, pair: tuple[Text, str, Text], value: Mapping[str, Json]
) -> None:
    for field, kind in ELEMENTS.items():
        words: Any = value.get(field)
        if words is None:
            continue
        if not isinstance(words, list) or not all(isinstance(one, str) and one.strip() for one in words):
            found.intake.problem(where, f"{field} is not a list of texts; left out")
            continue
        _keep(found, pair, kind, words)


def _keep(found: CapstIntake, pair: tuple[Text, str, Text], kind: ElementKind, words: list[str]) -> None:
    found.elements(pair[0], pair[1], kind, words)


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the captions of an evaluation of CapST. Raises NotFound."""
    store = wanted.store
    evaluation = find_of(store, "capst", wanted.evaluation_id or "")
    predicted = predicted_captions(store, runs_of_evaluation(store, evaluation.id).get("captions", []))
    references = reference_captions(store, predicted)
    there = [video_id for video_id in predicted if video_id in references]
    texts = [text for video_id in there for text in (predicted[video_id], references[video_id])]
    now = store.currents("text", [text.id for text in texts], "value")
    found: dict[str, Any] = {}
    for video_id, idx in numbered(store, evaluation, there).items():
        reference = references[video_id]
        lists = listed_elements(store, reference.id, wanted.values)
        found[str(idx)] = {
            "pred": str(pick(now[predicted[video_id].id], wanted.values)),
            "gt": str(pick(now[reference.id], wanted.values)),
            **{field: lists.get(field) for field in ELEMENTS},
        }
    if found:
        yield "", [json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False), "\n"]
