"""Published figures of Vript-Hard, made again from the replies that the authors released.

    python -m benchmarks.published VRIPT [--ero FILE] [--embeddings NAME] [--tagger NAME]...

VRIPT is a checkout of github:mutonix/Vript (or its bare repository). RR needs nothing else. The released
replies to ERO carry no answers, so ERO needs ERO_annotations.jsonl of the dataset. HAL needs
`pip install sentence-transformers` and the vectors of all-mpnet-base-v2 (a name or a folder). Every tagger
that is named (a package or a folder of spaCy) scores HAL once more: the paper's is en_core_web_lg.
Source of the published figures: Vript (NeurIPS 2024), tables 3 and 6.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotation.reports.report_type import Options, Report
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from exports.vript.hard_report import ero_reports, hal_reports, rr_reports

FOLDER = "vript-hard/evaluation_output_examples"
RR = {
    ("clip", "videochat2"): 52.0,
    ("video", "videochat2"): 42.1,
    ("clip", "videochat"): 33.6,
    ("video", "videochat"): 22.4,
}
"""Table 3, multiple choice: percent of 152 questions, with the scene alone (`clip`) and the whole video."""
ERO = {"at_1": 70.2, "at_2": 26.9, "at_3": 23.9}
"""Table 3, Claude 3-Opus: percent of 134 items."""
HAL = {"videochat2": {"precision": 73.2, "recall": 8.6, "f1_of_means": 15.4}}
"""Table 6. The other released file, LLaVA-NeXT 34B, stands in no table of the paper."""
HAL_FILES = ("videochat2", "llava_next_34b")
HAL_METRICS = ("precision", "recall", "f1_of_means", "f1_mean_of_clips")
NOT_PUBLISHED = "not published"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure in percent."""

    what: str
    published: float | None
    ours: float
    count: str

    def line(self) -> str:
        if self.published is None:
            return f"| {self.what} | {NOT_PUBLISHED} | {self.ours:.2f} | | {self.count} |"
        difference = self.ours - self.published
        return f"| {self.what} | {self.published:.1f} | {self.ours:.2f} | {difference:+.2f} | {self.count} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a table; 1 where RR or ERO differ from the paper by more than its rounding."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("vript", type=Path)
    parser.add_argument("--ero", type=Path)
    parser.add_argument("--embeddings", default="")
    parser.add_argument("--tagger", action="append", default=[])
    chosen = parser.parse_args(arguments)
    exact = [*rr_rows(chosen.vript), *(ero_rows(chosen.vript, chosen.ero) if chosen.ero else [])]
    hal = [
        row for tagger in chosen.tagger or [""] for row in hal_rows(chosen.vript, chosen.embeddings, tagger)
    ]
    sys.stdout.write("| figure, percent | paper | Dailies | difference | counted |\n|---|---|---|---|---|\n")
    sys.stdout.writelines(f"{row.line()}\n" for row in [*exact, *hal])
    if not chosen.ero:
        sys.stdout.write("\nERO was skipped: name ERO_annotations.jsonl with --ero\n")
    if not chosen.embeddings:
        sys.stdout.write("\nHAL was skipped: name the vectors of all-mpnet-base-v2 with --embeddings\n")
    return int(any(abs(row.ours - (row.published or row.ours)) > 0.05 + 1e-9 for row in exact))


def rr_rows(vript: Path) -> Iterator[Row]:
    """The multiple choice replies of four runs, by the released rule."""
    for (setting, model), published in RR.items():
        name = f"RR/multiplechoice/RR_{setting}_{model}_multiplechoice_output.csv"
        with imported(vript, name) as store:
            (report,) = rr_reports(store, Options(policies=("published",)))
        yield from _rows(f"RR, {model}, {setting}", report, {"accuracy": published})


def ero_rows(vript: Path, annotations: Path) -> Iterator[Row]:
    """The orders of Claude 3-Opus, by the released rule."""
    with imported(vript, "ERO/ERO_claude-opus_output.csv", annotations) as store:
        (report,) = ero_reports(store, Options(policies=("published",)))
    yield from _rows("ERO, claude-opus", report, ERO)


def hal_rows(vript: Path, embeddings: str, tagger: str) -> Iterator[Row]:
    """Both released files of captions, with one tagger; nothing without vectors."""
    for model in HAL_FILES if embeddings else ():
        with imported(vript, f"HAL/HAL_{model}_output.csv") as store:
            (report,) = hal_reports(store, Options(embeddings=embeddings, tagger=tagger))
        published = HAL.get(model, {})
        yield from _rows(
            f"HAL, {model}, {report['engines']}", report, {m: published.get(m) for m in HAL_METRICS}
        )


def _rows(what: str, report: Report, published: Mapping[str, float | None]) -> Iterator[Row]:
    whole = {row["metric"]: row for row in report["rows"] if not row["group"]}
    for metric, figure in published.items():
        row = whole[metric]
        yield Row(f"{what}, {metric}", figure, 100 * row["value"], f"{row['n']} of {row['of']}")


@contextmanager
def imported(vript: Path, name: str, *annotations: Path) -> Iterator[Store]:
    """A store that holds these annotations and one released file of replies."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / Path(name).name
        file.write_bytes(_content(vript, f"{FOLDER}/{name}"))
        workspace = Workspace(Path(folder) / "workspace")
        for each in (*annotations, file):
            formats.commit(workspace.store, formats.read(each, workspace.store))
        yield workspace.store
        workspace.close()


def _content(checkout: Path, name: str) -> bytes:
    """A file of a checkout, which may be a bare repository."""
    if (checkout / name).is_file():
        return (checkout / name).read_bytes()
    return subprocess.run(
        ["git", "-C", str(checkout), "show", f"HEAD:{name}"], check=True, capture_output=True
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
