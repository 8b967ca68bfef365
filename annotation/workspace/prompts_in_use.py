"""The prompt versions that a workspace uses, and those with which an evaluation was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from sqlalchemy import Connection, select

from annotation.prompts.prompt_files import (
    Prompt,
    Prompts,
    package_prompts,
    protocol_hashes,
)
from annotation.records.errors import NotFound
from annotation.records.prompt_versions import PromptUse, PromptVersion
from annotation.records.runs import EvaluationRun, Run
from annotation.records.system_facts import prompts_together
from annotation.store import tables as t
from annotation.store.rows import from_row
from annotation.store.store import Store

IMPORTED = "import:"
"""Prefix of the backend of runs that were read from a log."""
HASH = 12
"""Number of characters of a prompt's hash that are shown."""
ROLES = {"answers": "extractor", "verdicts": "judge"}
"""Roles of runs whose prompts a benchmark prescribes."""


def as_prompt(version: PromptVersion) -> Prompt:
    """Return the version as a prompt for stages."""
    return Prompt(version.prompt, version.system, version.user, version.hash, version.label)


def use_in(conn: Connection, prompt: str) -> PromptUse | None:
    """Return the latest choice of a version of a prompt, or None if there is none."""
    table = t.prompt_use
    query = select(table).where(table.c.prompt == prompt)
    row = conn.execute(query.order_by(table.c.created_at.desc(), table.c.id.desc()).limit(1)).mappings()
    return from_row(PromptUse, found) if (found := row.one_or_none()) else None


def in_use(store: Store, prompt: str) -> PromptVersion | None:
    """Return the version in use; None for the prompt from the files."""
    with store.reading() as conn:
        use = use_in(conn, prompt)
    return store.get(PromptVersion, use.version_id) if use and use.version_id else None


def prompts_in_use(store: Store, files: Prompts) -> Prompts:
    """Return the prompts from the files, replaced by the versions that people have chosen."""
    names = sorted({version.prompt for version in store.find(PromptVersion)})
    versions = [version for name in names if (version := in_use(store, name))]
    return files.with_(as_prompt(version) for version in versions)


def find_version(store: Store, prompt: str, name: str) -> PromptVersion:
    """Return the version with this id, label or prefix of its hash.

    Raises NotFound with the labels of the existing versions.
    """
    versions = store.find(PromptVersion, prompt=prompt, order_by=["created_at"])
    for version in versions:
        if name in (version.id, version.label) or (len(name) >= 6 and version.hash.startswith(name)):
            return version
    there = ", ".join(repr(version.label) for version in versions) or "none yet"
    raise NotFound(f"there is no version {name!r} of {prompt}; there are: {there}")


def labels_by_hash(store: Store) -> dict[str, str]:
    """Return the labels of the versions, by the hash that runs record."""
    versions = store.find(PromptVersion)
    return {version.hash: version.label for version in versions} | _of_prompts_together(versions)


def _of_prompts_together(versions: Sequence[PromptVersion]) -> dict[str, str]:
    """Return labels for runs that use several prompts together, by the hash of all of them."""
    usual, found = package_prompts(), dict[str, str]()
    for names in prompts_together():
        choices = [
            [usual[name], *(as_prompt(one) for one in versions if one.prompt == name)] for name in names
        ]
        found |= {
            usual.with_(chosen).hash(*names): " and ".join(one.label for one in chosen if one.label)
            for chosen in product(*choices)
            if any(one.label for one in chosen)
        }
    return found


@dataclass(frozen=True, slots=True)
class OtherPrompt:
    """A prompt used in an evaluation that is not the benchmark's own prompt."""

    role: str
    """`extractor` or `judge`."""
    hash: str
    label: str
    """Label of the version; empty if the prompt came from a file."""

    def __str__(self) -> str:
        return f"{self.role}'s prompt {f'“{self.label}” ' if self.label else ''}{self.hash[:HASH]}"


def other_prompts(store: Store, evaluation_id: str) -> list[OtherPrompt]:
    """Return the other prompts of an evaluation's answers and verdicts.

    If there are none, its figures may use the benchmark's name. Logs of other programs are not checked,
    because their hashes are computed differently.
    """
    links = store.find(EvaluationRun, evaluation_id=evaluation_id, role=list(ROLES))
    runs = {run.id: run for run in store.find(Run, id=[link.run_id for link in links])}
    return others_among([(link.role, runs[link.run_id]) for link in links], labels_by_hash(store))


def others_among(runs: Sequence[tuple[str, Run]], labels: Mapping[str, str]) -> list[OtherPrompt]:
    """Same as `other_prompts`, for pairs of role and run."""
    found = {
        OtherPrompt(ROLES[role], run.prompt_hash, labels.get(run.prompt_hash, "")): None
        for role, run in runs
        if role in ROLES and run.prompt_hash and run.prompt_hash not in protocol_hashes()
        if not run.backend.startswith(IMPORTED) or run.params.get("platform") == "Dailies"
        if "system" not in run.params  # another benchmark's
    }
    return list(found)
