"""What looks like an answer in a reply and is none: words of the prompt, an example, a refusal.

Judges that fail repeat the end of what they were asked, and with it the prompt's own example; others say
that they cannot judge and show what a verdict would look like. None of that is an answer to the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

REPEATED = "stands only in words repeated from the prompt"
_SEVERAL = 2
"""Words beside an answer from which on they are the prompt's and no coincidence."""
_STRETCH = 8
"""Words in a row that nobody writes by chance as the prompt has them."""
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
    """The words of a text in lower case, and where each begins."""

    words: tuple[str, ...]
    starts: tuple[int, ...]


@lru_cache(maxsize=64)
def _words_of(text: str) -> _Words:
    found = [(match.group().lower(), match.start()) for match in _word.finditer(text)]
    return _Words(tuple(word for word, _ in found), tuple(start for _, start in found))


# --- words of the prompt ------------------------------------------------------------------


def repeats_prompt(text: str, start: int, end: int, prompt: str, *, after: bool = True) -> bool:
    """Whether text[start:end] stands in the prompt too, with the words beside it.

    What stands alone is an answer, also when it is the prompt's example. `after`: whether the words behind
    it count as well; they do not for an option, which is often given in the prompt's own words.
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
    """How many words before are the same; the reply's first may be the end of the prompt's."""
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
    """Whether a reply in free words is the end of the prompt, or holds it.

    Words from its middle are not looked at: an answer may quote the caption that it was searched in.
    """
    reply, asked = _words_of(text).words, _words_of(prompt).words
    if _SHORT <= len(reply) <= _STRETCH and _same_before(reply, asked) == len(reply):
        return True
    tail = asked[-_STRETCH:]
    return len(tail) == _STRETCH and any(True for _ in _occurrences(tail, reply))


def is_placeholder(text: str) -> bool:
    """`...`, which prompts write where an answer goes."""
    return text.strip() in ("...", "…", "....", ". . .")


# --- examples and refusals ----------------------------------------------------------------


def is_example(text: str, start: int, end: int) -> bool:
    """Whether the sentence around text[start:end] calls it an example, or the form of one."""
    lead = text[max(0, start - _LEAD) : start]
    breaks = list(_sentence_end.finditer(lead))
    sentence = lead[breaks[-1].end() :] if breaks else lead
    return bool(_example_before.search(sentence) or _example_after.match(text[end : end + _TAIL]))


def refusal(text: str, prompt: str = "") -> str:
    """The words with which a reply declines to judge; empty when it does not.

    What stands in quotation marks or in the prompt is somebody else's word: often the answer's.
    """
    return _first_match(_refusal, text, prompt)


def text_refusal(text: str, prompt: str = "") -> str:
    """The same for a caption or an answer: `I cannot tell the colour` answers a question, and
    `I can't help with that` does not."""
    return _first_match(_text_refusal, text, prompt)


def _first_match(pattern: re.Pattern[str], text: str, prompt: str) -> str:
    asked = " ".join(_words_of(prompt).words)
    for match in pattern.finditer(_quoted.sub(" ", text)):
        words = " ".join(match.group().strip(" .!?\n").split())
        if " ".join(_words_of(words).words) not in asked:
            return words[:60]
    return ""
