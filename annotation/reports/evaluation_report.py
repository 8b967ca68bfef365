"""Reports shown by `score`, `compare` and the Scores page, as JSON and as text."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotation.pipeline.question_chains import CHAINS, chain_of_items
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.reports.flagged_questions import suspect_questions
from annotation.reports.people_means import people_lines, people_means
from annotation.reports.unfinished_runs import (
    marked,
    partial_of_two,
    partial_word,
    unfinished_videos,
)
from annotation.scores.agreement import agreement
from annotation.scores.compare_two_evaluations import compare
from annotation.scores.detectable_difference import LEAST_VIDEOS
from annotation.scores.judge_bias_warnings import flags
from annotation.scores.judge_consistency import Consistency, consistency
from annotation.scores.score_table import DIMENSIONS, Row, table
from annotation.scores.scored_item import Item
from annotation.scores.scoring_policies import POLICIES, policies_of
from annotation.store import opinion_rules
from annotation.store.store import Store
from annotation.store.verdicts.cached_score_items import kept_items
from annotation.store.verdicts.score_items import repeat_temperature
from annotation.workspace.prompts_in_use import other_prompts
from backends.errors import UsageError
from backends.text.plural import plural


def report(
    store: Store,
    evaluation_id: str,
    policies: Sequence[str] | None = None,
    by: Sequence[str] = ("aspect",),
    *,
    suspects: bool = True,
    most: int | None = None,
    words: str = "",
) -> dict[str, Any]:
    """Return `{"evaluation", "id", "rows", "policies", "agreement", ...}`. Raises NotFound, UsageError.

    Grouped by its chain's `group`, an evaluation has the rows of the chain's `table`. `most` and `words` are
    those of `score_table.table`: the maximum number of groups, and a filter of their names.
    """
    dimensions = _known("group", by, DIMENSIONS)
    evaluation = store.get(Evaluation, evaluation_id)
    flagged: Collection[str] = () if suspects else suspect_questions(store)
    state = kept_items(store, evaluation_id)
    items = state.items if suspects else sound_items(state.items, flagged)
    found = state.remember("agreement", lambda: agreement(state.items))
    judges = store.find(EvaluationRun, evaluation_id=evaluation_id, role="verdicts")
    with store.reading() as conn:
        people = opinion_rules.summary(conn, [link.run_id for link in judges])
    chain = chain_of_items(items)
    repeats = state.remember("repeats", lambda: consistency(state.items))
    usual = policies_of(chain.benchmark, repeats=repeats is not None)
    chosen = _known("policy", policies or usual, POLICIES)
    if chain.table and dimensions == [chain.group]:
        rows = list(chain.table(items, chosen))
    else:
        key = ("table", tuple(chosen), tuple(dimensions), most, words, hash(flagged))
        rows = state.remember(key, lambda: table(items, chosen, dimensions, most=most, words=words))
    whole = {
        "benchmark": chain.benchmark,
        "evaluation": evaluation.name,
        "id": evaluation_id,
        "baseline": evaluation.baseline,
        "judges": model_names(store, evaluation_id, "verdicts"),
        "prompts": _prompts(store, evaluation_id),
        "flags": state.remember("flags", lambda: _flags(store, evaluation_id, state.items)),
        "rows": [row_json(row) for row in rows],
        "policies": {name: POLICIES[name].what for name in chosen},
        "suspects": "counted" if suspects else f"{len(state.items) - len(items):,} questions left out",
        "repeats": _repeats_json(store, evaluation_id, repeats) if repeats else None,
        "opinions": asdict(people) | {"what": opinion_rules.RULES[people.rule]},
        "agreement": asdict(found)
        | {
            "confusion": [
                {"judge": judge, "person": person, "n": n} for (judge, person), n in found.confusion.items()
            ]
        },
        "people": people_means(store, evaluation_id),
    }
    return marked(store, whole)


def _prompts(store: Store, evaluation_id: str) -> list[str]:
    """Return descriptions of prompts that differ from the benchmark's."""
    return [str(one) for one in other_prompts(store, evaluation_id)]


