"""One verdict and one question as a person may see them (`annotation.people.who_labels_blind`)."""

from __future__ import annotations

from annotation.people.who_labels_blind import Sight
from ui.lib.shared_wire_types import EditableVerdict
from ui.pages.verdicts.wire_types import QuestionFacts, VerdictDetail, VerdictEvidence


def seen_detail(about: VerdictEvidence, sight: Sight) -> VerdictDetail:
    """Everything about one verdict, as sent to the Verdicts page."""
    if not sight.sees(about["id"]):
        return _hidden(about)
    others = [one for one in about["others"] if sight.sees(one["id"])]
    beside = [one for one in about["beside"] if sight.sees(one["id"])]
    return {**about, "others": others, "beside": beside, "hidden": False}


def _hidden(about: VerdictEvidence) -> VerdictDetail:
    return {
        **_without_labels(about),
        "verdict": _hidden_verdict(about["verdict"]),
        "machine_state": "hidden",
        "raw": "",
        "reason": "",
        "error_source": "",
        "proposed_source": None,
        "opinions": [],
        "error_sources": [],
        "others": [],
        "beside": [],
        "history": [e for e in about["history"] if e.get("what", "verdict") != "verdict"],
        "hidden": True,
    }


def _without_labels(about: VerdictEvidence) -> VerdictEvidence:
    """Leave out the parts that reveal the judge's verdict indirectly."""
    kept = about.copy()
    kept.pop("mean", None)
    kept.pop("call_id", None)
    kept.pop("call", None)
    kept.pop("contradicts", None)
    kept.pop("second_opinions", None)
    return kept


def _hidden_verdict(verdict: EditableVerdict) -> EditableVerdict:
    return {
        **verdict,
        "value": None,
        "machine": None,
        "revision": 0,
        "corrected": False,
        "confirmed": False,
        "state": "hidden",
    }


def seen_question(about: QuestionFacts, sight: Sight) -> QuestionFacts:
    """Findings on a question, without a judge's verdict on its reference caption."""
    ceiling = about["ceiling"]
    if not sight.blind or (ceiling and sight.sees(ceiling["verdict_id"])):
        return about
    findings = [finding for finding in about["findings"] if finding["check"] != "ceiling"]
    return {**about, "ceiling": None, "findings": findings}
