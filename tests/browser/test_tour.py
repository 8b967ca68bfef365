"""The tours of README and docs/for_demonstrations.md, done step by step as they are written."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.backends.clips import textured, write_clip
from tests.browser.conftest import ROOT, Server, expect, open_page, until
from tests.browser.drops import SLOW_MS, drop
from tests.browser.test_demo import open_demo, shown_frame, tab
from tests.browser.tour import Tour, Words
from tests.chat_server import ChatServer, Seen

SAMPLE = "A paper boat's day"
CLIP, REFERENCE = ROOT / "sample" / "clip.mp4", ROOT / "sample" / "vdc_captions.jsonl"
QUESTION = "In which direction does the camera pan over the valley?"
SAID = "A red paper boat drifts on a stream."
"""What the model writes."""
RUN_MS = 180_000
README = Tour("README.md", "First steps")
DEMO = Tour("docs/for_demonstrations.md", "A tour in five minutes")


@dataclass(frozen=True)
class Desk:
    """What a person has who does the steps."""

    page: Any
    server: Server
    model: ChatServer
    folder: Path


def reply(seen: Seen) -> str:
    """A readable reply to every request."""
    if seen.schema:
        return json.dumps({name: _value(part) for name, part in seen.schema["properties"].items()})
    return "{'pred': 'yes', 'score': 5}" if "'pred'" in seen.system + seen.user else SAID


def _value(schema: Any) -> Any:
    if schema["type"] == "array":
        return [_value(schema["items"])]
    if schema["type"] == "object":
        return {name: _value(part) for name, part in schema["properties"].items()}
    return SAID


def test_the_first_steps_of_the_readme(server: Server, page, tmp_path: Path) -> None:
    open_page(page, server.url)
    with ChatServer(reply) as model:
        README.walk(Desk(page, server, model, tmp_path))


def test_the_tour_of_the_demo_page(server: Server, page, tmp_path: Path) -> None:
    open_demo(page, server)
    with ChatServer(reply) as model:
        DEMO.walk(Desk(page, server, model, tmp_path))


# --- README: the working pages ------------------------------------------------------------


def go(page: Any, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()
    page.wait_for_selector(f".dl-root[data-page={name.lower()}][data-ready]")


def in_row(desk: Desk, name: str) -> None:
    """Press a link in the row of the sample in the Library."""
    desk.page.get_by_role("link", name=f"{name} of {SAMPLE}").click()
    desk.page.wait_for_selector(f".dl-root[data-page={name.lower()}][data-ready]")


def run(desk: Desk, name: str) -> None:
    """Run the usual stages of the dialog that is open, until they have ended."""
    dialog = desk.page.get_by_role("dialog", name=name)
    dialog.get_by_role("button", name=name, exact=True).click()
    dialog.wait_for(state="detached")


@README.step("""
    **Load a video.** Drop a clip on the **Library**, press **Import**, then **Run**. The stages find the
    scenes, transcribe the speech, and write scene scripts, captions, questions, answers and verdicts.
    Meanwhile, go on with the sample.
    """)
def load(desk: Desk, words: Words) -> None:
    page = desk.page
    expect(page.get_by_role("link", name=words.named("Library"))).to_have_attribute("aria-current", "page")
    drop(page, write_clip(desk.folder / "ours.mp4", [textured(1 + n // 50) for n in range(150)]))
    page.get_by_role("dialog").get_by_role("button", name=words.named("Import")).click()
    run(desk, words.named("Run"))
    expect(page.locator(".dl-video", has_text="ours")).to_be_visible()


@README.step("""
    **Scenes and speech.** Press **Script** in the row of the sample. Click scene `3` on the strip: the
    player shows its first frame, `#300`. The tab **speech** lists seven transcribed sentences.
    """)
def scenes(desk: Desk, words: Words) -> None:
    page = desk.page
    in_row(desk, words.named("Script"))
    page.locator(".dl-track .dl-scene").get_by_text(words.named("3"), exact=True).click()
    expect(page.get_by_text(words.named("#300"), exact=True).first).to_be_visible()
    page.get_by_role("tab", name=words.named("speech")).click()
    assert "seven transcribed sentences" in words
    expect(page.locator(".dl-segment")).to_have_count(7)


@README.step("""
    **Scripts and captions.** The tab **script** has title, shot type, camera movement and content of each
    scene, as in Vript. The tabs **camera**, **short**, **background**, **main object** and **detailed**
    have the five captions of VDC.
    """)
def captions(desk: Desk, words: Words) -> None:
    page = desk.page
    page.get_by_role("tab", name=words.named("script")).click()
    for field in ("title", "shot type", "camera movement", "content"):
        assert field in words
        expect(page.get_by_role("textbox", name=field).first).not_to_be_empty()
    for aspect in ("camera", "short", "background", "main object", "detailed"):
        page.get_by_role("tab", name=words.named(aspect)).click()
        expect(page.get_by_role("textbox", name=f"{aspect} caption").first).to_have_value(
            re.compile("boat|stream")
        )


@README.step("""
    **With a vision-language model.** Without one, the rules of the baseline write. Choose **Connect a model
    …** in the menu under your name, type its address, press **Try it** and **Use it**, then **Run** in the
    **Library**.
    """)
def model(desk: Desk, words: Words) -> None:
    page = desk.page
    page.get_by_role("button", name="You are").click()
    page.get_by_role("menuitem", name=words.named("Connect a model …")).click()
    dialog = page.get_by_role("dialog", name="Connect a model")
    dialog.get_by_label("Model or address").fill(desk.model.spec)
    dialog.get_by_role("button", name=words.named("Try it")).click()
    dialog.get_by_role("button", name=words.named("Use it")).click()
    expect(dialog.get_by_role("region", name="Reply")).to_contain_text("Saved")
    page.keyboard.press("Escape")
    go(page, words.named("Library"))
    page.get_by_role("button", name=words.named("Run")).first.click()
    run(desk, "Run")
    until(lambda: any(seen.images for seen in desk.model.seen), page)


@README.step("""
    **Questions, answers, verdicts.** Press **Verdicts** in the row of the sample, then the question "In
    which direction does the camera pan over the valley?". The reference is "To the right", the extracted
    answer is "To the left", its words are marked in the caption, and the verdict is "no". The frames for
    this question are below the player, each with its reason. `e` corrects the verdict, `c` the caption, and
    `Enter` confirms the proposed error source.
    """)
def verdicts(desk: Desk, words: Words) -> None:
    page = desk.page
    in_row(desk, words.named("Verdicts"))
    page.locator(".dl-item", has_text="In which direction does the camera pan").click()
    expect(page.locator(".dl-q")).to_have_text(words.named(QUESTION))
    for shown in ("To the right", "To the left", "no"):
        expect(page.locator(".dl-verdict")).to_contain_text(words.named(shown), use_inner_text=True)
    expect(page.locator(".dl-caption mark")).to_have_text("to the left")
    expect(page.get_by_text("camera: pan right (measured)")).to_be_visible()
    page.keyboard.press(words.named("e"))
    expect(page.get_by_role("radio", name="yes")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press(words.named("Enter"))
    expect(page.get_by_role("button", name="caption is wrong", pressed=True)).to_be_visible()
    page.keyboard.press(words.named("c"))
    expect(page.get_by_role("textbox", name="caption")).to_be_focused()
    page.keyboard.press("Escape")


@README.step("""
    **Split.** Open **Split**: "17 to settle". Press **delete “sunny”**, a word that the full caption does
    not have: "16 to settle". `s` and `t` send the selected clause to the spatial or the temporal text.
    """)
def split(desk: Desk, words: Words) -> None:
    page = desk.page
    go(page, words.named("Split"))
    expect(page.get_by_text(words.named("17 to settle"))).to_be_visible()
    page.get_by_role("button", name=words.named("delete “sunny”")).click()
    expect(page.get_by_text(words.named("16 to settle"))).to_be_visible()
    for key, side in (("s", "spatial"), ("t", "temporal")):
        hint = page.get_by_role("button", name=re.compile(f"(to|from) {side}.*{words.named(key)}$")).first
        expect(hint).to_be_visible()


@README.step("""
    **Export** in the Library writes your corrections to files. **Scores** counts verdicts under the rules
    of other tools, and **Keyframes** has the reason why each frame was kept or dropped. `?` lists the keys
    of a page.
    """)
def export(desk: Desk, words: Words) -> None:
    page = desk.page
    for name in ("Scores", "Keyframes"):
        go(page, words.named(name))
    go(page, "Library")
    page.get_by_role("button", name=words.named("Export")).click()
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press(words.named("?"))
    expect(page.get_by_role("dialog")).to_contain_text("keys", ignore_case=True)


# --- docs/for_demonstrations.md: the Demo page --------------------------------------------


def wait_for_run(page: Any) -> None:
    expect(page.locator("#demo-status")).to_contain_text("%", timeout=SLOW_MS)
    expect(page.locator("#demo-status")).to_contain_text("Done.", timeout=RUN_MS)


@DEMO.step("""
    **Load a video.** Drop `sample/clip.mp4`, or a clip of your own, on "Drop a clip of your own". All
    stages run, in about a minute. The line under the player names the stage, and results appear as soon as
    a stage ends. At the end it says "Done.".
    """)
def demo_load(desk: Desk, words: Words) -> None:
    page = desk.page
    expect(page.locator("#demo-clip")).to_contain_text(words.named("Drop a clip of your own"))
    assert (ROOT / words.named("sample/clip.mp4")) == CLIP
    page.locator("#demo-clip input[type=file]").set_input_files(CLIP)
    expect(page.locator("#demo-status")).to_contain_text("finding the scenes", timeout=SLOW_MS)
    expect(page.locator("#demo-status")).to_contain_text(words.named("Done."), timeout=RUN_MS)


@DEMO.step("""
    **Find the scenes.** The tab **Script** shows nine scenes, each with its length and camera movement.
    Click "Scene 3": the player shows its first frame, `#300`, and says "confirmed" once the browser has
    shown exactly this frame.
    """)
def demo_scenes(desk: Desk, words: Words) -> None:
    page = desk.page
    tab(page, words.named("Script"))
    expect(page.get_by_text(re.compile(r"^Scene \d: .* s, camera "))).to_have_count(9)
    page.get_by_text(f"{words.named('Scene 3')}: 12.0 to 19.0 s, camera pan right").click()
    until(lambda: f"#{shown_frame(page)}" == words.named("#300"), page)
    expect(page.locator("#demo-player")).to_contain_text(words.named("confirmed"))


@DEMO.step("""
    **Transcribe the speech.** The table "Speech" has seven lines with their times. Click "A black cat on
    the wall watches the boat go by.": the player goes to its first frame.
    """)
def demo_speech(desk: Desk, words: Words) -> None:
    page = desk.page
    expect(page.get_by_text(words.named("Speech"), exact=True)).to_be_visible()
    page.get_by_text(words.named("A black cat on the wall watches the boat go by."), exact=True).click()
    until(lambda: 19 * 25 <= shown_frame(page) < 20 * 25, page)


@DEMO.step("""
    **Write scripts and captions.** "Script, scene by scene" has the fields of Vript: title, shot type,
    camera movement, content. The tab **Captions** has the five captions of VDC, "Written by rules, no
    model".
    """)
def demo_texts(desk: Desk, words: Words) -> None:
    page = desk.page
    expect(page.get_by_text(words.named("Script, scene by scene"))).to_be_visible()
    for field in ("title", "shot type", "camera movement", "content"):
        assert field in words
        expect(page.get_by_role("columnheader", name=field).first).to_be_visible()
    expect(page.get_by_text("Scene 1 of 9: camera stays still").first).to_be_visible()
    tab(page, words.named("Captions"))
    expect(page.get_by_text(words.named("Written by rules, no model"))).to_be_visible()
    for part in ("Camera", "Short", "Background", "Main object", "Detailed"):
        expect(page.get_by_role("group", name=part)).to_contain_text(re.compile(r"\w+ \w+ \w+"))


@DEMO.step("""
    **Use a vision-language model.** Open **Use your own model**, type address, model and key of an
    OpenAI-compatible server, such as vLLM, and press **Run again**. Now the model writes all texts, and its
    name is above the captions. If you have no model, skip this step.
    """)
def demo_model(desk: Desk, words: Words) -> None:
    page = desk.page
    page.get_by_role("button", name=words.named("Use your own model")).click()
    page.get_by_label("Address").fill(desk.model.url)
    page.get_by_label("Model", exact=True).fill("tiny")
    page.get_by_label("Key", exact=True).fill("secret")
    page.get_by_role("button", name=words.named("Run again")).click()
    wait_for_run(page)
    expect(page.get_by_text("Written by tiny")).to_be_visible()
    expect(page.get_by_role("group", name="Detailed")).to_contain_text(SAID)
    assert any(seen.images for seen in desk.model.seen)


@DEMO.step("""
    **Turn references into questions.** In the tab **Questions**, open **Ask about another reference**. Drop
    `sample/vdc_captions.jsonl` on "JSON file of VDC captions", which fills the five fields, or write your
    own. Press **Ask and judge**. New questions are written, their answers are extracted from the captions,
    and a judge gives the verdicts.
    """)
def demo_questions(desk: Desk, words: Words) -> None:
    page = desk.page
    tab(page, words.named("Questions"))
    page.get_by_role("button", name=words.named("Ask about another reference")).click()
    expect(page.locator("#demo-reference")).to_contain_text(words.named("JSON file of VDC captions"))
    assert (ROOT / words.named("sample/vdc_captions.jsonl")) == REFERENCE
    page.locator("#demo-reference input[type=file]").set_input_files(REFERENCE)
    fields = json.loads(REFERENCE.read_text())
    expect(page.get_by_role("textbox", name="Short")).to_have_value(fields["short_caption"])
    asked = len(desk.model.seen)
    page.get_by_role("button", name=words.named("Ask and judge")).click()
    until(lambda: any(fields["short_caption"] in seen.user for seen in desk.model.seen[asked:]), page)
    expect(page.locator("#demo-status")).to_contain_text("Done.", timeout=RUN_MS)
    expect(page.locator("#demo-questions")).to_contain_text(SAID)


@DEMO.step("""
    **See answers and verdicts next to the frames.** Reload the page to return to the worked example, whose
    captions have mistakes. Click "In which direction does the camera pan over the valley?" in the table.
    The player shows the valley. The verdict is "no": the reference is "To the right", the extracted answer
    is "To the left", and its words are marked in the caption. Below are the frames for the question with
    their reasons. "Raw reply of the judge" opens its reply.
    """)
def demo_verdicts(desk: Desk, words: Words) -> None:
    page = desk.page
    page.reload()
    page.locator("#demo-questions").get_by_text(words.named(QUESTION)).click()
    until(lambda: 12 * 25 <= shown_frame(page) < 19 * 25, page)
    verdict = page.locator("#demo-verdict")
    for shown in ("no", "To the right", "To the left"):
        expect(verdict).to_contain_text(words.named(shown))
    expect(page.locator("mark").first).to_have_text("to the left")
    expect(page.get_by_text("camera: pan right (measured)").first).to_be_visible()
    page.get_by_role("button", name=words.named("Raw reply of the judge")).click()
    raw = page.get_by_role("textbox", name="Raw reply", disabled=True)
    expect(raw).to_have_value("{'pred': 'no', 'score': 0}")


@DEMO.step("""
    **Fix the split.** The tab **Split** has the full, the spatial and the temporal caption, and "17
    findings to settle". Click the finding about "sunny" in the spatial caption, a word that the full
    caption does not have, and press **Fix: delete “sunny”**: 16 findings are left. Or edit a text: findings
    follow as you type. **Download as CaReBench metadata** saves the three texts.
    """)
def demo_split(desk: Desk, words: Words) -> None:
    page = desk.page
    tab(page, words.named("Split"))
    findings = page.locator("#demo-findings")
    expect(findings).to_contain_text(words.named("17 findings to settle"))
    findings.get_by_text(f"“{words.named('sunny')}”").click()
    page.get_by_role("button", name=words.named("Fix: delete “sunny”")).click()
    assert "16 findings are left" in words
    expect(findings).to_contain_text("16 findings to settle")
    temporal = page.locator("#demo-temporal").get_by_role("textbox")
    temporal.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" The boat is folded from red paper.")
    expect(findings).not_to_contain_text("16 findings to settle")
    with page.expect_download() as saved:
        page.get_by_role("button", name=words.named("Download as CaReBench metadata")).click()
    (record,) = json.loads(Path(saved.value.path()).read_text())
    assert "sunny" not in record["spatial_caption"]
    assert record["temporal_caption"].endswith("folded from red paper.")


@DEMO.step("""
    **Take everything along.** **Download all** saves script, captions, questions, log, subtitles, split and
    keyframes in one zip file.
    """)
def demo_download(desk: Desk, words: Words) -> None:
    with desk.page.expect_download() as everything:
        desk.page.get_by_role("button", name=words.named("Download all")).click()
    names = zipfile.ZipFile(everything.value.path()).namelist()
    for place in ("script/", "captions/", "questions/", "log/", "speech/", "carebench/", "keyframes/"):
        assert any(name.startswith(place) for name in names), place