def _repeats_json(store: Store, evaluation_id: str, found: Consistency) -> dict[str, Any]:
    """Return the consistency with the temperature and the seeds that count."""
    links = store.find(EvaluationRun, evaluation_id=evaluation_id, role="repeats")
    runs = store.find(Run, id=[link.run_id for link in links])
    heat = repeat_temperature(runs)
    seeds = sorted(run.seed for run in runs if run.params.get("temperature", 0.0) == heat)
    return asdict(found) | {"temperature": heat, "seeds": [0, *seeds] if heat == 0 else seeds}


def _flags(store: Store, evaluation_id: str, items: Sequence[Item]) -> list[str]:
    captioners, judges = (model_names(store, evaluation_id, role) for role in ("captions", "verdicts"))
    return flags(items, captioners, judges)


def sound_items(items: Sequence[Item], flagged: Collection[str]) -> list[Item]:
    """Return the items that are not flagged by a check or a person."""
    return [item for item in items if not item.suspect and item.question not in flagged]


def row_json(row: Row) -> dict[str, Any]:
    return asdict(row) | {"group": dict(row.group), "dropped": dict(row.dropped)}


def _known(what: str, names: Sequence[str], known: Mapping[str, Any]) -> list[str]:
    for name in names:
        if name not in known:
            raise UsageError(f"{what} {name!r} not found; choose from {', '.join(known)}")
    return list(names)


def model_names(store: Store, evaluation_id: str, role: str) -> list[str]:
    """Return the names of the models of `captions`, `answers` or `verdicts`."""
    links = store.find(EvaluationRun, evaluation_id=evaluation_id, role=role)
    return sorted({store.get(Run, link.run_id).model for link in links})


def lines(found: Mapping[str, Any]) -> list[str]:
    """Format the table for people."""
    judges = ", ".join(found["judges"]) or "unknown"
    out = [f"{found['evaluation']} · judge: {judges}{_not_the_metric(found)}"]
    rows = found["rows"]
    if not rows and found["suspects"] == "counted":
        name = shlex.quote(found["evaluation"])
        return [*out, f"no verdicts yet; make them with: python app.py run-evaluation {name}"]
    width = max((len(_group(row)) for row in rows), default=0) + 2
    for policy in dict.fromkeys(row["policy"] for row in rows):
        out += ["", f"{policy}: {found['policies'][policy]}"]
        mine = [row for row in rows if row["policy"] == policy]
        notes = [f"{_group(row)}: {row['note']}" for row in mine if row["note"]]
        out += [f"  note: {note}" for note in dict.fromkeys(notes)]
        out += [_line(row, width) for row in mine]
    agreed = found["agreement"]
    if agreed["n"]:
        out += [
            "",
            f"judge and people: {agreed['n']} verdicts, {agreed['observed']:.3f} agree, "
            f"kappa {value_words(agreed['kappa'])}, AC1 {value_words(agreed['ac1'])}; "
            f"people say yes to {agreed['base_rate']:.3f}",
            *(f"people: {line}" for line in people_lines(found["people"])),
        ]
    if agreed["means"]:
        out += ["", means_line(agreed["means"])]
    if found["repeats"]:
        out += ["", repeats_line(found["repeats"])]
    out += [f"check the judge: {flag}" for flag in found["flags"]]
    people = found["opinions"]
    if people["several"]:
        out += [
            f"{people['people']} people, {people['several']} verdicts judged by several of them, "
            f"{people['disputed']} disputed; rule {people['rule']}: {people['what']}"
        ]
    return out


def _not_the_metric(found: Mapping[str, Any]) -> str:
    """Return why the figures do not have the benchmark's name; empty if they have it."""
    score = next(chain.metric for chain in CHAINS if chain.benchmark == found["benchmark"])
    why = ["made by the embedded baseline"] if found["baseline"] else []
    why += found["prompts"]
    return f" · {', '.join(why)}: not a {score}" if why else ""


def means_line(means: int) -> str:
    """Explain why fewer verdicts are compared with people than the table counts."""
    some = "1 mean" if means == 1 else f"{means:,} means"
    return f"judge and people: {some} over a video's questions left out: a mean is not a verdict"


def repeats_line(found: Mapping[str, Any]) -> str:
    """Format how consistent the judge is."""
    seeds = ", ".join(map(str, found["seeds"]))
    return (
        f"judged {found['most']} times at temperature {found['temperature']:g} (seeds {seeds}): "
        f"two verdicts on a question differ with probability {value_words(found['flip_rate'])}; "
        f"{found['inconsistent']} of {found['n']} questions got both labels, {found['ties']} of them "
        "each label equally often"
    )


