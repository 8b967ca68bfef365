"""Questions: each with reference, extracted answer and verdict, next to its frames and its caption."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from annotation.records.allowed_values import VDC_ASPECTS, Stage
from annotation.records.runs import Evaluation
from annotation.store.benchmark_of_evaluation import plain_evaluations
from annotation.systems.vdc.error_source_proposals import Proposal
from annotation.systems.vdc.system import CHAIN
from exports.logs.evaluation_rows import Row, load_chain
from ui.demo.clips.demo_clips import DemoClip
from ui.demo.sections.pasted_reference import read_reference_file
from ui.demo.sections.section import QUIET, Desk, Values, messages, own_file, pictures, plain, row_of, table
from ui.gradio_parts.marked_caption import Caption, MarkedCaption, Span
from ui.pages.verdicts.evidence_view import evidence_json
from ui.pages.verdicts.one_verdict_view import detail_json

COLUMNS = ("question", "reference", "extracted answer", "verdict", "score")
WIDTHS = ("32%", "24%", "24%", "11%", "9%")
SUPPORT = "support"
SHAPES = {"yes": "●", "no": "○", "unparsed": "?", "failed": "▲", "missing": "–"}
"""A state has a shape and a word."""
SOURCES = {
    "caption_omits": "the caption omits it",
    "caption_wrong": "the caption is wrong",
    "extraction": "the extraction missed it",
    "judge": "the judge is wrong",
    "question": "the question is invalid",
}
ASKING = "Ask and judge"
Asked = Callable[..., AsyncIterator[Values]]


class QuestionsSection:
    """The table, what belongs to the selected row, and the form for another reference."""

    stages: frozenset[Stage] = frozenset({"questions", "answers", "verdicts"})

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.note = gr.Markdown("")
        self.questions = table(
            "Questions", COLUMNS, WIDTHS, max_height=270, elem_id="demo-questions", show_label=False
        )
        self.chosen = gr.State(0)
        self.verdict = gr.Markdown("", elem_id="demo-verdict")
        self.caption = MarkedCaption(
            label="Caption", kinds={SUPPORT: "words that support the extracted answer"}, lines=3
        )
        self.frames = pictures("Frames for this question", columns=6)
        with gr.Accordion("Raw reply of the judge", open=False):
            self.raw = gr.Textbox(
                label="Raw reply", show_label=False, lines=3, interactive=False, container=False
            )
        with gr.Accordion("Ask about another reference", open=False):
            gr.Markdown(
                "Paste the reference captions that the questions are about. If all fields are empty, the "
                "questions are made from the script and what was measured in the clip."
            )
            self.file = own_file("JSON file of VDC captions", [".json", ".jsonl"], "demo-reference")
            self.fields = {aspect: gr.Textbox(label=_label(aspect), lines=1) for aspect in VDC_ASPECTS}
            self.ask = gr.Button(ASKING, variant="primary")
        self.outputs: Sequence[gr.blocks.Block] = (
            *(self.note, self.questions, self.verdict, self.caption, self.frames, self.raw, self.chosen),
        )

    def listen(
        self, ask: Asked, own: Sequence[gr.blocks.Block], changed: Sequence[gr.blocks.Block], **options: Any
    ) -> None:
        """`ask` runs the stages of questions, with the inputs `own` too, and changes `changed`."""
        self.questions.select(
            self._select,
            [self.desk.key],
            [*self.outputs[2:], self.desk.player],
            trigger_mode="always_last",
            **QUIET,
        )
        self.frames.select(self._seek, [self.desk.key, self.chosen], self.desk.player, **QUIET)
        self.file.upload(self._fill, self.file, [*self.fields.values()], **QUIET)
        self.ask.click(ask, [self.desk.key, *self.fields.values(), *own], list(changed), **options)

    def _fill(self, file: str, request: gr.Request) -> list[str]:
        with messages():
            self.desk.clips.files.require(file, self.desk.who(request.request))
            found = read_reference_file(Path(file))
        return [found.get(aspect, "") for aspect in self.fields]

    # --- reading ------------------------------------------------------------------------

    def show(self, clip: DemoClip) -> Values:
        chain = _rows(clip)
        return {
            self.note: _note(clip),
            self.questions: [_cells(row) for row in chain],
            **(self._of(clip, chain[0], 0) if chain else self._nothing()),
        }

    def empty(self) -> Values:
        return {self.note: "", self.questions: None, **self._nothing()}

    def _nothing(self) -> Values:
        return {self.verdict: "", self.caption: None, self.frames: [], self.raw: "", self.chosen: 0}

    def _select(self, key: str, request: gr.Request, event: gr.SelectData) -> Values:
        with self.desk.clip(key, request) as clip:
            rows, index = _rows(clip), row_of(event)
            if index >= len(rows):
                return self._nothing()
            shown = self._of(clip, rows[index], index)
            frames = _evidence(clip, rows[index])
            return {**shown, self.desk.player: frames[0][0] if frames else gr.skip()}

    def _seek(self, key: str, chosen: int, request: gr.Request, event: gr.SelectData) -> Any:
        with self.desk.clip(key, request) as clip:
            rows = _rows(clip)
            frames = _evidence(clip, rows[chosen]) if chosen < len(rows) else []
            index = row_of(event)
            return frames[index][0] if index < len(frames) else gr.skip()

    def _of(self, clip: DemoClip, row: Row, index: int) -> Values:
        if row.verdict is None:
            return {**self._nothing(), self.verdict: "**no verdict**", self.chosen: index}
        found = detail_json(clip.store, row.verdict.id)
        caption, span = found.get("caption"), found.get("span")
        spans = [Span(*span, SUPPORT, "supports the extracted answer")] if span else []
        words = Caption(caption["value"], spans) if caption else Caption("")
        evidence = _evidence(clip, row)
        files = clip.pictures([frame for frame, _ in evidence])
        return {
            self.verdict: _verdict_words(row, found["proposed_source"]),
            self.caption: words,
            self.frames: [(files[frame], why) for frame, why in evidence],
            self.raw: found["raw"] or found["reason"],
            self.chosen: index,
        }


def _label(aspect: str) -> str:
    return aspect.replace("_", " ").capitalize()


def shown_evaluation(clip: DemoClip) -> Evaluation | None:
    """The evaluation whose questions are shown: the named one, else the latest."""
    found = [one for one in plain_evaluations(clip.store) if one.name == clip.evaluation]
    found = found or plain_evaluations(clip.store)
    return found[-1] if found else None


def _rows(clip: DemoClip) -> Sequence[Row]:
    evaluation = shown_evaluation(clip)
    if evaluation is None:
        return ()
    rows = load_chain(clip.store, evaluation).rows
    asked = [row for row in rows if row.question.kind.startswith(CHAIN.prefix)]
    return [row for row in asked if not row.asked.stale]  # not those of an earlier reference


def _note(clip: DemoClip) -> str:
    evaluation = shown_evaluation(clip)
    if evaluation is None:
        return "No questions yet. Run a clip, or ask about a reference below."
    rows = _rows(clip)
    right = sum(row.state("current") == "done" and row.label("current") == "yes" for row in rows)
    unread = sum(row.state("current") != "done" for row in rows)
    more = f" · {unread} without a readable verdict" if unread else ""
    return f"{plain(evaluation.name)} · {right} of {len(rows)} answers judged right{more}"


def _cells(row: Row) -> list[str]:
    state = row.label("current") if row.state("current") == "done" else row.state("current")
    score = row.score("current")
    return [
        str(row.asked.value),
        str(row.reference.value),
        str(row.said.value),
        f"{SHAPES.get(state, '?')} {state}",
        "" if score is None else f"{score:g} of 5",
    ]


def _evidence(clip: DemoClip, row: Row) -> list[tuple[int, str]]:
    """Frames for the question with their reasons, the best first."""
    if row.verdict is None:
        return []
    found = evidence_json(clip.store, clip.media, row.verdict.id)
    return [(one["frame"], "; ".join(one["reasons"])) for one in found["frames"]]


def _verdict_words(row: Row, cause: Proposal | None) -> str:
    question, reference, answer, verdict, score = (plain(cell) for cell in _cells(row))
    lines = [
        f"**{question}** ({_label(row.aspect).lower()})",
        f"reference: {reference} · extracted answer: {answer} · verdict: **{verdict}** {score}",
    ]
    if cause:
        lines.append(f"likely cause: **{SOURCES[cause.kind]}** ({plain(cause.reason)})")
    return "  \n".join(lines)
