"""Everything about one verdict as data, and the evaluations to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from annotation.editing.edits import WHY_NO_VERDICT_ON_A_MEAN
from annotation.pipeline.evidence.ask_video import second_opinions
from annotation.records.allowed_values import SubjectType
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import is_again
from annotation.records.errors import NotFound
from annotation.records.runs import Evaluation, EvaluationRun, ModelCall, Run
from annotation.records.videos import Video
from annotation.replies.verdict_reply import contradicts_itself
from annotation.reports.cached_error_source_proposals import proposal
from annotation.store import opinion_rules
from annotation.store import tables as t
from annotation.store.benchmark_of_evaluation import plain_evaluations
from annotation.store.find_ceiling_evaluations import ceiling_evaluations
from annotation.store.run_names import run_names
from annotation.store.store import Current, Store
from annotation.store.verdicts.verdict_columns_cache import index_of
from annotation.systems.vdc.supporting_spans import supporting_span
from annotation.texts.writers import writer
from ui.lib.shared_wire_types import HistoryEntry, NamedErrorSource
from ui.lib.view_parts import history_json, people_by_id, run_json, text_json, value_json
from ui.pages.verdicts.wire_types import (
    EvaluationFacts,
    Evidence,
    Opinions,
    OtherVerdict,
    ReplyEnd,
    SecondOpinion,
    VerdictBeside,
    VerdictEvidence,
)
from ui.systems.system_list import QUESTION_SYSTEMS

FROM_VIDEO = frozenset(kind for system in QUESTION_SYSTEMS for kind in system.from_video)
HISTORIES: tuple[tuple[str, SubjectType], ...] = (
    ("verdict", "verdict"),
    ("value", "answer"),
    ("text", "question"),
    ("reference", "question"),
    ("value", "text"),
)


def evaluations_json(store: Store) -> list[EvaluationFacts]:
    """All evaluations of questions and answers, newest first, with their number of verdicts."""
    sizes = _verdicts_of_runs(store)
    held: dict[str, int] = {}
    for link in store.find(EvaluationRun, role="verdicts"):
        held[link.evaluation_id] = held.get(link.evaluation_id, 0) + sizes.get(link.run_id, 0)
    found = plain_evaluations(store)
    apart = {e.id for e in ceiling_evaluations(store)}
    return [
        {
            "id": e.id,
            "name": e.name,
            "note": e.note,
            "baseline": e.baseline,
            "created_at": e.created_at,
            "verdicts": held.get(e.id, 0),
            "ceiling": e.id in apart,
        }
        for e in reversed(found)
    ]


def _verdicts_of_runs(store: Store) -> dict[str, int]:
    run = t.verdict.c.run_id
    with store.reading() as conn:
        return {run_id: n for run_id, n in conn.execute(select(run, func.count()).group_by(run))}


def detail_json(store: Store, verdict_id: str, beside: Sequence[str] = ()) -> VerdictEvidence:
    """One verdict with its evidence, and verdicts of other evaluations on its question. Raises NotFound."""
    verdict = store.get(Verdict, verdict_id)
    current = store.current("verdict", verdict.id, "verdict")
    evidence = _evidence(store, verdict)
    return {
        "id": verdict.id,
        "baseline": verdict.baseline,
        "video": {"id": verdict.video_id, "title": store.get(Video, verdict.video_id).title},
        "verdict": value_json(current, "verdict", verdict.id, "verdict"),
        "machine_state": verdict.state,
        "raw": verdict.raw,
        "reason": verdict.reason,
        "superseded": current.superseded,
        "run": run_json(store.get(Run, verdict.run_id)),
        "call_id": verdict.call_id,
        "call": _call(store, verdict),
        "error_source": current.error_source,
        "proposed_source": proposal(store, verdict),
        **opinions_json(store, verdict.id, current),
        "contradicts": contradicts_itself(current.value["label"], current.value["score"]),
        **evidence,
        "beside": [_beside(store, evaluation, evidence.get("question_id", "")) for evaluation in beside],
    }


def _evidence(store: Store, verdict: Verdict) -> Evidence:
    if verdict.subject_type == "answer":
        return _answer_part(store, store.get(Answer, verdict.subject_id), verdict)
    if verdict.subject_type == "video_aspect":
        return _aspect_part(store, verdict)
    raise NotFound(f"verdict {verdict.id!r} belongs to an item; use /api/items")


def opinions_json(store: Store, verdict_id: str, current: Current) -> Opinions:
    """Each person's opinion of a verdict and its error source, which one counts, and by which rule."""
    people = people_by_id(store)
    with store.reading() as conn:
        rule = opinion_rules.rule_of(conn)
        verdicts = opinion_rules.verdicts_of_people(conn, [verdict_id]).get(verdict_id, [])
    blind = opinion_rules.blind_labels(store.history("verdict", verdict_id, "verdict"))
    return {
        "opinion_rule": {"name": rule, "what": opinion_rules.RULES[rule]},
        "opinions": [
            {
                "person": one.person_id,
                "by": people[one.person_id].name,
                "value": one.value,
                "confirms": one.value == current.machine,
                "counts": current.corrected and one.person_id == current.by,
                "given_blind": opinion_rules.said_of(blind[one.person_id]) if one.person_id in blind else "",
                "reason": "" if is_again(one) else one.reason,
                "at": one.created_at,
            }
            for one in verdicts
        ],
        "error_sources": error_sources_json(store, verdict_id),
    }


