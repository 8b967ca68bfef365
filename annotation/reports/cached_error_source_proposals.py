"""Cache of the proposed error sources of failed questions. Changed videos are read again."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping

from annotation.checks.question_checks import Asked, lint
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.reports.flagged_questions import DOUBTFUL
from annotation.reports.workspace_questions import from_store
from annotation.store.cache_parts import LastUsed, Renewed
from annotation.store.store import Store
from annotation.store.verdicts.verdict_columns_cache import index_of
from annotation.store.verdicts.verdict_table import Table
from annotation.systems.vdc.error_source_proposals import Failed, Proposal, propose

KEPT = 4
"""Maximum number of cached evaluations."""
WAIT_S = 2.0
"""Maximum seconds per call; the next call continues with the remaining videos."""
Proposals = Mapping[str, Proposal]
"""Keyed by verdict id."""


class KeptProposals(Renewed):
    """A thread-safe cache of proposals."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._of: LastUsed[str, dict[str, dict[str, Proposal]]] = LastUsed(KEPT)
        """Keyed by evaluation and video."""

    def of(self, evaluation_id: str, wait_s: float = WAIT_S) -> tuple[dict[str, Proposal], frozenset[str]]:
        """Return the proposals of the evaluation by verdict, and the videos not read yet."""
        table = index_of(self.store).table(evaluation_id)
        failed = _failed(table)
        with self.changes() as changes:
            for known in self._of.values():
                changes.drop(known)
            known = self._of.made(evaluation_id, dict)
            end = time.monotonic() + wait_s
            missing = [video for video in failed if video not in known]
            for n, video in enumerate(missing):
                known[video] = dict(proposals_of(self.store, failed[video], video))
                if time.monotonic() > end:
                    missing = missing[n + 1 :]
                    break
            else:
                missing = []
            found = {key: one for video in failed for key, one in known.get(video, {}).items()}
            return found, frozenset(missing)


def kept_proposals(
    store: Store, evaluation_id: str, wait_s: float = WAIT_S
) -> tuple[Proposals, frozenset[str]]:
    """Call `KeptProposals.of` on the store's cache."""
    return store.kept(KeptProposals, lambda: KeptProposals(store)).of(evaluation_id, wait_s)


def _failed(table: Table) -> dict[str, list[str]]:
    """Return the verdicts `no` on questions, by video."""
    rows = (table.has("state", "done") & table.has("label", "no")).nonzero()[0]
    found: dict[str, list[str]] = defaultdict(list)
    for n in rows.tolist():
        if table["question"][n]:
            found[table.word("video", n)].append(table["verdict"][n])
    return found


def proposals_of(store: Store, verdict_ids: Iterable[str], video_id: str) -> Iterable[tuple[str, Proposal]]:
    """Yield proposals for verdicts on questions about one video, if the rules find any."""
    verdicts = store.find(Verdict, id=list(verdict_ids))
    answers = {a.id: a for a in store.find(Answer, id=[v.subject_id for v in verdicts])}
    questions = {q.id: q for q in store.find(Question, id=[a.question_id for a in answers.values()])}
    texts = [a.text_id for a in answers.values() if a.text_id]
    captions = {t.id: t.value for t in store.find(Text, id=texts)}
    now = {key: str(one.value or "") for key, one in store.currents("text", list(captions), "value").items()}
    asked, references = (store.currents("question", list(questions), name) for name in ("text", "reference"))
    answers_now = store.currents("answer", list(answers), "value")
    findings = _findings(store, video_id)
    for verdict in verdicts:
        answer = answers.get(verdict.subject_id)
        if answer is None or answer.question_id not in questions:
            continue
        key = answer.question_id
        failed = Failed(
            str(asked[key].value),
            str(references[key].value),
            str(answers_now[answer.id].value or ""),
            now.get(answer.text_id or ""),
            findings.get(key, ()),
        )
        if found := propose(failed):
            yield verdict.id, found


def _findings(store: Store, video_id: str) -> dict[str, list[str]]:
    """Return why questions cannot be answered fairly, by question."""
    return unfair(*from_store(store, [video_id]))


def unfair(asked: Iterable[Asked], references: Mapping[tuple[str, str], str]) -> dict[str, list[str]]:
    """Same as `_findings`, for questions outside the store."""
    found: dict[str, list[str]] = defaultdict(list)
    for defect in lint(asked, references):
        counted = defect.asked.question.casefold().startswith("how many")
        if defect.check in DOUBTFUL and not (counted and defect.check in _OF_NUMBERS):
            found[defect.asked.id].append(defect.why)
    return found


_OF_NUMBERS = ("unknown_answer", "not_in_reference")
"""Ignored for numbers: "None" is a number, and captions often show things without counting them."""


def proposal(store: Store, verdict: Verdict) -> Proposal | None:
    """Return the proposal for a verdict `no`; None for other verdicts."""
    now = store.current("verdict", verdict.id, "verdict")
    if verdict.subject_type != "answer" or now.state != "done" or now.value["label"] != "no":
        return None
    return dict(proposals_of(store, [verdict.id], verdict.video_id)).get(verdict.id)
