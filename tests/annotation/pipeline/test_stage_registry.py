"""What the stages declare fits together."""

from __future__ import annotations

from dataclasses import fields

import pytest

from annotation.pipeline.stage_registry import STAGES, USUAL, chosen_stages, is_usual, stages_named
from annotation.records.system_facts import stages_of_texts
from annotation.stages.stage_context import Engines
from annotation.stages.stage_spec import CHAT_ROLES, StageSpec, names_of
from backends.errors import UsageError


@pytest.mark.parametrize("spec", STAGES, ids=names_of(STAGES))
def test_a_stage_declares_what_is_there(spec: StageSpec) -> None:
    before = names_of(STAGES)[: names_of(STAGES).index(spec.name)]
    assert set(spec.needs) <= set(before), "what it needs runs before it"
    assert set(spec.engines) <= {field.name for field in fields(Engines)}
    assert set(spec.pictures) <= set(spec.engines) & set(CHAT_ROLES)
    assert spec.apart != bool(set(spec.engines) & set(CHAT_ROLES))
    assert spec.label and names_of(STAGES).count(spec.name) == 1


def test_results_that_stay_without_the_file_are_of_stages_that_get_no_pictures() -> None:
    of_texts = [spec for spec in STAGES if not spec.reads_file]
    assert stages_of_texts() - set(names_of(of_texts)) == {"retrieval"}, "a command, not a stage"
    assert [spec.name for spec in of_texts if spec.pictures or spec.apart] == []


def test_stages_are_chosen_with_what_they_need_in_their_order() -> None:
    assert names_of(chosen_stages(["capst", "probe"])) == ("probe", "captions", "elements", "capst")
    assert names_of(stages_named(["verdicts", "scenes"])) == ("scenes", "verdicts")
    assert chosen_stages(None) == list(USUAL) and is_usual(names_of(USUAL))
    assert not is_usual(names_of(STAGES))
    with pytest.raises(UsageError, match=r"stage magic not found; choose from probe, .*picture_vectors"):
        chosen_stages(["magic"])
