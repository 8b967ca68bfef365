"""Prompt files: read from the folders of the systems, replaced name by name from a workspace, filled once.

A prompt is a file `annotation/systems/SYSTEM/prompts/NAME.txt`. `annotation/prompts/README.md` describes the
form of a file and the source of each prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotation.records.system_facts import SYSTEMS_FOLDER, PromptFacts, prompt_facts, prompts_together
from backends.digest import digest
from backends.errors import UsageError
from backends.protocols import Part
from backends.text.storable_text import check_storable

PICTURES = "pictures"
"""The placeholder that frames take the place of."""

_MARKERS = re.compile(r"\A=== system ===\n(?P<system>.*?)^=== user ===\n(?P<user>.*)\Z", re.S | re.M)
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt as it stands in its file, placeholders and all."""

    name: str
    system: str
    """Empty: no system message."""
    user: str
    hash: str
    """Of both parts; stored with every run that used the prompt."""
    label: str = ""
    """What people call the version; empty for one that comes from a file."""

    def parts(self, values: Mapping[str, object], pictures: Sequence[bytes] = ()) -> tuple[Part, ...]:
        """The user message: text with its placeholders filled, JPEG `pictures` in their place.

        The line break on either side of `{pictures}` belongs to it and is not sent.
        """
        before, mark, after = self.user.partition("{" + PICTURES + "}")
        if not mark:
            return (Part(text=fill(self.user, values)),)
        head, tail = fill(before.removesuffix("\n"), values), fill(after.removeprefix("\n"), values)
        shown = [Part(jpeg=jpeg) for jpeg in pictures]
        return (*_text_part(head), *shown, *_text_part(tail))


class Prompts:
    """The prompts of one workspace, by name."""

    def __init__(self, prompts: Mapping[str, Prompt]) -> None:
        self._prompts = dict(prompts)

    def __getitem__(self, name: str) -> Prompt:
        """Raises UsageError for a name that no prompt has."""
        try:
            return self._prompts[name]
        except KeyError:
            known = ", ".join(sorted(self._prompts))
            raise UsageError(f"There is no prompt {name!r}; use one of: {known}") from None

    def __iter__(self) -> Iterator[Prompt]:
        return iter(self._prompts.values())

    def with_(self, replacements: Iterable[Prompt]) -> Prompts:
        """These prompts, with others in the place of those of the same name."""
        return Prompts(self._prompts | {prompt.name: prompt for prompt in replacements})

    def hash(self, *names: str) -> str:
        """One fingerprint for the prompts that a stage uses; that of a single one is its own."""
        hashes = [self[name].hash for name in names]
        return hashes[0] if len(hashes) == 1 else digest("prompts", hashes)


def load_prompts(override: Path | None = None) -> Prompts:
    """The package's prompts, each replaced by `override/NAME.txt` where that file exists.

    Raises UsageError, naming the file, for one that is not a prompt's name, is not in
    the form of a prompt file, or has a placeholder that its prompt does not know.
    """
    files = package_files()
    if override is not None and override.is_dir():
        files = {**files, **_replacements(override)}
    return Prompts({name: read_prompt(name, file) for name, file in files.items()})


@cache
def package_files() -> Mapping[str, Path]:
    """Return the files that come with Dailies, by name of the prompt."""
    return {file.stem: file for file in sorted(SYSTEMS_FOLDER.glob("*/prompts/*.txt"))}


@cache
def placeholders() -> Mapping[str, tuple[str, ...]]:
    """Return the placeholders that a stage has values for, by name of the prompt.

    These are the placeholders in the package's file, and `PromptFacts.also`.
    """
    return {
        name: (*dict.fromkeys(_PLACEHOLDER.findall(_two_parts(file)[1])), *_facts(name).also)
        for name, file in package_files().items()
    }


def read_prompt(name: str, file: Path) -> Prompt:
    """One prompt file. Raises UsageError naming the file and what is wrong in it."""
    system, user = _two_parts(file)
    _check_placeholders(name, system, user, str(file))
    return Prompt(name, system, user, digest("prompt", system, user))


def _two_parts(file: Path) -> tuple[str, str]:
    """Return the system and the user part."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} cannot be read as UTF-8 text ({error}): save it again as UTF-8") from error
    check_storable(text, str(file))
    match = _MARKERS.match(text)
    if match is None or len(re.findall(r"^=== (?:system|user) ===$", text, re.M)) != 2:
        raise UsageError(
            f"{file} needs the lines '=== system ===' and '=== user ===', once each, in this order"
        )
    return match["system"].removesuffix("\n"), match["user"].removesuffix("\n")


def _facts(name: str) -> PromptFacts:
    return prompt_facts().get(name, PromptFacts())


def prompt_version(name: str, system: str, user: str, label: str) -> Prompt:
    """A prompt that a person wrote. Raises UsageError for one that its stage cannot fill in.

    Unlike a file, it may leave out none of the placeholders: without its question or its answer, a judge
    still gives verdicts, and they look like any others.
    """
    known = placeholders().get(name, ())
    _check_placeholders(name, system, user, "the version")
    if missing := [each for each in known if "{" + each + "}" not in user]:
        raise UsageError(
            f"the version lacks {' and '.join('{' + each + '}' for each in missing)}: put "
            f"{'it' if len(missing) == 1 else 'them'} where the model is to read "
            f"the {' and the '.join(missing)}"
        )
    return Prompt(name, system, user, digest("prompt", system, user), label)


@cache
def package_prompts() -> Prompts:
    """The prompts as they come with Dailies."""
    return load_prompts()


@cache
def protocol_hashes() -> frozenset[str]:
    """Of the prompts with which extractors and judges make figures that have a benchmark's name."""
    files = package_prompts()
    alone = (files[name].hash for name, facts in prompt_facts().items() if facts.protocol)
    together = (names for names in prompts_together() if all(_facts(name).protocol for name in names))
    return frozenset((*alone, *(files.hash(*names) for names in together)))


def fill(template: str, values: Mapping[str, object]) -> str:
    """`template` with each `{name}` replaced by its value, in one pass.

    Braces inside a value are not looked at again; a placeholder without a value stays.
    """
    return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), template)


def _text_part(text: str) -> tuple[Part, ...]:
    return (Part(text=text),) if text else ()


def _replacements(folder: Path) -> dict[str, Path]:
    found = {file.stem: file for file in sorted(folder.glob("*.txt"))}
    for name, file in found.items():
        if name not in package_files():
            raise UsageError(f"{file} replaces no prompt; rename it to one of: {', '.join(package_files())}")
    return found


def _check_placeholders(name: str, system: str, user: str, file: str) -> None:
    known = set(placeholders()[name])
    unknown = sorted(set(_PLACEHOLDER.findall(user)) - known)
    if unknown:
        has = ", ".join("{" + each + "}" for each in placeholders()[name])
        raise UsageError(f"{file} has the unknown placeholder {{{unknown[0]}}}; this prompt knows {has}")
    if _PLACEHOLDER.search(system):
        raise UsageError(f"{file} has a placeholder in its system part; move it to the user part")
    wanted = 1 if PICTURES in known else 0
    if len(re.findall(r"^\{pictures\}$", user, re.M)) != wanted or user.count("{pictures}") != wanted:
        raise UsageError(
            f"{file} must have {{pictures}} {'once, on a line of its own' if wanted else 'nowhere'}"
        )
