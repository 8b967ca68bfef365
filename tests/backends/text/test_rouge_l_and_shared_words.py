"""Agreement of two texts: the fast count equals the table of the textbook; known cases."""

from __future__ import annotations

import random

import pytest

from backends.text.rouge_l_and_shared_words import rouge_l, shared_words


def textbook(one: list[str], other: list[str]) -> int:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def test_the_longest_common_subsequence_is_that_of_the_table() -> None:
    random.seed(7)
    for _ in range(300):
        one, other = ([random.choice("abcdefg") for _ in range(random.randint(1, 40))] for _ in range(2))
        wanted = 2 * textbook(one, other) / (len(one) + len(other))
        assert rouge_l(" ".join(one), " ".join(other)) == pytest.approx(wanted)


def test_known_values() -> None:
    # "the ... cat ... the mat" of 6 and 7 words: 4 in order.
    assert rouge_l("The cat sat on the mat.", "the black cat lay at the mat") == pytest.approx(8 / 13)
    assert rouge_l("a b c", "a b c") == 1.0 and rouge_l("a b", "c d") == 0.0
    assert rouge_l("", "a") is None and rouge_l("...", "a") is None
    # cat, sit/sat ..., mat against cat, mat, black: 2 of 4 (function words are left out)
    assert shared_words("The cat and a mat and milk", "the black cat at the mat") == pytest.approx(2 / 4)
    assert shared_words("the", "a") is None
