from __future__ import annotations

import json
import random
from typing import Any

import pytest

from annotation.replies.loose_json import find_objects, scan, strip_reasoning


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("{'a': 1}", [{"a": 1}]),
        ("{'a': True, 'b': None, 'c': False}", [{"a": True, "b": None, "c": False}]),
        ('{"a": true, "b": null, "c": false}', [{"a": True, "b": None, "c": False}]),
        ("{'a': [1, 'two', [3.5], {'b': ''}],}", [{"a": [1, "two", [3.5], {"b": ""}]}]),
        ("{’pred’: ’no’, ’score’: 3.2}", [{"pred": "no", "score": 3.2}]),
        ("{a: 'it's', b: the red one}", [{"a": "it's", "b": "the red one"}]),
        ("{'a': 'x\\ny', 'b': 'C:\\\\dir', 'c': '\\u00e9'}", [{"a": "x\ny", "b": "C:\\dir", "c": "é"}]),
        ('{"smile": "\\ud83d\\ude00", "half": "\\ud83d"}', [{"smile": "😀", "half": "�"}]),
        ("one {'a': 1} two {'b': 2} three", [{"a": 1}, {"b": 2}]),
        ("{'outer': {'inner': 1}}", [{"outer": {"inner": 1}}]),
        ('{"a": "A sign reads “open”, “closed”", "b": 1}', [{"a": "A sign reads “open”, “closed”", "b": 1}]),
        ('{"a": "she said "stay", "go" or so", "b": 1}', [{"a": 'she said "stay", "go" or so', "b": 1}]),
        ('{"a": "a } brace, a { brace", "b": ","}', [{"a": "a } brace, a { brace", "b": ","}]),
        ("{'a': 1", []),
        ("{'a': 'b", []),
        ("{'a': [1, 2}", []),
        ("{'outer': {'inner': 1}", []),
        ("no dictionary at all", []),
        ("{'a', 'b'}", []),
        ("{'a': open('/etc/passwd').read()}", [{"a": "open('/etc/passwd').read()"}]),
    ],
)
def test_find_objects(text: str, objects: list[dict[str, Any]]) -> None:
    assert find_objects(text) == objects


def test_repeated_keys_are_kept_as_pairs() -> None:
    (found,) = find_objects("{'a': 1, 'A ': 2}")
    assert found.pairs == [("a", 1), ("A ", 2)]
    assert found.values_of("a") == [1, 2]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>x</think>y", "y"),
        ("x</think>y", "y"),
        ("y<think>x", "y"),
        ("<think>a<think>b</think>c</think>y", "y"),
        ("<Thinking>\nx\n</Thinking>\ny", "y"),
        ("no tags", "no tags"),
        ("a <thinker> is not a tag", "a <thinker> is not a tag"),
    ],
)
def test_strip_reasoning(text: str, left: str) -> None:
    assert strip_reasoning(text).strip() == left


def test_scan_tells_what_could_not_be_read() -> None:
    cut = scan("{'a': 1} {'b': 2")
    assert (list(cut.objects), cut.cut_off) == ([{"a": 1}], True)
    broken = scan("{what is this} {'b': 2}")
    assert (list(broken.objects), broken.cut_off, broken.broken) == (
        [{"b": 2}],
        False,
        ("{what is this} {'b': 2}",),
    )
    assert [dict(o) for o in scan("{'all': [{'a': 1}, {'a': 2}, {'a'", descend=True).objects] == [
        {"a": 1},
        {"a": 2},
    ]


def some_json(rng: random.Random, depth: int = 0) -> Any:
    alphabet = "ab\",:{}[]\\'’“”\n\t é#/=😀 "
    kind = rng.random()
    if kind < 0.5 or depth > 3:
        text = "".join(rng.choice(alphabet) for _ in range(rng.randint(0, 12)))
        return rng.choice([text, text, 1, -2.5, True, None, 1e20])
    if kind < 0.7:
        return [some_json(rng, depth + 1) for _ in range(rng.randint(0, 4))]
    return {f"k{i}'": some_json(rng, depth + 1) for i in range(rng.randint(0, 4))}


def test_valid_json_is_read_as_json() -> None:
    rng = random.Random(5)
    for _ in range(2000):
        whole = {"first": some_json(rng), 'second"': some_json(rng)}
        text = json.dumps(whole, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 2]))
        assert find_objects(f"Here: {text} there") == [whole], text


def test_python_dictionaries_are_read_as_python_writes_them() -> None:
    rng = random.Random(6)
    for _ in range(1000):
        words = ["it's", 'a "b"', "x, y", "1", "", "{", "}", "don't, 'k': 2", "é“”"]
        whole = {f"k{i}": rng.choice([*words, 1, 2.5, True, None, ["a", "b'c"]]) for i in range(4)}
        assert find_objects(repr(whole)) == [whole], repr(whole)


def test_every_cut_of_an_object_is_no_object() -> None:
    text = '{"a": "x, \\"y\\": {z}", \'b\': [1, {"c": "it\'s"}], d: yes}'
    assert len(find_objects(text)) == 1
    for end in range(len(text)):
        assert find_objects(text[:end]) == [], text[:end]
