"""The files of CaReBench: captions by their words, elements, verdicts, config, folder; also broken."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.editing.edits import Edit, apply_edit
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.elements import Element, ElementList
from annotation.records.errors import FormatError, NotFound
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Video
from annotation.reports.report_type import Options
from annotation.store.benchmark_of_evaluation import evaluations_of
from annotation.store.store import Store
from annotation.systems.carebench.judged_elements import capst_sides
from backends.errors import DailiesError, UsageError
from exports.carebench.capst_report import capst_reports, lines
from exports.carebench.config import without_trailing_commas
from exports.catalogue import format_registry as formats
from tests.databases import new_store, new_workspace
from tests.exports.carebench.capst_files import EVENTS, GT, LINES, OBJECTS, PRED, metadata


def infos(folder: Path, rows: Sequence[object], name: str = "DREAM_eval_infos.jsonl") -> Path:
    file = folder / "CaRe-7B" / "eval_records" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return file


def annotated(store: Store, folder: Path, *records: dict[str, Any]) -> None:
    file = folder / "metadata.json"
    file.write_text(json.dumps(list(records)), encoding="utf-8")
    formats.commit(store, formats.read(file, store))


def held(store: Store) -> list[Any]:
    """Captions, elements and verdicts of the evaluation, without ids."""
    (evaluation,) = evaluations_of(store, "capst")
    return [
        (
            s.kind,
            s.side,
            s.own.value,
            s.other.value,
            s.to_score.state,
            [(j.one.words, j.label, j.verdict.reason if j.verdict else "") for j in s.judged],
        )
        for s in capst_sides(store, evaluation.id)
    ]


# --- DREAM_eval_infos.jsonl -----------------------------------------------------------------


def test_the_numbers_of_the_lines_come_back(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    file = infos(tmp_path, LINES)
    assert formats.detect(file) == "dream-infos"
    batch = formats.read(file, store)
    assert batch.problems == ()
    formats.commit(store, batch)
    assert formats.commit(store, formats.read(file, store)) == {}
    (report,) = capst_reports(store, Options(files=(file,)))
    assert report["evaluation"] == "CapST: CaRe-7B" and report["judges"] == ["not recorded"]
    first, second = report["videos"]
    assert (first["events_recall"], first["events_precision"]) == ([3, 8], [1, 2])
    assert (second["objects_recall"], second["objects_precision"]) == ([1, 1], [1, 2])
    value = {
        (row["group"]["elements"], row["metric"]): row["value"]
        for row in report["rows"]
        if row["policy"] == "carebench"
    }
    for kind, means in (("events", EVENTS), ("objects", OBJECTS)):
        for metric, mean in means.items():
            assert value[kind, metric] == pytest.approx(mean)
    assert any("3 of 8" in line or "10 of 10" in line for line in lines(report))


def test_an_evaluation_of_something_else_is_refused_by_its_name(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    run = Run(id="run-1", stage="capst", backend="b", model="m", created_at=1.0, params={"system": "capst"})
    capst = Evaluation(id="evl-1", name="a model · CapST", created_at=1.0)
    link = EvaluationRun(id="erl-1", evaluation_id=capst.id, role="verdicts", run_id=run.id)
    store.add([run, capst, link, Evaluation(id="evl-2", name="hand-written", created_at=1.0)])
    with pytest.raises(NotFound, match="no evaluation 'hand-written' of capst; there are: 'a model · CapST'"):
        formats.write(store, "dream-infos", tmp_path / "out", evaluation_id="evl-2")


def test_captions_are_matched_by_their_words_and_the_rest_is_named(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    annotated(
        store,
        tmp_path,
        metadata("v_1_0.mp4", GT),
        metadata("v_2_0.mp4", "A cat."),
        metadata("v_3_0.mp4", "A  CAT."),
    )
    cat = LINES[1] | {"idx": 7, "gt": "a cat."}
    batch = formats.read(infos(tmp_path, [LINES[0], LINES[1], cat, LINES[0] | {"idx": 9}]), store)
    said = [f"{p.where}: {p.what}" for p in batch.problems]
    assert len(said) == 3
    assert "DREAM_eval_infos.jsonl:2: no reference caption here matches its gt" in said[0]
    assert "2 videos of the workspace (v_2_0.mp4, v_3_0.mp4)" in said[1]
    assert "its caption is also that of idx 0; imported as a separate video, idx 9" in said[2]
    formats.commit(store, batch)
    (evaluation,) = evaluations_of(store, "capst")
    titles = {s.video.title: s.own.value for s in capst_sides(store, evaluation.id) if s.side == "reference"}
    assert titles == {"v_1_0.mp4": GT, "idx 1": LINES[1]["gt"], "idx 7": "a cat.", "idx 9": GT.lower()}
    assert not any(j.stale for s in capst_sides(store, evaluation.id) for j in s.judged)


def test_elements_that_are_here_already_are_taken(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    words = [entry["event"].title() for entry in LINES[0]["events_gt"]]
    annotated(store, tmp_path, metadata("v_1_0.mp4", GT, events=words, objects=[]))
    formats.commit(store, formats.read(infos(tmp_path, LINES[:1]), store))
    (evaluation,) = evaluations_of(store, "capst")
    side = next(s for s in capst_sides(store, evaluation.id) if (s.kind, s.side) == ("event", "reference"))
    assert [j.one.words for j in side.judged] == words, "those of metadata.json, as they are written there"
    assert store.count(ElementList, text_id=side.own.id) == 3, "two of the file, and the objects of the log"


def test_a_line_that_does_not_add_up_is_reported(tmp_path: Path) -> None:
    row = LINES[0] | {"events_hit_num_recall": "hit: 5 / 8", "objects_pred": None}
    odd = LINES[1] | {"events_gt": [{"event": "x", "relationship": "likely", "reason": 3}]}
    batch = formats.read(
        infos(tmp_path, [row, odd, {"idx": 3, "gt": "x", "events_gt": []}]), new_store(tmp_path)
    )
    said = " | ".join(p.what for p in batch.problems)
    assert "says 5 of 8, the list gives 3 of 8" in said and "objects_pred is not a list" in said
    assert "gt or pred is missing" in said and "says 1 of 2, the list gives 0 of 1" in said
    states = {j.state for j in batch.records if isinstance(j, Verdict)}
    assert states == {"done", "unparsed"}


def without_elements(row: dict[str, Any], lists: str, entailed: str) -> dict[str, Any]:
    """As the evaluation code writes a line whose extractions found nothing: the caption, and "hit: k / 0"."""
    row = copy.deepcopy(row)
    for number, (field, counts) in enumerate(SIDES):
        if lists[number] == "0":
            kind, part = field.split("s_")
            label = "entailment" if entailed[number] == "e" else "neutral"
            row[field] = [{kind: row[part], "relationship": label, "reason": "the whole of it"}]
            row[counts] = f"hit: {int(label == 'entailment')} / 0"
    return row


SIDES = (
    ("events_gt", "events_hit_num_recall"),
    ("events_pred", "events_hit_num_precision"),
    ("objects_gt", "objects_hit_num_recall"),
    ("objects_pred", "objects_hit_num_precision"),
)


def test_a_caption_without_elements_scores_1_and_is_never_written_as_one(tmp_path: Path) -> None:
    rows = [without_elements(LINES[0], "0110", "en.n"), without_elements(LINES[1], "1001", ".ne.")]
    store = new_store(tmp_path)
    batch = formats.read(infos(tmp_path, rows), store)
    assert [p.what[:35] for p in batch.problems] == ["4 lists have the caption instead of"]
    formats.commit(store, batch)
    (report,) = capst_reports(store, Options(policies=("carebench",)))
    found = {(row["group"]["elements"], row["metric"]): row["value"] for row in report["rows"]}
    # `evaluate_one_sample_for_events` of CaReBench: 1.0 for an empty list, else hits / elements.
    assert found["events", "recall"] == pytest.approx((1.0 + 1 / 2) / 2)
    assert found["events", "precision"] == pytest.approx((1 / 2 + 1.0) / 2)
    assert found["objects", "recall"] == pytest.approx((1 / 4 + 1.0) / 2)
    assert found["objects", "precision"] == pytest.approx((1.0 + 1 / 2) / 2)
    formats.write(store, "dream-infos", tmp_path / "infos.jsonl")
    written = [json.loads(line) for line in (tmp_path / "infos.jsonl").read_text().splitlines()]
    empty = [[field for field, _ in SIDES if row[field] == []] for row in written]
    assert empty == [["events_gt", "objects_pred"], ["events_pred", "objects_gt"]]
    for name in ("capst-description", "carebench"):
        out = tmp_path / f"{name}.json"
        formats.write(store, name, out)
        document = json.loads(out.read_text())
        listed = document if isinstance(document, list) else list(document.values())
        caption = {"gt", "caption"}
        for entry in listed:
            words = {entry[key] for key in caption & entry.keys()}
            assert not words & {*(entry["events"] or []), *(entry["objects"] or [])}
        assert sorted(entry["events"] == [] for entry in listed) == [False, True]


def test_a_caption_keeps_its_quotation_marks_on_the_way_out(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    formats.commit(store, formats.read(infos(tmp_path, LINES), store))
    formats.write(store, "dream-infos", tmp_path / "infos.jsonl")
    assert json.loads((tmp_path / "infos.jsonl").read_text().splitlines()[0])["gt"] == GT.lower()
    assert '"tea"' in GT


def test_a_verdict_without_words_counts_as_its_code_counts_it(tmp_path: Path) -> None:
    """`evaluate_one_sample_for_events` looks at `relationship` alone."""
    row = copy.deepcopy(LINES[1])
    del row["events_gt"][0]["event"]
    row["objects_gt"] = [{"event": "a dog", "relationship": " Entailment ", "reason": ""}]
    store = new_store(tmp_path)
    batch = formats.read(infos(tmp_path, [row]), store)
    assert [p.what for p in batch.problems] == ["events_gt has an entry without event; its verdict is kept"]
    formats.commit(store, batch)
    (report,) = capst_reports(store, Options(policies=("carebench",)))
    assert report["id"] == evaluations_of(store, "capst")[0].id
    found = {(row["group"]["elements"], row["metric"]): row["value"] for row in report["rows"]}
    assert (found["events", "recall"], found["objects", "recall"]) == (0.5, 1)


def test_both_logs_go_out_and_come_back_the_same(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    formats.commit(store, formats.read(infos(tmp_path, [LINES[1] | {"idx": "b7"}, LINES[0]]), store))
    first = tmp_path / "out" / "infos.jsonl"
    formats.write(store, "dream-infos", first)
    assert [json.loads(line)["idx"] for line in first.read_text().splitlines()] == [0, "b7"]
    assert json.loads(first.read_text().splitlines()[0]) == LINES[0]
    other = new_store(tmp_path, "other")
    formats.commit(other, formats.read(first, other))
    assert held(other) == held(store)

    description = tmp_path / "out" / "description.json"
    formats.write(store, "capst-description", description)
    found = json.loads(description.read_text())
    assert found["0"]["pred"] == PRED and found["0"]["events"] == [e["event"] for e in LINES[0]["events_gt"]]
    third = new_store(tmp_path, "third")
    assert formats.detect(description) == "capst-description"
    batch = formats.read(description, third)
    assert batch.problems == () and not any(isinstance(r, Verdict) for r in batch.records)
    formats.commit(third, batch)
    again = tmp_path / "again" / "description.json"
    formats.write(third, "capst-description", again)
    assert json.loads(again.read_text()) == found
    (report,) = capst_reports(third, Options())
    assert report["judges"] == [] and "no verdicts" in lines(report)[1]


def test_current_values_have_what_people_said(tmp_path: Path) -> None:
    space = new_workspace(tmp_path / "space")
    store, owner = space.store, space.owner()
    formats.commit(store, formats.read(infos(tmp_path, LINES[:1]), store))
    (evaluation,) = evaluations_of(store, "capst")
    side = next(s for s in capst_sides(store, evaluation.id) if (s.kind, s.side) == ("object", "prediction"))
    verdict = side.judged[0].verdict
    assert verdict is not None
    value = {"label": "entailment", "score": None}
    apply_edit(store, owner, Edit("verdict", verdict.id, "verdict", value, 0))
    apply_edit(store, owner, Edit("element", side.judged[1].one.element.id, "value", "", 0))
    rows = {}
    for values in ("machine", "current"):
        formats.write(store, "dream-infos", tmp_path / f"{values}.jsonl", values=values)
        rows[values] = json.loads((tmp_path / f"{values}.jsonl").read_text())["objects_pred"]
    assert [entry["relationship"] for entry in rows["current"]] == ["entailment"]
    assert rows["machine"][0]["relationship"] == "contradiction"
    space.close()


# --- metadata.json, data.config, folder -----------------------------------------------------


def test_elements_of_metadata_come_back_also_when_there_are_none(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    records = [metadata("a.mp4", "A man – ü 漢.", events=["Runs 漢"], objects=[]), metadata("b.mp4", "B.")]
    annotated(store, tmp_path, *records)
    out = tmp_path / "out.json"
    formats.write(store, "carebench", out)
    assert json.loads(out.read_text(encoding="utf-8")) == records


def test_a_config_with_its_trailing_comma_names_the_files(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    (tmp_path / "videos").mkdir()
    (tmp_path / "metadata.json").write_text(json.dumps([metadata("a.mp4", "A, } man.")]))
    config = tmp_path / "data.config"
    text = '{\n  "carebench": {\n    "anno_path": "/data/carebench/json/metadata.json",\n    '
    config.write_text(text + '"data_root": "/data/carebench/videos",\n  },\n}\n')
    assert formats.detect(config) == "carebench-config"
    batch = formats.read(config, store)
    assert batch.problems == (), "both lie beside the config"
    formats.commit(store, batch)
    assert store.find(Text, kind="carebench:full")[0].value == "A, } man."
    out = tmp_path / "out"
    formats.write(store, "carebench-config", out)
    assert formats.detect(out) == "carebench-config"
    other = new_store(tmp_path, "other")
    formats.commit(other, formats.read(out, other))
    assert [t.value for t in other.find(Text, order_by=["kind"])] == [
        t.value for t in store.find(Text, order_by=["kind"])
    ]
    (tmp_path / "metadata.json").unlink()
    with pytest.raises(FormatError, match=r"anno_path .* does not exist"):
        formats.read(config, store)


def test_commas_inside_of_texts_stay() -> None:
    text = r'{"a": "x,}", "b": ["\",]", 1,],}'
    assert json.loads(without_trailing_commas(text)) == {"a": "x,}", "b": ['",]', 1]}


def test_a_folder_joins_each_text_with_its_video(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    annotated(store, tmp_path, metadata("a.mp4", "A man."), metadata("b.mp4", "A dog.", events=["Runs"]))
    with pytest.raises(UsageError, match=r"2 have no file: a\.mp4, b\.mp4"):
        formats.write(store, "carebench-folder", tmp_path / "out")
    for video in store.find(Video):
        file = tmp_path / f"source-{video.title}"
        file.write_bytes(video.title.encode())
        store.put(replace(video, path=str(file)))
    out = tmp_path / "out"
    formats.write(store, "carebench-folder", out)
    assert sorted(p.name for p in out.iterdir()) == ["a.mp4", "b.mp4", "metadata.jsonl"]
    assert (out / "b.mp4").read_bytes() == b"b.mp4"
    assert formats.detect(out) == "carebench-folder"
    other = new_store(tmp_path, "other")
    batch = formats.read(out, other)
    assert batch.problems == ()
    formats.commit(other, batch)
    assert [e.value for e in other.find(Element)] == ["Runs"]
    (out / "a.mp4").unlink()
    (out / "c.mp4").write_bytes(b"c")
    said = [p.what for p in formats.read(out, other).problems]
    assert said == ["1 rows name a video that is not in the folder: a.mp4", "1 videos have no row: c.mp4"]


# --- broken files ---------------------------------------------------------------------------

ODD = (None, 3, "", "x", [], {}, [[]], {"a": None}, "漢\u2028é", True, -1.5, ["", 3])


def mutated(value: Any, draw: random.Random) -> Any:
    """The value with a key gone, another type somewhere, an item twice, or odd text."""
    value = copy.deepcopy(value)
    place = value
    while draw.random() < 0.7 and isinstance(place, dict | list) and place:
        key = draw.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], dict | list) or draw.random() < 0.3:
            break
        place = place[key]
    if not isinstance(place, dict | list) or not place:
        return value
    key = draw.choice(list(place) if isinstance(place, dict) else range(len(place)))
    turn = draw.randrange(3)
    if turn == 0:
        del place[key]
    elif turn == 1:
        place[key] = draw.choice(ODD)
    elif isinstance(place, list):
        place.append(copy.deepcopy(place[key]))
    return value


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 60), marks=pytest.mark.long)], ids=len)
@pytest.mark.parametrize("name", ["infos.jsonl", "description.json", "metadata.json", "data.config"])
def test_broken_files_are_reported_and_never_half_read(tmp_path: Path, name: str, seeds: range) -> None:
    """What is read is committed and read again to the same records; the rest is an error of one line."""
    whole: dict[str, Any] = {
        "infos.jsonl": LINES,
        "description.json": {
            "0": {"pred": PRED, "gt": GT, "events": ["a", "b"], "objects": None},
            "1": {"pred": "x", "gt": "A dog runs.", "events": None, "objects": []},
        },
        "metadata.json": [metadata("a.mp4", GT, events=["a"], objects=["b", "c"]), metadata("b.mp4", "B.")],
        "data.config": {"carebench": {"anno_path": "metadata.json", "data_root": "videos"}},
    }
    (tmp_path / "metadata.json").write_text(json.dumps(whole["metadata.json"]))
    file = tmp_path / "in" / name
    file.parent.mkdir()
    for seed in seeds:
        draw = random.Random(seed)
        value = mutated(mutated(whole[name], draw), draw)
        text = "".join(f"{json.dumps(v)}\n" for v in value) if name.endswith("jsonl") else json.dumps(value)
        file.write_text(text, encoding="utf-8")
        store = new_store(tmp_path, f"store-{seed}")
        try:
            batch = formats.read(file, store)
        except DailiesError as error:
            assert "\n" not in str(error)
            continue
        formats.commit(store, batch)
        assert formats.commit(store, formats.read(file, store)) == {}, seed
        if evaluations_of(store, "capst"):
            assert capst_reports(store, Options())
        store.close()


def test_a_name_that_is_taken_is_marked(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    formats.commit(store, formats.read(infos(tmp_path, LINES), store))
    formats.commit(store, formats.read(infos(tmp_path, LINES[:1], "other.jsonl"), store))
    names = sorted(e.name for e in store.find(Evaluation))
    assert names[0] == "CapST: CaRe-7B" and names[1].startswith("CapST: CaRe-7B (")
