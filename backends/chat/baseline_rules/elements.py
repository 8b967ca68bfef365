"""Extract events and objects of a caption by rules, and check whether another text states them (CapST).

Events are clauses with a verb of motion. Objects are noun phrases that begin with an article or a number.
A text states an element if one of its sentences contains most of the element's words.
"""

from __future__ import annotations

import re

from backends.chat.baseline_rules.splitting import tells_action
from backends.chat.baseline_rules.word_sets import CONTRASTS, PLACES
from backends.text.common_words import COLOURS, MOTIONS, NUMBERS
from backends.text.sentences import clauses, sentences
from backends.text.words import STOPWORDS, Token, keys, tokens

MOST = 10
LONGEST = 10
"""Maximum words of an event."""
LONGEST_NAME = 5
"""Maximum words of an object after its article."""
SAID = 0.6
"""Minimum share of an element's content words in a sentence that states it."""
NEAR = 0.5
"""Minimum share in a sentence on the same subject, which may contradict the element."""

_ARTICLES = frozenset(["a", "an", "the", "this", "that", "another", "one"])
_MANY = (NUMBERS - {"one"}) | frozenset(["some", "several", "many", "few", "both", "these", "those"])
_JOINING = re.compile(
    r"^(?:(?:and|but|while|then|next|first|finally|later|after that|as|where|before|after|,|;)\s*)+", re.I
)
_COLOUR_KEYS = frozenset(keys(" ".join(COLOURS)))


def events(caption: str) -> list[str]:
    """Return at most MOST clauses that describe an action, each of at most LONGEST words."""
    found: dict[str, str] = {}
    for clause in clauses(caption):
        text = _JOINING.sub("", clause.text).strip(" ,;:.!?")
        row = tokens(text)
        if len(row) < 2 or not tells_action(text):
            continue
        kept = list(row[:LONGEST])
        while len(row) > LONGEST and kept[-1].text.lower() in STOPWORDS:
            kept.pop()  # do not end with an article
        short = text[: kept[-1].end]
        found.setdefault(short.casefold(), short[0].upper() + short[1:])
    return list(found.values())[:MOST]


def objects(caption: str) -> list[str]:
    """Return at most MOST sentences such as "There is a red boat.", in the order of the caption."""
    found: list[str] = []
    seen: list[set[str]] = []
    for sentence in sentences(caption):
        for name, many in _names(sentence.text):
            held = keys(name)
            if held and not any(held <= other for other in seen):
                seen.append(held)
                found.append(f"There {'are' if many else 'is'} {name}.")
    return found[:MOST]


def _names(text: str) -> list[tuple[str, bool]]:
    """Return noun phrases with their article or number, and whether they are plural."""
    row = tokens(text)
    names: list[tuple[str, bool]] = []
    for i, token in enumerate(row):
        word = token.text.lower()
        if word not in _ARTICLES and word not in _MANY:
            continue
        last = _end_of_name(text, row, i)
        if last > i:
            words = text[row[i + 1].start : row[last].end]
            many = word in _MANY
            article = word if many else "an" if words[0].lower() in "aeiou" else "a"
            names.append((f"{article} {words}", many))
    return names


def _end_of_name(text: str, row: tuple[Token, ...], first: int) -> int:
    """Return the index of the last word of the phrase that begins at `first`; `first` if there is none."""
    last = first
    for i in range(first + 1, min(len(row), first + 1 + LONGEST_NAME)):
        word = row[i].text.lower()
        apart = text[row[i - 1].end : row[i].start].strip(" -\n\t")
        verb = row[i].key in MOTIONS and i > first + 1 and not word.endswith("ing")
        if apart or word in STOPWORDS or word in PLACES or word.endswith("ly") or verb:
            break
        last = i
    return last


def entailment(element: str, description: str) -> tuple[str, str]:
    """Return (`entailment`, `neutral` or `contradiction`, reason) of an element, given a description."""
    wanted = keys(element)
    best, shared = "", set[str]()
    for sentence in sentences(description):
        held = wanted & keys(sentence.text)
        if len(held) > len(shared):
            best, shared = sentence.text, held
    share = len(shared) / len(wanted) if wanted else 0.0
    if share >= SAID:
        return "entailment", f"{len(shared)} of its {len(wanted)} words stand in “{best}”"
    if share >= NEAR and (other := _excluded(wanted, keys(best))):
        return "contradiction", f"“{best}” says {other} instead"
    if not shared:
        return "neutral", "no sentence shares a word with it"
    return "neutral", f"only {len(shared)} of its {len(wanted)} words stand in “{best}”"


def _excluded(wanted: set[str], held: set[str]) -> str:
    """Return a word of the description that excludes one of the element; empty if there is none."""
    for group in (*CONTRASTS, _COLOUR_KEYS):
        if wanted & group and held & group and not wanted & held & group:
            return min(held & group)
    return ""
