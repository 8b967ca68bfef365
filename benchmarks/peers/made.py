"""Made files with every oddity that judges and logs show, the same for the same seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

ASPECTS = ("camera", "short", "background", "main_object", "detailed")
PLAIN = (
    "{'pred': 'yes', 'score': 5}",
    "{'pred': 'no', 'score': 0}",
    "{'pred': 'yes', 'score': 4.8}",
    "{'pred': 'no', 'score': 1}",
    "{'pred': 'yes', 'score': 3}",
    "{'pred': 'no', 'score': 2.5}",
    "{'pred': 'Yes', 'score': 4}",
    '{"pred": "yes", "score": 4}',
    "{'pred': 'yes', 'score': 9}",
    "{'score': 4, 'pred': 'no', 'why': 'near'}",
    "{'pred': 'yes', 'score': True}",
)
"""Replies that every scorer reads."""
ONE_KEY = ("{'pred': 'yes'}", "{'score': 4}", "{'score': 4.8}", "{}", "{'Pred': 'yes', 'Score': 5}", "[]")
BELOW = ("{'pred': 'yes', 'score': -1}", "{'pred': 'no', 'score': -2}")
TEXTS = ("{'pred': 'yes', 'score': '4'}", "{'pred': 'no', 'score': '4.8'}", "{'pred': 'yes', 'score': ' 3 '}")
BROKEN = (
    "{\u2018pred\u2019: \u2018yes\u2019, \u2018score\u2019: 4}",
    "{'pred': 'yes', 'score': 4",
    "I cannot tell.",
    "```python\n{'pred': 'yes', 'score': 4}\n```",
    "yes",
    "{'pred': yes, 'score': 4}",
    "pred: yes, score: 4",
    "{'pred': 'no', 'score': 1} because",
    "{'pred': 'yes', 'score': null}",
    "4",
)
NULLS = ("{'pred': 'yes', 'score': None}", "{'pred': None, 'score': 3}", "{'pred': 'yes', 'score': [4]}")
SPACED = ("\u00a0{'pred': 'yes', 'score': 5}\u00a0", "\n {'pred': 'no', 'score': 2} \n")
CODE = ("{'pred': 'yes', 'score': 2 + 2}", "dict(pred='no', score=1)")
NOUNS = ("mill", "harbour", "kettle", "lantern", "bridge", "orchard", "tram", "violin", "ladder", "kite")
QUOTES = ('the "old" ', "the ", "a ", "the film's ", "an \u201codd\u201d ")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its reference answer; the words name it."""

    question: str
    answer: str


@dataclass(slots=True)
class Work:
    """Videos with captions and questions of one aspect, and a reply of the judge to each question."""

    aspect: str
    lines: list[tuple[str, list[Asked]]] = field(default_factory=list)
    """Lines of a question file; an id may stand twice."""
    captions: dict[str, str] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    replies: dict[str, str] = field(default_factory=dict)
    """By the words of the question."""

    @property
    def asked(self) -> dict[str, list[Asked]]:
        """What counts of the lines: `dict.update`, one after the other."""
        found: dict[str, list[Asked]] = {}
        for video, questions in self.lines:
            found.update({video: questions})
        return found


def sentence(draw: random.Random) -> str:
    nouns = draw.sample(NOUNS, 3)
    return (
        f"{draw.choice(QUOTES).capitalize()}{nouns[0]} stands by {draw.choice(QUOTES)}{nouns[1]}; {nouns[2]}."
    )


def work(seed: int, replies: tuple[str, ...], *, aspect: str = "camera", videos: int = 40) -> Work:
    """`replies` are drawn for each question; every fifth id stands on two lines that differ."""
    draw, made = random.Random(f"{seed} {aspect}"), Work(aspect)
    for number in range(videos):
        video = f"{draw.choice(('', '-', '_'))}clip{seed}-{number:03d}"
        made.captions[video], made.references[video] = sentence(draw), sentence(draw)
        for line in range(2 if number % 5 == 0 else 1):
            questions = [
                Asked(f"What of {aspect} {video} {line} {n}?", draw.choice(NOUNS))
                for n in range(draw.randint(1, 6))
            ]
            made.lines.append((video, questions))
            made.replies |= {one.question: draw.choice(replies) for one in questions}
    draw.shuffle(made.lines)
    return made
