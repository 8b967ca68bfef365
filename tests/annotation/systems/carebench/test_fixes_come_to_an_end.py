"""Fixes of a split, one after the other in any order: no two undo each other, and there is a last one."""

from __future__ import annotations

import random
import re

import pytest

from annotation.systems.carebench.split_checks.all_checks import check_split
from annotation.systems.carebench.split_checks.finding import Texts
from annotation.systems.carebench.split_checks.fixes import fix_of
from backends.text.sentences import sentences
from benchmarks import split_checks as measured

STEPS, SHOWN = 60, 8
WALKS = 240
CHANGED = [
    "red",
    "blue",
    "green",
    "white",
    "black",
    "yellow",
    "brown",
    "left",
    "right",
    "two",
    "three",
    "four",
]


def fixed(texts: Texts) -> dict[str, Texts]:
    """The texts after each of the fixes that are offered, by what its button says."""
    return {
        f"{one.check}: {fix.what} “{one.text}”": Texts(
            *(fix.texts.get(side, texts.of(side)) for side in ("full", "spatial", "temporal"))
        )
        for one in check_split(texts)
        if (fix := fix_of(one, texts))
    }


def walk(texts: Texts, rng: random.Random) -> None:
    """Take offered fixes by chance until there is none."""
    seen, taken = {texts}, list[str]()
    for _ in range(STEPS):
        offered = fixed(texts)
        if not offered:
            return
        name, texts = rng.choice(sorted(offered.items(), key=lambda one: one[0]))
        taken.append(name)
        assert texts not in seen, f"these undo each other: {taken[-SHOWN:]}"
        seen.add(texts)
    raise AssertionError(f"no end after {STEPS} fixes: {taken[-SHOWN:]}")


def labelled() -> list[Texts]:
    rows = [row for name in measured.TUNED_ON for row in measured.rows(name)]
    return [Texts(row["full"], row["spatial"], row["temporal"]) for row in rows]


def made_up(told: list[str], rng: random.Random) -> Texts:
    """A split of sentences of others, with colours, numbers and directions changed here and there."""

    def changed(words: str) -> str:
        pattern = rf"\b({'|'.join(CHANGED)})\b"
        return re.sub(pattern, lambda m: rng.choice(CHANGED) if rng.random() < 0.5 else m[0], words)

    full = [rng.choice(told) for _ in range(rng.randrange(1, 7))]
    near = [*full, rng.choice(told), rng.choice(told)]
    sides = [" ".join(changed(rng.choice(near)) for _ in range(rng.randrange(5))) for _ in range(2)]
    return Texts(" ".join(full), *sides)


@pytest.mark.parametrize("seed", range(4))
def test_fixes_one_after_the_other_come_to_an_end(seed: int) -> None:
    rng, rows = random.Random(seed), labelled()
    told = sorted(
        {s.text for row in rows for text in (row.full, row.spatial, row.temporal) for s in sentences(text)}
    )
    for n in range(WALKS // 4):
        walk(made_up(told, rng) if n % 3 else rng.choice(rows), rng)


TRAINER = (
    "A trainer shows three exercises for the back. She is in a small gym. First she does ten rows with a "
    "dumbbell. Next she lies down on her stomach. She gives a thumbs up."
)


@pytest.mark.parametrize(
    ("full", "spatial", "temporal"),
    [
        # The overview, and a static detail in it.
        (
            TRAINER,
            "A small gym. A trainer shows three back exercises.",
            "First she does ten rows with a dumbbell. Next she lies down. She gives a thumbs up.",
        ),
        # A clause that each side would send to the other.
        ("", "A hooded archer dressed wholly in green looses an arrow at the target.", ""),
        ("", "", "A model wearing a sheer cape struts along the catwalk between rows of photographers."),
        # A lost clause that loses there what it was told by.
        ("The teams meet. At last they high-five. It rains.", "A hall.", "The teams meet."),
        # A lost clause in which the other check finds something made up.
        (
            "A board hangs at a harbour. The temperature on the board is −4 °C, and the wind is 12 m/s.",
            "The temperature on the board is −4 °C.",
            "She turns under it.",
        ),
    ],
)
def test_findings_that_undid_each_other(full: str, spatial: str, temporal: str) -> None:
    for seed in range(6):
        walk(Texts(full, spatial, temporal), random.Random(seed))


def test_the_overview_is_no_static_detail() -> None:
    after = next(
        texts
        for name, texts in fixed(
            Texts(TRAINER, "A gym.", "She does ten rows. She gives a thumbs up.")
        ).items()
        if name.startswith("no_overview")
    )
    assert after.temporal.startswith("A trainer shows three exercises for the back.")
    left = [one for one in check_split(after) if one.check in ("static_in_temporal", "no_overview")]
    assert left == []
