"""What reading gives and writing takes, whatever the format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from annotation.records.allowed_values import VdcAspect
from annotation.records.decisions import Correction
from annotation.stages.media_library import MediaLibrary
from annotation.store.import_spool import Spool
from annotation.store.store import Store
from annotation.texts.which_text_counts import COUNTING, CountingText, Values, Whose
from exports.files.file_bundles import Bundle, Candidate
from exports.files.read_text_and_json import Head


@dataclass(frozen=True, slots=True)
class Problem:
    """Something odd that was read around; nothing is dropped without one."""

    where: str
    """File and line."""
    what: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything that a file brings. Nothing of it is in the store yet."""

    format: str
    version: str
    records: Spool
    """Iterating gives them, kind by kind; those of a long file lie on disk. Without corrections."""
    corrections: tuple[Correction, ...] = ()
    problems: tuple[Problem, ...] = ()
    taken_back: tuple[str, ...] = ()
    """Ids of texts among the records that do not count: their writer took them back."""

    def counts(self) -> dict[str, int]:
        """How many records of each kind the file holds."""
        found = self.records.counts()
        return found | ({"Correction": len(self.corrections)} if self.corrections else {})


@dataclass(frozen=True, slots=True)
class Source:
    """What a reader is given."""

    path: Path
    store: Store | None = None
    """Where videos, questions and people that are known already are looked up; None: nothing is known."""
    dataset: str | None = None
    """Name of the dataset; None takes the format's own rule."""
    aspect: VdcAspect | None = None
    """For a question file whose name does not say it."""
    files: tuple[Path, ...] = ()
    """Those of the folder that belong together; empty: whatever is in it."""
    place: str = ""
    """The path as a person knows it; empty where nobody has named it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a writer is given."""

    store: Store
    evaluation_id: str | None
    values: Values
    media: MediaLibrary | None = None
    """For formats with pictures; None: they are written without."""
    whose: Whose = COUNTING
    """Whose texts, where no evaluation is named."""

    @property
    def texts_of(self) -> Whose:
        """Whose texts go into the file."""
        return Whose("evaluation", self.evaluation_id) if self.evaluation_id else self.whose


Reader = Callable[[Source], Batch]
Output = tuple[str, Iterable[str] | bytes | Path]
"""A file's name (empty for a format that is one file), and its text in pieces, bytes, or a file to copy."""
Writer = Callable[[Wanted], Iterable[Output]]
NO_HISTORY = "who corrected what (only the values), runs, prompts, scores"
"""What a file of plain values cannot hold."""

Group = Literal[
    "workspace",
    "reports and tables",
    "runs and their scores",
    "annotations of benchmarks",
    "training data",
    "other tools",
]
"""What a format is for, in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format of files."""

    name: str
    what: str
    """What it is, in one line."""
    group: Group
    """Under which heading it stands where one is chosen."""
    cannot_hold: str
    """What is lost on the way through it, in one line; starts with "nothing" when nothing is."""
    suffix: str
    """Of the file; empty when the format is a folder."""
    looks_for: str
    """What `detect` tells it by."""
    recognise: Callable[[Head], bool]
    reader: Reader | None = None
    writer: Writer | None = None
    evaluation: Literal["none", "optional", "needed"] = "none"
    """Whether it is written from an evaluation."""
    note: Callable[[Wanted], str] | None = None
    """What a file leaves out, with its count; an empty text if it leaves out nothing."""
    each: str = ""
    """Suffix of the files in the folder, where each may also stand alone."""
    bundles: Callable[[Sequence[Candidate]], list[Bundle]] | None = None
    """Which of many files belong together, where it takes several and they may lie among others."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Of a format of texts: the kind of text in each field of the file."""
    texts: Callable[[Wanted], Mapping[str, Mapping[str, Sequence[CountingText]]]] | None = None
    """Of a format of texts, those that it writes: `{video id: {field: texts}}`."""
    counts: Callable[[Wanted], Mapping[str, Mapping[str, int]]] | None = None
    """Of a format of records, how many it writes: `{video id: {what: n}}`."""
    task: str = ""
    """The task with which its texts are approved."""
    system: str = "vdc"
    """Whose names of videos it uses."""
    without_carebench: bool = False
    """Whether no CaReBench text stands in its files, whatever the workspace holds."""
