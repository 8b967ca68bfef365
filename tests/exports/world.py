"""One workspace with something of everything, and text that breaks careless writers."""

from __future__ import annotations

from pathlib import Path

from annotation.prompts.prompt_files import load_prompts, prompt_version
from annotation.records import fingerprints
from annotation.records.decisions import (
    Assignment,
    Dismissal,
    ErrorSource,
    Exclusion,
    FrameLabel,
    Merge,
    Person,
    PinnedFrames,
    Selection,
    Study,
    StudyChoice,
)
from annotation.records.elements import Element, ElementList, Finding
from annotation.records.ids import record_id
from annotation.records.prompt_versions import PromptLook, PromptUse, PromptVersion
from annotation.records.runs import Evaluation, EvaluationRun, ModelCall, Run, RunVideo
from annotation.records.texts import Answer, BenchmarkItem, Question, Text, Verdict
from annotation.records.videos import (
    Alias,
    Dataset,
    Frame,
    Measurement,
    Scene,
    SceneList,
    ScreenText,
    Segment,
    Video,
)
from annotation.store.store import Store
from backends.media_facts import VideoFacts, Word
from tests.databases import new_store

CAPTION = 'A <b>red</b> boat & a "cat".\nIt drifts left — ü 漢.'
FULL = "A red boat drifts left past a mill."
FACTS = VideoFacts(
    stream_index=0, frames=90, duration_s=3.0, width=64, height=48, rotation=0, sample_aspect="1:1",
    fps_avg=30.0, vfr=False, codec="h264", pixel_format="yuv420p", time_base="1/90000", start_pts=0,
    start_s=0.0, audio=True, browser_playable=True,
)  # fmt: skip
VERDICTS = (("yes", 4.8, "done"), ("no", 1.0, "done"), ("", None, "unparsed"), ("", None, "failed"))
PROMPTS = load_prompts()
ABOUT = {"video_id": "vid-1", "created_at": 2.0}


def filled_store(folder: Path, name: str = "dailies") -> Store:
    """The workspace in a database of its own."""
    return new_store(folder, name, fill)


def fill(store: Store) -> Store:
    """Records, then people's changes."""
    store.add([
        *_base(), *_references(), *_chain(), *_footage(), *_people_work(), *_frame_work(), *_orders()
    ])  # fmt: skip
    say = {"person_id": "per-1", "reason": "I looked", "base_revision": 0}
    store.correct("text", "txt-cap", "value", "=A blue boat.", **say)
    store.correct("text", "txt-spatial", "value", "A red boat and a mill.", **say)
    store.correct("text", "txt-title-1", "value", "The <mill>", **say)
    store.correct("segment", "seg-1", "text", "So: a --> b & <i>c</i>\n\nend", **say)
    store.correct("verdict", "jdg-1", "verdict", {"label": "yes", "score": 5}, **say)
    store.correct("verdict", "jdg-2", "verdict", {"label": "no", "score": 0}, **say)
    store.correct("answer", "ans-0", "value", "left", **say)
    store.correct("answer", "ans-0", "value", None, **say | {"base_revision": 1}, cleared=True)
    for number, kind in enumerate(("caption_wrong", "judge")):
        store.set_error_source(ErrorSource(
            id=f"blm-{9 - number}", video_id="vid-1", verdict_id="jdg-1", person_id="per-1", kind=kind,
            created_at=4.0 + number, note="@note"))  # fmt: skip
    return store


def _base() -> list:
    alias = record_id("als", "dst-vdc", "boat-1")
    return [
        Dataset(id="dst-vdc", name="VDC", format="vdc"),
        Dataset(id="dst-care", name="CaReBench", format="carebench"),
        Dataset(id="dst-mmlu", name="Video-MMLU", format="mmlu"),
        Video(id="vid-1", title="The <boat>/.. day", created_at=1.0, path="/home/someone/secret/boat.mp4",
              sha256="ab" * 32, facts=FACTS, category="Sports", discipline="math",
              extra={"video_name": "boat.mp4", "subcategory": "sailing", "carebench": {"odd": [1, None]},
                     "vdc": {"more": {"a": 1}}, "mmlu": {"channel": "<c>"},
                     "vript_meta": {"title": "<t>", "categories": []}}),
        Alias(id=alias, dataset_id="dst-vdc", alias="boat-1", video_id="vid-1"),
        Alias(id=record_id("als", "dst-care", "boat.mp4"), dataset_id="dst-care", alias="boat.mp4",
              video_id="vid-1"),
        Alias(id=record_id("als", "dst-mmlu", "-boat_11chr"), dataset_id="dst-mmlu", alias="-boat_11chr",
              video_id="vid-1"),
        Person(id="per-1", name="annotator one", role="annotator", created_at=1.0),
    ]  # fmt: skip


