"""Prompt files: their form, their replacement, and their words against the published ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotation.prompts.prompt_files import fill, load_prompts, package_files, placeholders
from annotation.records.system_facts import PromptFacts, prompt_facts, prompts_together
from annotation.systems.progress_captioner.requests import MODE_WORDS
from backends.errors import UsageError
from tests.paths import SHARED

PROMPTS = load_prompts()


def published(name: str) -> str:
    file = SHARED / name
    if not file.exists():
        pytest.skip(f"{name} is not beside the checkout")
    return file.read_text(encoding="utf-8")


def folded(text: str) -> str:
    """White space, curly quotes and marks of the page's own layout do not count."""
    text = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"').replace("**", "")
    return " ".join(text.split())


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", folded(text)).lower()


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / f"{name}.txt"
    file.write_text(text, encoding="utf-8")
    return file


# --- form -----------------------------------------------------------------------------


def test_facts_are_about_prompts_that_are_there() -> None:
    names = {prompt.name for prompt in PROMPTS}
    assert set(prompt_facts()) < names == set(placeholders())
    assert {name for group in prompts_together() for name in group} < names
    for name, facts in prompt_facts().items():
        assert len(set(placeholders()[name])) == len(placeholders()[name]), f"{name}: in the file too"
        assert facts != PromptFacts(), name


def test_the_readme_of_its_folder_names_every_prompt() -> None:
    for name, file in package_files().items():
        assert f"`{name}`" in file.with_name("README.md").read_text(encoding="utf-8"), name


def test_a_part_loses_exactly_one_line_break() -> None:
    assert PROMPTS["vdc_answer"].system.endswith("- The answer should be a short sentence or phrase.\n")
    assert PROMPTS["vdc_verdict"].system.endswith("of the prediction compared to the answer.")
    assert PROMPTS["vdc_verdict"].user.endswith("{'pred': 'yes', 'score': 4.8}.")


def test_filling_is_one_pass_and_leaves_other_braces() -> None:
    filled = fill("{a} {b} {'pred': 1} {unknown}", {"a": "{b}", "b": "{a} {0} \\1"})
    assert filled == "{b} {a} {0} \\1 {'pred': 1} {unknown}"


def test_pictures_stand_where_the_file_says() -> None:
    parts = PROMPTS["vript_script"].parts(
        {"voice_over_line": "", "on_screen_line": "", "voice_over_and": "", "from_title": ""}, [b"1", b"2"]
    )
    assert [part.jpeg for part in parts] == [b"1", b"2", b""]
    assert parts[2].text.startswith("Based on the successive frames above")
    middle = PROMPTS["frames_matching"].parts({"options": "A. x", "none_letter": "B"}, [b"1"])
    assert [bool(part.jpeg) for part in middle] == [False, True, False]
    assert middle[0].text.startswith("Which caption") and middle[2].text.lstrip().startswith("A. x")


# --- replacement ----------------------------------------------------------------------


def test_a_workspace_file_replaces_one_prompt_and_changes_its_hash(tmp_path: Path) -> None:
    write(tmp_path, "vdc_answer", "=== system ===\n=== user ===\nRead {caption}. {question}\n")
    (tmp_path / "README.md").write_text("notes", encoding="utf-8")
    ours = load_prompts(tmp_path)
    assert ours["vdc_answer"].parts({"caption": "c", "question": "q"})[0].text == "Read c. q"
    assert ours["vdc_answer"].system == ""
    assert ours["vdc_answer"].hash != PROMPTS["vdc_answer"].hash
    assert ours["vdc_verdict"].hash == PROMPTS["vdc_verdict"].hash
    assert ours.hash("vdc_answer", "vdc_verdict") != PROMPTS.hash("vdc_answer", "vdc_verdict")


def test_windows_line_breaks_and_byte_order_mark_do_not_change_a_prompt(tmp_path: Path) -> None:
    original = package_files()["vdc_verdict"].read_text(encoding="utf-8")
    (tmp_path / "vdc_verdict.txt").write_bytes(b"\xef\xbb\xbf" + original.replace("\n", "\r\n").encode())
    assert load_prompts(tmp_path)["vdc_verdict"].hash == PROMPTS["vdc_verdict"].hash


def test_no_folder_is_no_replacement(tmp_path: Path) -> None:
    assert load_prompts(tmp_path / "none")["vdc_answer"] == PROMPTS["vdc_answer"]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("vdc_answer", "=== system ===\n=== user ===\n{captoin}\n", "{captoin}"),
        ("vdc_answer", "=== user ===\n{caption}\n=== system ===\n", "=== system ==="),
        ("vdc_answer", "{caption}\n", "=== system ==="),
        ("vdc_answer", "=== system ===\n=== user ===\n=== user ===\n{caption}\n", "once each"),
        ("vdc_answer", "=== system ===\n{caption}\n=== user ===\n{question}\n", "system part"),
        ("vdc_answer", "=== system ===\n=== user ===\n{pictures}\n{caption}\n", "{pictures}"),
        ("vdc_caption_short", "=== system ===\n=== user ===\nNo frames\n", "{pictures}"),
        ("vdc_caption_short", "=== system ===\n=== user ===\nSee {pictures} here\n", "{pictures}"),
        ("vdc_anser", "=== system ===\n=== user ===\nx\n", "replaces no prompt"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, name: str, text: str, says: str) -> None:
    file = write(tmp_path, name, text)
    with pytest.raises(UsageError) as error:
        load_prompts(tmp_path)
    assert str(file) in str(error.value) and says in str(error.value) and "\n" not in str(error.value)