def error_sources_json(store: Store, verdict_id: str) -> list[NamedErrorSource]:
    """The error sources of a verdict that people named."""
    people = people_by_id(store)
    with store.reading() as conn:
        sources = opinion_rules.error_sources_of_people(conn, [verdict_id]).get(verdict_id, [])
    return [{"person": one.person_id, "by": people[one.person_id].name, "kind": one.kind} for one in sources]


def _call(store: Store, verdict: Verdict) -> ReplyEnd:
    """How the reply ended, and how it was changed before it was stored."""
    for call in store.find(ModelCall, id=verdict.call_id or ""):
        return {"finish_reason": call.finish_reason, "note": call.note}
    return {}


def _beside(store: Store, evaluation_id: str, question_id: str) -> VerdictBeside:
    """The same question in another evaluation; `id` is empty if that one lacks the question."""
    evaluation = store.get(Evaluation, evaluation_id)
    table = index_of(store).table(evaluation_id)
    row = table.row_of_question().get(question_id) if question_id else None
    if row is None:
        return {"evaluation": evaluation.id, "name": evaluation.name, "id": ""}
    return _short(store, evaluation, store.get(Verdict, table["verdict"][row]))


def _short(store: Store, evaluation: Evaluation, verdict: Verdict) -> VerdictBeside:
    """Answer, verdict and caption of a verdict on an answer."""
    answer = store.get(Answer, verdict.subject_id)
    current, now = (
        store.current("verdict", verdict.id, "verdict"),
        store.current("answer", answer.id, "value"),
    )
    text = store.get(Text, answer.text_id) if answer.text_id else None
    caption = store.current("text", text.id, "value") if text else None
    asked = store.current("question", answer.question_id, "text")
    return {
        "evaluation": evaluation.id,
        "name": evaluation.name,
        "id": verdict.id,
        "state": current.state,
        "label": current.value["label"],
        "score": current.value["score"],
        "corrected": current.changed,
        "confirmed": current.confirmed,
        "stale": current.stale,
        "baseline": verdict.baseline,
        "model": store.get(Run, verdict.run_id).model,
        "answer": {"value": now.value, "state": answer.state, "corrected": now.corrected},
        "caption": caption.value if caption else None,
        "span": _span(answer, str(asked.value), now, caption),
    }


def _aspect_part(store: Store, verdict: Verdict) -> Evidence:
    """The verdict of a log with one verdict per video and aspect, with the caption and its answers."""
    run_ids = _runs_beside(store, verdict.run_id, "captions")
    texts = store.find(Text, video_id=verdict.video_id, kind=verdict.kind, run_id=run_ids)
    caption = store.current("text", texts[0].id, "value") if texts else None
    answers = store.find(
        Answer, video_id=verdict.video_id, run_id=_runs_beside(store, verdict.run_id, "answers")
    )
    questions = {q.id: q for q in store.find(Question, id=[a.question_id for a in answers])}
    history = history_json(store.history("verdict", verdict.id, "verdict"), people_by_id(store))
    return {
        "kind": verdict.kind,
        "from_video": verdict.kind in FROM_VIDEO,
        "no_verdict": WHY_NO_VERDICT_ON_A_MEAN if verdict.is_mean else "",
        "mean": {name: value for name, value in verdict.extra.items() if name != "log"},
        "caption": text_json(texts[0], caption, people_by_id(store), writer(store, texts[0], caption))
        if caption
        else None,
        "answers": [
            {"question": q.text, "reference": q.reference, "answer": a.value}
            for a in answers
            if (q := questions[a.question_id]).kind == verdict.kind
        ],
        "others": [],
        "history": _named(history),
    }


def _runs_beside(store: Store, run_id: str, role: str) -> list[str]:
    """The runs of a role in the evaluations that contain this run."""
    chains = [link.evaluation_id for link in store.find(EvaluationRun, run_id=run_id)]
    return [link.run_id for link in store.find(EvaluationRun, evaluation_id=chains, role=role)]


