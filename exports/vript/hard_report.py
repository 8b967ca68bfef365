"""`score vript-hal|vript-rr|vript-ero`: reports on evaluations of Vript-Hard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.reports.evaluation_report import value_words
from annotation.reports.report_type import Options
from annotation.store.benchmark_of_evaluation import evaluations_of, find_of
from annotation.store.store import Store
from annotation.systems.vript import ero_scores as vript_ero
from annotation.systems.vript import hal_scores
from annotation.systems.vript import rr_scores as vript_rr
from annotation.systems.vript.hal_items import HalClip, hal_clips, newest_comparison
from annotation.systems.vript.hal_stage import compare_with
from annotation.systems.vript.hard_frames import REMEDY
from annotation.systems.vript.hard_items import (
    OPEN,
    HardRow,
    ero_item,
    hard_rows,
    model_of,
    right_answer,
    rr_item,
)
from annotation.systems.vript.hard_replies import order_flag
from annotation.systems.vript.rr_scores import RrItem
from backends.errors import UsageError

Report = dict[str, Any]


def ero_reports(store: Store, options: Options) -> list[Report]:
    """Raises NotFound, UsageError."""
    return [ero_report(store, e, options.policies) for e in _chosen(store, "vript-ero", options)]


def ero_report(store: Store, evaluation: Evaluation, policies: Sequence[str] = ()) -> Report:
    """`flagged` are the readings that are not an order of three scenes."""
    rows = hard_rows(store, evaluation.id)
    names = _policies(policies, vript_ero.POLICIES)
    flagged = [
        {"item": row.name, "order": row.label, "why": why, "id": row.verdict.id}
        for row in rows
        if (why := order_flag(row.label))
    ]
    table = vript_ero.ero_table([ero_item(row) for row in rows], list(names))
    return _report(store, "vript-ero", evaluation, names, table) | {
        "flagged": flagged,
        "unknown": unknown_words(rows),
    }


def unknown_words(rows: Sequence[HardRow]) -> str:
    """How many replies cannot be counted for want of the right answer, and what to do; empty when none."""
    n = sum(not right_answer(row) for row in rows)
    if not n:
        return ""
    task = rows[0].verdict.subject_type.removesuffix("_item").upper()
    return (
        f"what is right is not known here for {n} of {len(rows)} replies: give {task}_annotations.jsonl too"
    )


def unrated_words(rows: Sequence[HardRow]) -> str:
    """Of open answers: how many nobody has rated, and what to do; empty when none."""
    n = sum(row.verdict.kind == OPEN and row.replied and row.now.state != "done" for row in rows)
    return (
        f"nobody has rated {n} of {len(rows)} open answers: give the judge's table "
        "(id,judge,model,response), or rate them on Verdicts"
        if n
        else ""
    )


def rr_reports(store: Store, options: Options) -> list[Report]:
    """Raises NotFound, UsageError."""
    found = _chosen(store, "vript-rr", options)
    reports = [rr_report(store, evaluation, options.policies) for evaluation in found]
    return _each_once(reports, {evaluation.id for evaluation in found})


def _each_once(reports: Sequence[Report], ids: Collection[str]) -> list[Report]:
    """Of two settings that both have a report, neither stands in the other's; the later one compares them."""
    compared: set[tuple[str, ...]] = set()
    for report in reversed(reports):
        if report["beside"] and report["beside"]["id"] in ids:
            pair = tuple(sorted((report["evaluation"], report["beside"]["evaluation"])))
            report["settings"] = [] if pair in compared else report["settings"]
            report["beside"] = None
            compared.add(pair)
    return list(reports)


def rr_report(store: Store, evaluation: Evaluation, policies: Sequence[str] = ()) -> Report:
    """One setting; `beside` is the same model's newest evaluation of the other, and `settings` compares them.

    `scenes` counts the questions asked with the scene alone by what told where it lies: `file`, `dataset`,
    `person`, `detector`.
    """
    names = _policies(policies, vript_rr.POLICIES)
    rows = hard_rows(store, evaluation.id)
    items, about = [rr_item(row) for row in rows], params_of(store, evaluation)
    table = vript_rr.rr_table(items, {}, list(names))
    other = other_setting(store, evaluation)
    theirs = rr_items(store, other) if other else []
    return _report(store, "vript-rr", evaluation, names, table) | {
        "kind": "open" if about.get("kind") == "vript:rr_open" else "multiple choice",
        "setting": str(about.get("setting", "")),
        "scenes": dict(Counter(scene_sources(rows))),
        "unknown": unknown_words(rows),
        "unrated": unrated_words(rows),
        "beside": _beside(store, other, vript_rr.rr_table(theirs, {}, list(names))) if other else None,
        "settings": settings_beside(evaluation, items, other, theirs, about, list(names)) if other else [],
    }


