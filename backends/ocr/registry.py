"""From what was typed to an engine that reads text in pictures."""

from __future__ import annotations

from backends.errors import UsageError
from backends.protocols import TextReader

DEFAULT = "rapidocr"
NONE = "none"
"""The spec that turns the reading of text off."""


def text_reader(spec: str) -> TextReader:
    """The engine that `spec` names. Nothing is loaded before the first picture.

    Raises UsageError for a name that does not exist.
    """
    if check_spec(spec) == NONE:
        from backends.ocr.no_text import NoText

        return NoText()
    from backends.ocr.rapid_ocr import RapidOcrReader

    return RapidOcrReader()


def check_spec(spec: str) -> str:
    """Raises UsageError for a name that no engine has; loads nothing."""
    if spec not in (DEFAULT, NONE):
        raise UsageError(f"no engine {spec!r} for text on screen; choose from {DEFAULT}, {NONE}")
    return spec
