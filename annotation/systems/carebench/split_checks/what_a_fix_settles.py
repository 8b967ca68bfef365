"""Whether a fix resolves its finding for good; otherwise one key would repeat the same edit.

A fix may cause other findings. It must reduce the number of findings of its own check, and must not insert
words that the checks of that side would remove again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from annotation.systems.carebench.split_checks.action_in_spatial import action_in_spatial
from annotation.systems.carebench.split_checks.cut_and_put_words import cut, cut_word, sentence, with_marks
from annotation.systems.carebench.split_checks.finding import Check, Finding, Fix, Side, Texts
from annotation.systems.carebench.split_checks.length_and_script import meta_wording, script
from annotation.systems.carebench.split_checks.lost_details import (
    is_covered,
    no_overview,
    overview_in_temporal,
)
from annotation.systems.carebench.split_checks.not_in_caption import invented
from annotation.systems.carebench.split_checks.static_in_temporal import static_in_temporal
from backends.text.sentences import Clause, sentences


def settles(finding: Finding, fix: Fix, texts: Texts) -> bool:
    """Whether the finding's check reports less after the fix, and the inserted words may stay."""
    new = Texts(*(fix.texts.get(side, texts.of(side)) for side in ("full", "spatial", "temporal")))
    if finding.check == "invented":
        return _is_shorter(finding.side, texts, new) or not _is_invented(finding, new)
    found = _OF_CHECK.get(finding.check)
    return found is None or _count(found(new)) < _count(found(texts))


_OF_CHECK: Mapping[Check, Callable[[Texts], Iterable[Finding]]] = {
    "action_in_spatial": lambda texts: action_in_spatial(texts.spatial),
    "static_in_temporal": lambda texts: static_in_temporal(texts.temporal, overview_in_temporal(texts)),
    "no_overview": no_overview,
    "script": script,
    "meta_wording": meta_wording,
}
"""`lost` calls `may_stay` before it inserts a clause."""


def _count(found: Iterable[Finding]) -> int:
    return sum(1 for _ in found)


def _is_shorter(side: Side, texts: Texts, new: Texts) -> bool:
    return len(new.of(side).split()) < len(texts.of(side).split())


def _is_invented(finding: Finding, new: Texts) -> bool:
    """Whether the replacement word has no source in the full caption either."""
    text = new.of(finding.side)
    row = next((row for row in sentences(text) if row.start <= finding.start < row.end), None)
    if row is None:
        return False
    found = _alone(new.full, finding.side, row.text)
    return any(one.start <= finding.start - row.start < one.end for one in found)


def _alone(full: str, side: Side, words: str) -> Iterable[Finding]:
    return invented(Texts(full, words, "") if side == "spatial" else Texts(full, "", words))


def may_stay(texts: Texts, side: Side, clause: Clause) -> bool:
    """Whether a clause of the full caption is covered once it is in a side, also after that side's
    findings in it are fixed."""
    words = sentence(clause.text)
    left = without_statics(words) if side == "temporal" else _without_order(words)
    if side == "spatial" and any(action_in_spatial(left)):
        return False
    held = texts.spatial, texts.temporal, left
    return not any(_alone(texts.full, side, words)) and is_covered(clause, texts.full, held)


def without_statics(words: str) -> str:
    """A clause without its colours, materials and clothes, as allowed in the temporal side."""
    for finding in reversed(list(static_in_temporal(words))):
        if is_word(finding):
            words = cut_word(words, finding.start, finding.end)
        elif finding.end - finding.start < len(words) * 0.7:
            words = cut(words, *with_marks(words, finding.start, finding.end))
    return words


def is_word(finding: Finding) -> bool:
    """Whether the static detail is a word before a noun, which can be deleted alone."""
    return (len(finding.text.split()) <= 2 and " is a" in finding.why) or "is looks" in finding.why


def _without_order(words: str) -> str:
    """A clause without the words that order events, if it contains no action."""
    for finding in reversed(list(action_in_spatial(words))):
        if "in order" in finding.why:
            words = cut(words, *with_marks(words, finding.start, finding.end))
    return words
