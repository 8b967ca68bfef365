"""A benchmark that is added to a copy of the program: folders of tests/toy_benchmark, a line in each list."""

from __future__ import annotations

from tests.paths import ROOT
from tests.program_copy import ProgramCopy

FILES = ROOT / "tests" / "toy_benchmark"
LISTS = {
    "annotation/pipeline/system_list.py": "annotation.systems.toy import system",
    "exports/catalogue/system_list.py": "exports.toy import system",
    "ui/systems/system_list.py": "ui.systems.toy import view",
}
"""The lists of systems, and what each imports."""

LINE = {"toy_video": "boat", "reference": "A boat sails. A cat jumps.", "events": ["boat sails", "cat jumps"]}
"""A line of its format. The video is found by its name."""


def add_toy_benchmark(program: ProgramCopy) -> None:
    """As "Adding a benchmark" of docs/development.md says."""
    for file in sorted(FILES.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            program.add(file.relative_to(FILES).as_posix(), file.read_text(encoding="utf-8"))
    for path, module in LISTS.items():
        program.insert(path, "\nSYSTEMS: tuple", f"from {module} as toy")
        program.insert(path, "    progress_captioner.SYSTEM,", "    toy.SYSTEM,")
