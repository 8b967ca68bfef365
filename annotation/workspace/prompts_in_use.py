"""Which version of a prompt a workspace asks with, and what an evaluation was asked with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from sqlalchemy import Connection, select

from annotation.prompts.prompt_files import (
    MMLU_JUDGES,
    Prompt,
    Prompts,
    package_prompts,
    protocol_hashes,
)
from annotation.records.errors import NotFound
from annotation.records.prompt_versions import PromptUse, PromptVersion
from annotation.records.runs import EvaluationRun, Run
from annotation.store import tables as t
from annotation.store.rows import from_row
from annotation.store.store import Store

IMPORTED = "import:"
"""How the engine of a run begins that was read from a log."""
HASH = 12
"""Characters of a prompt's hash that are shown."""
ROLES = {"answers": "extractor", "verdicts": "judge"}
"""Whose prompts a benchmark prescribes."""


def as_prompt(version: PromptVersion) -> Prompt:
    """The version as a stage asks with it."""
    return Prompt(version.prompt, version.system, version.user, version.hash, version.label)


def use_in(conn: Connection, prompt: str) -> PromptUse | None:
    """The newest word on which version of a prompt is in use; None where nobody has said."""
    table = t.prompt_use
    query = select(table).where(table.c.prompt == prompt)
    row = conn.execute(query.order_by(table.c.created_at.desc(), table.c.id.desc()).limit(1)).mappings()
    return from_row(PromptUse, found) if (found := row.one_or_none()) else None


def in_use(store: Store, prompt: str) -> PromptVersion | None:
    """None: the prompt of the files."""
    with store.reading() as conn:
        use = use_in(conn, prompt)
    return store.get(PromptVersion, use.version_id) if use and use.version_id else None


def prompts_in_use(store: Store, files: Prompts) -> Prompts:
    """The prompts of the files, with versions that people have put into use in their place."""
    names = sorted({version.prompt for version in store.find(PromptVersion)})
    versions = [version for name in names if (version := in_use(store, name))]
    return files.with_(as_prompt(version) for version in versions)


def find_version(store: Store, prompt: str, name: str) -> PromptVersion:
    """By id, label or the beginning of its hash. Raises NotFound naming those there are."""
    versions = store.find(PromptVersion, prompt=prompt, order_by=["created_at"])
    for version in versions:
        if name in (version.id, version.label) or (len(name) >= 6 and version.hash.startswith(name)):
            return version
    there = ", ".join(repr(version.label) for version in versions) or "none yet"
    raise NotFound(f"no version {name!r} of {prompt}; there are: {there}")


def labels_by_hash(store: Store) -> dict[str, str]:
    """What people call the versions, by the hash that runs record."""
    versions = store.find(PromptVersion)
    return {version.hash: version.label for version in versions} | _of_two_judges(versions)


def _of_two_judges(versions: Sequence[PromptVersion]) -> dict[str, str]:
    """Of runs of Video-MMLU, which are judged with two prompts: a version of one, or one of each."""
    usual = package_prompts()
    choices = [
        [usual[name], *(as_prompt(one) for one in versions if one.prompt == name)] for name in MMLU_JUDGES
    ]
    return {
        usual.with_(pair).hash(*MMLU_JUDGES): " and ".join(one.label for one in pair if one.label)
        for pair in product(*choices)
        if any(one.label for one in pair)
    }


@dataclass(frozen=True, slots=True)
class OtherPrompt:
    """A prompt with which a part of an evaluation was made, and which is not the benchmark's."""

    role: str
    """`extractor` or `judge`."""
    hash: str
    label: str
    """What people call the version; empty where it came from a file."""

    def __str__(self) -> str:
        return f"{self.role}'s prompt {f'“{self.label}” ' if self.label else ''}{self.hash[:HASH]}"


def other_prompts(store: Store, evaluation_id: str) -> list[OtherPrompt]:
    """Those of an evaluation's answers and verdicts; none: its figures may have the benchmark's name.

    Logs of other programs count as what they are: their hashes are not made as ours.
    """
    links = store.find(EvaluationRun, evaluation_id=evaluation_id, role=list(ROLES))
    runs = {run.id: run for run in store.find(Run, id=[link.run_id for link in links])}
    return others_among([(link.role, runs[link.run_id]) for link in links], labels_by_hash(store))


def others_among(runs: Sequence[tuple[str, Run]], labels: Mapping[str, str]) -> list[OtherPrompt]:
    """As `other_prompts`, of runs and their roles."""
    found = {
        OtherPrompt(ROLES[role], run.prompt_hash, labels.get(run.prompt_hash, "")): None
        for role, run in runs
        if role in ROLES and run.prompt_hash and run.prompt_hash not in protocol_hashes()
        if not run.backend.startswith(IMPORTED) or run.params.get("platform") == "Dailies"
        if "system" not in run.params  # another benchmark's
    }
    return list(found)
