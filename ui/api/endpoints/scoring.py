"""Endpoints for evaluations: list, scores, comparison of two, verdicts to label next."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from annotation.records.errors import NotFound
from annotation.store.benchmark_of_evaluation import find_of_questions
from ui.api.gradio_api import Asker
from ui.pages.scores.view import comparison_json, next_to_label_json, scores_page_json
from ui.pages.verdicts.one_verdict_view import evaluations_json

NONE_YET = "no evaluation yet; run the pipeline or import a log"
MOST_NEXT = 500


def evaluations(asker: Asker) -> list[dict[str, Any]]:
    """Lists the evaluations of VDC and Video-MMLU, newest first.

    `python app.py score` prints evaluations of other systems.

    Returns:
        Per evaluation: id, name, note, number of verdicts, whether the embedded baseline judged
        (`baseline`), and whether it judges reference captions (`ceiling`).
    """
    return [dict(row) for row in evaluations_json(asker.store)]


def scores(asker: Asker, evaluation: str = "", by: str = "") -> dict[str, Any]:
    """Returns every metric of an evaluation under every policy, with denominator and interval.

    Args:
        evaluation: name or id; empty: the one that the pages open by default
        by: grouping, separated by commas: aspect, category, discipline, source, length; empty: the default

    Returns:
        `rows`: group, policy, metric, value, n, of, low, high; `policies` with descriptions; the judge's
        agreement with people; `runs` with model and prompt; `next`, the verdicts to label next.
    """
    asker.sight.require_open()
    return dict(scores_page_json(asker.store, _chosen(asker, evaluation), [n for n in by.split(",") if n]))


def compare(asker: Asker, a: str, b: str, policy: str = "parsed") -> dict[str, Any]:
    """Compares two evaluations on the questions that both count: evaluation `b` minus `a`.

    Args:
        a: name or id of an evaluation
        b: name or id of another evaluation
        policy: which verdicts count: parsed, corrected, failures_as_wrong ... (names as in /scores)

    Returns:
        `rows` with the paired difference per aspect, its interval and test, wins and losses; `flips`, the
        questions whose verdicts differ.
    """
    asker.sight.require_open()
    store = asker.store
    return dict(comparison_json(store, find_of_questions(store, a), find_of_questions(store, b), policy))


def label_next(
    asker: Asker, evaluation: str = "", count: Annotated[int, Field(ge=1, le=MOST_NEXT)] = 12
) -> list[dict[str, Any]]:
    """Lists the verdicts whose labels would most improve the estimate of people's mean.

    Means that a log contains for a video's questions are not verdicts and are left out.

    Args:
        evaluation: name or id; empty: the one that the pages open by default
        count: number of verdicts, at most 500

    Returns:
        Per verdict, the most useful first: its id, video, title, aspect, question, and the judge's label and
        score.
    """
    asker.sight.require_open()
    return [dict(row) for row in next_to_label_json(asker.store, _chosen(asker, evaluation), count)]


def _chosen(asker: Asker, evaluation: str) -> str:
    found = asker.evaluation(evaluation)
    if not found:
        raise NotFound(NONE_YET)
    return found
