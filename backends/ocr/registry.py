"""Create the engine for text on screen that a name selects."""

from __future__ import annotations

from backends.errors import UsageError
from backends.protocols import TextReader

DEFAULT = "rapidocr"
NONE = "none"
"""The spec that turns off reading of text."""


def text_reader(spec: str) -> TextReader:
    """Return the engine that `spec` names; it loads its weights with the first picture.

    Raises UsageError for an unknown name.
    """
    if check_spec(spec) == NONE:
        from backends.ocr.no_text import NoText

        return NoText()
    from backends.ocr.rapid_ocr import RapidOcrReader

    return RapidOcrReader()


def check_spec(spec: str) -> str:
    """Return `spec` if an engine has this name, else raise UsageError; loads nothing."""
    if spec not in (DEFAULT, NONE):
        raise UsageError(f"no engine {spec!r} for text on screen; choose from {DEFAULT}, {NONE}")
    return spec
