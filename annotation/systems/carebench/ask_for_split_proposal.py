"""Request a model's split proposal, clause by clause, for a person's review; nothing is decided here."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.people.permissions import require
from annotation.records.decisions import Person
from annotation.stages.stage_context import Context
from annotation.stages.start_models import make_ready
from annotation.systems.carebench.split_checks.clauses import clauses
from annotation.systems.carebench.split_proposal_requests import Proposed, proposal_request, read_proposal
from annotation.systems.carebench.system import SPLIT
from backends.errors import BackendError, UsageError
from backends.text.sentences import Clause

MOST_CLAUSES = 120


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal for a full caption, with its author."""

    clauses: tuple[Clause, ...]
    proposed: tuple[Proposed, ...]
    model: str
    baseline: bool


def propose_split(context: Context, person: Person | None, full: str) -> Proposal:
    """Return the writer model's proposal for the clauses of a full caption; repeated requests are cached.

    Raises NotAllowed, UsageError, BackendError, BackendUnavailable.
    """
    require(person, "edit")
    rows = clauses(full)
    if not rows:
        raise UsageError("no full caption to split yet; write it first")
    if len(rows) > MOST_CLAUSES:
        raise UsageError(
            f"{len(rows)} clauses are too many for a split proposal (at most {MOST_CLAUSES}); "
            "shorten the caption, or send its clauses by keys"
        )
    make_ready(context, (SPLIT,))
    model = context.engines.writer
    request = proposal_request(context.prompts, [row.text for row in rows])
    called = context.caller.ask(model, request)
    if called.reply is None:
        raise BackendError(f"{model.model} did not answer: {called.failure}")
    reading = read_proposal(called.reply, len(rows))
    if reading.state != "done":
        raise BackendError(f"{model.model} sent an unreadable proposal: {reading.reason}")
    return Proposal(rows, reading.clauses, model.model, model.baseline)