def test_an_unreadable_file_and_an_unknown_name(tmp_path: Path) -> None:
    (tmp_path / "vdc_answer.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="UTF-8"):
        load_prompts(tmp_path)
    with pytest.raises(UsageError, match="vdc_answer"):
        PROMPTS["vdc_anser"]


# --- the published words --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "page", "slots"),
    [
        (
            "vdc_answer_loveu",
            "loveu-track-1a-vdc.txt",
            {"caption": "{Your MODEL TEXT}", "question": "{GT QUESTION}"},
        ),
        ("vdc_verdict_loveu", "loveu-track-1a-vdc.txt", {}),
        ("mmlu_verdict_notes", "loveu-track-1b-video-mmlu.txt", {}),
        ("mmlu_verdict_quiz", "loveu-track-1b-video-mmlu.txt", {}),
    ],
)
def test_the_prompts_of_the_challenge_pages(name: str, page: str, slots: dict[str, str]) -> None:
    values = {
        "question": "{GT QUESTION}",
        "reference": "{GT ANSWER}",
        "answer": "{Your EXTRACTED ANSWER}",
    } | slots
    text, prompt = folded(published(f"papers/{page}")), PROMPTS[name]
    assert folded(prompt.system) in text
    assert folded(fill(prompt.user, values)) in text


def test_the_code_strings_of_vdcscore_are_the_words_of_the_page() -> None:
    page = letters(published("papers/loveu-track-1a-vdc.txt"))
    values = {"question": "{GT QUESTION}", "reference": "{GT ANSWER}", "answer": "{Your EXTRACTED ANSWER}"}
    judge = PROMPTS["vdc_verdict"]
    assert letters(judge.system) in page and letters(fill(judge.user, values)) in page
    extract = PROMPTS["vdc_answer"]
    # The page leaves out the code's "Here's how you can accomplish the task:" here, and only here.
    assert letters(extract.system).replace("hereshowyoucanaccomplishthetask", "") in page
    assert letters(fill(extract.user, values | {"caption": "{Your MODEL TEXT}"})) in page


def test_the_code_strings_of_vdcscore_byte_for_byte() -> None:
    facts = published("facts/vdc.md")
    judged = {"question": "{question}", "reference": "{answer}", "answer": "{pred_answer}"}
    asked = {"caption": "{pred_cap}", "question": "{q}"}
    for name, slots in (("vdc_answer", asked), ("vdc_verdict", judged)):
        prompt = PROMPTS[name]
        assert f"`{prompt.system}`".replace("\n", "\\n") in facts
        assert f"`{fill(prompt.user, slots)}`".replace("\n", "\\n") in facts


def test_the_script_prompt_is_table_4_of_vript() -> None:
    text, prompt = folded(published("papers/vript.txt")), PROMPTS["vript_script"]
    values = {
        "voice_over_line": 'Voice-over:"{voice-over}"\n',
        "on_screen_line": "",  # our own: nothing is sent where no text was read
        "voice_over_and": "voice-over and ",
        "from_title": 'from the video titled "{title}" ',
    }
    assert f"System:{folded(prompt.system)} User: <frame 1>" in text
    assert folded(fill(prompt.user, values)).removeprefix("{pictures} ") in text


def test_the_prompts_of_progress_captioner() -> None:
    text = folded(
        published("papers/progresscaptioner.txt")
        .replace("- A. ", "A. ")
        .replace("- B. ", "B. ")
        .replace("- C. ", "C. ")
    )
    caption = folded(
        fill(PROMPTS["frames_caption_in_paper"].user, {"n": "T", "depicting_action": " depicting action"})
    )
    assert caption.removeprefix("{pictures} ").removesuffix(" {reply_lines}") in text
    slots = {"action": "action", "before": "desc1", "after": "desc2"}
    for name in ("frames_change", "frames_progression"):
        assert folded(fill(PROMPTS[name].user, slots)) in text, name
    asked, answers = PROMPTS["frames_matching"].user.split("\n\n{options}\n\n")
    assert folded(asked).removesuffix(" {pictures}") in text
    assert folded(fill(answers, {"none_letter": "M+1"})) in text


@pytest.mark.parametrize("mode", ["a", "b", "c"])
def test_the_released_wording_of_frame_captions(mode: str) -> None:
    facts = folded(published("facts/caption_systems.md"))
    assert f'{mode}="{MODE_WORDS[mode]}"' in facts
    user = (
        PROMPTS["frames_caption"]
        .user.replace("{depicting_action}", "[ depicting {action}]")
        .replace("{what}", "{desc}")
    )
    assert folded(user).removeprefix("{pictures} ").removesuffix(" {reply_lines}") in facts
