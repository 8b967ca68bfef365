"""Differences between servers that `doctor` reports."""

from __future__ import annotations

from backends.chat.openai_chat import OpenAiChat
from backends.chat.retries import Retries
from backends.chat.server_probe import MANY, server_probes
from tests.chat_server import (
    Behaviour,
    ChatServer,
    blind,
    counting_tokens,
    failing,
    few_images,
    schema_refusing,
    white_space_loops,
)

GOOD = counting_tokens(30, '{"pred":"yes"}')


def found(
    behaviour: Behaviour, *, any_model: bool = False, pictures: bool = True
) -> dict[str, tuple[bool, str]]:
    with ChatServer(behaviour, any_model=any_model) as server:
        said = {m.what: (m.fine, m.said) for m in server_probes(OpenAiChat(server.spec), pictures=pictures)}
        assert len(server.seen) + len(server.probes) <= 7
        assert all("\n" not in words for _, words in said.values())
        return said


def test_a_server_without_surprises() -> None:
    said = found(GOOD)
    assert list(said) == ["unknown model", "JSON schema", "pictures", f"{MANY} pictures"]
    assert all(fine for fine, _ in said.values()), said


def test_a_judge_is_not_asked_about_pictures() -> None:
    assert list(found(GOOD, pictures=False)) == ["unknown model", "JSON schema"]


def test_any_name_is_answered() -> None:
    fine, words = found(GOOD, any_model=True)["unknown model"]
    assert not fine
    assert "accepts any model name" in words


def test_schemas_that_are_ignored_refused_or_filled_with_white_space() -> None:
    ignored = found(counting_tokens(30, "Hello! Blue."))["JSON schema"]
    assert ignored[0] is False
    assert "ignored" in ignored[1]
    refused = found(schema_refusing(GOOD))["JSON schema"]
    assert refused[0] is True
    assert "refused" in refused[1]
    loops = found(white_space_loops(GOOD))["JSON schema"]
    assert loops[0] is False
    assert "disable_any_whitespace" in loops[1]


def test_pictures_that_are_refused_thrown_away_or_too_many() -> None:
    assert "name a vision model" in found(blind(GOOD))["pictures"][1]
    assert "accepted but ignored" in found(counting_tokens(0, '{"pred":"no"}'))["pictures"][1]
    fine, words = found(few_images(8, GOOD))[f"{MANY} pictures"]
    assert not fine
    assert "at most 8" in words
    fine, words = found(counting_tokens(30, '{"pred":"no"}', most=80))[f"{MANY} pictures"]
    assert not fine
    assert "num_ctx" in words


def test_a_server_that_fails_is_a_line_and_no_traceback() -> None:
    quick = Retries(tries=1, first_wait_s=0.01, total_s=2)
    with ChatServer(failing(500)) as server:
        model = OpenAiChat(server.spec, retries=quick)
        said = {m.what: (m.fine, m.said) for m in server_probes(model, pictures=False)}
    assert said["JSON schema"][0] is False
    assert "500" in said["JSON schema"][1]
