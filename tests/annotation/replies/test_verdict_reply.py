from __future__ import annotations

import random

import pytest

from annotation.replies.verdict_reply import read_verdict
from tests.annotation.replies.judge_replies import READABLE, UNREADABLE


def test_the_table_is_large_and_has_no_row_twice() -> None:
    rows = [(row[0], row[3] if len(row) > 3 else "") for row in READABLE]
    rows += [(row[0], row[2] if len(row) > 2 else "") for row in UNREADABLE]
    assert len(rows) >= 200
    assert len(set(rows)) == len(rows)


@pytest.mark.parametrize("row", READABLE, ids=lambda row: repr(row[0])[:60])
def test_readable(row: tuple[str, str, float] | tuple[str, str, float, str]) -> None:
    verdict = read_verdict(row[0], row[3] if len(row) > 3 else "stop")
    assert (verdict.state, verdict.pred, verdict.score, verdict.reason) == ("done", row[1], row[2], "")
    assert type(verdict.score) is float


@pytest.mark.parametrize("row", UNREADABLE, ids=lambda row: repr(row[0])[:60])
def test_unreadable(row: tuple[str, str] | tuple[str, str, str]) -> None:
    verdict = read_verdict(row[0], row[2] if len(row) > 2 else "stop")
    assert (verdict.state, verdict.pred, verdict.score) == ("unparsed", "", None)
    assert row[1] in verdict.reason
    assert "\n" not in verdict.reason
    assert len(verdict.reason) < 160


def test_no_cut_of_a_dictionary_is_read() -> None:
    whole = '{"reason": "it\'s a \\"dog\\", not a cat", "pred": "no", "score": 4.75}'
    for end in range(len(whole)):
        assert read_verdict(whole[:end], "length").state == "unparsed", whole[:end]
    assert read_verdict(whole, "length").score == 4.75


def test_nothing_raises_and_every_score_is_in_range() -> None:
    """Cuts, joins and random characters of the table's replies."""
    rng = random.Random(20)
    replies = [row[0] for row in READABLE] + [row[0] for row in UNREADABLE]
    alphabet = "{}[]()'\"’“”:,=\\/#<>yesno pred score 0123456789.+-eE\n\x00\ud800é😀"
    for _ in range(6000):
        text = rng.choice(replies)
        for _ in range(rng.randint(1, 4)):
            at = rng.randint(0, len(text))
            other = rng.choice(replies)
            cut = text[: rng.randint(0, len(text))]
            text = rng.choice([cut, text[:at] + rng.choice(alphabet) + text[at:], text + other, text[at:]])
        verdict = read_verdict(text, rng.choice(["stop", "length"]))
        if verdict.state == "done":
            assert verdict.score is not None
            assert 0 <= verdict.score <= 5
            assert verdict.pred in ("yes", "no")
        else:
            assert verdict.reason


def test_random_bytes_never_raise() -> None:
    rng = random.Random(21)
    for _ in range(500):
        assert read_verdict(rng.randbytes(rng.randint(0, 400)).decode("latin-1")).state == "unparsed"
        read_verdict(rng.randbytes(200).decode("utf-8", "replace"))


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "{" * 16_000,
        '{"a":' * 4_000,
        '{"a": "' * 2_000,
        '{"pred": "x" y ' * 1_500,
        "\n" * 30_000,
        "'" * 16_000,
        "*" * 8_000,
    ],
    ids=["braces", "nested", "strings", "quotes", "newlines", "apostrophes", "stars"],
)
def test_hostile_replies_are_read_in_reasonable_time(text: str) -> None:
    assert read_verdict(text).state == "unparsed"
    assert read_verdict("yes" + text).state == "unparsed"
