"""Generates docs/dataframes.md from the columns of `exports.dataframes`."""

from __future__ import annotations

from collections.abc import Mapping

from exports.dataframe_columns import CAPTIONS, LABELS, SCORES, TEXTS, VERDICTS

HEAD = """# DataFrames

`exports.dataframes` returns the contents of a workspace as pandas DataFrames, for a notebook that is
started in the checkout or with the package installed. [notebook.ipynb](notebook.ipynb) is a short example,
which a test runs.

```python
from exports.dataframes import captions, labels, scores, verdicts

failed = verdicts("workspace", "hand-written").query("state == 'done' and pred == 'no'")
```

The first argument is a workspace's folder, or the URL of its database (`postgresql://...`). The functions
read the database directly, so you need access to it. To read from a server, see [api.md](api.md). The
second argument is an evaluation's name or id, and is optional if there is only one. If the workspace or the
evaluation does not exist, the function raises an error of one line. Like every command, the functions
upgrade a database of an earlier version when they open it.

`make docs` generates this page from exports/dataframe_columns.py.
"""
FRAMES: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    (
        "verdicts(where, evaluation=None)",
        "One row per question: the judge's values (`machine_`) and the current values, as in the format "
        "`parquet`.",
        VERDICTS,
    ),
    (
        "captions(where, evaluation=None, values='current')",
        "One row per caption; `values` as in `export`.",
        CAPTIONS,
    ),
    (
        "texts(where, whose='', kinds=(), values='current')",
        "One row per text that counts, of all kinds, with its writer; `whose` as in `export`.",
        TEXTS,
    ),
    (
        "scores(where, evaluation=None, by=('aspect',), policies=())",
        "One row per group, policy and metric, as printed by `score vdc`. The columns of `by` come first, "
        "and are empty in the rows for all groups together.",
        SCORES,
    ),
    (
        "labels(where, evaluation=None)",
        "One row per verdict and person with an opinion on it, including opinions that do not count.",
        LABELS,
    ),
)


def dataframes_page() -> str:
    parts = [HEAD]
    for call, what, columns in FRAMES:
        rows = "".join(f"| `{name}` | {words} |\n" for name, words in columns.items())
        parts.append(f"## `{call}`\n\n{what}\n\n| column | description |\n|---|---|\n{rows}")
    return "\n".join(parts)
