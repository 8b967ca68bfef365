"""One workspace with something of everything, and text that breaks careless writers."""

from __future__ import annotations

from pathlib import Path

from annotation.prompts.prompt_files import load_prompts, prompt_version
from annotation.records import fingerprints
from annotation.records.captions_to_verdicts import Answer, BenchmarkItem, Question, Text, Verdict
from annotation.records.decisions import (
    Assignment,
    Dismissal,
    ErrorSource,
    Exclusion,
    Merge,
    Person,
    PinnedFrames,
    Selection,
)
from annotation.records.elements import Element, ElementList, Finding
from annotation.records.ids import record_id
from annotation.records.prompt_versions import PromptLook, PromptUse, PromptVersion
from annotation.records.runs import Evaluation, EvaluationRun, ModelCall, Run
from annotation.records.videos import (
    Alias,
    Dataset,
    Video,
)
from annotation.store.store import Store
from backends.video_and_word_types import VideoFacts
from tests.databases import new_store
from tests.exports.world_footage import ABOUT, CAPTION, footage, frame_work, text

FULL = "A red boat drifts left past a mill."
FACTS = VideoFacts(
    stream_index=0,
    frames=90,
    duration_s=3.0,
    width=64,
    height=48,
    rotation=0,
    sample_aspect="1:1",
    fps_avg=30.0,
    vfr=False,
    codec="h264",
    pixel_format="yuv420p",
    time_base="1/90000",
    start_pts=0,
    start_s=0.0,
    audio=True,
    browser_playable=True,
)
VERDICTS = (("yes", 4.8, "done"), ("no", 1.0, "done"), ("", None, "unparsed"), ("", None, "failed"))
PROMPTS = load_prompts()


def filled_store(folder: Path, name: str = "dailies") -> Store:
    """The workspace in a database of its own."""
    return new_store(folder, name, fill)


def fill(store: Store) -> Store:
    """Records, then people's changes."""
    store.add(
        [
            *_base(),
            *_references(),
            *_chain(),
            *footage(),
            *_people_work(),
            *frame_work(),
            *_prompt_work(),
            *_orders(),
        ]
    )
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
        store.set_error_source(
            ErrorSource(
                id=f"blm-{9 - number}",
                video_id="vid-1",
                verdict_id="jdg-1",
                person_id="per-1",
                kind=kind,
                created_at=4.0 + number,
                note="@note",
            )
        )
    return store


def _base() -> list:
    alias = record_id("als", "dst-vdc", "boat-1")
    return [
        Dataset(id="dst-vdc", name="VDC", format="vdc"),
        Dataset(id="dst-care", name="CaReBench", format="carebench"),
        Dataset(id="dst-mmlu", name="Video-MMLU", format="mmlu"),
        Video(
            id="vid-1",
            title="The <boat>/.. day",
            created_at=1.0,
            path="/home/someone/secret/boat.mp4",
            sha256="ab" * 32,
            facts=FACTS,
            category="Sports",
            discipline="math",
            extra={
                "video_name": "boat.mp4",
                "subcategory": "sailing",
                "carebench": {"odd": [1, None]},
                "vdc": {"more": {"a": 1}},
                "mmlu": {"channel": "<c>"},
                "vript_meta": {"title": "<t>", "categories": []},
            },
        ),
        Alias(id=alias, dataset_id="dst-vdc", alias="boat-1", video_id="vid-1"),
        Alias(
            id=record_id("als", "dst-care", "boat.mp4"),
            dataset_id="dst-care",
            alias="boat.mp4",
            video_id="vid-1",
        ),
        Alias(
            id=record_id("als", "dst-mmlu", "-boat_11chr"),
            dataset_id="dst-mmlu",
            alias="-boat_11chr",
            video_id="vid-1",
        ),
        Person(id="per-1", name="annotator one", role="annotator", created_at=1.0),
    ]


def _references() -> list:
    full = text("full", "carebench:full", FULL, dataset_id="dst-care")
    made = {"dataset_id": "dst-care", "source_text_id": full.id, "source_hash": fingerprints.of_text(FULL)}
    return [
        *(
            text(f"ref-{a}", f"vdc:{a}", f"{a}: {CAPTION}", dataset_id="dst-vdc")
            for a in ("short", "background", "main_object", "camera", "detailed")
        ),
        full,
        text("notes", "mmlu:notes", "f'(x) = 2x — the slope.", dataset_id="dst-mmlu"),
        *(
            Question(
                id=f"qst-mmlu-{kind}",
                kind=f"mmlu:{kind}",
                index=0,
                text=f"Which {kind}?",
                reference="f'(x) = 2x",
                dataset_id="dst-mmlu",
                **ABOUT,
            )
            for kind in ("notes", "reasoning")
        ),
        text("spatial", "carebench:spatial", "A red boat.", **made),
        text("temporal", "carebench:temporal", "It drifts.", **made),
        *(ElementList(id=f"ell-{kind}", text_id=full.id, kind=kind, **ABOUT) for kind in ("event", "object")),
        *(
            Element(
                id=f"elm-{n}",
                text_id=full.id,
                kind=kind,
                index=0,
                value=value,
                list_id=f"ell-{kind}",
                **ABOUT,
            )
            for n, (kind, value) in enumerate((("event", "drifts"), ("object", "There is a mill")))
        ),
    ]


