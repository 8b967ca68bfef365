"""Derive questions from the sentences of a reference by patterns; all answers are quotes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from backends.chat.baseline_rules.word_sets import BE, PLACES, UNITS
from backends.text.common_words import COLOURS, MOTIONS, NUMBERS, SHADES
from backends.text.sentences import Clause, clauses, sentences
from backends.text.words import Token, content, tokens

MOST = 2
"""Maximum per reference, which is ten for a video's five captions."""
LONGEST_ANSWER = 12

SHOT = re.compile(
    r"\b((?:extreme |medium |big )?close-?up(?: shot)?"
    r"|(?:medium|wide|long|full|aerial|establishing|tracking|overhead)(?:[- ]angle)? shot)\b",
    re.IGNORECASE,
)
CAMERA = re.compile(
    r"\bthe camera (?!movement could not)"
    r"((?:\w|[-'’])+(?: (?!in an? |in the |over an? |on an? |and an? |and the )(?:\w|[-'’])+){0,7})",
    re.IGNORECASE,
)
QUOTE = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”")
WRITTEN = re.compile(
    r"\b(?:reads?|reading|text|written|titled?|label(?:l?ed)?|sign|logo)\b[^\"“\n]{0,40}"
    r"(?:\"([^\"\n]+)\"|“([^”\n]+)”)",
    re.IGNORECASE,
)
"""Matches a quote of text on screen."""
_COLOUR = r"(?:(?:[Ll]ight|[Dd]ark) )?[^\W\d_]{3,}"
DOMINATE = re.compile(rf"((?:{_COLOUR}, )*{_COLOUR}(?: and {_COLOUR})?) dominates?\b")
LENGTH = re.compile(r"\b(\d+(?:\.\d+)? (?:seconds|minutes))\b")
_SCENE = re.compile(r"^In (scenes? \d+(?: to \d+)?)\b", re.IGNORECASE)
_PLACE = "|".join(sorted(PLACES))
_WHERE = re.compile(
    rf"^(?P<who>(?:the|a|an|two|three|several|many|one) [\w '’-]{{2,50}}?) (?P<verb>{'|'.join(sorted(BE))}) "
    rf"(?:\w+(?:ed|ing) )?(?P<place>(?:{_PLACE}) .+)$",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"^(?P<who>(?:the|a|an) [\w'’-]+(?: [\w'’-]+){0,4}?) (?P<did>(?P<verb>\w+s) ?.*)$", re.IGNORECASE
)
_NO_ACTORS = frozenset({"camera", "scene", "shot", "picture", "video", "clip"})


@dataclass(frozen=True, slots=True)
class Found:
    """One question, with the position of its answer in the reference."""

    place: int
    question: str
    answer: str
    category: str


def questions(reference: str, count: int = MOST) -> list[dict[str, str]]:
    """Return up to `count` (at most 2) rows of `question`, `answer` and `category`, in order."""
    found = _unique([item for sentence in sentences(reference) for item in _of_sentence(reference, sentence)])
    most = max(1, min(count, MOST))
    chosen = sorted(_spread(found, most), key=lambda item: item.place)
    return [{"question": item.question, "answer": item.answer, "category": item.category} for item in chosen]


def colour_runs(text: str) -> Iterator[tuple[int, int, Token | None]]:
    """Yield (start, end, next word) of each run of colour words, such as `black and white`."""
    row = tokens(text)
    i = 0
    while i < len(row):
        if row[i].text.lower() not in COLOURS:
            i += 1
            continue
        first, last = i, i
        while step := _steps(row, last):
            last += step
        follows = row[last + 1] if last + 1 < len(row) else None
        if first and row[first - 1].text.lower() in SHADES:
            first -= 1
        yield row[first].start, row[last].end, follows
        i = last + 1


def _steps(row: Sequence[Token], last: int) -> int:
    """Return the number of words up to the next colour of the same run; 0 if there is none."""
    for step, word in enumerate(row[last + 1 : last + 4], start=1):
        if word.text.lower() in COLOURS:
            return step
        if word.text.lower() not in SHADES and word.text.lower() != "and":
            return 0
    return 0


def _of_sentence(reference: str, sentence: Clause) -> list[Found]:
    scene = _SCENE.match(sentence.text)
    where = f" in {scene[1]}" if scene else ""
    whole = _whole_sentence(sentence, where)
    if QUOTE.search(sentence.text):
        return whole
    parts = [part for part in clauses(reference) if sentence.start <= part.start < sentence.end]
    return whole + [item for part in parts for rule in _RULES for item in rule(part)]


