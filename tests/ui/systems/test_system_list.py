"""What the list of systems promises: each kind of items has its module, and each name is used once."""

from __future__ import annotations

from typing import get_args, get_type_hints

from annotation.pipeline.question_chains import CHAINS, kinds_of
from ui.pages.html_documents import static_files
from ui.pages.scores.benchmarks_view import SCORE_SYSTEMS
from ui.pages.verdicts.items_view import ITEMS
from ui.systems.system_list import QUESTION_SYSTEMS, SYSTEMS


def test_the_module_of_each_kind_of_items_is_served() -> None:
    scripts = [system.script_of(source) for system in SYSTEMS for source in system.items]
    assert scripts and set(scripts) <= set(static_files())


def test_names_are_used_once() -> None:
    items = [source.name for system in SYSTEMS for source in system.items]
    tables = [table.name for system in SYSTEMS for table in system.scores]
    assert sorted(items) == sorted(ITEMS) and sorted(tables) == sorted(SCORE_SYSTEMS)
    kinds = [kind for system in QUESTION_SYSTEMS for kind in kinds_of(system.chain)]
    assert len(kinds) == len(set(kinds))


def test_the_type_of_an_item_names_its_system() -> None:
    """Responses are checked by the type that `of` names."""
    for source in ITEMS.values():
        assert get_args(get_type_hints(source.wire)["of"]) == (source.name,)


def test_chains_of_questions_are_those_of_the_pipeline() -> None:
    assert [system.chain for system in QUESTION_SYSTEMS] == list(CHAINS)
