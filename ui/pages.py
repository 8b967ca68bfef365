"""The Gradio side: one page per route, each with one gr.HTML component that draws itself."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import gradio as gr

STATIC = Path(__file__).parent / "static"
PAGES = (
    ("library", "Library", ""), ("script", "Script", "script"), ("verdicts", "Verdicts", "verdicts"),
    ("split", "Split", "split"), ("keyframes", "Keyframes", "keyframes"), ("scores", "Scores", "scores"),
)  # fmt: skip


@cache
def static_version() -> str:
    """One value per running app; another one when the files have changed, so that browsers fetch anew."""
    files = sorted(STATIC.iterdir())
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def build_pages() -> gr.Blocks:
    """All pages as one Blocks app."""
    base = f"/app/{static_version()}"
    with gr.Blocks(title="Dailies", analytics_enabled=False, fill_width=True) as demo:
        _page("library", base)
    for name, title, path in PAGES[1:]:
        with demo.route(title, path, show_in_navbar=False):
            _page(name, base)
    return demo


def head() -> str:
    """Goes into every page's head: the style sheets, before anything is drawn; the common one first."""
    base = f"/app/{static_version()}"
    names = (file.name for file in STATIC.glob("*.css"))
    sheets = sorted(names, key=lambda name: (name != "dailies.css", name))
    links = "".join(f'<link rel="stylesheet" href="{base}/{name}">' for name in sheets)
    return (
        f'{links}<link rel="modulepreload" href="{base}/main.js"><meta name="referrer" content="same-origin">'
    )


def _page(name: str, base: str) -> None:
    gr.HTML(
        html_template=f'<div class="dl-root" data-page="{name}"></div>',
        js_on_load=f"import('{base}/main.js').then((m) => m.mount(element, '{name}'));",
        apply_default_css=False,
        elem_id=f"dailies-{name}",
    )
