"""What a format says that it leaves out, as the preview of an export ends with it."""

from __future__ import annotations

from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from exports.catalogue.export_preview import preview
from exports.catalogue.format_registry import FORMATS


def note(store: Store, name: str, values: str = "current") -> str:
    known, wanted = FORMATS[name], formats.wanted(store, name, values=values)
    said = known.note(wanted) if known.note else ""
    assert not said or preview(known, wanted).says[-1] == said
    return said
