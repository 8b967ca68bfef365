"""Creates versions of the extractor's and the judge's prompt, puts them into use, and opens held back labels.

The prompt of the files is never changed. The choice of a version is a decision that can be undone.
"""

from __future__ import annotations

import time
from collections.abc import Collection

from annotation.editing.decision_log import Change
from annotation.editing.newest_row import PROMPT_USE
from annotation.editing.undo_and_redo import record_in
from annotation.people.permissions import require
from annotation.prompts.prompt_files import Prompts, prompt_version
from annotation.records.decisions import Person
from annotation.records.ids import new_id, record_id
from annotation.records.prompt_versions import PromptLook, PromptVersion
from annotation.records.system_facts import prompt_facts
from annotation.store.store import Store
from backends.errors import UsageError
from backends.text.storable_text import check_storable

PROMPTS = {name: facts.versions_for for name, facts in prompt_facts().items() if facts.versions_for}
"""Prompts that can have versions, and the roles that use them."""
LONGEST_LABEL = 40
LONGEST_TEXT = 20_000
USUAL = "the usual prompt"
"""Name of the prompt without a version, used in sentences."""


def known_prompt(name: str) -> str:
    """Return the name. Raises UsageError if this prompt cannot have versions."""
    if name not in PROMPTS:
        known = ", ".join(f"{each} ({who})" for each, who in PROMPTS.items())
        raise UsageError(f"prompt {name!r} cannot have versions; choose from {known}")
    return name


def add_version(
    store: Store, person: Person | None, files: Prompts, prompt: str, label: str, system: str, user: str
) -> PromptVersion:
    """Store a version under a label. Raises NotAllowed; UsageError if it is invalid or a duplicate."""
    author = require(person, "run")
    label = " ".join(label.split())
    check_storable([label, system, user], "the version")
    if not 1 <= len(label) <= LONGEST_LABEL:
        raise UsageError(f"give the version a name of 1 to {LONGEST_LABEL} characters")
    if len(system) + len(user) > LONGEST_TEXT:
        raise UsageError(f"a prompt has at most {LONGEST_TEXT:,} characters")
    made = prompt_version(known_prompt(prompt), system, user, label)
    if made.hash == files[prompt].hash:
        raise UsageError("this text is the same as the current prompt; change it first")
    row = PromptVersion(
        id=record_id("prv", prompt, made.hash),
        prompt=prompt,
        label=label,
        system=system,
        user=user,
        hash=made.hash,
        person_id=author.id,
        created_at=time.time(),
    )
    with store.writing() as conn:
        for there in store.find(PromptVersion, prompt=prompt):
            if there.id == row.id:
                raise UsageError(f"this text is the same as version {there.label!r}; change it first")
            if there.label == label:
                raise UsageError(f"a version {label!r} already exists; choose another name")
        store.add_in(conn, [row])
    return row


def put_into_use(store: Store, person: Person | None, prompt: str, version: PromptVersion | None) -> bool:
    """Use this version from the next run on; None: the prompt of the files.

    Returns False if it was already in use. Raises NotAllowed, UsageError.
    """
    decider = require(person, "run")
    subject = (known_prompt(prompt),)
    wanted = version.id if version else None
    with store.writing() as conn:
        before = PROMPT_USE.now(store, conn, subject)
        if before == wanted:
            return False
        PROMPT_USE.append(store, conn, subject, wanted, decider.id)
        what = f"put {f'“{version.label}”' if version else USUAL} into use for the {PROMPTS[prompt]}"
        record_in(conn, decider.id, None, what, [Change("prompt", subject, before, wanted)])
    return True


def looks(store: Store, prompt: str, questions: Collection[str]) -> list[PromptLook]:
    """Return who opened any of these held back questions with a version of a prompt, oldest first."""
    found = store.find(PromptLook, prompt=prompt, order_by=["created_at", "id"])
    return [look for look in found if set(look.questions) & set(questions)]


def open_held_back(
    store: Store,
    person: Person | None,
    prompt: str,
    version: PromptVersion,
    evaluation_id: str,
    questions: Collection[str],
) -> PromptLook:
    """Record that the held back half is opened for a version. An earlier record stays unchanged.

    Raises NotAllowed; UsageError if no questions are held back.
    """
    reader = require(person, "run")
    if not questions:
        raise UsageError("no held back question has a label yet; label some of them first")
    with store.writing() as conn:
        for look in looks(store, known_prompt(prompt), questions):
            if look.version_id == version.id:
                return look
        row = PromptLook(
            id=new_id("prl"),
            prompt=prompt,
            version_id=version.id,
            evaluation_id=evaluation_id,
            questions=tuple(sorted(questions)),
            person_id=reader.id,
            created_at=time.time(),
        )
        store.add_in(conn, [row])
    return row