def _text(key: str, kind: str, value: str, **more: object) -> Text:
    return Text(**({"id": f"txt-{key}", "kind": kind, "subject_type": "video", "subject_id": "vid-1",
                    "value": value} | ABOUT | more))  # fmt: skip


def _references() -> list:
    full = _text("full", "carebench:full", FULL, dataset_id="dst-care")
    made = {"dataset_id": "dst-care", "source_text_id": full.id, "source_hash": fingerprints.of_text(FULL)}
    return [
        *(_text(f"ref-{a}", f"vdc:{a}", f"{a}: {CAPTION}", dataset_id="dst-vdc")
          for a in ("short", "background", "main_object", "camera", "detailed")),
        full,
        _text("notes", "mmlu:notes", "f'(x) = 2x — the slope.", dataset_id="dst-mmlu"),
        *(Question(id=f"qst-mmlu-{kind}", kind=f"mmlu:{kind}", index=0, text=f"Which {kind}?",
                   reference="f'(x) = 2x", dataset_id="dst-mmlu", **ABOUT)
          for kind in ("notes", "reasoning")),
        _text("spatial", "carebench:spatial", "A red boat.", **made),
        _text("temporal", "carebench:temporal", "It drifts.", **made),
        *(ElementList(id=f"ell-{kind}", text_id=full.id, kind=kind, **ABOUT) for kind in ("event", "object")),
        *(Element(id=f"elm-{n}", text_id=full.id, kind=kind, index=0, value=value, list_id=f"ell-{kind}",
                  **ABOUT)
          for n, (kind, value) in enumerate((("event", "drifts"), ("object", "There is a mill")))),
    ]  # fmt: skip


def _chain() -> list:
    roles = ("captions", "questions", "answers", "verdicts")
    prompts = {"answers": PROMPTS["vdc_answer"].hash, "verdicts": PROMPTS["vdc_verdict"].hash}
    return [
        *(Run(id=f"run-{role}", stage=role, backend="http://127.0.0.1:1/v1#m", model=f"model-{role}",
              created_at=1.0, prompt_hash=prompts.get(role, "hash"), params={"temperature": 0.0})
          for role in roles),
        Evaluation(id="evl-1", name="first try", created_at=3.0, note="a note"),
        *(EvaluationRun(id=f"evr-{role}", evaluation_id="evl-1", role=role, run_id=f"run-{role}")
          for role in roles if role != "questions"),
        ModelCall(id="call-1", backend="b", model="m", request={"a": ["x"]}, reply="r", created_at=1.0),
        _text("cap", "vdc:short", CAPTION, run_id="run-captions", frames=(0, 30), call_id="call-1"),
        _text("cap-bad", "vdc:camera", "", run_id="run-captions", state="failed", reason="HTTP 503"),
        *(record for n, verdict in enumerate(VERDICTS) for record in _question(n, *verdict)),
        # The first verdict was given twice: the newer one counts.
        _verdict(0, "jdg-0b", "no", 2.0, "done"),
    ]  # fmt: skip


def _question(n: int, label: str, score: float | None, state: str) -> list:
    text, reference, said = f"-What {n}?", f"+red {n}", f"=red {n}"
    return [
        Question(id=f"qst-{n}", kind="vdc:short", index=n, text=text, reference=reference,
                 category="colour", dataset_id="dst-vdc", **ABOUT),
        Answer(id=f"ans-{n}", question_id=f"qst-{n}", run_id="run-answers", source="caption", value=said,
               text_id="txt-cap", source_hash=fingerprints.of_answer(CAPTION, text), **ABOUT),
        _verdict(n, f"jdg-{n}", label, score, state),
    ]  # fmt: skip


