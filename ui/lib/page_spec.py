"""What a page declares about itself, in `page.py` of its folder; `ui/pages/page_list.py` lists the pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fastapi import APIRouter

from annotation.people.permissions import Action

Ask = Callable[[str], Awaitable[Any]]
"""Gives the JSON of a path, None where it is refused."""
PageAnswers = Callable[[Ask, dict[str, str]], Awaitable[None]]
"""Of a page: asks what the page will ask first, by the query of its address."""
Shows = Literal["videos", "video", "questions", "scores"]
"""All videos, one video, questions of one video or of many, or figures of an evaluation."""


@dataclass(frozen=True, slots=True)
class Face:
    """Another way to draw a page, with a script and keys of its own."""

    name: str
    """Of its script `scripts/page_NAME.js` and of its keys."""
    parameter: str
    """An address with this query parameter opens it."""
    scopes: tuple[str, ...] = ()
    """As in `PageSpec`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpec:
    """A page: a folder of `ui/pages/` with the script `scripts/page_NAME.js`, which exports `show(frame)`.

    Style sheets of the folder are found by themselves. `keys.json` of the folder holds the page's keys.
    """

    name: str
    """Of its folder and its address."""
    label: str
    """In the bar, in the rows of the Library and in the title of the document."""
    key: str
    """Opens the page from every other one, as a key is written in `keys.json`."""
    shows: Shows
    """Decides what a link to the page carries, and which decisions Ctrl+Z takes back on it.

    A page of one video or of questions has a link in each row of the Library.
    """
    routers: tuple[APIRouter, ...]
    """The routes of its folder, in the order in which they are tried."""
    first_answers: PageAnswers | None = None
    """Requests that are answered in the document; None: only those of the bar."""
    scopes: tuple[str, ...] = ()
    """Scopes of `ui/lib/keys/keymap.json` whose keys work on the page, beside `everywhere`."""
    faces: tuple[Face, ...] = ()
    tasks: Mapping[str, str] = field(default_factory=dict)
    """The tasks of `annotation.editing.assignments` that are done on the page, each with its tab or ""."""
    needs: Action = "read"
    """People who may do this see links to the page. Its routes check rights themselves."""
