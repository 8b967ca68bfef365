"""Prompt files: read from the package, replaced name by name from a workspace, filled once.

`annotation/prompts/README.md` describes the form of a file and the source of each prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from backends.digest import digest
from backends.errors import UsageError
from backends.protocols import Part
from backends.text.storable_text import check_storable

PACKAGE_FOLDER = Path(__file__).parent
PICTURES = "pictures"
"""The placeholder that frames take the place of."""

_FRAMES_CAPTION = ("pictures", "n", "action", "depicting_action", "what", "reply_lines")
_VERDICT = ("question", "reference", "answer")

PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "vdc_caption_camera": ("pictures",),
    "vdc_caption_short": ("pictures",),
    "vdc_caption_background": ("pictures",),
    "vdc_caption_main_object": ("pictures",),
    "vdc_caption_detailed": ("pictures",),
    "vdc_questions": ("aspect", "aspect_words", "count", "reference"),
    "vdc_answer": ("caption", "question"),
    "vdc_answer_loveu": ("caption", "question"),
    "vdc_verdict": _VERDICT,
    "vdc_verdict_loveu": _VERDICT,
    "mmlu_questions_notes": ("of_discipline", "reference", "count"),
    "mmlu_questions_quiz": ("of_discipline", "reference", "count"),
    "mmlu_notes": ("pictures", "speech_lines", "screen_lines"),
    "mmlu_answer_video": ("pictures", "question"),
    "mmlu_verdict_notes": _VERDICT,
    "mmlu_verdict_quiz": _VERDICT,
    "vript_script": (
        "pictures",
        "voice_over_line",
        "on_screen_line",
        "voice_over_and",
        "from_title",
        "title",
        "voice_over",
        "on_screen",
    ),
    "vript_hal": ("pictures",),
    "vript_rr_choice": ("pictures", "question", "options", "hint"),
    "vript_rr_open": ("pictures", "question", "hint"),
    "vript_rr_judge": ("hint", "question", "response", "answer"),
    "vript_ero": ("pictures", "question"),
    "frames_caption": _FRAMES_CAPTION,
    "frames_caption_in_paper": _FRAMES_CAPTION,
    "frames_change": ("before", "after"),
    "frames_progression": ("action", "before", "after"),
    "frames_matching": ("pictures", "options", "none_letter"),
    "carebench_split": ("full",),
    "carebench_split_clauses": ("clauses",),
    "capst_events": ("caption",),
    "capst_objects": ("caption",),
    "capst_entailment": ("description", "statements"),
    "carebench_embed_text": ("text",),
    "carebench_embed_video": ("pictures",),
}
"""Every prompt, with the values that its stage has for it."""
MMLU_JUDGES = ("mmlu_verdict_notes", "mmlu_verdict_quiz")
"""They judge together: a run with both has the hash of both."""
PROTOCOL = (
    *("vdc_answer", "vdc_answer_loveu", "vdc_verdict", "vdc_verdict_loveu"),
    *("mmlu_answer_video", *MMLU_JUDGES),
)
"""Answers and verdicts of VDC and Video-MMLU as the benchmarks ask for them."""

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
    files = {name: PACKAGE_FOLDER / f"{name}.txt" for name in PLACEHOLDERS}
    if override is not None and override.is_dir():
        files |= _replacements(override)
    return Prompts({name: read_prompt(name, file) for name, file in files.items()})


def read_prompt(name: str, file: Path) -> Prompt:
    """One prompt file. Raises UsageError naming the file and what is wrong in it."""
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
    system, user = match["system"].removesuffix("\n"), match["user"].removesuffix("\n")
    _check_placeholders(name, system, user, str(file))
    return Prompt(name, system, user, digest("prompt", system, user))


def prompt_version(name: str, system: str, user: str, label: str) -> Prompt:
    """A prompt that a person wrote. Raises UsageError for one that its stage cannot fill in.

    Unlike a file, it may leave out none of the placeholders: without its question or its answer, a judge
    still gives verdicts, and they look like any others.
    """
    known = PLACEHOLDERS.get(name, ())
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
    return frozenset((*(files[name].hash for name in PROTOCOL), files.hash(*MMLU_JUDGES)))


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
        if name not in PLACEHOLDERS:
            raise UsageError(f"{file} replaces no prompt; rename it to one of: {', '.join(PLACEHOLDERS)}")
    return found


def _check_placeholders(name: str, system: str, user: str, file: str) -> None:
    known = set(PLACEHOLDERS[name])
    unknown = sorted(set(_PLACEHOLDER.findall(user)) - known)
    if unknown:
        has = ", ".join("{" + each + "}" for each in PLACEHOLDERS[name])
        raise UsageError(f"{file} has the unknown placeholder {{{unknown[0]}}}; this prompt knows {has}")
    if _PLACEHOLDER.search(system):
        raise UsageError(f"{file} has a placeholder in its system part; move it to the user part")
    wanted = 1 if PICTURES in known else 0
    if len(re.findall(r"^\{pictures\}$", user, re.M)) != wanted or user.count("{pictures}") != wanted:
        raise UsageError(
            f"{file} must have {{pictures}} {'once, on a line of its own' if wanted else 'nowhere'}"
        )
