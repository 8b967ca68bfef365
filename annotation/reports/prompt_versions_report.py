"""Compares versions of the extractor's or the judge's prompt on the verdicts that people labelled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotation.editing.write_prompt_versions import PROMPTS, known_prompt, looks
from annotation.pipeline.backfill_and_second_judge import runs_by_role
from annotation.pipeline.prompt_trials import EXTRACTION, labelled
from annotation.prompts.prompt_files import Prompts, protocol_hashes
from annotation.records.captions_to_verdicts import Answer, Verdict
from annotation.records.decisions import Person
from annotation.records.prompt_versions import PromptLook, PromptVersion
from annotation.records.runs import Evaluation, Run
from annotation.reports.evaluation_report import value_words
from annotation.scores.agreement import agreement
from annotation.scores.held_back_half import halves
from annotation.scores.scored_item import Item
from annotation.store.store import Store
from annotation.workspace.prompts_in_use import HASH, in_use

HALVES = ("work", "held_back")


@dataclass(frozen=True, slots=True)
class _Known:
    """Labels of people, and the records they are about."""

    labels: Mapping[str, Item]
    answers: Mapping[str, Answer]
    """Answers that people judged, by id."""


def workshop(store: Store, files: Prompts, evaluation_id: str, prompt: str) -> dict[str, Any]:
    """Return the usual prompt, its versions, and how often the judge agrees with people under each.

    `{"prompt", "who", "evaluation", "labels", "in_use", "usual", "versions", "looks"}`. Figures of the held
    back half are included once it was opened. Raises NotFound, UsageError.
    """
    usual = files[known_prompt(prompt)]
    known = _known(store, evaluation_id, prompt)
    versions = store.find(PromptVersion, prompt=prompt, order_by=["created_at"])
    names = {person.id: person.name for person in store.find(Person)}
    work, held_back = halves(known.labels)
    opened = looks(store, prompt, held_back)
    seen = {look.version_id for look in opened}
    figures = _figures(store, known, prompt, {usual.hash, *(version.hash for version in versions)})
    used = in_use(store, prompt)
    return {
        "prompt": prompt,
        "who": PROMPTS[prompt],
        "evaluation": store.get(Evaluation, evaluation_id).name,
        "labels": {"work": len(work), "held_back": len(held_back)},
        "in_use": used.id if used else "",
        "as_judged": [_row(known, "", known.labels, half) for half in _shown(opened=bool(opened))],
        "usual": {
            "system": usual.system,
            "user": usual.user,
            "hash": usual.hash,
            "protocol": usual.hash in protocol_hashes(),
            "figures": _of(figures[usual.hash], opened=bool(opened)),
        },
        "versions": [
            {
                **{name: getattr(version, name) for name in ("id", "label", "system", "user", "hash")},
                "by": names.get(version.person_id, ""),
                "at": version.created_at,
                "figures": _of(figures[version.hash], opened=version.id in seen),
            }
            for version in versions
        ],
        "looks": [_look(look, number, versions, names) for number, look in enumerate(opened, 1)],
    }


def _known(store: Store, evaluation_id: str, prompt: str) -> _Known:
    labels, runs = labelled(store, evaluation_id, prompt), runs_by_role(store, evaluation_id)
    answers = store.find(Answer, run_id=[run.id for run in runs["answers"]], question_id=sorted(labels))
    return _Known(labels, _standing(store, answers))


def _standing(store: Store, answers: Sequence[Answer]) -> dict[str, Answer]:
    """Return the answers that no newer answer of their run replaces, by id."""
    return {answer.id: answer for answer, _ in store.not_superseded(answers)}


def _shown(*, opened: bool) -> Sequence[str]:
    return HALVES if opened else HALVES[:1]


def _of(figures: Sequence[dict[str, Any]], *, opened: bool) -> list[dict[str, Any]]:
    return [figure for figure in figures if figure["half"] in _shown(opened=opened)]


def _look(
    look: PromptLook, number: int, versions: Sequence[PromptVersion], names: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "number": number,
        "version": look.version_id,
        "label": next((v.label for v in versions if v.id == look.version_id), ""),
        "by": names.get(look.person_id, ""),
        "at": look.created_at,
        "n": len(look.questions),
    }


# --- figures ----------------------------------------------------------------------------


def _figures(
    store: Store, known: _Known, prompt: str, hashes: set[str]
) -> Mapping[str, list[dict[str, Any]]]:
    """Return a figure for each half and each engine, by the prompt's hash."""
    answers = _read_again(store, known, hashes) if prompt == EXTRACTION else known.answers
    verdicts = _verdicts(store, list(answers))
    runs = {run.id: run for run in store.find(Run, id=sorted({v.run_id for v in verdicts}))}
    asked = {run.id: run for run in store.find(Run, id=sorted({a.run_id for a in answers.values()}))}
    groups: dict[tuple[str, str, str], dict[str, Item]] = defaultdict(dict)
    changed: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    first = {a.question_id: _plain(a.value) for a in known.answers.values()}
    for verdict in verdicts:
        answer, run = answers[verdict.subject_id], runs[verdict.run_id]
        hash_ = asked[answer.run_id].prompt_hash if prompt == EXTRACTION else run.prompt_hash
        if hash_ not in hashes:
            continue
        key = (hash_, asked[answer.run_id].model if prompt == EXTRACTION else "", run.model)
        groups[key][answer.question_id] = _judged(known.labels[answer.question_id], verdict)
        if _plain(answer.value) != first.get(answer.question_id):
            changed[key].add(answer.question_id)
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for key, items in sorted(groups.items()):
        rows = [_row(known, " · ".join(filter(None, key[1:])), items, half, changed[key]) for half in HALVES]
        found[key[0]] += [row for row in rows if row["asked"]]
    return found


