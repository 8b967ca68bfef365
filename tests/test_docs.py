"""The documents say what the code says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import app
from annotation.pipeline.engines import EngineChoice
from annotation.store.tables import metadata
from backends.scenes.scene_detectors import DETECTORS
from docs.make_pages import PAGES
from exports.catalogue.format_registry import FORMATS

ROOT = Path(__file__).resolve().parent.parent
OWN_VARIABLES = {
    "DAILIES_WORKSPACE",
    "DAILIES_DATABASE",
    "DAILIES_METRICS_TOKEN",
    "DAILIES_OIDC_SECRET",
    "DAILIES_PUBLIC_URL",
    "DAILIES_EMBED_IN",
}
"""Beside those that are made of a flag's name."""
COMMANDS = sorted(typer.main.get_command(app.cli).commands)  # type: ignore[attr-defined]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_written_pages_are_up_to_date(name: str) -> None:
    assert text(f"docs/{name}") == PAGES[name](), "type: make docs"


def test_every_table_and_column_is_described() -> None:
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text("docs/schema.md"), re.M | re.S))
    for table in metadata.tables.values():
        rows = re.findall(r"^\| `(\w+)`\*? \| [^|]+ \| (.+) \|$", sections[table.name], re.M)
        assert [name for name, _ in rows] == [column.name for column in table.columns], table.name
        assert all(len(words) >= 3 for _, words in rows), table.name


def test_every_format_is_described() -> None:
    assert re.findall(r"^## (\S+)$", text("docs/formats.md"), re.M) == list(FORMATS)


def test_every_command_is_on_its_page() -> None:
    assert sorted(set(re.findall(r"^\| `([a-z-]+)[` ]", text("docs/command_line.md"), re.M))) == COMMANDS


def test_the_readme_is_a_front_page() -> None:
    assert len(text("README.md").splitlines()) <= 120


def test_every_command_is_in_the_changelog() -> None:
    assert [name for name in COMMANDS if f"`{name}`" not in text("CHANGELOG.md")] == []


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "docs/models.md",
        "docs/workspace.md",
        "docs/engines.md",
        "docs/formats.md",
        "docs/teams.md",
        "docs/servers.md",
        "docs/scale.md",
    ],
)
def test_commands_and_flags_that_are_shown_exist(document: str) -> None:
    shown = re.findall(r"app\.py ([a-z-]+)((?:[^`\n]|\\\n)*)", text(document))
    assert shown
    commands = typer.main.get_command(app.cli).commands  # type: ignore[attr-defined]
    for name, rest in shown:
        known = {flag for option in commands[name].params for flag in option.opts} | {"--help"}
        assert set(re.findall(r"(?<=\s)--[a-z-]+", rest)) <= known, name


def test_every_setting_and_detector_is_in_the_page_on_engines() -> None:
    page = text("docs/engines.md")
    for name in DETECTORS:
        assert f"`{name}`" in page, name
    for name in EngineChoice.__dataclass_fields__:
        assert re.search(rf"^{name} = ", page, re.M), name


def test_every_make_target_that_is_shown_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.M))
    for document in ("README.md", "docs/development.md", "docs/performance.md", ".ci/run"):
        for name in re.findall(r"(?:^|`)make ([a-z-]+)", text(document), re.M):
            assert name in targets, f"{document}: make {name}"


@pytest.mark.parametrize("document", ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))])
def test_links_lead_to_files_and_headings(document: str) -> None:
    for link, anchor in re.findall(r"\]\((?!https?://)([^)#]*)#?([^)]*)\)", text(document)):
        target = (ROOT / document).parent / link if link else ROOT / document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), f"{link}#{anchor}"


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: its `<a id>` tags, and those that GitHub gives its headings."""
    written = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", written, re.M)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', written))


def test_requirement_files_each_say_why() -> None:
    for file in ROOT.glob("requirements*.txt"):
        assert file.read_text(encoding="utf-8").startswith("#"), file.name


def test_help_needs_no_workspace(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "app.py"), "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("document", ["Dockerfile", "compose.yaml", "docs/teams.md"])
def test_variables_that_are_shown_exist(document: str) -> None:
    commands = typer.main.get_command(app.cli).commands  # type: ignore[attr-defined]
    flags = {
        f"DAILIES_{name}_{flag.lstrip('-')}".upper().replace("-", "_")
        for name, command in commands.items()
        for option in command.params
        for flag in option.opts
    }
    shown = set(re.findall(r"DAILIES_\w+", text(document)))
    assert shown
    assert shown - flags <= OWN_VARIABLES


JOURNEYS = re.findall(
    r"^\| \d+ \| `([^`]+)`", (ROOT / "docs/architecture.md").read_text(encoding="utf-8"), re.M
)
ENDS = [
    "ui/api/import_uploads.py",
    "exports/files/import_intake.py",
    "ui/api/edits.py",
    "annotation/store/verdicts/verdict_columns_cache.py",
    "ui/api/jobs_and_exports.py",
    "exports/loveu/writer.py",
]
"""Reached through a list: of routers, of what the page asks for, of formats."""


def test_journeys_in_the_architecture_page_are_those_of_the_code() -> None:
    """Every file is there, and each Python file but the first is imported by another one of them."""
    assert len(JOURNEYS) > 20 and all((ROOT / file).is_file() for file in JOURNEYS)
    python = [file for file in JOURNEYS if file.endswith(".py")]
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in python}
    folders = {file: file.rpartition("/")[0].replace("/", ".") for file in python}
    alone = [
        file
        for file in python[1:]
        if not any(
            re.search(
                rf"^ *from ({re.escape(file[:-3].replace('/', '.'))} import |{folders[file]} import "
                rf"(\(\n)?[^)]*?\b{Path(file).stem}\b)",
                text,
                re.M,
            )
            for text in texts.values()
        )
    ]
    assert alone == ENDS
