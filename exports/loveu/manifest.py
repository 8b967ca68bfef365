"""manifest.json of a `loveu` log: who captioned, who judged, and how. Every field may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from annotation.records.errors import FormatError
from annotation.records.ids import Json
from exports.files.read_text_and_json import parse_document, text_at
from exports.logs.evaluation_names import LONGEST_NAME, evaluation_name
from exports.logs.roundtrip_fields import Own, Role, utc_seconds
from exports.loveu.writer import MANIFEST

_MODEL_KEYS: Mapping[Role, tuple[str, ...]] = {
    "captions": ("captioner",),
    "answers": ("extractor", "judge"),
    "verdicts": ("judge",),
}


def read_manifest(folder: Path) -> Manifest:
    """Raises FormatError."""
    found = parse_document(folder / MANIFEST)
    if not isinstance(found, dict):
        raise FormatError(f"{MANIFEST}: not an object with platform, captioner and judge")
    return Manifest(found)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The fields as they were written."""

    values: Mapping[str, Json]

    def text(self, key: str) -> str:
        """Empty when it is missing or no text."""
        return text_at(self.values, key)

    def model(self, role: Role) -> str:
        """Who did this stage; `imported` when nobody is named."""
        return next((self.text(key) for key in _MODEL_KEYS.get(role, ()) if self.text(key)), "imported")

    def prompt_hash(self, role: Role) -> str:
        """One hash for the judge's prompts, or several by stage."""
        hashes = self.values.get("prompt_hashes")
        found = hashes.get(role) if isinstance(hashes, dict) else None
        if isinstance(found, list):
            return "+".join(str(part) for part in found)[:64]
        return self.text("prompt_hash")[:64] if role in ("answers", "verdicts") else ""

    def baseline(self, role: Role) -> bool:
        """Whether the embedded baseline did this stage: then its scores are no VDCscore."""
        stages = self.values.get("baseline_stages")
        if isinstance(stages, list):
            return role in stages
        return self.values.get("baseline") is True or self.model(role) == "baseline"

    def own(self) -> Own:
        """What it says of each stage. The evaluation's name goes by the benchmark (`name`)."""
        roles: tuple[Role, ...] = get_args(Role)
        return Own(
            created=self.created(),
            models={role: self.model(role) for role in roles},
            baseline=frozenset(role for role in roles if self.baseline(role)),
            prompt_hashes={role: self.prompt_hash(role) for role in roles},
        )

    def created(self) -> float | None:
        """UTC seconds; None when it is no time."""
        said = self.values.get("created")
        if isinstance(said, int | float):
            return utc_seconds(said)
        try:
            return datetime.fromisoformat(str(said)).timestamp()
        except (ValueError, OverflowError, OSError):
            return None

    def name(self, benchmark: str) -> str:
        """What the evaluation is called: its own name, else by who made it and when."""
        created = self.created()
        day = f"{datetime.fromtimestamp(created, UTC):%Y-%m-%d}" if created else ""
        return (self.text("name").strip() or evaluation_name(self.model("captions"), benchmark, day))[
            :LONGEST_NAME
        ]