def _verdict(n: int, key: str, label: str, score: float | None, state: str) -> Verdict:
    return Verdict(
        id=key, run_id="run-verdicts", subject_type="answer", subject_id=f"ans-{n}",
        value_type="yes_no_score", state=state, label=label, score=score, raw=f"<raw {key}>",
        reason="" if state == "done" else f"is {state}",
        source_hash=fingerprints.of_verdict(f"-What {n}?", f"+red {n}", f"=red {n}"), **ABOUT,
    )  # fmt: skip


def _footage() -> list:
    times = ((0, 45, 0.0, 1.5), (45, 90, 1.5, 3.0))
    return [
        Run(id="run-speech", stage="speech", backend="whisper", model="base", created_at=1.0),
        Run(id="run-text", stage="text", backend="rapidocr", model="m", created_at=1.0),
        ScreenText(id="sct-1", video_id="vid-1", run_id="run-text", index=0, text="EXIT <b>", score=0.99,
                   box=(0.1, 0.2, 0.3, 0.4), frame=6, pts=6, first_frame=3, last_frame=9, start_s=0.1,
                   end_s=0.3),
        Run(id="run-script", stage="script", backend="m", model="m", created_at=1.0),
        RunVideo(id="rv-1", run_id="run-speech", video_id="vid-1", stage="speech", state="done"),
        *(Segment(id=f"seg-{n}", video_id="vid-1", run_id="run-speech", index=n, start_s=n + 0.5,
                  end_s=n + 1.25, text=f"Heard {n} --> <b>", language="en", avg_logprob=-0.2,
                  no_speech_prob=0.01, words=(Word(text="Heard", start_s=n, end_s=n + 1, probability=0.9),))
          for n in range(3)),
        SceneList(id="scl-1", video_id="vid-1", created_at=1.0, detector={"name": "adaptive"}),
        *(Scene(id=f"scn-{n}", scene_list_id="scl-1", video_id="vid-1", key=f"sck-{n}", index=n,
                start_frame=a, end_frame=b, start_pts=a, end_pts=b, start_s=s, end_s=e)
          for n, (a, b, s, e) in enumerate(times)),
        *(_text(f"{name}-{n}", f"script:{field}", value, subject_type="scene", subject_id=f"sck-{n}",
                run_id="run-script")
          for n, title in enumerate(("Boat", "Mill"))
          for name, field, value in (
              ("title", "scene_title", title), ("shot", "shot_type", "Wide."),
              ("move", "camera_movement", "Static."), ("seen", "content", f"{title}: {CAPTION}"))),
        Frame(id="frm-1", video_id="vid-1", index=0, pts=0),
        Measurement(id="msr-1", video_id="vid-1", run_id="run-speech", subject_type="scene",
                    subject_id="sck-0", kind="brightness", value={"mean": 0.25}),
    ]  # fmt: skip


def _orders() -> list:
    """Vript-ERO: one item, a reply to it, and what was read of the reply."""
    value = {"video_id": "-boat_ero", "question": "Below: [Scene (A)] =a\n[Scene (B)] 'b' [Scene (C)] ü",
             "answer": "CAB", "odd": [1, None, True, 2.5]}  # fmt: skip
    about = {"subject_type": "ero_item", "subject_id": "itm-1", "kind": "vript:ero", **ABOUT}
    return [
        Dataset(id="dst-ero", name="Vript-ERO", format="vript-hard"),
        Alias(id=record_id("als", "dst-ero", "-boat_ero"), dataset_id="dst-ero", alias="-boat_ero",
              video_id="vid-1"),
        BenchmarkItem(id="itm-1", dataset_id="dst-ero", task="ero", name="-boat_ero", index=0, value=value,
                      **ABOUT),
        Evaluation(id="evl-ero", name="orders", created_at=2.0),
        *(record for role in ("captions", "verdicts") for record in (
            Run(id=f"run-ero-{role}", stage=role, backend="import:x", model="m", created_at=1.0,
                params={"system": "vript-ero", "kind": "vript:ero", "setting": ""}),
            EvaluationRun(id=f"evr-ero-{role}", evaluation_id="evl-ero", role=role, run_id=f"run-ero-{role}"),
        )),
        Text(id="txt-ero", value="Scene (B), then\nScene (C), \"so\" Scene (B)", run_id="run-ero-captions",
             **about),
        Verdict(id="jdg-ero", run_id="run-ero-verdicts", value_type="order", state="done", label="BCB",
                  extra={"setting": "", "id": "-boat_ero", "columns": ["gt", "meta"]}, **about),
    ]  # fmt: skip


