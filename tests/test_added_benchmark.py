"""A benchmark is three folders of one name, and a line in each list: its commands work then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.backends.clips import textured, write_clip
from tests.chat_server import ChatServer, normal
from tests.program_copy import ProgramCopy
from tests.toy_system import LINE, LISTS, add_toy_benchmark

MOST_EDITED = 5


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> ProgramCopy:
    made = ProgramCopy(tmp_path_factory.mktemp("added") / "program")
    add_toy_benchmark(made)
    return made


def test_few_files_are_edited_and_the_new_ones_are_in_folders_of_its_name(program: ProgramCopy) -> None:
    assert sorted(program.edited()) == sorted(LISTS) and len(LISTS) <= MOST_EDITED
    homes = ("annotation/systems/toy/", "exports/toy/", "ui/systems/toy/")
    assert [path for path in program.added() if not path.startswith(homes)] == []


def test_from_a_file_to_a_figure(program: ProgramCopy, tmp_path: Path) -> None:
    space, given, out = tmp_path / "w", tmp_path / "toy.jsonl", tmp_path / "out.jsonl"
    clip = write_clip(tmp_path / "boat.mp4", [textured(n) for n in range(8)])
    given.write_text(json.dumps(LINE) + "\n")
    program.app("import", given, clip, "--workspace", space)
    with ChatServer(normal("A boat sails on a lake.")) as server:
        stages = ("--stages", "toy_verdicts", "--captioner", server.spec)
        found = json.loads(program.app("run", clip, *stages, "--workspace", space, "--json"))[0]
        assert found["stages"]["toy_verdicts"]["state"] == "done"
        assert "Describe this toy video" in server.seen[0].user and len(server.seen[0].images) == 4
    (whole, _) = json.loads(program.app("score", "toy", "--workspace", space, "--json"))["rows"]
    assert (whole["value"], whole["of"]) == (0.5, 2)
    program.app("export", "toy", out, "--workspace", space)
    assert json.loads(out.read_text()) == LINE
    program.app("import", out, "--workspace", tmp_path / "other")


def test_its_kind_of_reply_and_its_prompt_are_known(program: ProgramCopy, tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text('{"reply": " A boat. "}\n')
    (read,) = json.loads(program.app("read-replies", "toy", tmp_path / "replies.jsonl"))
    assert read == {"state": "done", "text": "A boat.", "reason": ""}
    code = "from annotation.prompts.prompt_files import placeholders; print(placeholders()['toy_caption'])"
    assert program.python(code).strip() == "('pictures',)"
    assert ", toy" in " ".join(program.app("score", "--help").split())
    page = program.python("from docs.make_pages import formats_page; print(formats_page())")
    assert "references of the toy benchmark with their events" in page.partition("## toy")[2]
