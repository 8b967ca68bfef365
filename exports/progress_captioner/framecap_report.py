"""`score framecap`: FrameCapEval of everything in a workspace, as the long table.

Rows of three kinds, told apart by their groups: `captions` and `judge` (progression, matching), `people`
(agreement of those who labelled), `study` and `captions` (selection rates of closed studies). Groups hold
names (`annotation.store.run_names`); `runs` of a row holds the ids of the runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Person, Study
from annotation.records.runs import Run
from annotation.reports.report_type import Options, Report
from annotation.reports.unfinished_runs import partial_word
from annotation.scores.means_with_intervals import Estimate
from annotation.store.store import Store
from annotation.systems.progress_captioner import framecap_scores as scores
from annotation.systems.progress_captioner import preference_pairs, studies
from annotation.systems.progress_captioner.frame_labels import LabelOf, labels
from annotation.systems.progress_captioner.frame_sequences import Frames, caption_names, judge_names
from annotation.systems.progress_captioner.framecap_scores import ChoiceItem, PairItem, SequenceItem, Share
from backends.errors import UsageError

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
    return {key: preference_pairs.majority(row.label for row in rows.values()) for key, rows in found.items()}


# --- the judge against people -------------------------------------------------------------


def _progression(store: Store, truth: Mapping[Any, str]) -> Iterator[dict[str, Any]]:
    decided = {key: word == "yes" for key, word in truth.items() if word}
    for about, rows in _heard(store, "frame_pair"):
        told = {(j.video_id, _frames(j)): label for j, label in rows}
        videos = {video for video, _ in told}
        items = [
            PairItem(v, moved, told.get((v, pair), "")) for (v, pair), moved in decided.items() if v in videos
        ]
        if not items:
            continue
        positives = sum(i.truth for i in items)
        for policy in scores.UNCERTAIN:
            found = scores.balanced(items, policy)
            n, of = found.counted, found.labelled
            right, wrong = found.positives, n - found.positives
            yield _row(about, policy, "balanced_accuracy", found.value, n, of)
            yield _row(about, policy, "true_positive_rate", found.positive, right, positives)
            yield _row(about, policy, "true_negative_rate", found.negative, wrong, len(items) - positives)


def _matching(store: Store, truth: Mapping[Any, str]) -> Iterator[dict[str, Any]]:
    for about, rows in _heard(store, "frame_match"):
        found: dict[tuple[str, Frames], dict[int, bool | None]] = defaultdict(dict)
        for verdict, label in rows:
            sequence = tuple(int(i) for i in verdict.extra["sequence"])
            right = None if not label else label == verdict.extra["own"]
            found[verdict.video_id, sequence][int(verdict.extra["frame"])] = right
        everything = {key: tuple(by.get(f) for f in key[1]) for key, by in found.items()}
        moving = {
            k: c for k, c in everything.items() if all(truth.get((k[0], p)) == "yes" for p in pairwise(k[1]))
        }
        for name, chosen in (("all", everything), ("all pairs move on", moving)):
            items = [SequenceItem(video, correct) for (video, _), correct in chosen.items()]
            each = _About(about.group | {"sequences": name}, about.runs)
            for policy in scores.MATCHED if items else ():
                yield _share(each, policy, "sequence_accuracy", scores.sequence_accuracy(items, policy))
                yield _share(each, policy, "frame_accuracy", scores.frame_accuracy(items, policy))


@dataclass(frozen=True, slots=True)
class _About:
    """What a row is of."""

    group: dict[str, str]
    runs: dict[str, str] = field(default_factory=dict)
    """Ids of runs, by the key of the group that names them."""


def _heard(store: Store, subject_type: str) -> list[tuple[_About, list[tuple[Verdict, str]]]]:
    """The judges' own verdicts by run, oldest first, with labels; empty where they could not be read.

    What people put right on the strip is not counted for the judge.
    """
    rows = store.find(Verdict, subject_type=subject_type, order_by=["created_at", "id"])
    by_run: dict[str, list[tuple[Verdict, str]]] = defaultdict(list)
    for row, _ in store.not_superseded(rows):
        by_run[row.run_id].append((row, row.label if row.state == "done" else ""))
    runs = store.find(Run, id=sorted(by_run), order_by=["created_at", "id"])
    captions, judges = caption_names(store), judge_names(runs)
    return [(_judged(run, captions, judges), by_run[run.id]) for run in runs]


def _frames(verdict: Verdict) -> tuple[int, int]:
    first, second = verdict.extra["frames"]
    return int(first), int(second)


def _judged(run: Run, captions: Mapping[str, str], judges: Mapping[str, str]) -> _About:
    of = run.upstream[0] if run.upstream else ""
    return _About(
        {"captions": captions.get(of, ""), "judge": judges[run.id]}, {"captions": of, "judge": run.id}
    )


# --- people -------------------------------------------------------------------------------


def _people(store: Store) -> Iterator[dict[str, Any]]:
    found = labels(store)
    if not found:
        return
    names = {person.id: person.name for person in store.find(Person)}
    decided = [bool(word) for word in truths(found).values()]
    clusters = [video for video, _ in found]
    everybody = _About({"people": "everybody"})
    yield _row(everybody, "people", "decided", scores.share(clusters, decided), sum(decided), len(decided))
    who = sorted({person for rows in found.values() for person in rows}, key=lambda p: names.get(p, p))
    for a, b in combinations(who, 2):
        both = [(rows[a].label, rows[b].label) for rows in found.values() if a in rows and b in rows]
        either = sum(a in rows or b in rows for rows in found.values())
        observed, kappa = scores.agreement(both)
        two = _About({"people": f"{names.get(a, a)}, {names.get(b, b)}"})
        for metric, value in (("agreement", observed), ("kappa", kappa)):
            yield _row(two, "people", metric, Estimate(value, None, None), len(both), either)


def _studies(store: Store) -> Iterator[dict[str, Any]]:
    for study in store.find(Study, order_by=["created_at"]):
        if study.closed_at:
            yield from study_rows(store, study)


def study_rows(store: Store, study: Study) -> list[dict[str, Any]]:
    """Selection rates of a study, its runs by name: for closed ones."""
    rows = studies.choices(store, study).values()
    items = [ChoiceItem(row.sequence, row.best, row.second) for row in rows]
    names = caption_names(store)
    found = []
    for run_id in study.runs:
        about = _About({"study": study.name, "captions": names.get(run_id, run_id)}, {"captions": run_id})
        found += [
            _share(about, "study", "selected_best", scores.selection_rate(items, run_id, 1)),
            _share(about, "study", "selected_top2", scores.selection_rate(items, run_id, 2)),
        ]
    none = _About({"study": study.name, "captions": "none"})
    return [*found, _share(none, "study", "selected_none", scores.none_rate(items))]


# --- rows ---------------------------------------------------------------------------------


def _share(about: _About, policy: str, metric: str, found: Share) -> dict[str, Any]:
    return _row(about, policy, metric, found.value, found.n, found.of)


def _row(about: _About, policy: str, metric: str, found: Estimate, n: int, of: int) -> dict[str, Any]:
    return {
        "group": dict(about.group),
        "runs": dict(about.runs),
        "policy": policy,
        "metric": metric,
        "value": found.value,
        "n": n,
        "of": of,
        "low": found.low,
        "high": found.high,
    }


def lines(found: Mapping[str, Any]) -> list[str]:
    """For people: one line per figure."""
    rows: Sequence[Mapping[str, Any]] = found["rows"]
    if not rows:
        start = "label pairs on Keyframes, Label; then: python app.py judge-captions MODEL --stages keyframes"
        return [f"nothing to score yet: {start}", *found["notes"]]
    return [*(_line(row) for row in rows), *found["notes"]]


def _line(row: Mapping[str, Any]) -> str:
    group = ", ".join(f"{value or '-'}" for value in row["group"].values())
    value = "-" if row["value"] is None else f"{row['value']:.3f}"
    interval = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
    interval += partial_word(row)
    return (
        f"{row['metric']:20} {row['policy']:20} {value:>6}{interval:17}  {row['n']} of {row['of']}  {group}"
    )
