"""Files and folders dropped on a page as a file manager drops them, and the question that comes then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SLOW_MS = 60_000


def drop(page, *paths: Path) -> None:
    """Drop them into the middle of the page."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path.absolute()) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 640, "y": 400, "data": data})
    session.detach()


def asked(page) -> Any:
    """The dialog that says what the files are."""
    dialog = page.locator("dialog.dl-import")
    dialog.wait_for(timeout=SLOW_MS)
    return dialog


def run_added(page) -> None:
    """What was added is asked about; Enter runs the usual stages."""
    dialog = page.get_by_role("dialog", name="Run")
    dialog.wait_for(timeout=SLOW_MS)
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")


def take(page) -> None:
    """Import what was dropped or chosen, with Enter."""
    dialog = asked(page)
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    page.locator(".dl-uploads header b", has_text="Imported").wait_for(timeout=SLOW_MS)