def _chain() -> list:
    roles = ("captions", "questions", "answers", "verdicts")
    prompts = {"answers": PROMPTS["vdc_answer"].hash, "verdicts": PROMPTS["vdc_verdict"].hash}
    return [
        *(
            Run(
                id=f"run-{role}",
                stage=role,
                backend="http://127.0.0.1:1/v1#m",
                model=f"model-{role}",
                created_at=1.0,
                prompt_hash=prompts.get(role, "hash"),
                params={"temperature": 0.0},
            )
            for role in roles
        ),
        Evaluation(id="evl-1", name="first try", created_at=3.0, note="a note"),
        *(
            EvaluationRun(id=f"evr-{role}", evaluation_id="evl-1", role=role, run_id=f"run-{role}")
            for role in roles
            if role != "questions"
        ),
        ModelCall(id="call-1", backend="b", model="m", request={"a": ["x"]}, reply="r", created_at=1.0),
        text("cap", "vdc:short", CAPTION, run_id="run-captions", frames=(0, 30), call_id="call-1"),
        text("cap-bad", "vdc:camera", "", run_id="run-captions", state="failed", reason="HTTP 503"),
        *(record for n, verdict in enumerate(VERDICTS) for record in _question(n, *verdict)),
        # The first verdict was given twice: the newer one counts.
        _verdict(0, "jdg-0b", "no", 2.0, "done"),
    ]


def _question(n: int, label: str, score: float | None, state: str) -> list:
    asked, reference, said = f"-What {n}?", f"+red {n}", f"=red {n}"
    return [
        Question(
            id=f"qst-{n}",
            kind="vdc:short",
            index=n,
            text=asked,
            reference=reference,
            category="colour",
            dataset_id="dst-vdc",
            **ABOUT,
        ),
        Answer(
            id=f"ans-{n}",
            question_id=f"qst-{n}",
            run_id="run-answers",
            source="caption",
            value=said,
            text_id="txt-cap",
            source_hash=fingerprints.of_answer(CAPTION, asked),
            **ABOUT,
        ),
        _verdict(n, f"jdg-{n}", label, score, state),
    ]


def _verdict(n: int, key: str, label: str, score: float | None, state: str) -> Verdict:
    return Verdict(
        id=key,
        run_id="run-verdicts",
        subject_type="answer",
        subject_id=f"ans-{n}",
        value_type="yes_no_score",
        state=state,
        label=label,
        score=score,
        raw=f"<raw {key}>",
        reason="" if state == "done" else f"is {state}",
        source_hash=fingerprints.of_verdict(f"-What {n}?", f"+red {n}", f"=red {n}"),
        **ABOUT,
    )


def _orders() -> list:
    """Vript-ERO: one item, a reply to it, and what was read of the reply."""
    value = {
        "video_id": "-boat_ero",
        "question": "Below: [Scene (A)] =a\n[Scene (B)] 'b' [Scene (C)] ü",
        "answer": "CAB",
        "odd": [1, None, True, 2.5],
    }
    about = {"subject_type": "ero_item", "subject_id": "itm-1", "kind": "vript:ero", **ABOUT}
    return [
        Dataset(id="dst-ero", name="Vript-ERO", format="vript-hard"),
        Alias(
            id=record_id("als", "dst-ero", "-boat_ero"),
            dataset_id="dst-ero",
            alias="-boat_ero",
            video_id="vid-1",
        ),
        BenchmarkItem(
            id="itm-1", dataset_id="dst-ero", task="ero", name="-boat_ero", index=0, value=value, **ABOUT
        ),
        Evaluation(id="evl-ero", name="orders", created_at=2.0),
        *(
            record
            for role in ("captions", "verdicts")
            for record in (
                Run(
                    id=f"run-ero-{role}",
                    stage=role,
                    backend="import:x",
                    model="m",
                    created_at=1.0,
                    params={"system": "vript-ero", "kind": "vript:ero", "setting": ""},
                ),
                EvaluationRun(
                    id=f"evr-ero-{role}", evaluation_id="evl-ero", role=role, run_id=f"run-ero-{role}"
                ),
            )
        ),
        Text(
            id="txt-ero",
            value='Scene (B), then\nScene (C), "so" Scene (B)',
            run_id="run-ero-captions",
            **about,
        ),
        Verdict(
            id="jdg-ero",
            run_id="run-ero-verdicts",
            value_type="order",
            state="done",
            label="BCB",
            extra={"setting": "", "id": "-boat_ero", "columns": ["gt", "meta"]},
            **about,
        ),
    ]


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
    ]


def _prompt_work() -> list:
    """A judge's prompt in other words, put into use and out of it again, and a look at what was held back."""
    about = {"prompt": "vdc_verdict", "person_id": "per-1"}
    words = prompt_version("vdc_verdict", "Be <b>strict</b>.", PROMPTS["vdc_verdict"].user, "=strict")
    return [
        PromptVersion(
            id="prv-1",
            label=words.label,
            system=words.system,
            user=words.user,
            hash=words.hash,
            created_at=5.0,
            **about,
        ),
        PromptUse(id="pru-1", version_id="prv-1", created_at=6.0, **about),
        PromptUse(id="pru-2", version_id=None, created_at=7.0, **about),
        PromptLook(
            id="prl-1",
            version_id="prv-1",
            evaluation_id="evl-1",
            questions=("qst-1",),
            created_at=8.0,
            **about,
        ),
    ]
