"""`report`: an evaluation to share, as a folder that any browser opens from the disk.

One page with inline style and script, and the frames as files. It loads no external resources.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotation.reports.methods import methods
from exports.files.format_types import Output, Wanted
from exports.files.read_text_and_json import Head
from exports.offline_report.contents import Contents, contents_of
from exports.offline_report.pictures import Pictures, pictures_of
from exports.offline_report.report_page_html import MARK, page

NAME = "report"
PAGE = "index.html"


def recognise(head: Head) -> bool:
    return head.folder and PAGE in head.names and MARK in head.inside(PAGE).text[:2000]


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the page and its pictures. Raises UsageError or NotFound."""
    found = contents_of(wanted)
    if found is None:
        return
    pictures = pictures_of(wanted.store, wanted.media, found.asked)
    yield PAGE, page(found, pictures, methods(wanted.store, found.scores), left_out(found, pictures))
    yield from pictures.files.items()


def note(wanted: Wanted) -> str:
    """Return a note on contents left out."""
    found = contents_of(wanted)
    return "; ".join(left_out(found, Pictures())) if found else ""


def left_out(found: Contents, pictures: Pictures) -> list[str]:
    """Return sentences about contents left out, for the page."""
    said = (
        ("questions that people excluded, not listed", found.excluded),
        ("questions labelled by a person who labels blind, not listed", found.blind),
        ("verdicts on a whole video and aspect, in the scores but not in the list", found.whole),
        ("videos without frames, because the file is missing or unreadable", len(pictures.without)),
        ("frames left out to keep the report small", pictures.dropped),
    )
    return [f"{words}: {count:,}" for words, count in said if count]