def _read_again(store: Store, known: _Known, hashes: set[str]) -> dict[str, Answer]:
    """Return the current answers that these prompts extracted from the evaluation's captions."""
    texts = {answer.text_id for answer in known.answers.values() if answer.text_id}
    runs = [run.id for run in store.find(Run, stage="answers", prompt_hash=sorted(hashes))]
    found = store.find(Answer, run_id=runs, question_id=sorted(known.labels), text_id=sorted(texts))
    return _standing(store, found)


def _verdicts(store: Store, answer_ids: Sequence[str]) -> list[Verdict]:
    found = store.find(Verdict, subject_type="answer", subject_id=sorted(answer_ids))
    return [verdict for verdict, _ in store.not_superseded(found)]


def _judged(label: Item, verdict: Verdict) -> Item:
    """Return the label together with this judge's verdict."""
    accuracy = float(verdict.label == "yes") if verdict.state == "done" else None
    return replace(label, state=verdict.state, accuracy=accuracy, score=verdict.score, verdict=verdict.id)


def _row(
    known: _Known, engine: str, items: Mapping[str, Item], half: str, changed: Collection[str] = ()
) -> dict[str, Any]:
    chosen = set(halves(known.labels)[HALVES.index(half)])
    mine = [items[question] for question in sorted(chosen & set(items))]
    found = agreement(mine)
    figures = ("n", "observed", "kappa", "ac1", "base_rate")
    return {
        "half": half,
        "engine": engine,
        **{name: value for name, value in asdict(found).items() if name in figures},
        "asked": len(mine),
        "of": len(chosen),
        "other_answers": len(chosen & set(changed)),
    }


def _plain(words: str) -> str:
    return " ".join(words.split()).casefold()


# --- for people -------------------------------------------------------------------------


def workshop_lines(found: Mapping[str, Any]) -> list[str]:
    """Format the figures of all versions, one line each."""
    labels = found["labels"]
    out = [
        f"{found['prompt']} ({found['who']}) on {found['evaluation']}: {labels['work']} labelled verdicts "
        f"to work with, {labels['held_back']} held back"
    ]
    out += ["as judged", *map(_figure_line, found["as_judged"])]
    usual = "the protocol's" if found["usual"]["protocol"] else "the file's"
    rows = [{"id": "", "label": usual, **found["usual"]}, *found["versions"]]
    for row in rows:
        in_use = ", in use" if row["id"] == found["in_use"] else ""
        by = f", by {row['by']}" if row.get("by") else ""
        out.append(f"{row['label']}  {row['hash'][:HASH]}{by}{in_use}")
        out += [*map(_figure_line, row["figures"])] or ["  not tried"]
    for look in found["looks"]:
        second = "" if look["number"] == 1 else ": no longer held back"
        out.append(
            f"held back half opened for {look['label']} by {look['by']}, look {look['number']}{second}"
        )
    return out


def _figure_line(row: Mapping[str, Any]) -> str:
    half = "held back" if row["half"] == "held_back" else "to work with"
    more = f"; {row['asked'] - row['n']} unread" if row["asked"] > row["n"] else ""
    more += (
        f"; {row['other_answers']} answers differ from those that people judged"
        if row["other_answers"]
        else ""
    )
    if not row["n"]:
        return f"  {half:13} none of {row['of']}{more}"
    return (
        f"  {half:13} {row['engine'] or 'its judge'}: {row['observed']:.3f} of {row['n']} agree, "
        f"kappa {value_words(row['kappa'])}, AC1 {value_words(row['ac1'])}; people say yes to "
        f"{row['base_rate']:.3f}{more}"
    )
