"""`score retrieval` and `score rebias`: reports on files of similarities, embeddings or recalls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.intake.names_of_videos import VideoMatcher
from annotation.records.runs import Evaluation
from annotation.records.videos import Alias, Video
from annotation.reports.report_type import Options
from annotation.reports.unfinished_runs import partial_word
from annotation.scores.means_with_intervals import Estimate
from annotation.store.benchmark_of_evaluation import evaluations_of, find_of
from annotation.store.store import Store
from annotation.systems.carebench.capst_requests import SYSTEM as CAPST
from annotation.systems.carebench.rebias import (
    ORIENTATIONS,
    mean_recall_estimate,
    missed_in_time,
    rebias,
    rebias_estimate,
    recall_estimate,
    unified,
)
from annotation.systems.carebench.recall_at_k import DIRECTIONS, KS, TIES, Direction, Ranked, Ties, ranked
from backends.errors import UsageError
from exports.carebench.capst_report import capst_report
from exports.carebench.retrieval_files import RecallSheet, is_recalls, model_of, read_recalls, read_settings
from exports.carebench.retrieval_ranks import SYSTEM, facts_of, held, left_out_of

TIE_RULES: Mapping[Ties, str] = {
    "expected": "equal similarities count by chance: what random order would give on average",
    "pessimistic": "equal similarities that do not fit come first",
    "optimistic": "equal similarities that fit come first",
}
NAMES: Mapping[Direction, str] = {"t2v": "text to video", "v2t": "video to text"}
AT = 1
"""Rank within which a video counts as found, where a list tells what is not."""
Measured = dict[str, Ranked]


def retrieval_reports(store: Store, options: Options) -> list[dict[str, Any]]:
    """One report per file: R@1, 5, 10 in both directions per setting. Raises FormatError, UsageError."""
    ties = _ties(options)
    found = _kept_retrieval(store, options, ties) if not options.files else []
    for path in _files(options):
        if is_recalls(path):
            found += [published_retrieval(sheet, path.name) for sheet in read_recalls(path)]
        else:
            measured = {setting.name: ranked(setting) for setting in read_settings(path)}
            found.append(measured_retrieval(path.stem, measured, ties))
    return [report | {"rows": report["rows"] + _unified(store, options, report)} for report in found]


def rebias_reports(store: Store, options: Options) -> list[dict[str, Any]]:
    """ReBias in both orientations per model; files that name one setting each are taken together.

    Raises FormatError, UsageError.
    """
    ties = _ties(options)
    if not options.files:
        return _kept_rebias(store, options, ties)
    sheets = [sheet for path in _files(options) if is_recalls(path) for sheet in read_recalls(path)]
    found = [published_rebias(sheet) for sheet in sheets]
    groups = _by_model(path for path in _files(options) if not is_recalls(path))
    if len(groups) > 1 and all(len(each) == 1 for each in groups.values()):
        groups = {" and ".join(groups): {name: one for each in groups.values() for name, one in each.items()}}
    found += [measured_rebias(store, model, settings, ties) for model, settings in groups.items()]
    return found


def _by_model(paths: Iterable[Path]) -> dict[str, dict[str, Ranked]]:
    """Settings by model. Raises UsageError for two files with the same setting of one model."""
    groups: dict[str, dict[str, Ranked]] = {}
    came_from: dict[tuple[str, str], Path] = {}
    for path in paths:
        for setting in read_settings(path):
            model = model_of(path)
            first = came_from.setdefault((model, setting.name), path)
            if first != path:
                raise UsageError(
                    f"{first} and {path} both hold {setting.name} of {model}: give the files of one run at a "
                    "time, or other names to those of the other"
                )
            groups.setdefault(model, {})[setting.name] = ranked(setting)
    return groups


def _ties(options: Options) -> tuple[Ties, ...]:
    unknown = sorted(set(options.policies) - set(TIES))
    if unknown:
        raise UsageError(f"no rule for ties {unknown[0]!r}; choose from {', '.join(TIES)}")
    return tuple(name for name in TIES if name in options.policies) or TIES


def _files(options: Options) -> Sequence[Path]:
    for path in options.files:
        if not path.is_file():
            raise UsageError(f"{path} is not there, or no file; name npz, Parquet or JSON files")
    return options.files


# --- what was imported ----------------------------------------------------------------------


def _kept(store: Store, options: Options) -> tuple[Evaluation, Measured | RecallSheet]:
    """The kept retrieval that is asked for, else the newest. Raises NotFound, UsageError."""
    if not evaluations_of(store, SYSTEM):
        raise UsageError(
            "name files: similarities or embeddings (npz, Parquet), or recalls (JSON); or import one first, "
            "or measure the videos here: --embedder SPEC"
        )
    evaluation = find_of(store, SYSTEM, options.evaluation or "")
    return evaluation, held(store, evaluation)


def _kept_retrieval(store: Store, options: Options, ties: Sequence[Ties]) -> list[dict[str, Any]]:
    evaluation, found = _kept(store, options)
    if isinstance(found, RecallSheet):
        return [published_retrieval(found, evaluation.name) | {"id": evaluation.id}]
    return [measured_retrieval(evaluation.name, found, ties) | how_measured(store, evaluation)]


def _kept_rebias(store: Store, options: Options, ties: Sequence[Ties]) -> list[dict[str, Any]]:
    evaluation, found = _kept(store, options)
    if isinstance(found, RecallSheet):
        return [published_rebias(found) | {"id": evaluation.id}]
    report = measured_rebias(store, evaluation.name, found, ties)
    how = how_measured(store, evaluation)
    return [report | how | {"about": [*how["about"], *report["about"]]}]


def how_measured(store: Store, evaluation: Evaluation) -> dict[str, Any]:
    """`{"id", "about": [lines], "left_out": {name: why}, "baseline"}`; empty for what one file brought."""
    return {
        "id": evaluation.id,
        "about": facts_of(store, evaluation),
        "left_out": left_out_of(store, evaluation),
        "baseline": evaluation.baseline,
    }


def _report(
    system: str, name: str, rows: Sequence[Mapping[str, Any]], ties: Sequence[Ties]
) -> dict[str, Any]:
    return {
        "system": system,
        "evaluation": name,
        "rows": list(rows),
        "policies": {rule: TIE_RULES[rule] for rule in ties},
    }


def _row(
    group: Mapping[str, str], policy: str, metric: str, found: Estimate, n: int, of: int, note: str = ""
) -> dict[str, Any]:
    return {
        "group": dict(group),
        "policy": policy,
        "metric": metric,
        "value": found.value,
        "n": n,
        "of": of,
        "low": found.low,
        "high": found.high,
        "dropped": {"without a positive": of - n} if n < of else {},
        "note": note,
    }


# --- R@k ------------------------------------------------------------------------------------


def measured_retrieval(name: str, settings: Measured, ties: Sequence[Ties] = TIES) -> dict[str, Any]:
    """The report on ranks."""
    rows = [row for rule in ties for each in settings.values() for row in _recall_rows(each, rule)]
    return _report("retrieval", name, rows, ties)


def _recall_rows(found: Ranked, ties: Ties) -> list[dict[str, Any]]:
    rows = []
    for direction in DIRECTIONS:
        asked = found.of(direction).asked
        group = {"setting": found.name, "direction": NAMES[direction]}
        rows += [
            _row(
                group,
                ties,
                f"R@{k}",
                recall_estimate(found, direction, k, ties),
                int(asked.sum()),
                len(asked),
            )
            for k in KS
        ]
    both = sum(int(found.of(d).asked.sum()) for d in DIRECTIONS)
    of = sum(len(found.of(d).asked) for d in DIRECTIONS)
    mean = mean_recall_estimate(found, ties)
    return [*rows, _row({"setting": found.name}, ties, "mean recall", mean, both, of)]


def published_retrieval(sheet: RecallSheet, name: str) -> dict[str, Any]:
    rows = []
    for setting, found in sheet.settings.items():
        rows += [
            _row(
                {"setting": setting, "direction": NAMES[direction]},
                "as given",
                f"R@{k}",
                Estimate(value, None, None),
                0,
                0,
            )
            for (direction, k), value in found.each.items()
        ]
        rows.append(
            _row({"setting": setting}, "as given", "mean recall", Estimate(found.mean, None, None), 0, 0)
        )
    given = {"policies": {"as given": f"the recalls of {name}"}, "captioning_f1": sheet.captioning_f1}
    return _report("retrieval", sheet.model, rows, ()) | given


def _unified(store: Store, options: Options, report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The paper's unified score, where captioning is known: from the file, or an evaluation of CapST."""
    f1, note = report.get("captioning_f1"), "captioning F1 from the file"
    if options.evaluation and options.files:
        evaluation = find_of(store, CAPST, options.evaluation)
        rows = capst_report(store, evaluation, ["parsed"], by_category=False)["rows"]
        f1 = next(r["value"] for r in rows if r["group"] == {"elements": "events and objects"})
        note = f"captioning F1 from {evaluation.name}"
    if f1 is None:
        return []
    found = []
    for policy in report["policies"]:
        ones = [
            row["value"]
            for row in report["rows"]
            if row["metric"] == "R@1" and row["policy"] == policy and row["group"].get("setting") == "general"
        ]
        if len(ones) == len(DIRECTIONS) and None not in ones:
            value = unified(sum(ones) / len(ones), f1)
            found.append(_row({}, policy, "unified score", Estimate(value, None, None), 0, 0, note))
    return found


