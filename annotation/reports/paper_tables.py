"""Tables of `score` and `compare` for a paper: Markdown, or LaTeX with booktabs.

There is one table per policy: a row per group, a column per metric, each value with its interval, and n. A
line on methods follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.reports.methods import comparison_methods, methods
from annotation.reports.report_type import Report
from annotation.reports.unfinished_runs import partial_word
from annotation.store.store import Store
from backends.text.plural import plural

STYLES = ("markdown", "latex")
_LATEX = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}"}
    | {chr(code): " " for code in (*range(32), 127, 0x85, 0x2028, 0x2029)}
)
_MARKDOWN = str.maketrans(
    {char: f"\\{char}" for char in "\\|`*_<>[]"} | {"\n": " ", "\r": " "},
)


@dataclass(frozen=True, slots=True)
class Table:
    """Plain text, escaped when it is printed."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    policy: str


def score_lines(store: Store, found: Report, style: str) -> list[str]:
    """Format a report of `score` in `style`."""
    return _printed(score_tables(found), methods(store, found), style)


def score_tables(found: Report) -> list[Table]:
    """Return one table per policy, in the order of the report."""
    rows = found["rows"]
    return [
        _table(found, policy, [row for row in rows if row["policy"] == policy])
        for policy in dict.fromkeys(row["policy"] for row in rows)
    ]


def comparison_paper_lines(store: Store, found: Report, style: str) -> list[str]:
    """Format a report of `compare` in `style`."""
    head = ("aspect", "metric", "A", "B", "B - A", "p", "better / same / worse", "n")
    rows = tuple(
        (
            row["aspect"] or "all aspects",
            row["metric"],
            f"{row['a']:.3f}",
            f"{row['b']:.3f}",
            _interval(f"{row['difference']:+.3f}", row, "+.3f"),
            "" if row["p"] is None else f"{row['p']:.4f}",
            f"{row['wins']} / {row['ties']} / {row['losses']}",
            f"{row['n']:,} ({plural(row['videos'], 'video')})",
        )
        for row in found["rows"]
    )
    caption = f"A {found['a']}, B {found['b']}, policy {found['policy']}"
    return _printed([Table(caption, head, rows, found["policy"])], comparison_methods(store, found), style)


def _table(found: Report, policy: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    whole = "mean of aspects" if found["system"] == "vdc" else "all"
    groups: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        name = " · ".join(_words(value) if by == "aspect" else value for by, value in row["group"].items())
        groups.setdefault(name or whole, {})[row["metric"]] = row
    what = " · ".join(dict.fromkeys(name for row in rows for name in row["group"])) or "group"
    body = tuple(
        (name, *(_cell(cells.get(metric)) for metric in metrics), _counts(list(cells.values())))
        for name, cells in groups.items()
    )
    head = (what, *map(_words, metrics), "n")
    return Table(f"{found['evaluation']}, policy {_words(policy)}", head, body, policy)


def _words(name: str) -> str:
    """Return `accuracy_macro` and other names as words."""
    name = name.replace("_macro", ", over videos").replace("_micro", ", over questions")
    return name.replace("_", " ")


def _cell(row: Mapping[str, Any] | None) -> str:
    if row is None or row["value"] is None:
        return ""
    return _interval(f"{row['value']:.3f}", row, ".3f")


def _interval(value: str, row: Mapping[str, Any], form: str) -> str:
    interval = "" if row["low"] is None else f" [{row['low']:{form}}, {row['high']:{form}}]"
    return f"{value}{interval}{partial_word(row)}"


def _counts(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the counts of a group's metrics, once if they are equal."""
    return " / ".join(dict.fromkeys(f"{row['n']} of {row['of']}" for row in rows))


def _printed(tables: Sequence[Table], methods_line: str, style: str) -> list[str]:
    if style == "latex":
        shown = [line for table in tables for line in _latex(table)]
        return ["% needs \\usepackage{booktabs}", *shown, methods_line.translate(_LATEX)]
    return [line for table in tables for line in _markdown(table)] + [methods_line.translate(_MARKDOWN)]


def _markdown(table: Table) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.translate(_MARKDOWN) for cell in cells)} |"

    rule = f"|---|{'---:|' * (len(table.head) - 1)}"
    caption = f"**{table.caption.translate(_MARKDOWN)}**"
    return [caption, "", line(table.head), rule, *map(line, table.rows), ""]


def _latex(table: Table) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        row = f"{' & '.join(cell.translate(_LATEX) for cell in cells)} \\\\"
        # Protects [ and *, which LaTeX would read as an argument of a preceding \\ or \midrule.
        return f"{{}}{row}" if row.lstrip().startswith(("[", "*")) else row

    return [
        r"\begin{table}",
        r"\centering",
        f"\\caption{{{table.caption.translate(_LATEX)}}}",
        f"\\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"\toprule",
        line(table.head),
        r"\midrule",
        *map(line, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ]
