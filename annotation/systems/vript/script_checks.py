"""Checks of scene scripts: texts against the prompt's limits, the frames and the measurements.

Pure functions: words and labels in, findings out. Like `camera_claims.py`, a check is conservative: it
reports a finding only if no plain reading is right. Each check is described here and in docs/vript.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from annotation.checks.screen_text_checks import check_quotes
from annotation.systems.vript.camera_claims import SURE_FROM, camera_claim
from annotation.systems.vript.script_requests import WORD_LIMITS
from backends.text.text_length import text_length

ScriptCheck = Literal[
    "too_long",
    "frame_wording",
    "refusal",
    "camera_measured",
    "shot_measured",
    "language_flip",
    "speech_outside",
    "text_not_shown",
    "text_misquoted",
]
SCRIPT_CHECKS: tuple[ScriptCheck, ...] = get_args(ScriptCheck)
SPEECH = "speech"
"""Aspect of findings on speech; other findings use the name of a field."""


@dataclass(frozen=True, slots=True)
class Label:
    """A measured label with its confidence, 0 to 1."""

    label: str = ""
    confidence: float = 0.0

    @property
    def sure(self) -> str:
        return self.label if self.confidence >= SURE_FROM else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedScene:
    """Input of the checks for one scene."""

    number: int
    texts: Mapping[str, str] = field(default_factory=dict)
    """Texts by field, `content` and so on."""
    camera: Label = field(default_factory=Label)
    """From the `camera_motion` measurement."""
    scale: Label = field(default_factory=Label)
    """From the `shot_scale` measurement."""
    language: str = ""
    """From the transcript; empty if the scene is silent or the language is unknown."""
    beyond: int = 0
    """Spans of speech that ended after the clip."""
    on_screen: tuple[str, ...] | None = None
    """Lines of on-screen text; None if the frames were not read for text."""


@dataclass(frozen=True, slots=True)
class ScriptFinding:
    """A finding in one field of one scene, or in its speech."""

    check: ScriptCheck
    number: int
    aspect: str
    why: str
    start: int | None = None
    """Index of the first character concerned; None if the finding is about the whole text."""
    end: int | None = None


def check_script(scenes: Sequence[CheckedScene]) -> Iterator[ScriptFinding]:
    """All findings, scene by scene."""
    usual = usual_language(scenes)
    for scene in scenes:
        for name, text in scene.texts.items():
            if text.strip():
                yield from check_text(scene.number, name, text)
        yield from _against_measurement(scene)
        yield from _against_text_on_screen(scene)
        yield from _speech(scene, usual)


# --- one text -------------------------------------------------------------------------

_ORDINAL = r"first|second|third|fourth|fifth|sixth|last|final|next|previous|initial|opening|closing|middle"
_FRAMES = re.compile(
    rf"\b(?:in|from|by|throughout|across|between|over)\s+(?:the|this|each|every)\s+(?:{_ORDINAL})\s+"
    r"(?:frame|image|picture|photo)s?\b"
    rf"|\b(?:the|this)\s+(?:{_ORDINAL})\s+(?:(?:two|three|few)\s+)?frames?\b"
    r"|\b(?:the|these|all|both|several|multiple|individual|successive|consecutive|provided|given)\s+"
    r"(?:(?:video|successive|consecutive|provided|given)\s+)?(?:frames|images)\b"
    r"|\b(?:each|every)\s+(?:frame|image)\b|\bframes?\s+(?:\d+|one|two|three|four|five)\b"
    r"|\bframe[\s-]by[\s-]frame\b|\b(?:sequence|series|set)\s+of\s+(?:video\s+)?(?:frames|images|stills)\b",
    re.IGNORECASE,
)
_REFUSALS = re.compile(
    r"\b(?:i|we)(?:['’]m| am| are)\s+(?:sorry|unable|not able|not allowed)\b"
    r"|\b(?:i|we)\s+(?:can\s?not|can['’]t|won['’]t|will not|do not|don['’]t)\s+"
    r"(?:\w+\s+)?(?:identify|describe|provide|assist|help|recogni[sz]e|determine|name|analy[sz]e|comment|view)"
    r"\b"
    r"|\bas an ai\b|\b(?:language|ai) model\b"
    r"|\b(?:faces?|identit(?:y|ies)|features|appearance)\s+"
    r"(?:(?:is|are|was|were|has|have|will)\s+not|can ?not)\s+(?:be(?:en)?\s+)?"
    r"(?:described|identified|disclosed|specified|named|mentioned)\b"
    r"|\b(?:without|not)\s+(?:identifying|describing|naming)\s+(?:the|any|his|her|their)\b",
    re.IGNORECASE,
)


def check_text(number: int, name: str, text: str) -> Iterator[ScriptFinding]:
    """Findings from the words alone: the prompt's word limit, wording about frames, a refusal."""
    limit = WORD_LIMITS.get(name)
    length = text_length(text)
    if limit and length.n > limit:
        yield ScriptFinding("too_long", number, name, f"{length}; the prompt asks for at most {limit}")
    for match in _FRAMES.finditer(text):
        yield ScriptFinding(
            "frame_wording",
            number,
            name,
            f"“{match[0]}” refers to single frames; a script describes the whole clip",
            *match.span(),
        )
    for match in _REFUSALS.finditer(text):
        yield ScriptFinding(
            "refusal",
            number,
            name,
            f"“{match[0]}” is a refusal by the model",
            *match.span(),
        )


