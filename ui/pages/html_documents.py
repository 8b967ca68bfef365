"""The app's HTML documents: an empty root, the style sheets, and the scripts that draw the page."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.pages.page_table import UI, packed_table

STATIC_FOLDERS = ("lib", "pages", "systems")
"""Folders of scripts and styles: those of a page or a system are beside its view, shared ones in `lib`."""
KINDS = {".js": "text/javascript", ".css": "text/css", ".png": "image/png", ".json": "application/json"}
SHEET = "all.css"
"""All style sheets in one file."""
TABLE = "pages.json"
"""The list of pages and keys, read by lib/parts/pages.js on start."""
MADE = (SHEET, TABLE)
"""Files built from several others."""
ICON = "lib/favicon.png"
IMPORT = re.compile(r"^(?:import|export) [^;]*?from '(\.[^']+)'|^import '(\.[^']+)'", re.MULTILINE)
"""An import that a browser follows before it runs the script."""
THEME = (
    "let t;try{t=localStorage.getItem('dailies-theme')}catch{}"
    "document.documentElement.dataset.dlTheme="
    "t||(matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light')"
)
"""Sets the theme as top_bar.js does, before anything is drawn."""
EARLY_KEYS = (
    "dailiesEarly='';addEventListener('keydown',dailiesHearsEarly=e=>"
    "{if(e.key.length===1&&!e.ctrlKey&&!e.altKey&&!e.metaKey)dailiesEarly+=e.key},true)"
)
"""Records keys typed before the scripts load; keys/refused_letters.js reports that they were not handled."""

NOT_LOADED = (
    "let box=document.createElement('div'),again=document.createElement('button');"
    "box.className='dl-empty dl-failed';box.setAttribute('role','alert');"
    "box.append('The scripts of this page could not be loaded: the server does not respond. ',again);"
    "if(dailiesEarly)box.append(' Not written: “'+dailiesEarly+'”');"
    "again.className='dl-button';again.textContent='Try again';again.onclick=()=>location.reload();"
    "document.body.append(box);again.focus()"
)
"""Shows an error if a script fails to load: then no script runs, and the page would stay empty."""


@cache
def static_files() -> tuple[str, ...]:
    """Paths in `ui` of files for browsers, without type declarations and tables of keys."""
    kinds = KINDS.keys() - {".json"}
    found = (file for folder in STATIC_FOLDERS for file in (UI / folder).rglob("*") if file.suffix in kinds)
    return tuple(sorted(file.relative_to(UI).as_posix() for file in found))


@cache
def static_version() -> str:
    """A version for each running app; it changes with the files, so that browsers fetch them again."""
    contents = b"".join((UI / name).read_bytes() for name in static_files())
    return hashlib.sha256(contents + packed_table()).hexdigest()[:12]


class StaticFirst:
    """ASGI middleware that serves scripts and styles from memory.

    It runs before the access checks and routes, because a page uses 60 of these files. Their address changes
    with their content, so that browsers do not have to revalidate them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.prefix = app, f"/app/{static_version()}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: ASGIApp | None = None
        if scope["type"] == "http" and scope["path"].startswith(self.prefix):
            packs = "gzip" in Headers(scope=scope).get("accept-encoding", "")
            answer = static_file(scope["path"].removeprefix(self.prefix), packs)
        await (answer or self.app)(scope, receive, send)


def static_file(name: str, packs: bool) -> Response | None:
    """A file for browsers, by its path in `ui`, or one of `MADE`; compressed if that helps."""
    return _kept_file(name, packs) if name in MADE or name in static_files() else None


@cache
def _kept_file(name: str, packs: bool) -> Response:
    content = _content(name)
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
        "Vary": "Accept-Encoding",
    }
    kind = KINDS[Path(name).suffix]
    if packs and kind != "image/png":
        content, headers["Content-Encoding"] = gzip.compress(content), "gzip"
    return Response(content, media_type=kind, headers=headers)


def _content(name: str) -> bytes:
    if name == TABLE:
        return packed_table()
    return b"".join((UI / part).read_bytes() for part in (sheets() if name == SHEET else (name,)))


def document(title: str, body: str, scripts: tuple[str, ...] = ()) -> str:
    """A whole document around `body`, which is HTML.

    The first of `scripts` (paths in `ui`) is run; all of them and their imports are fetched in parallel.
    """
    base = f"/app/{static_version()}"
    early = f";{EARLY_KEYS}" if scripts else ""
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{escape(title)}</title>"
        '<meta name=viewport content="width=device-width"><meta name=referrer content=same-origin>'
        f'<link rel=icon href="{base}/{ICON}"><script>{THEME}{early}</script>'
        f'<link rel=stylesheet href="{base}/{SHEET}">'
        + "".join(f'<link rel=modulepreload href="{base}/{script}">' for script in imported(scripts))
        + (f'<link rel=preload as=fetch crossorigin href="{base}/{TABLE}">' if scripts else "")
        + f"</head><body>{body}"
        + "".join(
            f'<script type=module src="{base}/{script}" onerror="{NOT_LOADED}"></script>'
            for script in scripts[:1]
        )
        + "</body></html>"
    )


@cache
def sheets() -> tuple[str, ...]:
    """Every style sheet, the common one first."""
    found = (name for name in static_files() if name.endswith(".css"))
    return tuple(sorted(found, key=lambda name: (name != "lib/dailies.css", Path(name).name)))


@cache
def imported(scripts: tuple[str, ...]) -> tuple[str, ...]:
    """These scripts and all of their imports, each once, in order of appearance."""
    found = dict.fromkeys(scripts)
    waiting = list(scripts)
    while waiting:
        new = [script for script in _imports_of(waiting.pop(0)) if script not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return tuple(found)


def _imports_of(script: str) -> Iterator[str]:
    file = UI / script
    for match in IMPORT.finditer(file.read_text(encoding="utf-8")):
        there = file.parent / (match[1] or match[2])
        yield there.resolve().relative_to(UI).as_posix()
