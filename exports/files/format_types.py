"""Types shared by all formats: what readers return and what writers take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from annotation.checks.question_checks import Asked
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
    """Something unusual that a reader skipped or repaired. Nothing is dropped without a Problem."""

    where: str
    """File and line."""
    what: str


@dataclass(frozen=True, slots=True)
class Batch:
    """The contents of a file. Nothing is in the store yet."""

    format: str
    version: str
    records: Spool
    """Records ordered by kind, on disk if there are many. Corrections are separate."""
    corrections: tuple[Correction, ...] = ()
    problems: tuple[Problem, ...] = ()
    taken_back: tuple[str, ...] = ()
    """Ids of texts among the records that do not count because their author withdrew them."""

    def counts(self) -> dict[str, int]:
        """Return the number of records of each kind."""
        found = self.records.counts()
        return found | ({"Correction": len(self.corrections)} if self.corrections else {})


@dataclass(frozen=True, slots=True)
class Source:
    """Input of a reader."""

    path: Path
    store: Store | None = None
    """Store with the known videos, questions and people; None if there is no store."""
    dataset: str | None = None
    """Name of the dataset; None uses the format's default."""
    aspect: VdcAspect | None = None
    """Aspect of a question file whose name does not contain it."""
    files: tuple[Path, ...] = ()
    """Files of the folder to read; empty for all."""
    place: str = ""
    """The path as shown to people; empty if the user did not name one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Input of a writer."""

    store: Store
    evaluation_id: str | None
    values: Values
    media: MediaLibrary | None = None
    """For formats with pictures; None leaves the pictures out."""
    whose: Whose = COUNTING
    """Whose texts to write if there is no evaluation."""

    @property
    def texts_of(self) -> Whose:
        """Whose texts go into the file."""
        return Whose("evaluation", self.evaluation_id) if self.evaluation_id else self.whose


Reader = Callable[[Source], Batch]
Output = tuple[str, Iterable[str] | bytes | Path]
"""File name (empty for a single-file format) and the text in pieces, the bytes, or a file to copy."""
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
"""Purpose of a format, in the order of the lists of formats."""


EVERYTHING = ("everything",)
"""Of a format that keeps the whole workspace."""


@dataclass(frozen=True, slots=True)
class Keeps:
    """What one format keeps, in the nouns that `export --list` and docs/formats.md print."""

    whole: tuple[str, ...]
    """Kept completely."""
    partly: tuple[str, ...] = ()
    """Kept in part: only for the format's own subject, or in its own terms."""
    writer: bool = False
    """Whether the file names the person who wrote the text."""
    several: Literal["first", "all"] = "first"
    """Whether the text that counts or all texts of a field are kept."""
    decimals: int | None = None
    """Decimals of times in seconds; None if there are no times or all digits are kept."""
    text: Literal["unchanged", "stripped", "lower case"] = "unchanged"
    """Changes to texts: `stripped` of surrounding white space, or lower case."""

    def words(self) -> str:
        """Return the description in one line."""
        if self.whole == EVERYTHING:
            return "everything"
        parts = [", ".join(self.whole), self.partly and f"in part {', '.join(self.partly)}", "nothing else"]
        parts += [f"times to {10**-self.decimals:g} s"] if self.decimals else []
        parts += [f"texts {self.text}"] if self.text != "unchanged" else []
        return "; ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Format:
    """A file format."""

    name: str
    what: str
    """Description, in one line."""
    group: Group
    """Heading in the lists of formats."""
    cannot_hold: str
    """What is lost in this format, in one line; starts with "nothing" for a lossless format."""
    suffix: str
    """File suffix; empty if the format is a folder."""
    looks_for: str
    """Features by which `detect` recognises the format."""
    recognise: Callable[[Head], bool]
    reader: Reader | None = None
    writer: Writer | None = None
    keeps: Keeps | None = None
    """What survives an export and import; tests measure it. None if that is not measured.

    Not measured: formats that are only read or only written, formats that are read into a workspace that
    already has their subject (patches, ratings, labels), and files without the records of a workspace.
    `fields` lists the kinds of text that a format has fields for.
    """
    evaluation: Literal["none", "optional", "needed"] = "none"
    """Whether the format is written from an evaluation."""
    benchmarks: tuple[str, ...] = ()
    """Benchmarks (`SYSTEM`) whose evaluations are written; empty for those of questions and answers."""
    note: Callable[[Wanted], str] | None = None
    """What a file leaves out, with counts; an empty text if it leaves out nothing."""
    in_clip_zip: str = ""
    """Path in a zip with everything of one clip; empty: it is not in the zip."""
    each: str = ""
    """Suffix of the folder's files, if each file can also be imported separately."""
    bundles: Callable[[Sequence[Candidate]], list[Bundle]] | None = None
    """Groups files that belong together, for formats of several files that may be mixed with others."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """For formats of texts: the kind of text in each field of the file."""
    texts: Callable[[Wanted], Mapping[str, Mapping[str, Sequence[CountingText]]]] | None = None
    """For formats of texts: the texts that are written, `{video id: {field: texts}}`."""
    counts: Callable[[Wanted], Mapping[str, Mapping[str, int]]] | None = None
    """For formats of records: the number of records that are written, `{video id: {what: n}}`."""
    task: str = ""
    """Task that approves the format's texts."""
    system: str = "vdc"
    """System whose video names are used."""
    entries_to_check: Callable[[Path, str | None], Iterable[Asked]] | None = None
    """Reads every question of a file for the checks, also those that an import leaves out."""
    scripts_to_check: Callable[[Batch], Iterable[dict[str, Any]]] | None = None
    """Returns rows of `annotation.reports.script_findings`: files of this format are checked as scripts."""
    without_hidden_texts: bool = False
    """Whether the files never contain texts that are hidden from annotators (`TextFacts`), whatever the
    workspace contains."""