# --- ReBias ---------------------------------------------------------------------------------


def published_rebias(sheet: RecallSheet) -> dict[str, Any]:
    both = [sheet.settings.get(name) for name in ("spatial", "temporal")]
    if None in both:
        raise UsageError(f"{sheet.model}: recalls of both settings are needed, spatial and temporal")
    asked = [{*found.each} for found in both if found and found.each]
    if len(asked) == 2 and asked[0] != asked[1]:
        raise UsageError(
            f"{sheet.model}: spatial and temporal have different recalls, so their means do not "
            "compare; give the same directions and k for both"
        )
    spatial, temporal = (found.mean for found in both if found)
    rows = [
        _row(
            {"orientation": orientation.replace("_", " ")},
            "as given",
            "ReBias",
            Estimate(rebias(spatial, temporal, orientation), None, None),
            0,
            0,
            what,
        )
        for orientation, what in ORIENTATIONS.items()
    ]
    means = [
        _row({"setting": name}, "as given", "mean recall", Estimate(value, None, None), 0, 0)
        for name, value in (("spatial", spatial), ("temporal", temporal))
    ]
    given = {"policies": {"as given": "from recalls: there is no interval"}, "missed": []}
    return _report("rebias", sheet.model, [*rows, *means], ()) | given


def measured_rebias(
    store: Store, model: str, settings: Mapping[str, Ranked], ties: Sequence[Ties]
) -> dict[str, Any]:
    if not {"spatial", "temporal"} <= settings.keys():
        there = ", ".join(settings)
        raise UsageError(
            f"{model}: ReBias needs spatial and temporal retrieval; here is {there}. Name both "
            "files, with the setting in their names or as a prefix of the arrays"
        )
    spatial, temporal = settings["spatial"], settings["temporal"]
    shared = len({*spatial.videos} & {*temporal.videos})
    if not shared:
        raise UsageError(
            f"{model}: spatial and temporal have no video in common; ReBias compares the two "
            "over the same videos, so give them the same video_ids"
        )
    about = []
    if len({*spatial.videos} ^ {*temporal.videos}):
        about = [
            f"spatial ranks {len(spatial.videos):,} videos and temporal {len(temporal.videos):,}, {shared:,} "
            "of them the same: recalls among different videos compare only roughly"
        ]
    rows = []
    for rule in ties:
        for orientation, what in ORIENTATIONS.items():
            found = rebias_estimate(spatial, temporal, orientation, rule)
            group = {"orientation": orientation.replace("_", " ")}
            rows.append(_row(group, rule, "ReBias", found, shared, shared, what))
        rows += [
            _row(
                {"setting": each.name},
                rule,
                "mean recall",
                mean_recall_estimate(each, rule),
                len(each.videos),
                len(each.videos),
            )
            for each in (spatial, temporal)
        ]
    missed = _named(store, missed_in_time(spatial, temporal, AT, ties[0]))
    return _report("rebias", model, rows, ties) | {
        "missed": missed,
        "missed_rule": ties[0],
        "missed_at": AT,
        "about": about,
    }


