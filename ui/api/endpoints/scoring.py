"""Endpoints about evaluations: which there are, scores, two compared, which verdicts to label next."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from annotation.records.errors import NotFound
from annotation.store.benchmark_of_evaluation import find_of_questions
from ui.api.gradio_api import Asker
from ui.pages.scores.view import comparison_json, next_to_label_json, scores_page_json
from ui.pages.verdicts.one_verdict_view import evaluations_json

NONE_YET = "there is no evaluation yet; run the pipeline or import a log"
MOST_NEXT = 500


def evaluations(asker: Asker) -> list[dict[str, Any]]:
    """Lists the evaluations of VDC and Video-MMLU, newest first.

    Evaluations of other systems are read with `python app.py score`.

    Returns:
        Per evaluation: id, name, note, how many verdicts it holds, whether the embedded baseline judged
        (`baseline`), and whether it judges reference captions (`ceiling`).
    """
    return [dict(row) for row in evaluations_json(asker.store)]


def scores(asker: Asker, evaluation: str = "", by: str = "") -> dict[str, Any]:
    """Gives every metric of an evaluation under every policy, with its denominator and interval.

    Args:
        evaluation: name or id; empty: the one that the pages open
        by: what to group by, with commas: aspect, category, discipline, source, length; empty: the usual

    Returns:
        `rows`: group, policy, metric, value, n, of, low, high; `policies` in words; the judge's agreement
        with people; `runs` with model and prompt; `next`, the verdicts to label next.
    """
    asker.sight.require_open()
    return dict(scores_page_json(asker.store, _chosen(asker, evaluation), [n for n in by.split(",") if n]))


def compare(asker: Asker, a: str, b: str, policy: str = "parsed") -> dict[str, Any]:
    """Compares two evaluations on the questions that both count: evaluation `b` minus `a`.

    Args:
        a: name or id of an evaluation
        b: name or id of another one
        policy: what counts: parsed, corrected, failures_as_wrong ... as /scores names them

    Returns:
        `rows` with the paired difference per aspect, its interval and test, wins and losses; `flips`, the
        questions whose verdict is another.
    """
    asker.sight.require_open()
    store = asker.store
    return dict(comparison_json(store, find_of_questions(store, a), find_of_questions(store, b), policy))


def label_next(
    asker: Asker, evaluation: str = "", count: Annotated[int, Field(ge=1, le=MOST_NEXT)] = 12
) -> list[dict[str, Any]]:
    """Names the verdicts of which a person's label is worth most for the mean that people would give.

    A mean that a log holds of a video's questions is no verdict, and not among them.

    Args:
        evaluation: name or id; empty: the one that the pages open
        count: how many, at most 500

    Returns:
        Per verdict, the best first: its id, video, title, aspect, question, and the judge's label and score.
    """
    asker.sight.require_open()
    return [dict(row) for row in next_to_label_json(asker.store, _chosen(asker, evaluation), count)]


def _chosen(asker: Asker, evaluation: str) -> str:
    found = asker.evaluation(evaluation)
    if not found:
        raise NotFound(NONE_YET)
    return found