def _answer_part(store: Store, answer: Answer, verdict: Verdict) -> Evidence:
    question = store.get(Question, answer.question_id)
    asked = store.current("question", question.id, "text")
    now = store.current("answer", answer.id, "value")
    text = store.get(Text, answer.text_id) if answer.text_id else None
    caption = store.current("text", text.id, "value") if text else None
    people = people_by_id(store)
    return {
        "kind": question.kind,
        "from_video": question.kind in FROM_VIDEO,
        "index": question.index,
        "category": question.category,
        "question": value_json(asked, "question", question.id, "text"),
        "reference": value_json(
            store.current("question", question.id, "reference"), "question", question.id, "reference"
        ),
        "answer": {
            **value_json(now, "answer", answer.id, "value"),
            "state": answer.state,
            "reason": answer.reason,
            "source": answer.source,
        },
        "question_id": question.id,
        "question_source": _question_source(store, question),
        "answer_frames": _answer_frames(store, answer),
        "caption": text_json(text, caption, people, writer(store, text, caption))
        if text and caption
        else None,
        "span": _span(answer, str(asked.value), now, caption),
        "answer_run": run_json(store.get(Run, answer.run_id)),
        "history": _history(store, verdict.id, answer, text),
        "others": _others(store, question.id, verdict.id),
        "second_opinions": second_opinions_json(store, question.id),
    }


def second_opinions_json(store: Store, question_id: str) -> list[SecondOpinion]:
    """The answers of vision models to the question, newest first."""
    return [
        {
            "model": run.model,
            "value": answer.value,
            "state": answer.state,
            "reason": answer.reason,
            "frames": _answer_frames(store, answer),
            "at": answer.created_at,
        }
        for answer, run in second_opinions(store, question_id)
    ]


def _answer_frames(store: Store, answer: Answer) -> list[int]:
    """The frames given with an answer from the video; empty for other answers."""
    if answer.source != "video" or not answer.call_id:
        return []
    return [frame for call in store.find(ModelCall, id=answer.call_id) for frame in call.frames]


def _question_source(store: Store, question: Question) -> str:
    if question.dataset_id:
        return "dataset"
    if question.run_id and store.get(Run, question.run_id).backend.startswith("import:"):
        return "the log"
    return "reference caption" if question.source_text_id else "the machine's script"


def _span(answer: Answer, question: str, now: Current, caption: Current | None) -> tuple[int, int] | None:
    """The span of the caption that supports the answer; searched again if either was corrected."""
    if caption is None or not now.value:
        return None
    if not now.corrected and not caption.corrected and answer.span_start is not None:
        return answer.span_start, answer.span_end or answer.span_start
    return supporting_span(str(caption.value), question, str(now.value))


def _history(store: Store, verdict_id: str, answer: Answer, text: Text | None) -> list[HistoryEntry]:
    people = people_by_id(store)
    ids = {
        "verdict": verdict_id,
        "answer": answer.id,
        "question": answer.question_id,
        "text": text.id if text else "",
    }
    words = {"verdict": "verdict", "answer": "answer", "text": "caption"}
    entries = [
        entry
        for field, subject in HISTORIES
        for entry in _named(
            history_json(store.history(subject, ids[subject], field), people),
            words.get(subject, f"question {field}"),
        )
    ]
    return sorted(entries, key=lambda entry: -entry["at"])


def _named(entries: Sequence[HistoryEntry], what: str = "") -> list[HistoryEntry]:
    return [{**entry, "what": what} if what else entry for entry in entries]


def _others(store: Store, question_id: str, except_id: str) -> list[OtherVerdict]:
    """All other verdicts on the same question: of other runs, and earlier ones of this run."""
    answers = {a.id: a for a in store.find(Answer, question_id=question_id)}
    found = store.find(Verdict, subject_id=list(answers), order_by=["created_at"])
    now = store.currents("verdict", [j.id for j in found], "verdict")
    values = store.currents("answer", list(answers), "value")
    names = run_names(store.find(Run, id=sorted({j.run_id for j in found}), order_by=["created_at", "id"]))
    return [
        {
            "id": j.id,
            "run": j.run_id,
            "model": names[j.run_id],
            "baseline": j.baseline,
            "state": now[j.id].state,
            "label": now[j.id].value["label"],
            "score": now[j.id].value["score"],
            "stale": now[j.id].stale,
            "superseded": now[j.id].superseded,
            "created_at": j.created_at,
            "answer": values[j.subject_id].value,
        }
        for j in reversed(found)
        if j.id != except_id
    ]
