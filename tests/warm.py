"""What a server makes at its first requests, made once before processes are copied from the one with it.

Routes (0.2 s of a processor), packed scripts (0.1 s) and the English parser of Split (2 s).
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.systems.carebench.split_checks.tagging import tagged
from annotation.workspace.workspace import Workspace
from tests.ui.direct_client import DirectClient
from ui.pages.html_documents import MADE, static_file, static_files
from ui.pages.page_list import PAGES, path_of
from ui.web_app import build_app


def _warm_up() -> None:
    # A thread of the app may write into the folder while it is removed.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        workspace = Workspace(Path(folder))
        app = build_app(workspace, lambda: make_engines(EngineChoice(speech="none"), workspace))
        with DirectClient(app) as client:
            client.get("/api/no/such/route")
            for page in PAGES:
                client.get(path_of(page))
        workspace.close()
    for name in (*MADE, *static_files()):
        static_file(name, packs=True)
    tagged("A parser is here.")


_warm_up()
