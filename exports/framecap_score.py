"""`score framecap`: FrameCapEval of everything in a workspace, as the long table.

Rows of three kinds, told apart by their groups: `captions` and `judge` (progression, matching), `people`
(agreement of those who labelled), `study` and `captions` (selection rates of closed studies).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from annotation import framecap, studies
from annotation.errors import UsageError
from annotation.frame_labels import LabelOf, labels
from annotation.frame_sequences import Frames
from annotation.records import Judgement, Person, Run, Study
from annotation.scores import framecap as scores
from annotation.scores.framecap import ChoiceItem, PairItem, SequenceItem, Share
from annotation.scores.means import Estimate
from annotation.store.store import Store
from exports.scoring import Options, Report

SYSTEM = "framecap"
METRICS: Mapping[str, str] = {
    "balanced_accuracy": "mean of the true positive and the true negative rate, against people's labels",
    "true_positive_rate": "of the pairs that move on by people's labels, those that the judge says so of",
    "true_negative_rate": "of the pairs that do not move on, those that the judge says so of",
    "sequence_accuracy": "sequences of which every frame found its own caption",
    "frame_accuracy": "frames that found their own caption",
    "selected_best": "frames for which this model's caption was chosen as the best",
    "selected_top2": "frames for which it was the best or the second best",
    "selected_none": "frames for which none of the captions would do",
    "agreement": "pairs of which two people say the same, of those that both labelled",
    "kappa": "Cohen's kappa of two people: agreement beyond chance",
    "decided": "labelled pairs of which a majority of people says yes or no",
}
"""By name: what is counted."""
POLICIES: Mapping[str, str] = {
    **scores.UNCERTAIN,
    **scores.MATCHED,
    "people": "people beside each other",
    "study": "what people chose in a blind study that is closed",
}


def reports(store: Store, options: Options) -> list[Report]:
    """One report on everything there is; of the policies that were asked for. Raises UsageError."""
    unknown = [name for name in options.policies if name not in POLICIES]
    if unknown:
        raise UsageError(f"no policy {unknown[0]!r}; choose from {', '.join(POLICIES)}")
    found = score(store)
    rows = [row for row in found["rows"] if not options.policies or row["policy"] in options.policies]
    return [found | {"rows": rows}]


def score(store: Store) -> dict[str, Any]:
    """`{"system", "evaluation", "rows", "notes"}`."""
    truth = truths(labels(store))
    open_ones = [study.name for study in store.find(Study, order_by=["created_at"]) if not study.closed_at]
    notes = [
        f"the study {name!r} is open: its models are not named and it is not counted" for name in open_ones
    ]
    rows = [*_progression(store, truth), *_matching(store, truth), *_studies(store), *_people(store)]
    return {"system": SYSTEM, "evaluation": "", "rows": rows, "notes": notes}


def truths(found: LabelOf) -> dict[tuple[str, tuple[int, int]], str]:
    """People's majority on each labelled pair: yes, no, or empty where there is none."""
    return {key: framecap.majority(row.label for row in rows.values()) for key, rows in found.items()}


# --- the judge against people -------------------------------------------------------------


def _progression(store: Store, truth: Mapping[Any, str]) -> Iterator[dict[str, Any]]:
    decided = {key: word == "yes" for key, word in truth.items() if word}
    for run, rows in _heard(store, "frame_pair"):
        told = {(j.video_id, _frames(j)): label for j, label in rows}
        videos = {video for video, _ in told}
        items = [
            PairItem(v, moved, told.get((v, pair), "")) for (v, pair), moved in decided.items() if v in videos
        ]
        if not items:
            continue
        group = _group(store, run)
        for policy in scores.UNCERTAIN:
            found = scores.balanced(items, policy)
            n, of = found.counted, found.labelled
            yield _row(group, policy, "balanced_accuracy", found.value, n, of)
            yield _row(
                group,
                policy,
                "true_positive_rate",
                found.positive,
                found.positives,
                sum(i.truth for i in items),
            )
            negatives = sum(not i.truth for i in items)
            yield _row(group, policy, "true_negative_rate", found.negative, n - found.positives, negatives)


def _matching(store: Store, truth: Mapping[Any, str]) -> Iterator[dict[str, Any]]:
    for run, rows in _heard(store, "frame_match"):
        found: dict[tuple[str, Frames], dict[int, bool | None]] = defaultdict(dict)
        for judgement, label in rows:
            sequence = tuple(int(i) for i in judgement.extra["sequence"])
            right = None if not label else label == judgement.extra["own"]
            found[judgement.video_id, sequence][int(judgement.extra["frame"])] = right
        everything = {key: tuple(by.get(f) for f in key[1]) for key, by in found.items()}
        moving = {
            k: c for k, c in everything.items() if all(truth.get((k[0], p)) == "yes" for p in pairwise(k[1]))
        }
        for name, chosen in (("all", everything), ("all pairs move on", moving)):
            items = [SequenceItem(video, correct) for (video, _), correct in chosen.items()]
            group = _group(store, run) | {"sequences": name}
            for policy in scores.MATCHED if items else ():
                yield _share(group, policy, "sequence_accuracy", scores.sequence_accuracy(items, policy))
                yield _share(group, policy, "frame_accuracy", scores.frame_accuracy(items, policy))