def _named(store: Store, missed: Sequence[Any]) -> list[dict[str, Any]]:
    """With the video of the workspace that each is, where there is one by this name."""
    matcher = VideoMatcher(store)
    aliases: dict[str, set[str]] = defaultdict(set)
    for alias in store.find(Alias):
        aliases[alias.alias].add(alias.video_id)
    titles = {video.id: video.title for video in store.find(Video)}
    found = []
    for one in missed:
        here = set(aliases.get(one.video) or matcher.find("", (one.video,)))
        video_id = here.pop() if len(here) == 1 else ""
        found.append(
            {
                "video": one.video,
                "spatial_rank": one.spatial,
                "temporal_rank": one.temporal,
                "video_id": video_id,
                "title": titles.get(video_id, one.video),
            }
        )
    return found


# --- lines ----------------------------------------------------------------------------------


def lines(found: Mapping[str, Any]) -> list[str]:
    """A report for people; recalls and ReBias in percent."""
    out = [
        str(found["evaluation"])
        + (" · embedded baseline: no figure of a model" * bool(found.get("baseline")))
    ]
    out += [str(line) for line in found.get("about", ())]
    for policy, what in found["policies"].items():
        out += ["", f"{policy}: {what}", *(_line(r) for r in found["rows"] if r["policy"] == policy)]
    missed = found.get("missed") or []
    if missed:
        out += [
            "",
            f"{len(missed)} videos that a spatial text finds at rank {AT} and a temporal one does not:",
        ]
        out += [
            f"  {one['title']}: spatial {one['spatial_rank']:g}, temporal {one['temporal_rank']:g}"
            for one in missed[:50]
        ]
    left_out = found.get("left_out") or {}
    if left_out:
        out += ["", f"{len(left_out)} left out:", *(f"  {name}: {why}" for name, why in left_out.items())]
    return out


def _line(row: Mapping[str, Any]) -> str:
    name = " · ".join(row["group"].values()) or "all"
    value = "none" if row["value"] is None else f"{100 * row['value']:.2f} %"
    if row["low"] is not None:
        value += f" ({100 * row['low']:.2f} to {100 * row['high']:.2f})"
    value += partial_word(row)
    counted = f"{row['n']} of {row['of']}" if row["of"] else ""
    return f"  {name:32} {row['metric']:14} {value:28} {counted}" + (
        f"  {row['note']}" if row["note"] else ""
    )
