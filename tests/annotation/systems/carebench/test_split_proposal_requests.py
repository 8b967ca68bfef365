"""A proposal clause by clause: what is asked, and what is read of a reply."""

from __future__ import annotations

import json

import pytest

from annotation.prompts.prompt_files import load_prompts
from annotation.systems.carebench.split_proposal_requests import proposal_request, read_proposal
from backends.chat.baseline import BaselineChat
from backends.protocols import ChatReply

CLAUSES = ["This video shows a man in a red coat.", "He runs to the gate", "and a dog waits there."]


def reply(*items: object) -> ChatReply:
    return ChatReply(text=json.dumps({"clauses": list(items)}), finish_reason="stop", seconds=0.0)


def item(n: object, spatial: str = "", temporal: str = "", reason: str = "so") -> dict:
    return {"n": n, "spatial": spatial, "temporal": temporal, "reason": reason}


def test_the_request_numbers_the_clauses() -> None:
    request = proposal_request(load_prompts(), CLAUSES)
    words = "".join(part.text for part in request.user)
    assert "1. This video shows a man in a red coat.\n2. He runs to the gate\n3. and a dog" in words
    assert request.stage == "split:clauses" and '{"clauses": [{"n": 1' in words
    assert "{clauses}" not in words


def test_the_baseline_answers_by_rules() -> None:
    read = read_proposal(BaselineChat().complete(proposal_request(load_prompts(), CLAUSES)), len(CLAUSES))
    assert [(c.index, bool(c.spatial), bool(c.temporal)) for c in read.clauses] == [
        (0, False, True),
        (1, False, True),
        (2, True, False),
    ]
    assert "runs" in read.clauses[1].reason and read.clauses[2].spatial == "A dog waits there."


def test_items_stand_for_themselves() -> None:
    good, both = item(1, "A red coat."), item("3", "A dog.", "He waits.")
    read = read_proposal(
        reply(item(2, "x"), good, item(2, "y"), both, item(9, "z"), item(True, "t"), {"n": 1}), 3
    )
    assert [(c.index, c.spatial, c.temporal) for c in read.clauses] == [
        (0, "A red coat.", ""),
        (2, "A dog.", "He waits."),
    ]
    assert read_proposal(reply(item(1, "None.", "He runs.")), 1).clauses[0].spatial == ""
    assert read_proposal(reply(item(1), item(1)), 1).clauses[0].temporal == ""  # nothing for either side


@pytest.mark.parametrize("text", ["", "no", "[]", '{"clauses": []}', '{"clauses": [{"n": 1, "spatial": 3}]}'])
def test_a_reply_without_a_proposal_is_unparsed(text: str) -> None:
    read = read_proposal(ChatReply(text=text, finish_reason="stop", seconds=0.0), 2)
    assert read.state == "unparsed" and read.reason.startswith("the reply")
    assert read.reason.count("the reply") == 1


def test_a_reply_that_was_cut_off_keeps_what_is_complete() -> None:
    text = json.dumps({"clauses": [item(1, "A."), item(2, "B.")]})[:-12]
    read = read_proposal(ChatReply(text=text, finish_reason="length", seconds=0.0), 2)
    assert [c.index for c in read.clauses] in ([0], [])
    assert read.state == ("done" if read.clauses else "unparsed")