def _heard(store: Store, subject_type: str) -> list[tuple[Run, list[tuple[Judgement, str]]]]:
    """The judges' own verdicts by run, oldest first, with labels; empty where they could not be read.

    What people put right on the strip is not counted for the judge.
    """
    rows = store.find(Judgement, subject_type=subject_type, order_by=["created_at", "id"])
    now = store.currents("judgement", [row.id for row in rows], "verdict")
    by_run: dict[str, list[tuple[Judgement, str]]] = defaultdict(list)
    for row in rows:
        if not now[row.id].superseded:
            by_run[row.run_id].append((row, row.label if row.state == "done" else ""))
    runs = store.find(Run, id=sorted(by_run), order_by=["created_at", "id"])
    return [(run, by_run[run.id]) for run in runs]


def _frames(judgement: Judgement) -> tuple[int, int]:
    first, second = judgement.extra["frames"]
    return int(first), int(second)


def _group(store: Store, run: Run) -> dict[str, str]:
    captions = store.find(Run, id=list(run.upstream[:1])) if run.upstream else []
    return {"captions": captions[0].model if captions else "", "judge": run.model}


# --- people -------------------------------------------------------------------------------


def _people(store: Store) -> Iterator[dict[str, Any]]:
    found = labels(store)
    if not found:
        return
    names = {person.id: person.name for person in store.find(Person)}
    decided = [bool(word) for word in truths(found).values()]
    clusters = [video for video, _ in found]
    group = {"people": "everybody"}
    yield _row(group, "people", "decided", scores.share(clusters, decided), sum(decided), len(decided))
    who = sorted({person for rows in found.values() for person in rows}, key=lambda p: names.get(p, p))
    for a, b in combinations(who, 2):
        both = [(rows[a].label, rows[b].label) for rows in found.values() if a in rows and b in rows]
        either = sum(a in rows or b in rows for rows in found.values())
        observed, kappa = scores.agreement(both)
        group = {"people": f"{names.get(a, a)}, {names.get(b, b)}"}
        for metric, value in (("agreement", observed), ("kappa", kappa)):
            yield _row(group, "people", metric, Estimate(value, None, None), len(both), either)


def _studies(store: Store) -> Iterator[dict[str, Any]]:
    for study in store.find(Study, order_by=["created_at"]):
        if study.closed_at:
            yield from study_rows(store, study)


def study_rows(store: Store, study: Study) -> list[dict[str, Any]]:
    """Selection rates of a study, its models by name: for closed ones."""
    rows = studies.choices(store, study).values()
    items = [ChoiceItem(row.sequence, row.best, row.second) for row in rows]
    names = {run.id: run.model for run in store.find(Run, id=list(study.runs))}
    found = []
    for run_id in study.runs:
        group = {"study": study.name, "captions": names.get(run_id, run_id)}
        found += [
            _share(group, "study", "selected_best", scores.selection_rate(items, run_id, 1)),
            _share(group, "study", "selected_top2", scores.selection_rate(items, run_id, 2)),
        ]
    found.append(
        _share({"study": study.name, "captions": "none"}, "study", "selected_none", scores.none_rate(items))
    )
    return found


# --- rows ---------------------------------------------------------------------------------


def _share(group: Mapping[str, str], policy: str, metric: str, found: Share) -> dict[str, Any]:
    return _row(group, policy, metric, found.value, found.n, found.of)


def _row(
    group: Mapping[str, str], policy: str, metric: str, found: Estimate, n: int, of: int
) -> dict[str, Any]:
    return {
        "group": dict(group), "policy": policy, "metric": metric, "value": found.value, "n": n, "of": of,
        "low": found.low, "high": found.high,
    }  # fmt: skip


def lines(found: Mapping[str, Any]) -> list[str]:
    """For people: one line per figure."""
    rows: Sequence[Mapping[str, Any]] = found["rows"]
    if not rows:
        start = "label pairs on Keyframes, Label; then: python app.py run --captions MODEL --stages keyframes"
        return [f"nothing to score yet: {start}", *found["notes"]]
    return [*(_line(row) for row in rows), *found["notes"]]


def _line(row: Mapping[str, Any]) -> str:
    group = ", ".join(f"{value or '-'}" for value in row["group"].values())
    value = "-" if row["value"] is None else f"{row['value']:.3f}"
    interval = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
    return (
        f"{row['metric']:20} {row['policy']:20} {value:>6}{interval:17}  {row['n']} of {row['of']}  {group}"
    )
