"""How far two people's texts agree, as words: for what was written without seeing each other.

`rouge_l`: F1 of the longest common subsequence of words (Lin 2004, ROUGE-L with beta 1), case
folded, without punctuation. `shared_words`: of the content words that either text holds, the
share that both hold (Jaccard of word stems; function words are left out). Both are 0 to 1.
"""

from __future__ import annotations

from backends.text.words import keys, tokens


def rouge_l(one: str, other: str) -> float | None:
    """None where a text has no words."""
    left, right = ([token.text.casefold() for token in tokens(text)] for text in (one, other))
    if not left or not right:
        return None
    return 2 * _common(left, right) / (len(left) + len(right))


def _common(left: list[str], right: list[str]) -> int:
    """Length of a longest common subsequence, a row of the table at a time as the bits of one number."""
    places: dict[str, int] = {}
    for index, word in enumerate(left):
        places[word] = places.get(word, 0) | 1 << index
    full = (1 << len(left)) - 1
    row = full
    for word in right:
        same = row & places.get(word, 0)
        row = (row + same | row - same) & full
    return len(left) - row.bit_count()


def shared_words(one: str, other: str) -> float | None:
    """None where neither text has a content word."""
    left, right = keys(one), keys(other)
    return len(left & right) / len(left | right) if left | right else None
