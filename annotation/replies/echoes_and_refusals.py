"""Detect text in a reply that only looks like an answer: words of the prompt, an example, a refusal.

Some failing judges repeat the end of the prompt, including its example. Others say that they cannot judge and
show what a verdict would look like. Such text is not an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

REPEATED = "appears only in words repeated from the prompt"
_SEVERAL = 2
"""Minimum number of words around an answer that equal the prompt's, to count as repeated."""
_STRETCH = 8
"""Minimum number of consecutive words of the prompt that do not occur by chance."""
_SHORT = 3
_LEAD = 160
_TAIL = 80
_word = re.compile(r"\w+")
_sentence_end = re.compile(r"(?<!\be\.g)[.!?]\s|\n\s*\n")

_example_before = re.compile(
    r"\bfor\s+(?:example|instance)\b|\be\.\s?g\.|\bsuch\s+as\b"
    r"|\b(?:an|one|another|your|my|no)\s+(?:\w+\s+){0,2}?examples?\b"
    r"|\bexamples?\s+(?:of|output|response|reply|format|dictionary|verdict)\b|\bexamples?\s*(?:\d+\s*)?[:(]"
    r"|\bsample\s+(?:output|response|reply|verdict)\b|\bhypothetical|\bplaceholder|\btemplate\b"
    r"|\bformat\s+(?:is|would|should|looks?)\b",
    re.IGNORECASE,
)
_example_after = re.compile(
    r"\W*(?:(?:this|that|which|it)\s+)?(?:is|was|would\s+be)\s+(?:just|only|merely|simply)?\s*(?:an?|the|your)"
    r"\s+(?:\w+\s+){0,2}?(?:example|format|template|placeholder|sample)\b",
    re.IGNORECASE,
)
_NOT = (
    r"(?:can\s*not|can['’]?t|could\s+not|couldn['’]t|(?:am\s+|are\s+|['’]m\s+|['’]re\s+)?(?:unable|not\s+able"
    r"|not\s+allowed|not\s+permitted)\s+to|will\s+not|won['’]t|refuse\s+to|(?:must\s+)?decline\s+to)"
)
_JUDGING = (
    r"(?:judge|evaluate|assess|rate|grade|score|determine|decide|verify|tell|say|answer|help|assist|comply"
    r"|fulfil|complete|compare|do\s+(?:this|that|so)"
    r"|(?:provide|give|make|offer)\s+(?:\w+\s+){0,3}?(?:evaluation|verdict|scores?|rating|judge?ment|answer"
    r"|assessment|comparison))\b"
)
_refusal = re.compile(
    rf"\b(?:I|we)\s*(?:\w+ly\s+|also\s+)?{_NOT}\s+(?:\w+ly\s+)?{_JUDGING}"
    rf"|(?:^|[.!?\n]\s*)(?:sorry[,.]?\s*)?(?:cannot|can['’]t|unable\s+to|not\s+able\s+to)\s+{_JUDGING}"
    r"|\b(?:impossible|not\s+possible)\s+(?:for\s+me\s+)?to\s+(?:judge|evaluate|assess|rate|score)\b"
    r"|\b(?:insufficient|not\s+enough)\s+(?:information|context|detail)s?\s+to\s+"
    r"(?:judge|evaluate|assess|rate|score|answer)\b"
    r"|\bas\s+an?\s+(?:AI|language\s+model|assistant)\b[^.]{0,80}(?:cannot|can['’]t|unable|not\s+able|no\s+access)",
    re.IGNORECASE,
)
_text_refusal = re.compile(
    rf"\A\W*(?:(?:I['’]m|I\s+am|we\s+are|we['’]re)?\s*(?:very\s+)?sorry\b[^.]{{0,20}}?)?(?:I|we)\s*{_NOT}\s+"
    r"(?:\w+ly\s+)?(?:(?:help|assist|comply|continue|proceed)\b|(?:fulfil\w*|complete|process|do|provide|view|see"
    r"|access|watch|analy[sz]e|describe|identify)\s+(?:\w+\s+){0,2}?(?:that|this|these|it|images?|videos?|frames?"
    r"|pictures?|requests?|people|anyone|person)\b)"
    r"|\A\W*as\s+an?\s+(?:AI|language\s+model|assistant)\b[^.]{0,80}(?:cannot|can['’]t|unable|not\s+able)",
    re.IGNORECASE,
)
_quoted = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|(?<!\w)['‘][^'’\n]*['’](?!\w)")


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text in lower case, and the start of each."""

    words: tuple[str, ...]
    starts: tuple[int, ...]


@lru_cache(maxsize=64)
def _words_of(text: str) -> _Words:
    found = [(match.group().lower(), match.start()) for match in _word.finditer(text)]
    return _Words(tuple(word for word, _ in found), tuple(start for _, start in found))


# --- words of the prompt ------------------------------------------------------------------


def repeats_prompt(text: str, start: int, end: int, prompt: str, *, after: bool = True) -> bool:
    """Whether text[start:end] and the words around it also appear in the prompt.

    Text without other words around it is an answer, even if it equals the prompt's example. `after`: whether
    to compare the words after it too. For an option they are not compared, because options are often given in
    the prompt's words.
    """
    reply, asked = _words_of(text), _words_of(prompt)
    first = sum(begin < start for begin in reply.starts)
    last = sum(begin < end for begin in reply.starts)
    own = reply.words[first:last]
    return bool(own) and any(
        _stands_among(reply.words, (first, last), asked.words, at, after=after)
        for at in _occurrences(own, asked.words)
    )


def _stands_among(
    reply: tuple[str, ...], own: tuple[int, int], asked: tuple[str, ...], at: int, *, after: bool
) -> bool:
    first, last = own
    left = _same_before(reply[:first], asked[:at])
    right = _same_after(reply[last:], asked[at + last - first :]) if after else 0
    whole = left == first and (right == len(reply) - last or not after)
    return left + right >= (1 if whole else _SEVERAL)


def _occurrences(part: tuple[str, ...], words: tuple[str, ...]) -> Iterable[int]:
    size = len(part)
    return (at for at in range(len(words) - size + 1) if words[at : at + size] == part)


def _same_before(reply: tuple[str, ...], asked: tuple[str, ...]) -> int:
    """Return the number of equal words directly before; the first one may be the end of the prompt's word."""
    same = 0
    for ours, theirs in zip(reversed(reply), reversed(asked), strict=False):
        if ours != theirs and not (same == len(reply) - 1 and theirs.endswith(ours)):
            break
        same += 1
    return same


def _same_after(reply: tuple[str, ...], asked: tuple[str, ...]) -> int:
    same = 0
    for ours, theirs in zip(reply, asked, strict=False):
        if ours != theirs and not (same == len(reply) - 1 and theirs.startswith(ours)):
            break
        same += 1
    return same


def ends_like_prompt(text: str, prompt: str) -> bool:
    """Whether a free-text reply equals or contains the end of the prompt.

    The middle of the prompt is ignored, because an answer may quote the caption in it.
    """
    reply, asked = _words_of(text).words, _words_of(prompt).words
    if _SHORT <= len(reply) <= _STRETCH and _same_before(reply, asked) == len(reply):
        return True
    tail = asked[-_STRETCH:]
    return len(tail) == _STRETCH and any(True for _ in _occurrences(tail, reply))


def is_placeholder(text: str) -> bool:
    """Whether a text is `...`, which prompts use as a placeholder for an answer."""
    return text.strip() in ("...", "…", "....", ". . .")


# --- examples and refusals ----------------------------------------------------------------


def is_example(text: str, start: int, end: int) -> bool:
    """Whether the sentence around text[start:end] introduces it as an example or a format."""
    lead = text[max(0, start - _LEAD) : start]
    breaks = list(_sentence_end.finditer(lead))
    sentence = lead[breaks[-1].end() :] if breaks else lead
    return bool(_example_before.search(sentence) or _example_after.match(text[end : end + _TAIL]))


def refusal(text: str, prompt: str = "") -> str:
    """Return the words with which a reply declines to judge, or an empty string.

    Text in quotation marks or from the prompt is ignored: it is often a quoted answer.
    """
    return _first_match(_refusal, text, prompt)


def text_refusal(text: str, prompt: str = "") -> str:
    """Return the words with which a caption or an answer is declined, or an empty string.

    `I cannot tell the colour` is an answer; `I can't help with that` is not.
    """
    return _first_match(_text_refusal, text, prompt)


def _first_match(pattern: re.Pattern[str], text: str, prompt: str) -> str:
    asked = " ".join(_words_of(prompt).words)
    for match in pattern.finditer(_quoted.sub(" ", text)):
        words = " ".join(match.group().strip(" .!?\n").split())
        if " ".join(_words_of(words).words) not in asked:
            return words[:60]
    return ""
