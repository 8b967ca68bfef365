"""The declaration of a page, in `page.py` of its folder; `ui/pages/page_list.py` lists the pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fastapi import APIRouter

from annotation.people.permissions import Action
from backends.idle_models import KeptModel

Ask = Callable[[str], Awaitable[Any]]
"""Returns the JSON of a path, or None if the request is refused."""
PageAnswers = Callable[[Ask, dict[str, str]], Awaitable[None]]
"""Requests the first answers of a page, given the query of its address."""
Shows = Literal["videos", "video", "questions", "scores"]
"""A page shows all videos, one video, questions of one video or of many, or figures of an evaluation."""


@dataclass(frozen=True, slots=True)
class Face:
    """An alternative view of a page, with its own script and keys."""

    name: str
    """Name of its script `scripts/page_NAME.js` and of its keys."""
    parameter: str
    """An address with this query parameter opens it."""
    scopes: tuple[str, ...] = ()
    """As in `PageSpec`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpec:
    """A page: a folder of `ui/pages/` with the script `scripts/page_NAME.js`, which exports `show(frame)`.

    Style sheets of the folder are found automatically. `keys.json` in the folder lists the page's keys.
    """

    name: str
    """Name of its folder, and its address."""
    label: str
    """Label in the bar, in the rows of the Library and in the title of the document."""
    key: str
    """The key that opens the page from all others, in the notation of `keys.json`."""
    shows: Shows
    """Determines the parameters of links to the page, and which decisions Ctrl+Z undoes on it.

    A page of one video or of questions has a link in each row of the Library.
    """
    routers: tuple[APIRouter, ...]
    """The routes of its folder, in the order in which they are matched."""
    first_answers: PageAnswers | None = None
    """Requests whose answers are included in the document; None: only those of the bar."""
    models: tuple[KeptModel[Any], ...] = ()
    """Models that its requests use: they are loaded ahead, and kept while pages are open."""
    scopes: tuple[str, ...] = ()
    """Scopes of `ui/lib/keys/keymap.json` whose keys work on the page, in addition to `everywhere`."""
    faces: tuple[Face, ...] = ()
    tasks: Mapping[str, str] = field(default_factory=dict)
    """The tasks of `annotation.editing.assignments` done on the page, each with its tab or ""."""
    needs: Action = "read"
    """Only people with this right see links to the page. Its routes check rights themselves."""
