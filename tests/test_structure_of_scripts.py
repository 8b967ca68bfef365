"""Which script of the pages may import which."""

from __future__ import annotations

import re

from tests.test_structure import ROOT, cycles

_COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*$", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r"(?:\bfrom|\bimport(?:\s*\()?)\s*['\"](\.{1,2}/[^'\"]+\.js)['\"]")


def _imports(text: str) -> list[str]:
    """Static, dynamic and re-exporting imports; types in JSDoc comments are not imports."""
    return _IMPORT.findall(_COMMENT.sub("", text))


FILES = sorted(ROOT.glob("ui/**/*.js"))
EDGES = {
    file.relative_to(ROOT).as_posix(): {
        (file.parent / target).resolve().relative_to(ROOT).as_posix()
        for target in _imports(file.read_text(encoding="utf-8"))
    }
    for file in FILES
}
"""Which script imports which, by path."""


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def test_imports_are_read() -> None:
    script = """
    // import { a } from './comment.js';
    /** @typedef {import('./type.js').T} T */
    import './alone.js';
    import { b } from '../b.js';
    export {
      c,
    } from './c.js';
    const later = () => import('./later.js');
    """
    assert _imports(script) == ["./alone.js", "../b.js", "./c.js", "./later.js"]


def test_every_import_is_a_script() -> None:
    assert {(name, to) for name, targets in EDGES.items() for to in targets if to not in EDGES} == set()


def test_neither_scripts_nor_folders_import_in_a_circle() -> None:
    folders: dict[str, set[str]] = {}
    for name, targets in EDGES.items():
        folders.setdefault(_folder(name), set()).update({_folder(to) for to in targets} - {_folder(name)})
    assert sum(map(len, EDGES.values())) > len(EDGES)
    assert cycles(EDGES) == [] and cycles(folders) == []


def _page(path: str) -> str:
    return path.split("/")[2] if path.startswith("ui/pages/") else ""


def test_pages_import_no_other_page() -> None:
    pairs = {(name, to) for name, targets in EDGES.items() for to in targets if _page(name) and _page(to)}
    assert {(name, to) for name, to in pairs if _page(name) != _page(to)} == set()


def _system(path: str) -> str:
    return path.split("/")[2] if path.startswith("ui/systems/") else ""


def test_systems_import_no_page_and_scripts_no_other_system() -> None:
    """The server lists the modules of systems, so that no script has to name them."""
    pairs = {(name, to) for name, targets in EDGES.items() for to in targets}
    assert {_system(name) for name, _ in pairs} >= {"carebench", "vript"}
    assert {(name, to) for name, to in pairs if _system(name) and _page(to)} == set()
    assert {(name, to) for name, to in pairs if _system(to) not in ("", _system(name))} == set()
