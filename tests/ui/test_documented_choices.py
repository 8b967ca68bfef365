"""Every choice that the API documents for an argument does what it says, for programs and for agents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from inspect import signature
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import pytest
from fastapi.testclient import TestClient

from annotation.records import fingerprints
from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.decisions import ErrorSource, Exclusion, Person
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run, RunVideo
from annotation.records.videos import Video
from annotation.scores.score_table import DIMENSIONS
from annotation.scores.scoring_policies import POLICIES
from annotation.store.store import Store
from annotation.store.verdicts.state_filter import STATES
from tests.bench import Bench
from tests.ui.agents import call_tool
from tests.ui.programs import ENDPOINTS, call
from ui.web_app import build_app

ERROR_SOURCES = ("caption_omits", "caption_wrong", "extraction", "judge", "question")
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}
Ask = Callable[..., Any]


# --- what is documented ---------------------------------------------------------------------


def choices_of(hint: Any) -> list[str]:
    """The values of a Literal, wherever it stands in a type."""
    if get_origin(hint) is Literal:
        return [value for value in get_args(hint) if value]
    return [value for part in get_args(hint) for value in choices_of(part)]


def documented() -> Iterator[tuple[str, str, str]]:
    """Endpoint, argument and value."""
    for name, endpoint in ENDPOINTS.items():
        hints = get_type_hints(endpoint, include_extras=True)
        for argument in list(signature(endpoint).parameters)[1:]:
            for value in choices_of(hints[argument]):
                yield name, argument, value
    yield from (("scores", "by", word) for word in in_words("scores", "by", DIMENSIONS))
    yield from (("compare", "policy", word) for word in in_words("compare", "policy", POLICIES))


def in_words(name: str, argument: str, known: Mapping[str, object]) -> list[str]:
    """The values that the words on an argument name."""
    line = re.search(rf"^ *{argument}: (.*)$", ENDPOINTS[name].__doc__ or "", re.M)
    assert line
    return [word for word in re.findall(r"\w+", line[1]) if word in known]


# --- a workspace in which each of them fits something -----------------------------------------

ME = Person(id="per-me", name="annotator", role="researcher", created_at=1.0)
KINDS = ("vdc:camera", "vdc:short", "vdc:background", "vdc:main_object", "vdc:detailed", "mmlu:notes",
         "mmlu:reasoning")  # fmt: skip
OUTCOMES = (("done", "yes", 5.0), ("done", "no", 0.0), ("done", "no", 5.0), ("done", "yes", 2.4))


def world(store: Store) -> None:
    records: list[Record] = [ME]
    for name in "ab":
        records += [
            Run(id=f"run-{name}", stage="verdicts", backend="import:x", model=name, created_at=1.0),
            Evaluation(id=f"evl-{name}", name=f"evaluation {name}", created_at=3.0 - (name == "b")),
            EvaluationRun(
                id=f"evr-{name}", evaluation_id=f"evl-{name}", role="verdicts", run_id=f"run-{name}"
            ),
        ]
    for v in range(6):
        video = Video(id=f"vid-{v}", title=f"clip {12 - v}", created_at=float(v), discipline="maths")
        records.append(video)
        for k, kind in enumerate(KINDS):
            for n in range(3):
                outcome = OUTCOMES[0 if k or n >= v % 4 else 1] if v else OUTCOMES[(k + n) % len(OUTCOMES)]
                if v == k == 0:
                    outcome = (("unparsed", "failed", "missing")[n], "", None)
                records += _asked(video.id, kind, n, outcome)
    store.add(records)
    _states(store)


def _asked(video_id: str, kind: str, n: int, outcome: tuple[str, str, float | None]) -> list[Record]:
    key = f"{video_id}-{kind}-{n}"
    state, label, score = outcome
    question = Question(
        id=f"qst-{key}",
        video_id=video_id,
        kind=kind,
        index=n,
        text="What?",
        reference="a windmill",
        category="colour",
        created_at=1.0,
    )
    found: list[Record] = [question]
    for name in "ab":
        differs = name == "b" and n == 2 and label
        found += [
            Answer(
                id=f"ans-{name}-{key}",
                video_id=video_id,
                question_id=question.id,
                run_id=f"run-{name}",
                source="imported",
                value="a mill",
                created_at=1.0,
            ),
            Verdict(
                id=f"jdg-{name}-{key}",
                video_id=video_id,
                run_id=f"run-{name}",
                subject_type="answer",
                subject_id=f"ans-{name}-{key}",
                value_type="yes_no_score",
                created_at=float(n),
                state=state,  # type: ignore[arg-type]
                label={"yes": "no", "no": "yes"}[label] if differs else label,
                score=score,
                source_hash=fingerprints.of_verdict("What?", "a windmill", "a mill"),
                kind=kind,
            ),
        ]
    return found


def _states(store: Store) -> None:
    """Every state that a verdict can be in, every error source, a suspect and an excluded question."""
    ids = [f"vid-0-{kind}-{n}" for kind in KINDS for n in range(3)]
    people = [ME, Person(id="per-2", name="other", role="expert", created_at=1.0)]
    store.add([people[1]])
    _label(store, ids[3], people[0], other=False)
    _label(store, ids[3], people[1], other=True)  # they differ
    _label(store, ids[4], ME, other=False)  # confirmed
    # The answer of a judged question is corrected: its verdict is stale.
    store.correct("answer", f"ans-a-{ids[5]}", "value", "a windmill", person_id=ME.id, base_revision=0)
    for n, kind in enumerate(ERROR_SOURCES):
        store.set_error_source(
            ErrorSource(
                id=f"ers-{n}",
                video_id="vid-0",
                verdict_id=f"jdg-a-{ids[6 + n]}",
                person_id=ME.id,
                kind=cast(Any, kind),
                created_at=2.0,
            )
        )
    store.add([Exclusion(id="exc-1", question_id=f"qst-{ids[12]}", video_id="vid-0", person_id=ME.id,
                         reason="two windmills", created_at=2.0)])  # fmt: skip
    question = f"qst-{ids[13]}"
    store.correct("question", question, "reference", "a mill", person_id=ME.id, base_revision=0)
    failed = Run(id="run-f", stage="captions", backend="b", model="m", created_at=1.0)
    store.add([failed, RunVideo(id="rv-1", run_id=failed.id, video_id="vid-3", stage="captions",
                                state="failed", updated_at=1.0)])  # fmt: skip
    _repeats(store, f"ans-a-{ids[15]}")


def _label(store: Store, key: str, person: Person, *, other: bool) -> None:
    """What a person says of a verdict: as the judge, or otherwise."""
    now = store.current("verdict", f"jdg-a-{key}", "verdict")
    label = {"yes": "no", "no": "yes"}[now.machine["label"]]
    value = {"label": label, "score": 5.0 if label == "yes" else 0.0} if other else dict(now.machine)
    store.correct(
        "verdict", f"jdg-a-{key}", "verdict", value, person_id=person.id, base_revision=now.revision
    )


def _repeats(store: Store, answer_id: str) -> None:
    """The same answer judged twice more, once the other way."""
    for n, label in enumerate(("yes", "no")):
        run = Run(id=f"run-r{n}", stage="verdicts", backend="import:x", model="a", created_at=4.0 + n,
                  params={"temperature": 0.0, "repeat": n + 2})  # fmt: skip
        link = EvaluationRun(id=f"evr-r{n}", evaluation_id="evl-a", role="repeats", run_id=run.id)
        verdict = Verdict(
            id=f"jdg-r{n}",
            video_id="vid-0",
            run_id=run.id,
            subject_type="answer",
            subject_id=answer_id,
            value_type="yes_no_score",
            created_at=1.0,
            state="done",
            label=label,
            score=5.0 if label == "yes" else 0.0,
        )
        store.add([run, link, verdict])


@pytest.fixture(scope="module")
def client(module_bench: Bench) -> Iterator[TestClient]:
    world(module_bench.store)
    app = build_app(module_bench.workspace, module_bench.engines, for_agents=True)
    with TestClient(app, headers=SAME_SITE) as found:
        yield found


# --- what each of them does -----------------------------------------------------------------

HERE = {"evaluation": "evl-a"}


def all_rows(ask: Ask, **given: object) -> dict[str, Any]:
    return ask("verdicts", HERE | {"limit": 500} | given)


def by_aspect(ask: Ask, value: str) -> None:
    found = all_rows(ask, aspect=value)
    assert found["total"] == 18
    assert {row["kind"].partition(":")[2] for row in found["rows"]} == {value}


def by_state(ask: Ask, value: str) -> None:
    found = all_rows(ask, state=[value])
    assert 0 < found["total"] == found["counts"][value] < found["counts"]["all"]


def by_error_source(ask: Ask, value: str) -> None:
    found = {row["error_source"] for row in all_rows(ask, error_source=value)["rows"]}
    assert found == {"any": set(ERROR_SOURCES), "none": {""}}.get(value, {value})


def by_flag(ask: Ask, value: str) -> None:
    found = {flag: all_rows(ask, flag=flag)["total"] for flag in ("", "suspect", "sound", "excluded")}
    assert 0 < found[value] < found[""]
    assert found["suspect"] + found["sound"] == found[""] and found["excluded"] < found["suspect"]


def in_verdict_order(ask: Ask, value: str) -> None:
    rows = all_rows(ask, sort=value, beside=["evaluation b"])["rows"]
    keys: dict[str, Callable[[dict[str, Any]], Any]] = {
        "verdict": lambda row: 0 if row["label"] == "no" else 2 if row["state"] == "done" else 1,
        "unsure": lambda row: 9.0 if row["score"] is None else abs(row["score"] - 2.5),
        "differs": lambda row: row["beside"][0]["label"] == row["label"],
        "inconsistent": lambda row: row["verdict_id"] != f"jdg-a-vid-0-{KINDS[5]}-0",
        "newest": lambda row: row["verdict_id"] != f"jdg-a-vid-0-{KINDS[1]}-1",  # labelled last
    }
    if value in keys:
        found = [keys[value](row) for row in rows]
        assert found == sorted(found) and found[0] != found[-1]
    else:
        videos = [row["id"] for row in ask("videos", HERE | {"sort": value}) if row["mean"]]
        assert list(dict.fromkeys(row["video_id"] for row in rows)) == videos


def in_video_order(ask: Ask, value: str) -> None:
    rows = [row for row in ask("videos", HERE | {"sort": value}) if row["mean"]]
    assert len(rows) == 6
    keys: dict[str, Callable[[dict[str, Any]], Any]] = {
        "mean": lambda row: row["mean"]["score"],
        "aspect": lambda row: row["worst"]["score"],
        "title": lambda row: int(row["title"].split()[-1]),
        "newest": lambda row: -row["created_at"],
        "need": lambda row: (row["id"] != "vid-3", row["mean"]["score"]),
    }
    found = [keys[value](row) for row in rows]
    assert found == sorted(found) and found[0] != found[-1]


def by_group(ask: Ask, value: str) -> None:
    assert {name for row in ask("scores", HERE | {"by": value})["rows"] for name in row["group"]} >= {value}


def by_policy(ask: Ask, value: str) -> None:
    found = ask("compare", {"a": "evl-a", "b": "evl-b", "policy": value})
    assert found["policy"] == value and found["rows"]


def as_values(ask: Ask, value: str) -> None:
    def written(values: str) -> str:
        path = ask("export", HERE | {"format": "vdc-qa", "values": values})["path"]
        return ask.keywords["client"].get(f"/gradio_api/file={path}").text  # type: ignore[attr-defined]

    assert written(value) != written({"current": "machine", "machine": "current"}[value])


def as_values_in_preview(ask: Ask, value: str) -> None:
    note = "left out; --values machine keeps all"
    said = ask("export_preview", HERE | {"format": "vdc-qa", "values": value})["says"]
    assert any(note in one for one in said) == (value == "current")


def as_error_source(ask: Ask, value: str) -> None:
    verdict = f"jdg-a-vid-1-{KINDS[0]}-0"
    ask("set_error_source", {"verdict": verdict, "error_source": value})
    listed = [row["verdict_id"] for row in all_rows(ask, error_source=value)["rows"]]
    assert verdict in listed
    ask("set_error_source", {"verdict": verdict, "error_source": ""})


DOES: Mapping[tuple[str, str], Callable[[Ask, str], None]] = {
    ("verdicts", "aspect"): by_aspect,
    ("verdicts", "state"): by_state,
    ("verdicts", "error_source"): by_error_source,
    ("verdicts", "flag"): by_flag,
    ("verdicts", "sort"): in_verdict_order,
    ("videos", "sort"): in_video_order,
    ("scores", "by"): by_group,
    ("compare", "policy"): by_policy,
    ("export", "values"): as_values,
    ("export_preview", "values"): as_values_in_preview,
    ("set_error_source", "error_source"): as_error_source,
}
READING = ("verdicts", "videos", "scores", "compare")


def answered(name: str, given: Mapping[str, Any], *, client: TestClient, way: Callable[..., Any]) -> Any:
    event, found = way(client, name, given)
    assert event == "complete", (name, given, found)
    return found


@pytest.mark.parametrize(("endpoint", "argument", "value"), list(documented()))
def test_a_documented_choice_works(client: TestClient, endpoint: str, argument: str, value: str) -> None:
    """A new argument with choices needs a line in `DOES`."""
    DOES[endpoint, argument](partial(answered, client=client, way=call), value)
    if endpoint in READING:
        DOES[endpoint, argument](partial(answered, client=client, way=call_tool), value)


def test_words_and_types_name_the_same_choices() -> None:
    """What an argument's type takes is what its description, or the answer's, tells."""
    for name, argument, value in documented():
        assert re.search(rf"\b{value}\b", ENDPOINTS[name].__doc__ or ""), (name, argument, value)
    assert set(DOES) == {(name, argument) for name, argument, _ in documented()}
    states = {value for name, argument, value in documented() if (name, argument) == ("verdicts", "state")}
    assert states == set(STATES)
