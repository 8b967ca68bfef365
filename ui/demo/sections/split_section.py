"""Split: full, spatial and temporal caption, with the findings of the checks while a person edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from annotation.records.allowed_values import Stage
from annotation.systems.carebench.findings_of_split import FoundInSplit, findings_of_split
from annotation.systems.carebench.split_checks.finding import Fix, Side, Texts
from annotation.systems.carebench.split_checks.fixes import fix_of
from annotation.systems.carebench.texts_of_split import texts_of_split
from backends.errors import UsageError
from backends.text.plural import plural
from backends.text.storable_text import check_storable
from ui.demo.clips.demo_clips import DemoClip
from ui.demo.sections.section import QUIET, Desk, Values
from ui.gradio_parts.marked_caption import Caption, MarkedCaption, Span

SIDES: tuple[Side, ...] = ("full", "spatial", "temporal")
LABELS = {"full": "Full caption", "spatial": "Spatial", "temporal": "Temporal"}
FINDING = "finding"
LISTED = 12
"""Most findings in the list; the others follow once these are settled."""
LONGEST = 20_000
"""Characters of a text."""
NO_FIX = "No fix for this finding: edit the text"


class SplitSection:
    """The three texts can be edited; a finding can be settled by its fix."""

    stages: frozenset[Stage] = frozenset({"split"})

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        gr.Markdown(
            "The spatial text describes what is visible, the temporal text what happens. "
            "Edit a text or apply a fix."
        )
        with gr.Row(equal_height=False):
            self.texts = {
                side: MarkedCaption(
                    label=LABELS[side],
                    editable=True,
                    kinds={FINDING: "a finding"},
                    lines=6,
                    max_lines=10,
                    min_width=220,
                    elem_id=f"demo-{side}",
                )
                for side in SIDES
            }
        with gr.Row():
            self.fix = gr.Button(NO_FIX, interactive=False, elem_id="demo-fix")
            self.save = gr.Button("Download as CaReBench metadata")
        self.findings = gr.Radio(label="Findings", choices=[], elem_id="demo-findings")
        self.outputs: Sequence[gr.blocks.Block] = (*self.texts.values(), self.findings, self.fix)

    @property
    def values(self) -> list[gr.HTML]:
        """The components with the three texts, in the order of SIDES."""
        return [*self.texts.values()]

    def listen(self) -> None:
        texts = self.values
        shown = [*self.outputs]
        for text in texts:
            text.input(self._check, [self.desk.key, *texts], shown, trigger_mode="always_last", **QUIET)
        self.findings.input(
            self._offer, [self.desk.key, *texts, self.findings], self.fix, trigger_mode="always_last", **QUIET
        )
        self.fix.click(self._apply, [self.desk.key, *texts, self.findings], shown, **QUIET)

    # --- reading ------------------------------------------------------------------------

    def show(self, clip: DemoClip) -> Values:
        return self._shown(clip, texts_of_split(clip.store, clip.video.id).values)

    def empty(self) -> Values:
        return {**dict.fromkeys(self.texts.values()), **self._list((), Texts("", "", ""), 0)}

    def _shown(self, clip: DemoClip, texts: Texts) -> Values:
        found = _findings(clip, texts)
        marks = self._marks(found)
        marked = {text: Caption(texts.of(side), marks[text]) for side, text in self.texts.items()}
        return {**marked, **self._list(found, texts, 0)}

    def _marks(self, found: Sequence[FoundInSplit]) -> dict[MarkedCaption, list[Span]]:
        return {
            text: [span for one in found if one.side == side for span in _spans(one)]
            for side, text in self.texts.items()
        }

    def _list(self, found: Sequence[FoundInSplit], texts: Texts, chosen: int) -> Values:
        lines = [(_line(one), index) for index, one in enumerate(found[:LISTED])]
        words = f"{plural(len(found), 'finding')} to settle" if found else "Nothing to settle"
        if _is_too_long(texts):
            words = f"A text is too long to check: shorten it to {LONGEST:,} characters"
        if len(found) > LISTED:
            words += f" (the first {LISTED})"
        return {
            self.findings: gr.update(choices=lines, value=chosen if lines else None, label=words),
            self.fix: _button(_fix(found, chosen, texts)),
        }

    # --- editing ------------------------------------------------------------------------

    def _check(
        self, key: str, full: Caption, spatial: Caption, temporal: Caption, request: gr.Request
    ) -> Values:
        """Only the marks and the list change: the texts belong to the person who edits them."""
        with self.desk.clip(key, request) as clip:
            texts = split_texts(full, spatial, temporal)
            found = _findings(clip, texts)
            return {**self._marks(found), **self._list(found, texts, 0)}

    def _offer(
        self,
        key: str,
        full: Caption,
        spatial: Caption,
        temporal: Caption,
        chosen: int | None,
        request: gr.Request,
    ) -> Any:
        with self.desk.clip(key, request) as clip:
            texts = split_texts(full, spatial, temporal)
            return _button(_fix(_findings(clip, texts), chosen, texts))

    def _apply(
        self,
        key: str,
        full: Caption,
        spatial: Caption,
        temporal: Caption,
        chosen: int | None,
        request: gr.Request,
    ) -> Values:
        with self.desk.clip(key, request) as clip:
            texts = split_texts(full, spatial, temporal)
            fix = _fix(_findings(clip, texts), chosen, texts)
            if fix is None:
                return {self.fix: _button(None)}
            new = {side: fix.texts.get(side, texts.of(side)) for side in SIDES}
            return self._shown(clip, Texts(new["full"], new["spatial"], new["temporal"]))


def split_texts(*captions: Caption | None) -> Texts:
    """Full, spatial and temporal text. Raises UsageError."""
    found = [caption.text if caption else "" for caption in captions]
    if any(len(text) > LONGEST for text in found):
        raise UsageError(f"a text has at most {LONGEST:,} characters; shorten it")
    check_storable(found, "the split")
    return Texts(*found)


def _is_too_long(texts: Texts) -> bool:
    return any(len(texts.of(side)) > LONGEST for side in SIDES)


def _findings(clip: DemoClip, texts: Texts) -> list[FoundInSplit]:
    """Findings in the texts; none if a text, such as a model's endless reply, would take minutes to check."""
    if _is_too_long(texts):
        return []
    return [one for one in findings_of_split(clip.store, clip.video, texts) if one.made]


def _spans(one: FoundInSplit) -> list[Span]:
    """The marked words; none for a finding about the text as a whole."""
    if one.made is None or one.made.start == one.made.end:
        return []
    return [Span(one.made.start, one.made.end, FINDING, f"{one.name}: {one.made.why}")]


def _line(one: FoundInSplit) -> str:
    quoted = f" · “{one.found.text}”" if one.found.text else ""
    return f"{one.side} · {one.name}{quoted} · {one.found.why}"


def _fix(found: Sequence[FoundInSplit], chosen: int | None, texts: Texts) -> Fix | None:
    if chosen is None or not 0 <= chosen < len(found):
        return None
    made = found[chosen].made
    return fix_of(made, texts) if made else None


def _button(fix: Fix | None) -> Any:
    words = f"Fix: {fix.what}" if fix else NO_FIX
    return gr.update(value=words, interactive=fix is not None)
