"""Convert records to rows and JSON, and back. Pydantic validates every field that is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from annotation.records.errors import FormatError
from annotation.records.record_union import Record
from annotation.store.tables import TABLE_OF
from backends.text import storable_text

R = TypeVar("R", bound=Record)

KINDS: dict[str, type[Record]] = {kind.__name__: kind for kind in TABLE_OF}
"""Record classes by their name in files."""

_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in TABLE_OF}


def to_row(record: Record) -> dict[str, Any]:
    """Return the fields of a record as JSON-like values, as stored in the columns of its table.

    Raises FormatError if a text cannot be stored.
    """
    row = cast(dict[str, Any], _ADAPTERS[type(record)].dump_python(record, mode="json"))
    for name, value in row.items():
        if isinstance(value, str) and storable_text.is_storable(value):
            continue
        for place in storable_text.unstorable_places(value, f"{type(record).__name__} {name}"):
            raise FormatError(f"{place}: the text contains {storable_text.WHAT}, which cannot be stored")
    return row


def from_row(kind: type[R], row: Mapping[Any, Any]) -> R:
    """Return the record of a row.

    Raises FormatError with the first invalid field.
    """
    try:
        return cast(R, _ADAPTERS[kind].validate_python(dict(row)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "record"
        raise FormatError(f"{kind.__name__}: {where}: {first['msg']}") from None
