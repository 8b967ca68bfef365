"""Common import of CapST's two files: captions without video names, their elements, and verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.records import fingerprints
from annotation.records.allowed_values import Stage
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.elements import Element, ElementList
from annotation.records.ids import Json, record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Dataset
from annotation.systems.carebench.capst_requests import SYSTEM, ElementKind, read_label
from annotation.systems.carebench.current_elements import REFERENCE, Elements, elements_of
from exports.carebench.caption_match import CaptionMatcher, Match, plain_caption
from exports.files.format_types import Batch, Source
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import content_hash

DATASET = "CaReBench by idx"
"""Dataset of captions without a known video, named by number."""
ROLES: Mapping[str, Stage] = {"captions": "captions", "elements": "elements", "verdicts": "capst"}
UNKNOWN = "not recorded"


class CapstIntake:
    """Collects the entries of one file."""

    def __init__(self, source: Source, format_name: str) -> None:
        self.intake = Intake(source, format_name, system="carebench")
        self.matcher = CaptionMatcher(source.store)
        self.key = content_hash(source.path)[:20]
        self.label = _label(source)
        self._runs: dict[str, Run] = {}
        self._places: dict[str, Json] = {}
        self._known: dict[str, Mapping[Any, Elements]] = {}

    # --- captions ---------------------------------------------------------------------

    def pair(self, where: str, idx: Json, gt: str, pred: str) -> tuple[Text, str, Text] | None:
        """Return reference caption, matched text and predicted caption; None for a repeated idx."""
        if str(idx) in map(str, self._places.values()):
            self.intake.problem(where, f"idx {idx} is repeated; left out")
            return None
        matches = self.matcher.find(gt)
        known = len(matches) == 1 and matches[0].text.video_id not in self._places
        match = matches[0] if known else self._own_video(where, idx, gt, matches)
        video_id = match.text.video_id
        self._places[video_id] = idx
        run = self.run("captions")
        predicted = Text(
            id=record_id("txt", run.id, video_id, "capst"),
            video_id=video_id,
            kind=REFERENCE,
            subject_type="video",
            subject_id=video_id,
            value=pred,
            created_at=self.intake.now,
            run_id=run.id,
            state="done" if pred.strip() else "missing",
            reason="" if pred.strip() else "none in the file",
        )
        self.intake.add(predicted)
        return match.text, match.read, predicted

    def _own_video(self, where: str, idx: Json, gt: str, matches: Sequence[Match]) -> Match:
        """Return a new video for a caption that matches no known caption, or more than one."""
        if len(matches) == 1:
            taken = self._places[matches[0].text.video_id]
            self.intake.problem(
                where, f"its caption is also that of idx {taken}; imported as a separate video, idx {idx}"
            )
        elif matches:
            names = ", ".join(sorted(self.matcher.titles.get(m.text.video_id, "") for m in matches))
            self.intake.problem(
                where,
                f"its caption is that of {len(matches)} videos of the workspace ({names}); "
                f"imported as a separate video, idx {idx}",
            )
        elif not self.matcher.empty:
            self.intake.problem(
                where,
                f"no reference caption here matches its gt; imported as a separate video, idx {idx}",
            )
        dataset: Dataset = self.intake.dataset(f"{DATASET} ({self.key[:6]})")
        video_id = self.intake.video(dataset, f"idx {idx}", where)
        text = Text(
            id=record_id("txt", dataset.id, video_id, REFERENCE, gt),
            video_id=video_id,
            kind=REFERENCE,
            subject_type="video",
            subject_id=video_id,
            value=gt,
            created_at=self.intake.now,
            dataset_id=dataset.id,
        )
        self.intake.add(text)
        return Match(text, gt)

    # --- elements and verdicts ------------------------------------------------------------

    def elements(self, text: Text, caption: str, kind: ElementKind, words: Sequence[str]) -> list[str]:
        """Return ids of a caption's elements. Known elements are reused if their texts are equal."""
        known = self._elements_here(text).get((text.id, kind))
        if known and [plain_caption(one.words) for one in known.kept] == [plain_caption(w) for w in words]:
            return [one.element.id for one in known.kept]
        run = self.run("elements")
        made = ElementList(
            id=record_id("ell", run.id, text.id, kind),
            video_id=text.video_id,
            text_id=text.id,
            kind=kind,
            created_at=self.intake.now,
            run_id=run.id,
            source_hash=fingerprints.of_text(caption),
        )
        self.intake.add(made)
        elements = [
            Element(
                id=record_id("elm", made.id, n),
                video_id=text.video_id,
                text_id=text.id,
                kind=kind,
                index=n,
                value=value,
                created_at=self.intake.now,
                run_id=run.id,
                list_id=made.id,
            )
            for n, value in enumerate(words)
        ]
        for element in elements:
            self.intake.add(element)
        return [element.id for element in elements]

    def no_elements(self, text: Text, kind: ElementKind, why: str) -> None:
        """Record that a list of elements is missing in the file."""
        run = self.run("elements")
        self.intake.add(
            ElementList(
                id=record_id("ell", run.id, text.id, kind),
                video_id=text.video_id,
                text_id=text.id,
                kind=kind,
                created_at=self.intake.now,
                state="missing",
                reason=why,
                run_id=run.id,
            )
        )

    def verdict(
        self, video_id: str, element_id: str, words: str, description: str, entry: Mapping[str, Json]
    ) -> bool:
        """Add a verdict on an element. Returns whether it is "entailment"."""
        run = self.run("verdicts")
        label = read_label(entry.get("relationship"))
        reason = str(entry.get("reason") or "")
        said = repr(entry.get("relationship"))[:60]
        self.intake.add(
            Verdict(
                id=record_id("jdg", run.id, element_id),
                video_id=video_id,
                run_id=run.id,
                subject_type="element",
                subject_id=element_id,
                value_type="entailment",
                created_at=self.intake.now,
                state="done" if label else "unparsed",
                label=label,
                reason=reason if label else f"{said} is not a verdict",
                raw=json.dumps(dict(entry), ensure_ascii=False),
                source_hash=fingerprints.of_entailment(words, description),
            )
        )
        return label == "entailment"

    def _elements_here(self, text: Text) -> Mapping[Any, Elements]:
        store = self.intake.source.store
        if text.id not in self._known:
            here = store is not None and not self.intake.holds(Text, text.id)
            self._known[text.id] = elements_of(store, [text.id]) if here and store else {}
        return self._known[text.id]

    # --- the chain ------------------------------------------------------------------------

    def run(self, role: str) -> Run:
        if role not in self._runs:
            stage = ROLES[role]
            model = self.label if role == "captions" else UNKNOWN
            self._runs[role] = Run(
                id=record_id("run", "capst", stage, self.key),
                stage=stage,
                backend=f"import:{self.intake.source.path.name}",
                model=model,
                created_at=self.intake.now,
                params={"system": SYSTEM},
            )
        return self._runs[role]

    def batch(self) -> Batch:
        """Return the collected records with the file's evaluation."""
        if not self._places:
            return self.intake.batch()
        evaluation_id = record_id("evl", "capst", self.key)
        runs = dict(self._runs)
        captions = runs["captions"]
        places = {video: idx for video, idx in self._places.items()}
        runs["captions"] = Run(
            id=captions.id,
            stage=captions.stage,
            backend=captions.backend,
            model=captions.model,
            created_at=captions.created_at,
            params={"system": SYSTEM, "idx": places},
        )
        self.intake.add(
            Evaluation(
                id=evaluation_id,
                name=self._name(evaluation_id),
                created_at=self.intake.now,
                note=f"from {self.intake.source.path.name}",
            )
        )
        for role, run in runs.items():
            self.intake.add(run)
            link = EvaluationRun(
                id=record_id("evr", evaluation_id, role, run.id),
                evaluation_id=evaluation_id,
                role=role,  # type: ignore[arg-type]
                run_id=run.id,
            )
            self.intake.add(link)
        return self.intake.batch()

    def _name(self, evaluation_id: str) -> str:
        wanted, store = f"CapST: {self.label}", self.intake.source.store
        if store and any(e.id != evaluation_id for e in store.find(Evaluation, name=wanted)):
            return f"{wanted} ({self.key[:4]})"
        return wanted


def _label(source: Source) -> str:
    """Return the name of the folder written by the evaluation code, which names the captions' model."""
    folder = source.path.resolve().parent
    if folder.name == "eval_records":
        folder = folder.parent
    return folder.name or source.path.stem


def texts_of(value: Json) -> tuple[str, str] | None:
    """Return `gt` and `pred` of an entry; None if one of them is not a text or `gt` is empty."""
    gt, pred = (value.get("gt"), value.get("pred")) if isinstance(value, dict) else (None, None)
    if not isinstance(gt, str) or not isinstance(pred, str) or not gt.strip():
        return None
    return gt, pred
