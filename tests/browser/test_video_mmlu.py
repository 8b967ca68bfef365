"""A lecture from its dataset file to its score: dropped video, run, the table by discipline, the evidence."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from tests.browser.conftest import ROOT, Server, expect, open_page

LINE = {
    "video_id": "-lecture_01",
    "discipline": "physics",
    "caption": "A boat drifts: force is mass times a.",
    "captions_qa": [{"question": "Does the camera move?", "answer": "It pans"}],
    "reasoning_qa": [
        {"question": "Which colour dominates?", "answer": "orange"},
        {"question": "Why does the boat speed up?", "answer": "A force acts on it"},
    ],
}


def test_from_the_dataset_to_the_frames_behind_its_worst_question(
    empty_server: Server, page, tmp_path: Path
) -> None:
    (tmp_path / "videos").mkdir()
    shutil.copy(ROOT / "sample" / "clip.mp4", tmp_path / "videos" / "-lecture_01.mp4")
    (tmp_path / "mmlu.jsonl").write_text(json.dumps(LINE) + "\n", encoding="utf-8")
    done = empty_server.command(
        "import", str(tmp_path / "mmlu.jsonl"), "--videos", str(tmp_path / "videos"), "--json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["videos"]["attached"] == ["-lecture_01"]
    stages = "probe,scenes,captions,answers,verdicts"
    done = empty_server.command("run", str(tmp_path / "videos"), "--stages", stages, "--speech", "none")
    assert done.returncode == 0, done.stderr

    open_page(page, f"{empty_server.url}/scores")
    final = page.get_by_role("row", name="final score")
    expect(final).to_contain_text("caption: Math and Chemistry missing, the mean is over Physics")
    expect(page.get_by_label("Group by")).to_have_value("discipline")
    page.get_by_role("button", name="exact match").click()
    expect(page.get_by_role("row", name="QA · Physics")).to_contain_text("2 of 2")
    expect(page.get_by_role("row", name="caption · Physics")).to_have_count(0)
    page.get_by_text("published figures").click()
    expect(page.get_by_role("row", name="Claude-3.5-sonnet")).to_contain_text("0.674")

    page.get_by_role("button", name="Prompts …").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Prompts of the judge of notes and the judge of reasoning")
    whose = dialog.get_by_label("Whose prompt")
    expect(whose).to_be_focused()
    expect(dialog.get_by_label("System message")).to_have_value(re.compile("OCR-related questions"))
    page.keyboard.press("ArrowDown")
    expect(dialog.get_by_label("System message")).to_have_value(re.compile("Evaluate Reasoning Tasks"))
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    page.get_by_role("row", name="QA · Physics").get_by_role("link").first.click()
    expect(page.locator(".dl-verdict")).to_contain_text("answered from the video")
    expect(page.locator(".dl-given h2")).to_contain_text("frames given with the question · 32")
    expect(page.locator(".dl-verdict")).not_to_contain_text("caption ·")
    expect(page.locator(".dl-item")).to_have_count(2)
