"""manifest.json of a `loveu` log: models, prompts and names. Every field may be missing."""

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
    """Read the manifest of a folder. Raises FormatError."""
    found = parse_document(folder / MANIFEST)
    if not isinstance(found, dict):
        raise FormatError(f"{MANIFEST}: not an object with platform, captioner and judge")
    return Manifest(found)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Fields of the manifest, unchanged."""

    values: Mapping[str, Json]

    def text(self, key: str) -> str:
        """Return the text under `key`; empty if it is missing or not a string."""
        return text_at(self.values, key)

    def model(self, role: Role) -> str:
        """Return the model of a stage; `imported` if the manifest does not name one."""
        return next((self.text(key) for key in _MODEL_KEYS.get(role, ()) if self.text(key)), "imported")

    def prompt_hash(self, role: Role) -> str:
        """Return the hash of a stage's prompts, several joined by "+"."""
        hashes = self.values.get("prompt_hashes")
        found = hashes.get(role) if isinstance(hashes, dict) else None
        if isinstance(found, list):
            return "+".join(str(part) for part in found)[:64]
        return self.text("prompt_hash")[:64] if role in ("answers", "verdicts") else ""

    def baseline(self, role: Role) -> bool:
        """Return whether the embedded baseline ran this stage. Its scores are not VDCscores."""
        stages = self.values.get("baseline_stages")
        if isinstance(stages, list):
            return role in stages
        return self.values.get("baseline") is True or self.model(role) == "baseline"

    def own(self) -> Own:
        """Return the fields of each stage, without the name, which depends on the benchmark (`name`)."""
        roles: tuple[Role, ...] = get_args(Role)
        return Own(
            created=self.created(),
            models={role: self.model(role) for role in roles},
            baseline=frozenset(role for role in roles if self.baseline(role)),
            prompt_hashes={role: self.prompt_hash(role) for role in roles},
        )

    def created(self) -> float | None:
        """UTC seconds; None if the value is not a time."""
        said = self.values.get("created")
        if isinstance(said, int | float):
            return utc_seconds(said)
        try:
            return datetime.fromisoformat(str(said)).timestamp()
        except (ValueError, OverflowError, OSError):
            return None

    def name(self, benchmark: str) -> str:
        """Return the evaluation's name in the manifest, else a name from its captioner and date."""
        created = self.created()
        day = f"{datetime.fromtimestamp(created, UTC):%Y-%m-%d}" if created else ""
        return (self.text("name").strip() or evaluation_name(self.model("captions"), benchmark, day))[
            :LONGEST_NAME
        ]