def _whole_sentence(sentence: Clause, where: str) -> list[Found]:
    text, at, found = sentence.text, sentence.start, []
    if match := QUOTE.search(text):
        said = next(group for group in match.groups() if group)
        short = " ".join(said.split()[:LONGEST_ANSWER])
        if WRITTEN.search(text):
            return [Found(at + match.start(), f"Which text is shown on the screen{where}?", short, "text")]
        how = "With which words does what is said begin" if short != said else "What is said"
        return [Found(at + match.start(), f"{how}{where}?", said if short == said else short, "speech")]
    if match := CAMERA.search(text):
        found.append(
            Found(at + match.start(), f"What does the camera do{where}?", match[1], "camera movement")
        )
    if match := SHOT.search(text):
        found.append(Found(at + match.start(), f"What type of shot is used{where}?", match[1], "shot type"))
    if match := DOMINATE.search(text):
        found.append(
            Found(at + match.start(), f"Which colors dominate the picture{where}?", match[1], "color")
        )
    if (match := LENGTH.search(text)) and "video" in text[: match.start()].lower():
        found.append(Found(at + match.start(), "How long is the video?", match[1], "duration"))
    return found


def _colours(part: Clause) -> Iterator[Found]:
    for start, end, follows in colour_runs(part.text):
        noun = follows.text if follows else ""
        if len(noun) > 2 and noun.isalpha() and content(noun) and not noun.lower().startswith("dominate"):
            verb = "are" if noun.lower().endswith("s") and not noun.lower().endswith("ss") else "is"
            yield Found(part.start + start, f"What color {verb} the {noun}?", part.text[start:end], "color")


def _counts(part: Clause) -> Iterator[Found]:
    row = tokens(part.text)
    for word, noun in pairwise(row):
        counted = word.text.lower() in NUMBERS or word.text.isdecimal()
        many = noun.text.lower().endswith("s") or noun.text.lower() in {"people", "men", "women", "children"}
        if counted and many and noun.text.lower() not in UNITS and word.key not in ("1", "0"):
            yield Found(part.start + word.start, f"How many {noun.text} are there?", word.text, "count")


def _places(part: Clause) -> Iterator[Found]:
    match = _WHERE.match(part.text.rstrip(".!?"))
    if match and len(match["place"].split()) <= LONGEST_ANSWER and "camera" not in match["who"].lower():
        verb = "are" if not match["verb"].endswith("s") or match["verb"] == "was" else "is"
        verb = {"was": "was", "were": "were"}.get(match["verb"].lower(), verb)
        who = match["who"][0].lower() + match["who"][1:]
        yield Found(part.start + match.start("place"), f"Where {verb} {who}?", match["place"], "position")


def _actions(part: Clause) -> Iterator[Found]:
    match = _DOES.match(part.text.rstrip(".!?"))
    if not match or tokens(match["verb"])[0].key not in MOTIONS:
        return
    if not _NO_ACTORS.isdisjoint(match["who"].lower().split()):
        return
    if len(match["did"].split()) <= LONGEST_ANSWER:
        who = match["who"][0].lower() + match["who"][1:]
        yield Found(part.start + match.start("did"), f"What does {who} do?", match["did"], "action")


_RULES: tuple[Callable[[Clause], Iterator[Found]], ...] = (_colours, _counts, _places, _actions)


def _unique(found: list[Found]) -> list[Found]:
    """Drop repeated questions, and answers at the same position."""
    kept: dict[str, Found] = {}
    places: set[int] = set()
    for item in found:
        name = item.question.casefold()
        if name not in kept and item.place not in places and item.answer.strip():
            kept[name] = item
            places.add(item.place)
    return list(kept.values())


def _spread(found: list[Found], most: int) -> list[Found]:
    """Return at most `most` items, taking one of each category in turn."""
    queues: dict[str, list[Found]] = {}
    for item in found:
        queues.setdefault(item.category, []).append(item)
    chosen: list[Found] = []
    while queues and len(chosen) < most:
        for category in list(queues):
            chosen.append(queues[category].pop(0))
            if not queues[category]:
                del queues[category]
    return chosen[:most]