def scene_sources(rows: Iterable[HardRow]) -> list[str]:
    """Per question that was asked here with its scene alone: what told where the scene lies."""
    return [str(row.scene["source"]) for row in rows if row.scene]


def _beside(store: Store, other: Evaluation, rows: list[Report]) -> Report:
    setting = str(params_of(store, other).get("setting", ""))
    return {"evaluation": other.name, "id": other.id, "setting": setting, "rows": rows}


def rr_items(store: Store, evaluation: Evaluation) -> list[RrItem]:
    return [rr_item(row) for row in hard_rows(store, evaluation.id)]


def params_of(store: Store, evaluation: Evaluation) -> Mapping[str, Any]:
    """What the run of replies says of itself."""
    links = store.find(EvaluationRun, evaluation_id=evaluation.id, role="captions", order_by=["id"])
    return store.get(Run, links[0].run_id).params if links else {}


def other_setting(store: Store, evaluation: Evaluation) -> Evaluation | None:
    """The same model's newest evaluation of the same kind in the other setting."""
    about, model = params_of(store, evaluation), model_of(store, evaluation.id)
    for other in evaluations_of(store, "vript-rr"):
        theirs = params_of(store, other)
        fits = theirs.get("kind") == about.get("kind") and model_of(store, other.id) == model
        if fits and {theirs.get("setting"), about.get("setting")} == {"scene", "whole"}:
            return other
    return None


def settings_beside(
    evaluation: Evaluation,
    items: Sequence[RrItem],
    other: Evaluation,
    theirs: Sequence[RrItem],
    about: Mapping[str, Any],
    policies: Sequence[str],
) -> list[Report]:
    """Per policy the comparison of the two settings, question by question."""
    mine, others = (evaluation.name, items), (other.name, theirs)
    scene, whole = (others, mine) if about["setting"] == "whole" else (mine, others)
    return [
        {"policy": name, "scene": scene[0], "whole": whole[0]}
        | asdict(vript_rr.compare_settings(scene[1], whole[1], name))
        for name in policies
    ]


def hal_reports(store: Store, options: Options) -> list[Report]:
    """Compares the words first where nobody did. Raises NotFound, UsageError, BackendUnavailable."""
    found = _chosen(store, "vript-hal", options)
    for evaluation in found:
        if options.embeddings or options.tagger or newest_comparison(store, evaluation.id) is None:
            compare_with(store, evaluation.id, options.embeddings, options.tagger)
    return [hal_report(store, evaluation, options.policies) for evaluation in found]


def hal_report(store: Store, evaluation: Evaluation, policies: Sequence[str] = ()) -> Report:
    """`engines` are the tagger and the vectors, `above_one` the clips whose recall exceeds 1."""
    clips, run = hal_clips(store, evaluation.id), newest_comparison(store, evaluation.id)
    names = _policies(policies, hal_scores.POLICIES)
    table = hal_scores.hal_table([clip.counted for clip in clips]) if run else []
    return _report(store, "vript-hal", evaluation, names, table) | {
        "engines": run.model if run else "",
        "baseline": bool(run and run.baseline),
        "threshold": hal_scores.THRESHOLD,
        "compared": run is not None,
        "above_one": [
            {"item": _name(clip), "why": clip.above_one, "id": clip.asked.id}
            for clip in clips
            if clip.above_one
        ],
    }


def _name(clip: HalClip) -> str:
    return clip.item.name if clip.item else str(clip.asked.extra.get("id") or "")


