"""Two runs of one model stay two: in studies, in score framecap, in files, for the judge of captions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.store.store import Store
from annotation.systems.progress_captioner import studies
from annotation.systems.progress_captioner.frame_labels import label_pair
from annotation.systems.progress_captioner.frame_sequences import caption_names, judge_names
from annotation.systems.progress_captioner.plan_caption_judging import plan_captions
from annotation.systems.progress_captioner.studies import Pick
from exports.catalogue import format_registry as formats
from exports.progress_captioner.framecap_report import lines, score
from tests.annotation.systems.progress_captioner.test_frame_labels import ANN, EVA, records

A, B = "llava · prompt aaaaaa", "llava · prompt bbbbbb"


def two_runs() -> list[Record]:
    """Two runs of one captioner; a judge who says of the first that it moves on, and of the second not."""
    found: list[Record] = [one for one in records(models=2) if not isinstance(one, Run)]
    for n, prompt in enumerate("ab"):
        captions = Run(
            id=f"run-{n}", stage="frames", backend="x", model="llava", created_at=1.0, prompt_hash=prompt * 20
        )
        judge = Run(
            id=f"run-j{n}",
            stage="keyframes",
            backend="x",
            model="gpt",
            created_at=2.0,
            upstream=(captions.id,),
        )
        found += [
            captions,
            judge,
            Verdict(
                id=f"jdg-{n}",
                video_id="vid-0",
                run_id=judge.id,
                subject_type="frame_pair",
                created_at=2.0,
                subject_id=f"pair-{n}",
                value_type="progression",
                state="done",
                label="no" if n else "yes",
                extra={"frames": [0, 10]},
            ),
        ]
    return found


@pytest.fixture(autouse=True)
def filled(store: Store) -> None:
    store.add(two_runs())


def test_their_names_say_what_differs(store: Store) -> None:
    assert caption_names(store) == {"run-0": A, "run-1": B}
    # One judge looked at each: there is nothing to tell apart.
    assert judge_names(store.find(Run, stage="keyframes")) == {"run-j0": "gpt", "run-j1": "gpt"}


def test_each_has_a_row_of_its_own_where_studies_and_judges_are_scored(store: Store) -> None:
    study = studies.create(store, EVA, "which prompt", ["run-0", "run-1"])
    for frame in study.sequences[0]["frames"]:
        at = studies.order_of(study, 0).index("run-0")
        studies.choose(store, ANN, study.id, (0, frame), Pick(at))
    studies.close(store, EVA, study.id)
    label_pair(store, ANN, str(study.sequences[0]["video_id"]), (0, 10), "yes")
    label_pair(store, ANN, "vid-0", (0, 10), "yes")
    found = score(store)
    best = {r["runs"]["captions"]: r for r in found["rows"] if r["metric"] == "selected_best"}
    assert {key: (row["group"]["captions"], row["value"], row["n"]) for key, row in best.items()} == {
        "run-0": (A, 1.0, 4),
        "run-1": (B, 0.0, 0),
    }
    judged = [
        r for r in found["rows"] if (r["metric"], r["policy"]) == ("true_positive_rate", "uncertain_is_no")
    ]
    assert [(r["group"], r["runs"], r["value"]) for r in judged] == [
        ({"captions": A, "judge": "gpt"}, {"captions": "run-0", "judge": "run-j0"}, 1.0),
        ({"captions": B, "judge": "gpt"}, {"captions": "run-1", "judge": "run-j1"}, 0.0),
    ]
    keys = [(json.dumps(r["group"]), r["policy"], r["metric"]) for r in found["rows"]]
    assert len(set(keys)) == len(keys)
    printed = lines(found)
    assert len(set(printed)) == len(printed)


def test_the_judge_of_captions_takes_a_model_or_one_of_its_runs(store: Store) -> None:
    assert len(plan_captions(store, "llava").stages[0].run.keywords["runs"]) == 2  # type: ignore[attr-defined]
    (run,) = plan_captions(store, B).stages[0].run.keywords["runs"]  # type: ignore[attr-defined]
    assert run.id == "run-1"


def test_each_has_a_file_of_its_own(store: Store, tmp_path: Path) -> None:
    formats.write(store, "progcap", tmp_path / "out")
    files = sorted((tmp_path / "out").glob("*.json"))
    assert [file.stem for file in files] == ["llava_prompt_aaaaaa", "llava_prompt_bbbbbb"]
    said = [json.loads(file.read_text(encoding="utf-8"))[0]["response0"] for file in files]
    assert ["0 says 0" in said[0], "1 says 0" in said[1]] == [True, True]
    other = Store(f"sqlite:///{tmp_path}/other.db")
    for file in files:
        formats.commit(other, formats.read(file, other))
    assert set(caption_names(other).values()) == {A, B}
    other.close()


def test_preferences_name_the_runs_and_come_back_as_two(store: Store, tmp_path: Path) -> None:
    frames, matcher = (
        [0, 10, 20, 30],
        Run(id="run-m", stage="matching", backend="x", model="m", created_at=3.0),
    )
    store.add(
        [
            matcher,
            *(
                Verdict(
                    id=f"jdg-m{n}-{at}",
                    video_id="vid-0",
                    run_id=matcher.id,
                    subject_type="frame_match",
                    subject_id=f"match-{n}-{at}",
                    value_type="letter",
                    created_at=3.0,
                    state="done",
                    label=letter,
                    extra={
                        "sequence": frames,
                        "frame": frames[at],
                        "own": "ABCD"[at],
                        "captions_run": f"run-{n}",
                    },
                )
                for n, letters in enumerate(("ABCD", "BCDA"))
                for at, letter in enumerate(letters)
            ),
        ]
    )
    formats.write(store, "framecap-dpo", tmp_path / "dpo.jsonl")
    line = json.loads((tmp_path / "dpo.jsonl").read_text(encoding="utf-8"))
    assert {key: line[key] for key in line if key.endswith(("_model", "_run"))} == {
        "chosen_model": "llava",
        "chosen_run": A,
        "rejected_model": "llava",
        "rejected_run": B,
    }
    other = Store(f"sqlite:///{tmp_path}/other.db")
    formats.commit(other, formats.read(tmp_path / "dpo.jsonl", other))
    wrote = {run.id: run for run in other.find(Run, stage="frames")}
    assert {run.model for run in wrote.values()} == {"llava"} and len(wrote) == 2
    texts = [text for text in other.find(Text) if text.value.endswith("says 0")]
    assert {wrote[str(text.run_id)].params["run"]: text.value for text in texts} == {
        "prompt aaaaaa": "0 says 0",
        "prompt bbbbbb": "1 says 0",
    }
    other.close()