def _people_work() -> list:
    by = {"person_id": "per-1", **ABOUT}
    return [
        Selection(id="sel-1", method="person", frames=(0, 3), reasons={"0": "first"}, **by),
        Finding(id="fnd-1", check="empty", subject_type="text", subject_id="txt-cap", why="why", **ABOUT),
        Dismissal(id="wai-1", finding_id="fnd-1", person_id="per-1", reason="fine", created_at=2.0),
        PinnedFrames(id="pin-1", question_id="qst-1", frames=(2, 40), **by),
        Exclusion(id="exc-1", question_id="qst-3", reason="asks what nobody sees", **by),
        Assignment(id="asg-1", task="script", state="open", **by),
        Merge(id="mrg-1", text_id="txt-cap", hash="00", parts={"misc": {"how": "own"}}, **by),
    ]  # fmt: skip


def _prompt_work() -> list:
    """A judge's prompt in other words, put into use and out of it again, and a look at what was held back."""
    about = {"prompt": "vdc_verdict", "person_id": "per-1"}
    words = prompt_version("vdc_verdict", "Be <b>strict</b>.", PROMPTS["vdc_verdict"].user, "=strict")
    return [
        PromptVersion(id="prv-1", label=words.label, system=words.system, user=words.user, hash=words.hash,
                      created_at=5.0, **about),
        PromptUse(id="pru-1", version_id="prv-1", created_at=6.0, **about),
        PromptUse(id="pru-2", version_id=None, created_at=7.0, **about),
        PromptLook(id="prl-1", version_id="prv-1", evaluation_id="evl-1", questions=("qst-1",),
                   created_at=8.0, **about),
    ]  # fmt: skip


FRAME_CAPTIONS = {
    "a": ("A boat > a raft, at the *mill*.", "It drifts,\nturning.", "It is gone — 漢."),
    "b": ("A boat.", "A boat.", "=A boat & <b>no</b> mill."),
}
MATCHED = {"a": "ABC", "b": "BCA"}
"""One model's captions are all found, the other's none."""


def _frame_work() -> list:
    """Two models' captions of three frames, what a judge chose, labels of people, a study."""
    frames = [Frame(id=f"frm-{i}", video_id="vid-1", index=i, pts=3000 * i) for i in (30, 60)]
    ids, sequence = ("frm-1", "frm-30", "frm-60"), [0, 30, 60]
    found: list = [*frames, Run(id="run-match", stage="matching", backend="x", model="J/1", created_at=3.0)]
    for name, captions in FRAME_CAPTIONS.items():
        run = Run(id=f"run-f{name}", stage="frames", backend="x", model=f"Cap/{name}", created_at=3.0)
        found += [run, *(
            Text(id=f"txt-f{name}-{n}", kind="frame", subject_type="frame", subject_id=ids[n], value=caption,
                 run_id=run.id, frames=tuple(sequence), **ABOUT)
            for n, caption in enumerate(captions)
        ), *(
            Verdict(id=f"jdg-f{name}-{n}", run_id="run-match", subject_type="frame_match",
                      value_type="letter", subject_id=f"match-{name}-{n}", state="done", label=letter,
                      extra={"sequence": sequence, "frame": sequence[n], "own": "ABC"[n],
                             "captions_run": run.id}, **ABOUT)
            for n, letter in enumerate(MATCHED[name])
        )]  # fmt: skip
    about = {"video_id": "vid-1", "person_id": "per-1"}
    return [
        *found,
        FrameLabel(id="flb-1", first=0, second=30, label="yes", created_at=2.0, **about),
        FrameLabel(id="flb-2", first=30, second=60, label="uncertain", created_at=2.5, **about),
        Study(id="std-1", name="which?", runs=("run-fa", "run-fb"), seed=7, person_id="per-1", created_at=3.0,
              sequences=({"video_id": "vid-1", "frames": sequence},)),
        StudyChoice(id="chc-1", study_id="std-1", sequence=0, frame=30, best="run-fb", second=None,
                    created_at=4.0, **about),
        *_prompt_work(),
    ]  # fmt: skip