# --- against measurements --------------------------------------------------------

_SCALES: Mapping[str, re.Pattern[str]] = {
    "close-up": re.compile(r"\bclose[\s-]?ups?\b|\bextreme close\b|\bmacro\b|\bdetail shot\b", re.IGNORECASE),
    "medium": re.compile(
        r"\bmedium\b|\bmid[\s-]?(?:shot|range)\b|\bwaist\b|\bcowboy shot\b"
        r"|\bfull[\s-]shot\b",
        re.IGNORECASE,
    ),
    "wide": re.compile(
        r"\bwide\b(?![\s-](?:angle|lens|open|aperture))|\blong[\s-]shot\b|\bestablishing\b"
        r"|\baerial\b|\bpanoramic\b",
        re.IGNORECASE,
    ),
}


def shot_scales(text: str) -> frozenset[str]:
    """The shot scales that a text names, in the terms of the measurement."""
    return frozenset(label for label, pattern in _SCALES.items() if pattern.search(text))


def _against_measurement(scene: CheckedScene) -> Iterator[ScriptFinding]:
    claimed = scene.texts.get("camera_movement", "")
    if claimed and camera_claim(claimed, scene.camera.sure) == "contradict":
        measured = scene.camera.label.replace("_", " ")
        why = f"measured: {measured}, confidence {scene.camera.confidence:.2f}"
        yield ScriptFinding("camera_measured", scene.number, "camera_movement", why)
    named = shot_scales(scene.texts.get("shot_type", ""))
    # Adjacent scales are hard to distinguish, and a text that names two describes a change.
    if len(named) == 1 and {*named, scene.scale.sure} == {"close-up", "wide"}:
        why = f"measured: {scene.scale.label}, confidence {scene.scale.confidence:.2f}"
        yield ScriptFinding("shot_measured", scene.number, "shot_type", why)


def _against_text_on_screen(scene: CheckedScene) -> Iterator[ScriptFinding]:
    if scene.on_screen is None:
        return
    for name in ("content", "scene_title"):
        for one in check_quotes(scene.texts.get(name, ""), scene.on_screen):
            yield ScriptFinding(one.check, scene.number, name, one.why, one.start, one.end)


# --- speech ---------------------------------------------------------------------------


def usual_language(scenes: Sequence[CheckedScene]) -> str:
    """The language of most scenes that have one; empty if no language has more than half of them."""
    counts = Counter(scene.language for scene in scenes if scene.language)
    best = counts.most_common(1)
    return best[0][0] if best and best[0][1] * 2 > sum(counts.values()) else ""


def _speech(scene: CheckedScene, usual: str) -> Iterator[ScriptFinding]:
    if usual and scene.language and scene.language != usual:
        why = f"heard as {scene.language}, most of the video as {usual}: often words that nobody said"
        yield ScriptFinding("language_flip", scene.number, SPEECH, why)
    if scene.beyond:
        many = "1 stretch" if scene.beyond == 1 else f"{scene.beyond} stretches"
        why = f"{many} of speech ended after the clip and was clamped"
        yield ScriptFinding("speech_outside", scene.number, SPEECH, why)
