"""Another wording of the judge's prompt, from its writing to its use, with keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.editing.edits import Edit, apply_edit
from annotation.people.who_labels_blind import set_mode
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.prompt_versions import PromptLook, PromptUse, PromptVersion
from annotation.records.runs import Evaluation
from tests.browser.conftest import Server, expect, open_page, serve
from tests.browser.desk import Desk, work_as
from tests.chat_server import ChatServer, Reply, Seen
from tests.judged_sample import sample_workspace

LABELS = 20


def answer(seen: Seen) -> Reply | str:
    """A judge that is strict where it is told to be."""
    return "{'pred': 'no', 'score': 1}" if "Be strict." in seen.system else "{'pred': 'yes', 'score': 4}"


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer(answer) as server:
        yield server


@pytest.fixture
def labelled(tmp_path: Path, model: ChatServer) -> Iterator[Server]:
    """The sample's evaluation, of which people have judged half; they say no to every second verdict."""
    space = sample_workspace(tmp_path / "workspace")
    space.keep_setting("judge", model.spec)
    for place, verdict in enumerate(space.store.find(Verdict, order_by=["id"])[:LABELS]):
        said = {"label": ("yes", "no")[place % 2], "score": (5, 0)[place % 2]}
        apply_edit(space.store, space.owner(), Edit("verdict", verdict.id, "verdict", said, 0))
    space.close()
    yield from serve(tmp_path / "workspace")


def reach(page, name: str) -> None:
    """Tab to a control, as somebody without a mouse does."""
    for _ in range(120):
        page.keyboard.press("Tab")
        node = page.evaluate(
            "() => { const n = document.activeElement; return n.getAttribute('aria-label') || n.innerText }"
        )
        if node.startswith(name):
            return
    raise AssertionError(f"Tab does not reach {name!r}")


@pytest.mark.expect_console("400 (Bad Request)")
def test_a_version_is_written_tried_opened_and_put_into_use(labelled: Server, page) -> None:
    open_page(page, f"{labelled.url}/scores")
    page.get_by_role("button", name="Prompts").wait_for()
    reach(page, "Prompts")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Prompts of the judge and the extractor")
    expect(dialog.get_by_label("Whose prompt")).to_be_focused()
    expect(dialog.get_by_text("to work with,")).to_contain_text("asked: tiny")
    expect(dialog.get_by_role("row", name="as judged")).to_contain_text("κ")
    expect(dialog.get_by_role("button", name="Keep as a version")).to_be_disabled()

    reach(page, "Name of the version")
    page.keyboard.type("strict")
    reach(page, "System message")
    page.keyboard.press("Control+Home")
    page.keyboard.type("Be strict. ")
    expect(dialog.locator("ins")).to_have_text("Be strict. ")
    reach(page, "User message")
    page.keyboard.press("Control+Home")
    page.keyboard.type("{quest} ")
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("status")).to_contain_text("unknown placeholder {quest}")
    for _ in range(len("{quest} ")):
        page.keyboard.press("Backspace")
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("status")).to_have_text("Kept as “strict”.")
    expect(dialog.get_by_role("button", name="Try: strict")).to_be_focused()

    page.keyboard.press("Enter")
    row = dialog.get_by_role("row", name="strict")
    expect(row).to_contain_text("κ 0.00")
    expect(row).to_contain_text("tiny")
    expect(dialog.get_by_label("Looks at the held back half").get_by_role("listitem")).to_have_count(0)
    reach(page, "Open held back …: strict")
    page.keyboard.press("Enter")
    asked = page.get_by_role("dialog", name="Open the held back half")
    expect(asked).to_contain_text("It opens once")
    reach(page, "Open it")
    page.keyboard.press("Enter")
    looks = dialog.get_by_label("Looks at the held back half")
    expect(looks).to_contain_text("held back half opened for “strict” by")
    reach(page, "Put into use: strict")
    page.keyboard.press("Enter")
    expect(row).to_contain_text("in use")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    with Desk(labelled) as desk:
        [version] = desk.store.find(PromptVersion)
        [look] = desk.store.find(PromptLook)
        assert (version.label, version.system[:11], look.version_id) == ("strict", "Be strict. ", version.id)
        assert [use.version_id for use in desk.store.find(PromptUse)] == [version.id]
    page.keyboard.press("Control+z")
    expect(page.get_by_text("put “strict” into use for the judge").first).to_be_visible()
    with Desk(labelled) as desk:
        uses = desk.store.find(PromptUse, order_by=["created_at"])
        assert [use.version_id for use in uses] == [version.id, None]


@pytest.mark.expect_console("403 (Forbidden)")
def test_who_may_not_run_models_and_who_labels_blind_see_nothing_of_it(labelled: Server, page) -> None:
    with Desk(labelled) as desk:
        ann, rita = desk.person("ann", "annotator"), desk.person("rita", "researcher")
        set_mode(desk.store, desk.owner, rita.id, True)
        [evaluation] = desk.store.find(Evaluation)
    work_as(page, labelled, ann)
    open_page(page, f"{labelled.url}/scores")
    expect(page.get_by_role("heading", name="judge against people")).to_be_visible()
    expect(page.get_by_role("button", name="Prompts …")).to_have_count(0)
    for who in (ann, rita):
        work_as(page, labelled, who)
        query = f"evaluation={evaluation.id}&prompt=vdc_verdict"
        found = page.request.get(f"{labelled.url}/api/scoring/prompts?{query}")
        assert found.status == 403 and "κ" not in found.text() and "kappa" not in found.text()