def _group(row: Mapping[str, Any]) -> str:
    return " · ".join(row["group"].values()) or "mean of aspects"


def _line(row: Mapping[str, Any], width: int) -> str:
    dropped = ", ".join(f"{n} {why}" for why, n in row["dropped"].items())
    counted = f"{row['n']} of {row['of']} questions, {plural(row['videos'], 'video')}"
    counted += f" ({dropped})" if dropped else ""
    return f"  {_group(row):{width}} {row['metric']:15} {value_words(row):26} {counted}"


def value_words(estimate: Mapping[str, Any]) -> str:
    """Format a value with its interval."""
    if estimate["value"] is None:
        return "none"
    interval = "" if estimate["low"] is None else f" ({estimate['low']:.3f} to {estimate['high']:.3f})"
    return f"{estimate['value']:.3f}{interval}{partial_word(estimate)}"


# --- two evaluations ------------------------------------------------------------------


def comparison(store: Store, a: str, b: str, policy: str = "parsed") -> dict[str, Any]:
    """Compare two evaluations on the questions that both have. Raises NotFound, UsageError."""
    _known("policy", [policy], POLICIES)
    if a == b:
        raise UsageError("A and B are the same evaluation; give two different ones")
    differences, flips = compare(kept_items(store, a).items, kept_items(store, b).items, policy)
    unfinished = {"a": unfinished_videos(store, a), "b": unfinished_videos(store, b)}
    return {
        "a": store.get(Evaluation, a).name,
        "b": store.get(Evaluation, b).name,
        "policy": policy,
        "judges": {"a": model_names(store, a, "verdicts"), "b": model_names(store, b, "verdicts")},
        "prompts": {"a": _prompts(store, a), "b": _prompts(store, b)},
        "people": {"a": people_means(store, a), "b": people_means(store, b)},
        "unfinished": unfinished,
        "rows": [asdict(row) | {"partial": any(unfinished.values())} for row in differences],
        "flips": [asdict(flip) for flip in flips],
    }


def comparison_lines(found: Mapping[str, Any]) -> list[str]:
    out = [f"A {found['a']}", f"B {found['b']}", f"policy {found['policy']}; B minus A, mean over videos"]
    out += partial_of_two(**found["unfinished"])
    if found["judges"]["a"] != found["judges"]["b"]:
        out.append("different judges: differences may come from the judges, not the captions")
    prompts = found["prompts"]
    out += [f"{side.upper()}: {', '.join(own)}: not the protocol's" for side, own in prompts.items() if own]
    if prompts["a"] != prompts["b"]:
        out.append("different prompts: differences may come from the prompts")
    for row in found["rows"]:
        interval = (
            "" if row["low"] is None else f" ({row['low']:+.3f} to {row['high']:+.3f}), p {row['p']:.4f}"
        )
        alone = f", only A {row['only_a']}, only B {row['only_b']}" if row["only_a"] or row["only_b"] else ""
        out.append(
            f"  {row['aspect'] or 'all aspects':16} {row['metric']:9} {row['a']:.3f} -> {row['b']:.3f}  "
            f"{row['difference']:+.3f}{interval}; {row['wins']} better, {row['losses']} worse, "
            f"{row['ties']} same of {plural(row['videos'], 'video')}, {plural(row['n'], 'question')}{alone}"
            f"{_power_words(row['power'])}{partial_word(row)}"
        )
    out += _why_no_power(found["rows"])
    for side, means in found["people"].items():
        out += [f"people on {side.upper()}: {line}" for line in people_lines(means)]
    out.append(f"{plural(len(found['flips']), 'verdict')} flipped")
    return out


def _power_words(power: Mapping[str, Any] | None) -> str:
    if power is None:
        return ""
    return (
        f"; detectable difference with these videos {power['smallest']:.3f}, "
        f"half of it with {power['for_half']:,} videos"
    )


def _why_no_power(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return why the detectable difference is unknown in the last row, which covers all aspects."""
    if not rows:
        return ["  no question is counted in both"]
    if rows[-1]["power"] is not None:
        return []
    videos = rows[-1]["videos"]
    if videos < LEAST_VIDEOS:
        return [f"  {plural(videos, 'video')}: too few to compute the detectable difference"]
    return ["  no two videos differ: the detectable difference is unknown"]
