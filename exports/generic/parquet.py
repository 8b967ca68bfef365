"""`parquet`: one row per verdict of an evaluation with its context, for pandas, DuckDB and Polars.

Needs pyarrow (requirements-parquet.txt, 55 MB), which is optional.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from backends.errors import BackendUnavailable
from exports.files.format_types import Output, Wanted
from exports.files.read_text_and_json import PARQUET, Head
from exports.generic.verdict_rows import ALL, FLAGS, NUMBERS, verdict_rows

NAME = "parquet"
INTEGERS = ("index", "questions")


def recognise(head: Head) -> bool:
    return not head.folder and head.text.startswith(PARQUET.decode())


def write(wanted: Wanted) -> Iterator[Output]:
    """Write machine and current values. Raises UsageError, NotFound, BackendUnavailable."""
    pyarrow, parquet = _pyarrow()
    rows = list(verdict_rows(wanted))
    table = pyarrow.Table.from_pylist(rows, schema=_schema(pyarrow))
    whole = BytesIO()
    parquet.write_table(table, whole, compression="zstd")
    yield "", whole.getvalue()


def _schema(pyarrow: Any) -> Any:
    def kind(name: str) -> Any:
        if name in FLAGS:
            return pyarrow.bool_()
        return pyarrow.float64() if name in NUMBERS else pyarrow.string()

    return pyarrow.schema([(name, pyarrow.int64() if name in INTEGERS else kind(name)) for name in ALL])


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise BackendUnavailable(
            "Parquet needs pyarrow; type: pip install -r requirements-parquet.txt"
        ) from error
    return pyarrow, parquet
