"""The examples are those of the package's README, and the package is complete."""

from __future__ import annotations

import re
import tomllib

import pytest

import ui.gradio_parts
from tests.paths import ROOT
from ui.gradio_parts import frame_player, marked_caption

PACKAGE = ROOT / "ui" / "gradio_parts"


def test_the_readme_shows_the_examples() -> None:
    shown = re.findall(
        r"^```python\n(.*?)^```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.M | re.S
    )
    files = [
        (PACKAGE / "examples" / f"{name}_app.py").read_text(encoding="utf-8")
        for name in ("player", "caption")
    ]
    assert [text.split('"""\n\n', 1)[1] for text in files] == shown


def test_it_needs_nothing_but_gradio_and_what_reads_times() -> None:
    declared = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
    ours = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [name.partition(">")[0] for name in declared] == ["gradio", "av"]
    assert all(name in ours for name in declared)
    for module in PACKAGE.glob("*.py"):
        for line in module.read_text(encoding="utf-8").splitlines():
            assert not re.match(r"(from|import) (annotation|backends|exports|ui|numpy)\b", line), module


@pytest.mark.parametrize("script", [frame_player.SCRIPT, marked_caption.SCRIPT])
def test_a_script_is_the_body_of_a_function_without_imports(script: str) -> None:
    assert not re.search(r"^(import|export)\b", script, re.M)
    for name in re.findall(r"^(?:const|let|class|function|async function) (\w+)", script, re.M):
        assert len(re.findall(rf"^(?:const|let|class|(?:async )?function) {name}\b", script, re.M)) == 1, name


def test_templates_hold_no_values() -> None:
    """Gradio runs them as template literals and as Handlebars."""
    for module in (frame_player, marked_caption):
        assert not re.search(r"[`$\\]|\{\{", module.TEMPLATE + module.STYLE)


def test_public_names() -> None:
    assert sorted(ui.gradio_parts.__all__) == [
        "Caption", "Film", "FramePlayer", "MarkedCaption", "Range", "ShownFrame", "Span",
    ]  # fmt: skip
