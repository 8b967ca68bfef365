"""The bench of the peers' scorers: what it takes for a difference, what it takes for explained, its files."""

from __future__ import annotations

import math
from pathlib import Path

from benchmarks.peers import figures, made, retrieval, vdc, vript_hal
from benchmarks.peers.figures import ENDS, Figure, explained_headings, table, unexplained
from benchmarks.peers.loading import Recording, file_of, load, sglang
from exports.peers.differences import DIFFERENCES


def figure(theirs: float | str | None, ours: float | None, explained: str = "") -> Figure:
    return Figure("peer", "file", "score", theirs, ours, explained)


def test_a_difference_is_what_four_digits_show() -> None:
    same = [
        figure(0.5, 0.5),
        figure(0.5, 0.50004),
        figure(None, None),
        figure(math.nan, None),
        figure(math.inf, math.inf),
    ]
    other = [figure(0.5, 0.5001), figure(0.5, None), figure(None, 0.5), figure(ENDS, 0.5)]
    assert all(one.agrees for one in same) and not any(one.agrees for one in other)
    assert unexplained([*same, *other], set()) == other


def test_only_what_the_documentation_names_is_explained() -> None:
    headings = explained_headings()
    assert headings == set(DIFFERENCES)
    named = {vdc.RUN_ENDS, vdc.CODE, vdc.EMPTY_REPLY, retrieval.TIES, retrieval.GAPS}
    assert named | {vript_hal.AS_TEXT, vript_hal.NO_WORDS, vript_hal.TWICE} <= headings
    known, unknown = figure(ENDS, 0.5, vdc.RUN_ENDS), figure(ENDS, 0.5, "because")
    assert unexplained([known, unknown], headings) == [unknown]
    assert table([known])[-1] == f"| peer | file | score | its run ends | 0.5000 | - ({vdc.RUN_ENDS}) |"


def test_headings_are_read_from_their_section_alone(tmp_path: Path) -> None:
    page = tmp_path / "formats.md"
    section = "## Where figures differ from a peer's\n\n- **this one**: why\n\n"
    page.write_text(f"# F\n\n- **not this**: x\n\n{section}## z\n- **nor**")
    assert explained_headings(page) == {"this one"}


def test_made_files_are_those_of_their_seed_and_hold_double_ids() -> None:
    one, again, other = made.work(3, made.PLAIN), made.work(3, made.PLAIN), made.work(4, made.PLAIN)
    assert one == again and one.lines != other.lines
    ids = [video for video, _ in one.lines]
    assert len(ids) == len(set(ids)) + 8 == len(one.asked) + 8


def test_a_module_runs_with_its_stand_ins(tmp_path: Path) -> None:
    path = tmp_path / "peer.py"
    path.write_text(
        "from sglang import function, gen\n@function\ndef gives_score(s, qa):\n    s += gen('x')\n"
        "def judged(question):\n    return gives_score.run(qa={'question': question})['answer_1']\n"
    )
    module = load(file_of(tmp_path, "no.py", "peer.py"), "peer", {"sglang": sglang(str.upper)})
    assert module.judged("why?") == "WHY?"
    means = Recording(math, "sqrt")
    assert (means.sqrt(4.0), means.floor(2.5), means.given) == (2.0, 2, [2.0])
    assert figures.SAME < 1e-4