def _chosen(store: Store, system: str, options: Options) -> list[Evaluation]:
    """The one that was named, else the newest; of files every one."""
    if options.files and not options.evaluation:
        found = evaluations_of(store, system)
        if not found:
            raise UsageError(f"no predictions of {system} in these files; name a table with id and pred")
        return found
    if not evaluations_of(store, system):
        raise UsageError(
            f"there is no evaluation of {system}; import its annotations and a table of predictions: "
            "python app.py import RR_annotations.jsonl RR_video_mymodel.csv"
        )
    return [find_of(store, system, options.evaluation or "")]


def _policies(wanted: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    for name in wanted:
        if name not in known:
            raise UsageError(f"no policy {name!r}; choose from {', '.join(known)}")
    return {name: known[name] for name in wanted or known}


def _report(
    store: Store, system: str, evaluation: Evaluation, policies: Mapping[str, str], rows: list[Report]
) -> Report:
    return {
        "system": system,
        "evaluation": evaluation.name,
        "id": evaluation.id,
        "model": model_of(store, evaluation.id),
        "baseline": evaluation.baseline,
        "policies": dict(policies),
        "rows": rows,
    }


# --- for people -----------------------------------------------------------------------


def table_lines(found: Mapping[str, Any]) -> list[str]:
    """Every policy with its rows."""
    out = [f"{found['evaluation']}"]
    for policy in dict.fromkeys(row["policy"] for row in found["rows"]):
        what = found["policies"].get(policy, "how the replies were read")
        out += ["", f"{policy}: {what}"]
        for row in (row for row in found["rows"] if row["policy"] == policy):
            group = " · ".join(row["group"].values()) or "all"
            out.append(
                f"  {group:16} {row['metric']:18} {value_words(row):26} {row['n']} of {row['of']} items"
            )
    return out


def ero_lines(found: Mapping[str, Any]) -> list[str]:
    flagged = [f"  {one['item']}: {one['order']}, {one['why']}" for one in found["flagged"]]
    lines = [*table_lines(found), *_notes(found["unknown"])]
    return [*lines, "", f"{flags_words(len(flagged))}:", *flagged] if flagged else lines


def _notes(*words: str) -> list[str]:
    said = [word for word in words if word]
    return ["", *said] if said else []


def flags_words(n: int) -> str:
    return (
        "1 reading is not an order of three scenes"
        if n == 1
        else f"{n} readings are not orders of three scenes"
    )


def rr_lines(found: Mapping[str, Any]) -> list[str]:
    """Both settings one below the other, then their difference."""
    beside = found["beside"]
    lines = [*table_lines(found), *_notes(found["unknown"], found["unrated"])]
    if beside:
        lines += ["", *table_lines({**found, **beside}), ""]
    note = scene_note(found["scenes"])
    lines += [f"{one['policy']}: {settings_words(one)}" for one in found["settings"]]
    return lines + ([note] if note else [])


def scene_note(scenes: Mapping[str, int]) -> str:
    """What speaks against the scenes that were shown; empty where the benchmark's own were."""
    n = scenes.get("detector", 0)
    return (
        f"{n} of {sum(scenes.values())} scenes by the cuts of a detector here, whose numbers need not be the "
        f"benchmark's: {REMEDY}"
        if n
        else ""
    )


def settings_words(one: Mapping[str, Any]) -> str:
    """The comparison of the two settings, in a line."""
    if one["difference"] is None:
        return "no question that both settings count"
    interval = "" if one["low"] is None else f" ({100 * one['low']:+.1f} to {100 * one['high']:+.1f})"
    test = "" if one["p"] is None else f", p {one['p']:.4f}"
    return (
        f"the whole video against the scene alone, {one['n']} questions: "
        f"{100 * one['difference']:+.1f} points{interval}{test}; "
        f"right only with the scene {one['only_scene']}, only with the whole video "
        f"{one['only_whole']}, with both {one['both']}, with neither {one['neither']}"
    )


def hal_lines(found: Mapping[str, Any]) -> list[str]:
    head = f"words by {found['engines']}; matched: nearer than {found['threshold']}"
    if found["baseline"]:
        head += "; not comparable with published figures, which use another tagger or other vectors"
    above = [f"  {one['item']}: {one['why']}" for one in found["above_one"]]
    return [head, *table_lines(found), *(["", "recall above 1:", *above] if above else [])]
