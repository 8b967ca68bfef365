"""Check the values that people enter as corrections."""

from __future__ import annotations

from annotation.records.ids import Json
from annotation.records.split_merge_move_speech import pieces_json, read_pieces
from annotation.store import current_table
from backends.errors import UsageError

_NEVER = object()


def check_value(subject_type: str, field: str, value: Json) -> Json:
    """Return the value in the form in which the field stores it.

    Raises UsageError if the field does not exist or cannot hold the value.
    """
    if field not in current_table.FIELDS.get(subject_type, ()):
        raise UsageError(f"{subject_type} has no field {field!r} that can be corrected")
    if field == "pieces":
        return pieces_json(read_pieces(value) or ())
    if subject_type != "verdict":
        if not isinstance(value, str):
            raise UsageError(f"{subject_type} {field} must be text, not {type(value).__name__}")
        return value
    return _check_verdict(value)


def _check_verdict(value: Json) -> Json:
    label = value.get("label") if isinstance(value, dict) else None
    score = value.get("score", _NEVER) if isinstance(value, dict) else _NEVER
    if not isinstance(label, str) or not label or score is _NEVER:
        raise UsageError("a verdict must be {label, score}; the score may be null")
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
        raise UsageError("a score must be a number from 0 to 5, or null")
    if score is not None and not 0 <= score <= 5:
        raise UsageError(f"a score must be from 0 to 5, not {score}")
    return {"label": label, "score": None if score is None else float(score)}
