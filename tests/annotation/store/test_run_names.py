"""Names of runs that stand beside each other: never two alike, and no more words than needed."""

from __future__ import annotations

from annotation.records.runs import Run
from annotation.store.run_names import run_names

DAY = 86_400.0


def run(key: str, **more: object) -> Run:
    fixed = {
        "id": f"run-{key}",
        "stage": "frames",
        "backend": "http://a:8000/v1#llava",
        "model": "llava",
        "created_at": 0.0,
    }
    return Run(**(fixed | more))  # type: ignore[arg-type]


def names(*runs: Run) -> list[str]:
    found = run_names(runs)
    assert len(set(found.values())) == len(runs) and list(found) == [one.id for one in runs]
    return list(found.values())


def test_a_model_with_one_run_is_its_name() -> None:
    assert names(run("1"), run("2", model="qwen"), run("3", model="")) == ["llava", "qwen", "no model named"]
    assert run_names([]) == {}


def test_runs_of_one_model_are_told_apart_by_what_differs() -> None:
    assert names(run("1", prompt_hash="aaaaaaaaaa"), run("2", prompt_hash="bbbbbbbbbb", created_at=DAY)) == [
        "llava · prompt aaaaaa",
        "llava · prompt bbbbbb",
    ]
    both = run("2", params={"frame_context": "both", "fps": 2.0})
    assert names(run("1"), both, run("3", model="qwen")) == [
        "llava · usual fps, usual frame context",
        "llava · fps 2.0, frame context both",
        "qwen",
    ]
    assert names(run("1", seed=1, params={"window": 2}), run("2", seed=2, params={"window": 2})) == [
        "llava · seed 1",
        "llava · seed 2",
    ]
    assert names(run("1", backend="import:progcap"), run("2", endpoint="http://b:8000/v1")) == [
        "llava · from progcap",
        "llava · from http://b:8000/v1",
    ]


def test_the_date_is_told_where_nothing_else_differs_and_the_time_within_a_day() -> None:
    assert names(run("1"), run("2", created_at=DAY)) == ["llava · 1970-01-01", "llava · 1970-01-02"]
    assert names(run("1"), run("2", created_at=60.0)) == [
        "llava · 1970-01-01 00:00 UTC",
        "llava · 1970-01-01 00:01 UTC",
    ]
    assert names(run("1", seed=1), run("2", seed=1, created_at=DAY), run("3", seed=2)) == [
        "llava · seed 1, 1970-01-01",
        "llava · seed 1, 1970-01-02",
        "llava · seed 2",
    ]


def test_a_hash_is_told_where_all_is_the_same() -> None:
    assert names(run("x-1234567"), run("y-1234567")) == ["llava · x-1234567", "llava · y-1234567"]
    assert names(run("aaaaaa"), run("bbbbbb")) == ["llava · aaaaaa", "llava · bbbbbb"]


def test_what_is_too_long_for_a_name_is_left_out() -> None:
    long = [{"ranks": {"spatial": [n]}, "file": "x" * 300 + str(n)} for n in range(2)]
    assert names(run("aaaaaa", params=long[0]), run("bbbbbb", params=long[1])) == [
        "llava · aaaaaa",
        "llava · bbbbbb",
    ]
