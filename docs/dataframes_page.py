"""The text of docs/dataframes.md, from the columns of `exports.dataframes`."""

from __future__ import annotations

from collections.abc import Mapping

from exports.dataframe_columns import CAPTIONS, LABELS, SCORES, TEXTS, VERDICTS

HEAD = """# DataFrames

What a workspace holds as pandas DataFrames, for a notebook that is started in the checkout (or with the
package installed). [notebook.ipynb](notebook.ipynb) is a short one; a test runs it.

```python
from exports.dataframes import captions, labels, scores, verdicts

failed = verdicts("workspace", "hand-written").query("state == 'done' and pred == 'no'")
```

The first argument is a workspace's folder, or the URL of its database (`postgresql://...`): what is read is
read from the database itself, so it is for people who may open it. From a server: [api.md](api.md). The
second is an evaluation's name or id, and may be left out where there is only one. A workspace or an
evaluation that does not exist is an error of one line. A database of an earlier version is upgraded when it
is opened, as by every command.

This page is written from exports/dataframe_columns.py: `make docs`.
"""
FRAMES: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    (
        "verdicts(where, evaluation=None)",
        "A row per question, the judge's values (`machine_`) beside those that count now, as in the format "
        "`parquet`.",
        VERDICTS,
    ),
    (
        "captions(where, evaluation=None, values='current')",
        "A row per caption; `values` as in `export`.",
        CAPTIONS,
    ),
    (
        "texts(where, whose='', kinds=(), values='current')",
        "A row per text that counts, of all kinds, with who wrote it; `whose` as in `export`.",
        TEXTS,
    ),
    (
        "scores(where, evaluation=None, by=('aspect',), policies=())",
        "A row per group, policy and metric, as `score vdc` prints them. The columns of `by` come first and "
        "are empty in the rows of all groups together.",
        SCORES,
    ),
    (
        "labels(where, evaluation=None)",
        "A row per verdict and person who said something of it: every opinion, not only the one that counts.",
        LABELS,
    ),
)


def dataframes_page() -> str:
    parts = [HEAD]
    for call, what, columns in FRAMES:
        rows = "".join(f"| `{name}` | {words} |\n" for name, words in columns.items())
        parts.append(f"## `{call}`\n\n{what}\n\n| column | what it holds |\n|---|---|\n{rows}")
    return "\n".join(parts)
