"""Video-MMLU through the pipeline: what each stage asks, of whom, with which words, and what it keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.pipeline.rejudge_questions import questions_of, rerun
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.runs import Evaluation, EvaluationRun, ModelCall, Run
from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from exports.catalogue import format_registry as formats
from tests.bench import Bench, failed_requests
from tests.chat_server import ChatServer, Seen, has_images, mentions, normal, scripted

STAGES = ("probe", "scenes", "captions", "answers", "verdicts")
ASKED = {
    "discipline": "Physics",
    "caption": "F = ma.",
    "captions_qa": [
        {"question": "Which law is written?", "answer": "F = ma"},
        {"question": "Which colour is it?", "answer": "white"},
    ],
    "reasoning_qa": [
        {"question": "Why does it speed up?", "answer": "A force acts"},
        {"question": "What if m doubles?", "answer": "It halves"},
    ],
}
SUFFIX = "\nAnswer briefly and directly in one sentence."


def student(seen: Seen) -> str:
    """Answers in the role that it is asked in."""
    return scripted(
        (mentions("review notes"), normal("The law F = ma is written.")),
        (has_images, normal("A force acts.")),
        (mentions("Predicted Answer"), normal("{'pred': 'yes', 'score': 5}")),
        (mentions("detailed description:"), normal("F = ma")),
    )(seen)  # type: ignore[return-value]


@pytest.fixture
def lecture(bench: Bench, tmp_path: Path) -> Bench:
    """The clip, with questions of both kinds."""
    path = tmp_path / "video_mmlu.jsonl"
    path.write_text(json.dumps({"video_id": bench.video.title, **ASKED}))
    formats.commit(bench.store, formats.read(path, bench.store))
    return bench


def by_words(seen: list[Seen], words: str) -> list[Seen]:
    return [one for one in seen if words in one.user]


def test_both_kinds_are_answered_and_judged_with_their_own_words(lecture: Bench) -> None:
    with ChatServer(student) as server:
        result, _ = lecture.run(*STAGES, captioner=server.spec, judge=server.spec)
        assert result.problems == [] and failed_requests(result) == 0
        seen = list(server.seen)
    assert len(seen) == 1 + 2 + 2 + 4
    [notes] = by_words(seen, "review notes")
    direct = by_words(seen, SUFFIX)
    assert {one.parts[-1]["text"] for one in direct} == {
        f"\n{q['question']}{SUFFIX}".strip("\n") for q in ASKED["reasoning_qa"]
    }
    # One prefix: no system message, then the same frames, and the words after them.
    assert all(one.images == notes.images and not one.system for one in [notes, *direct])
    assert len(notes.images) == 32
    assert all(one.parts[-1]["type"] == "text" for one in [notes, *direct])
    assert all(not one.images for one in by_words(seen, "detailed description:"))
    judged = {q: one for q in words_of(ASKED) for one in by_words(seen, "Predicted Answer") if q in one.user}
    strict = [judged[q["question"]].system for q in ASKED["captions_qa"]]
    assert all(
        "For OCR-related questions:\n- Perform a strict letter-by-letter" in system for system in strict
    )
    reasoning = [judged[q["question"]].system for q in ASKED["reasoning_qa"]]
    assert all("reasoning-based question-answer pairs" in system for system in reasoning)
    assert all(one.body["temperature"] == 0 and "seed" in one.body for one in seen)


def words_of(asked: dict[str, Any]) -> list[str]:
    return [q["question"] for field in ("captions_qa", "reasoning_qa") for q in asked[field]]


def test_what_is_kept(lecture: Bench) -> None:
    with ChatServer(student) as server:
        lecture.run(*STAGES, captioner=server.spec, judge=server.spec)
    store = lecture.store
    made = store.find(Text, kind=NOTES, run_id=[r.id for r in store.find(Run, stage="captions")])
    assert [(t.value, len(t.frames)) for t in made] == [("The law F = ma is written.", 32)]
    assert not store.find(Text, kind="vdc:detailed")  # nothing asks about it
    kinds = {q.id: q.kind for q in store.find(Question)}
    answers = store.find(Answer)
    assert {(kinds[a.question_id], a.source, a.text_id) for a in answers} == {
        (NOTES, "caption", made[0].id),
        (REASONING, "video", None),
    }
    from_video = next(a for a in answers if a.source == "video")
    assert store.get(ModelCall, from_video.call_id).frames == made[0].frames
    assert {(j.label, j.score) for j in store.find(Verdict)} == {("yes", 5.0)}
    assert not any(c.stale for c in store.currents("answer", [a.id for a in answers], "value").values())
    [evaluation] = store.find(Evaluation)
    assert ", Video-MMLU 20" in evaluation.name
    roles = sorted(link.role for link in store.find(EvaluationRun, evaluation_id=evaluation.id))
    assert roles == ["answers", "answers", "captions", "questions", "verdicts"]


def test_a_second_run_asks_nothing_and_one_question_can_be_asked_again(lecture: Bench) -> None:
    with ChatServer(student) as server:
        specs = {"captioner": server.spec, "judge": server.spec}
        lecture.run(*STAGES, **specs)
        before = len(server.seen)
        lecture.run(*STAGES, **specs)
        assert len(server.seen) == before and lecture.store.count(Evaluation) == 1
    store, owner = lecture.store, lecture.workspace.owner()
    evaluation = store.find(Evaluation)[0]
    with ChatServer(student) as other:
        context = lecture.context(lecture.engines(captioner=other.spec, judge=other.spec))
        for kind in (REASONING, NOTES):
            asked = questions_of(store, evaluation.id, kind=kind)
            done = rerun(context, owner, evaluation.id, asked)
            assert len(asked) == 2 and done.failed == 0
            assert len(other.seen) == 4  # two answers, two verdicts
            assert done.evaluation_id != evaluation.id  # another server: beside it, not over it
            other.seen.clear()


def test_the_baseline_does_all_of_it_the_same_each_time(lecture: Bench) -> None:
    result, _ = lecture.run(*STAGES)
    assert result.problems == [] and failed_requests(result) == 0
    first = {a.question_id: a.value for a in lecture.store.find(Answer)}
    assert len(first) == 4 and all(first.values())
    assert {j.state for j in lecture.store.find(Verdict)} == {"done"}
    assert lecture.store.find(Evaluation)[0].baseline
    _, context = lecture.run(*STAGES)
    assert context.caller.spending.taken.calls == 0
    assert {a.question_id: a.value for a in lecture.store.find(Answer)} == first


def test_a_video_of_both_benchmarks_has_two_evaluations(lecture: Bench, tmp_path: Path) -> None:
    path = tmp_path / "camera.jsonl"
    asked = [{"question": "Does it move?", "answer": "no"}]
    path.write_text(json.dumps({lecture.video.title: asked}))
    formats.commit(lecture.store, formats.read(path, lecture.store))
    lecture.run(*STAGES)
    store = lecture.store
    assert store.count(Evaluation) == 2
    assert {t.kind for t in store.find(Text) if t.run_id} >= {NOTES, "vdc:camera", "vdc:detailed"}
    for evaluation in store.find(Evaluation):
        kinds = {q.kind for q in questions_of(store, evaluation.id)}
        assert kinds == ({NOTES, REASONING} if "Video-MMLU" in evaluation.name else {"vdc:camera"})


def test_without_a_reply_the_answer_failed_and_the_next_run_asks_again(lecture: Bench) -> None:
    from tests.chat_server import Reply

    refuse = scripted(
        (mentions(SUFFIX), lambda _: Reply(status=400, error="no video today")), (lambda _: True, student)
    )
    with ChatServer(refuse) as server:
        result, _ = lecture.run(*STAGES, captioner=server.spec, judge=server.spec)
        assert failed_requests(result) == 2
        failed = lecture.store.find(Answer, state="failed")
        assert {a.source for a in failed} == {"video"} and "no video today" in failed[0].reason
        assert lecture.store.count(Verdict, state="missing") == 2
        server.behaviour = student
        result, _ = lecture.run(*STAGES, captioner=server.spec, judge=server.spec)
        assert failed_requests(result) == 0


# --- questions that a model writes --------------------------------------------------------


def test_questions_are_written_from_reference_notes_by_their_own_prompts(
    bench: Bench, tmp_path: Path
) -> None:
    path = tmp_path / "video_mmlu.jsonl"
    path.write_text(
        json.dumps({"video_id": bench.video.title, "discipline": "Physics", "caption": "F = ma."})
    )
    formats.commit(bench.store, formats.read(path, bench.store))

    def writer(seen: Seen) -> Any:
        if "reference notes of a lecture in physics" in seen.user:
            quiz = "need reasoning" in seen.user
            text = "What if m doubles?" if quiz else "Which law is written?"
            return json.dumps({"questions": [{"question": text, "answer": "a", "category": "text"}]})
        return student(seen)

    with ChatServer(writer) as server:
        result, _ = bench.run(
            "probe",
            "scenes",
            "captions",
            "questions",
            "answers",
            "verdicts",
            captioner=server.spec,
            judge=server.spec,
        )
        seen = list(server.seen)
    assert result.problems == [] and failed_requests(result) == 0
    assert {q.kind: q.text for q in bench.store.find(Question)} == {
        NOTES: "Which law is written?",
        REASONING: "What if m doubles?",
    }
    assert {q.source_text_id for q in bench.store.find(Question)} == {
        text.id for text in bench.store.find(Text, kind=NOTES, run_id=None)
    }
    assert len(by_words(seen, "Write 15 open questions")) == 2
    assert len(bench.store.find(Answer)) == len(bench.store.find(Verdict)) == 2
    [evaluation] = bench.store.find(Evaluation)
    roles = [link.role for link in bench.store.find(EvaluationRun, evaluation_id=evaluation.id)]
    assert sorted(roles) == ["answers", "answers", "captions", "questions", "verdicts"]


def test_the_baseline_asks_for_what_stands_in_the_notes_alone(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "video_mmlu.jsonl"
    notes = "The camera pans left. A red ball lies on the table. The lecture lasts 12 seconds."
    path.write_text(json.dumps({"video_id": bench.video.title, "discipline": "Physics", "caption": notes}))
    formats.commit(bench.store, formats.read(path, bench.store))
    result, _ = bench.run("probe", "scenes", "captions", "questions", "answers", "verdicts")
    assert result.problems == []
    assert {q.kind for q in bench.store.find(Question)} == {NOTES}
