"""What speaks for a look at the judge: families of models, and caption length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annotation.scores.judge_bias_warnings import flags, length_effect, shared_families
from annotation.scores.scored_item import Item
from tests.annotation.scores.test_scores import item, reply


@pytest.mark.parametrize(
    ("captioner", "judge", "shared"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen3-32b-q4_k_m", ["qwen"]),
        ("gpt-4o-2024-08-06", "openai/gpt-5-mini", ["gpt"]),
        ("AuroraCap-7B", "meta-llama/Llama-3.1-8B-Instruct", []),
        ("OpenGVLab/InternVL3-8B", "Qwen/Qwen2.5-72B", []),
        ("yield-model", "01-ai/Yi-34B", []),
        ("Yi-VL-6B", "01-ai/Yi-34B", ["yi"]),
        ("hand-written", "hand-written", []),
    ],
)
def test_models_of_one_family_are_named(captioner: str, judge: str, shared: list[str]) -> None:
    assert shared_families([captioner], [judge]) == shared


def judged(*rows: tuple[int, str, int, str]) -> list[Item]:
    """(video, aspect, words of the caption, yes or no)"""
    return [
        replace(item(f"v{video:03}", reply(said, 3), aspect=aspect), caption_words=words)
        for video, aspect, words, said in rows
    ]


def test_length_is_compared_within_an_aspect() -> None:
    """Detailed captions are long and right, short ones are not: that is no matter of length."""
    between = [
        (v, aspect, words, said)
        for v in range(20)
        for aspect, words, said in (("detailed", 200, "yes"), ("short", 20, "no"))
    ]
    assert length_effect(judged(*between)) is None
    by_hand = [(v, "short", 10 if v % 2 else 1000, "yes" if v % 2 else "no") for v in range(20)]
    found = length_effect(judged(*by_hand))
    assert found is not None and found.videos == 20
    assert found.correlation.value == pytest.approx(-1)
    assert flags(judged(*by_hand), [], [])[0].startswith("shorter captions get more yes: correlation -1.00")


def test_few_videos_and_chance_raise_no_flag() -> None:
    assert length_effect(judged(*[(v, "short", 10 + v, "yes") for v in range(9)])) is None
    random = np.random.default_rng(3)
    rows = [
        (v, "short", int(random.integers(10, 90)), "yes" if random.random() < 0.5 else "no")
        for v in range(80)
    ]
    found = length_effect(judged(*rows))
    assert found is not None and abs(found.correlation.value or 0) < 0.25
    assert flags(judged(*rows), ["a"], ["b"]) == []
