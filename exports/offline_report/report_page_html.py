"""HTML page of a report. All texts of models and people are escaped; it loads no external resources."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

from annotation.records.version import VERSION
from annotation.reports.paper_tables import Table, score_tables
from annotation.reports.points_by_cause import CAUSES
from exports.offline_report.contents import Contents, ReportedQuestion
from exports.offline_report.pictures import Picture, Pictures

MARK = '<meta name="generator" content="Dailies report">'
HERE = Path(__file__).resolve().parent
STATES = ("yes", "no", "unparsed", "failed", "missing")
OPEN = ("parsed", "corrected")
"""Policies whose tables are expanded; tables of other tools' policies are collapsed."""


def page(found: Contents, pictures: Pictures, methods: str, left_out: Sequence[str]) -> Iterator[str]:
    """Yield the HTML in pieces. `methods` is below the scores, `left_out` above the questions."""
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src 'self' file:; "
        "base-uri 'none'; form-action 'none'"
    )
    title = escape(found.name)
    yield (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{MARK}\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"<header><h1>{title}</h1>{_head(found)}</header>\n<main>\n"
    )
    yield from _scores(found, methods)
    yield _filters(found, left_out)
    yield '<div id="questions">\n'
    for number, one in enumerate(found.asked, 1):
        yield _question(number, one, pictures.of.get(one.row.answer.id, ()))
    yield f"</div>\n</section>\n</main>\n<script>{script}</script>\n</body>\n</html>\n"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _head(found: Contents) -> str:
    judges = ", ".join(found.scores["judges"]) or "unknown"
    baseline = (
        "<p class=note>Made by the embedded baseline: not a published metric.</p>"
        if found.scores["baseline"]
        else ""
    )
    return f"<p>judge: {escape(judges)} · Dailies {VERSION}</p>{baseline}"


def _scores(found: Contents, methods: str) -> Iterator[str]:
    yield '<section aria-labelledby="scores">\n<h2 id="scores">Scores</h2>\n'
    tables = {table.policy: table for table in score_tables(found.scores)}
    words = found.scores["policies"]
    for name in (name for name in tables if name in OPEN):
        yield f"<h3>{escape(name.replace('_', ' '))}: {escape(words[name])}</h3>\n{_table(tables[name])}"
    for name in (name for name in tables if name not in OPEN):
        yield (
            f"<details><summary>{escape(name.replace('_', ' '))}: {escape(words[name])}</summary>\n"
            f"{_table(tables[name])}</details>\n"
        )
    yield f"<p class=note>{escape(methods)}</p>\n</section>\n"


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    rows = "".join(_cells(*row) for row in table.rows)
    label = escape(f"Scores, {table.caption}")
    return (
        f'<div class=wide tabindex="0" role="region" aria-label="{label}"><table>\n'
        f"<caption>{label}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )


def _cells(name: str, *cells: str) -> str:
    values = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr><th scope="row">{escape(name)}</th>{values}</tr>\n'


def _filters(found: Contents, left_out: Sequence[str]) -> str:
    videos = dict.fromkeys(one.title for one in found.asked)
    aspects = dict.fromkeys(one.row.aspect for one in found.asked)
    states = [state for state in STATES if any(one.state == state for one in found.asked)]
    notes = "".join(f"<li>{escape(line)}</li>" for line in left_out)
    return (
        '<section aria-labelledby="list">\n<h2 id="list">Questions</h2>\n'
        f"{f'<ul class=note>{notes}</ul>' if notes else ''}"
        '<div class=filters role="search" aria-label="Filters">'
        f"{_select('state', 'verdict', [*states, 'corrected'])}"
        f"{_select('aspect', 'aspect', aspects)}{_select('video', 'video', videos)}"
        '<label>words <input type="search" id="words" autocomplete="off"></label>'
        f'<output id="count" role="status">{len(found.asked):,} questions</output></div>\n'
    )


def _select(name: str, label: str, values: Iterable[str]) -> str:
    options = "".join(f'<option value="{escape(value)}">{escape(value)}</option>' for value in values)
    return f'<label>{label} <select id="{name}"><option value="">all</option>{options}</select></label>'


def _question(number: int, one: ReportedQuestion, pictures: Sequence[Picture]) -> str:
    flags = [word for word, on in (("stale", one.stale), ("baseline", one.baseline)) if on]
    marks = "".join(f"<span class=flag>{word}</span>" for word in [*flags, *(["corrected"] * one.corrected)])
    aspect = escape(one.row.aspect)
    return (
        f'<details class=q id="q{number}" data-state="{escape(one.state)}" data-aspect="{aspect}" '
        f'data-video="{escape(one.title)}"{" data-corrected" if one.corrected else ""}>\n'
        f"<summary>{_verdict(one.state, one.score)} <span class=ask>{escape(one.question)}</span> "
        f"<span class=where>{aspect} · {escape(one.title)}</span>{marks}</summary>\n"
        f"{_facts(one)}{_strip(pictures)}{_caption(one)}</details>\n"
    )


def _verdict(state: str, score: float | None) -> str:
    known = state if state in STATES else "missing"
    number = "" if score is None else f" {score:g} of 5"
    return f"<span class='verdict {known}'>{escape(state)}{number}</span>"


def _facts(one: ReportedQuestion) -> str:
    said = _verdict(one.state, one.score)
    if one.corrected:
        said += f" <s>{_verdict(one.machine_state, one.machine_score)}</s> corrected by a person"
    rows = (
        ("reference", escape(one.reference)),
        ("extracted answer", escape(one.answer)),
        ("verdict", said),
        ("reason for the correction", escape(one.correction_reason)),
        ("the judge's reason", escape(one.judge_reason)),
        ("error source", escape(CAUSES.get(one.error_source, one.error_source))),
    )
    return f"<dl>{''.join(f'<dt>{name}</dt><dd>{value}</dd>' for name, value in rows if value)}</dl>\n"


def _strip(pictures: Sequence[Picture]) -> str:
    figures = "".join(
        f'<figure><img src="{escape(one.file)}" alt="Frame {one.frame:,} of the video" loading="lazy">'
        f"<figcaption>#{one.frame:,} {escape(one.why)}</figcaption></figure>"
        for one in pictures
    )
    return f"<div class=frames>{figures}</div>\n" if figures else ""


def _caption(one: ReportedQuestion) -> str:
    """Return the caption, with the part that supports the answer highlighted."""
    if not one.caption:
        return ""
    start, end = one.span or (0, 0)
    before, marked, after = (
        escape(text) for text in (one.caption[:start], one.caption[start:end], one.caption[end:])
    )
    words = f"{before}<mark>{marked}</mark>{after}" if marked else f"{before}{after}"
    return f"<h3>caption</h3>\n<p class=caption>{words}</p>\n"
