"""Vript-Hard asked of a model: the released prompts, 16 frames, replies read, open answers rated."""

from __future__ import annotations

from pathlib import Path

from annotation.records.runs import ModelCall
from annotation.store.benchmark_of_evaluation import evaluations_of, plain_evaluations
from annotation.systems.vript.hal_items import hal_clips
from annotation.systems.vript.hal_stage import compare_with
from annotation.systems.vript.hard_items import hard_rows, rr_item
from exports.catalogue import format_registry as formats
from tests.bench import Bench, failed_requests
from tests.chat_server import ChatServer, mentions, normal, scripted
from tests.exports.vript.test_vript_hard import ero_value, hal_value, rr_value, write_lines

TITLE = "two shots"


def told(bench: Bench, folder: Path) -> None:
    """One item of each task about the clip."""
    values = [rr_value(TITLE, 1), hal_value(TITLE), ero_value(TITLE)]
    values[1]["clip_id"] = TITLE
    for n, value in enumerate(values):
        file = write_lines(folder / f"{n}.jsonl", [value])
        formats.commit(bench.store, formats.read(file, bench.store))


REPLIES = scripted(
    (mentions("impartial judge"), normal('They agree. {"rating": True}')),
    (mentions("Only give the best option"), normal("<think>(D)?</think>(A) A yellow trophy.")),
    (mentions("temporal order of the scenes"), normal("Scene (B) Scene (C) Scene (B)")),
    (mentions("Describe this video"), normal("A dog runs.")),
    (mentions("Hint:"), normal("A trophy.")),
)


def test_every_task_is_asked_in_its_own_words(bench: Bench, tmp_path: Path) -> None:
    told(bench, tmp_path)
    with ChatServer(REPLIES) as server:
        result, context = bench.run("vript_hard", captioner=server.spec, judge=server.spec)
        assert (
            result.problems == []
            and failed_requests(result) == 0
            and context.caller.spending.taken.calls == 5
        )
        again, context = bench.run("vript_hard", captioner=server.spec, judge=server.spec)
        assert failed_requests(again) == 0 and context.caller.spending.taken.calls == 0
        seen = server.seen
    assert sorted(len(one.images) for one in seen) == [0, 16, 16, 16, 16]
    choice = next(one for one in seen if "Only give the best option" in one.user)
    assert "Options:\n(A) A yellow trophy.\n(B) A yellow ornament." in choice.user
    assert "Hint: It's \"yellow\",\nand a cup: 'no'." in choice.user
    judge = next(one for one in seen if not one.images)
    assert judge.user.endswith(
        "AI assistant response:\nA trophy.\n\nGround truth answer:\nThe answer is a trophy."
    )
    assert all(len(call.frames) == 16 for call in bench.store.find(ModelCall) if call.frames)
    assert plain_evaluations(bench.store) == []


def test_replies_are_read_and_rated(bench: Bench, tmp_path: Path) -> None:
    told(bench, tmp_path)
    with ChatServer(REPLIES) as server:
        bench.run("vript_hard", captioner=server.spec, judge=server.spec)
    store = bench.store
    [ero] = evaluations_of(store, "vript-ero")
    [row] = hard_rows(store, ero.id)
    assert (row.label, len(row.text.frames if row.text else ())) == ("BCB", 16)
    for evaluation in evaluations_of(store, "vript-rr"):
        [row] = hard_rows(store, evaluation.id)
        assert rr_item(row).right is True and row.setting == "whole", evaluation.name
        assert row.verdict.raw in ("", 'They agree. {"rating": True}')
    [hal] = evaluations_of(store, "vript-hal")
    [clip] = hal_clips(store, hal.id)
    assert clip.text.value == "A dog runs." and clip.compared is None
    compare_with(store, hal.id)
    [clip] = hal_clips(store, hal.id)
    assert {word.word: word.matched for word in clip.words} == {"dog": True, "run": True}


def test_the_baseline_describes_and_answers_nothing(bench: Bench, tmp_path: Path) -> None:
    told(bench, tmp_path)
    result, _ = bench.run("vript_hard")
    [problem] = result.problems
    assert "choose a model with --captioner; 3 requests failed" in problem
    [hal] = evaluations_of(bench.store, "vript-hal")
    assert hal.baseline and hal_clips(bench.store, hal.id)[0].text.state == "done"
    [ero] = evaluations_of(bench.store, "vript-ero")
    assert hard_rows(bench.store, ero.id)[0].now.state == "failed"


def test_a_video_without_items_says_what_to_do(bench: Bench) -> None:
    result, _ = bench.run("vript_hard")
    assert result.problems and "import its annotations first" in result.problems[0]
