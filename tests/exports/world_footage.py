"""Part of the workspace in world.py: scenes, speech, frames, and what was made of captions of frames."""

from __future__ import annotations

from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import FrameLabel, Study, StudyChoice
from annotation.records.runs import Run, RunVideo
from annotation.records.videos import Frame, Measurement, Scene, SceneList, ScreenText, Segment
from backends.video_and_word_types import Word

ABOUT = {"video_id": "vid-1", "created_at": 2.0}
CAPTION = 'A <b>red</b> boat & a "cat".\nIt drifts left — ü 漢.'
FRAME_CAPTIONS = {
    "a": ("A boat > a raft, at the *mill*.", "It drifts,\nturning.", "It is gone — 漢."),
    "b": ("A boat.", "A boat.", "=A boat & <b>no</b> mill."),
}
MATCHED = {"a": "ABC", "b": "BCA"}
"""One model's captions are all found, the other's none."""


def text(key: str, kind: str, value: str, **more: object) -> Text:
    return Text(
        **(
            {"id": f"txt-{key}", "kind": kind, "subject_type": "video", "subject_id": "vid-1", "value": value}
            | ABOUT
            | more
        )
    )


def footage() -> list:
    """Three spoken lines, two scenes with scripts, a sign."""
    times = ((0, 45, 0.0, 1.5), (45, 90, 1.5, 3.0))
    return [
        Run(id="run-speech", stage="speech", backend="whisper", model="base", created_at=1.0),
        Run(id="run-text", stage="text", backend="rapidocr", model="m", created_at=1.0),
        ScreenText(
            id="sct-1",
            video_id="vid-1",
            run_id="run-text",
            index=0,
            text="EXIT <b>",
            score=0.99,
            box=(0.1, 0.2, 0.3, 0.4),
            frame=6,
            pts=6,
            first_frame=3,
            last_frame=9,
            start_s=0.1,
            end_s=0.3,
        ),
        Run(id="run-script", stage="script", backend="m", model="m", created_at=1.0),
        RunVideo(id="rv-1", run_id="run-speech", video_id="vid-1", stage="speech", state="done"),
        *(
            Segment(
                id=f"seg-{n}",
                video_id="vid-1",
                run_id="run-speech",
                index=n,
                start_s=n + 0.5,
                end_s=n + 1.25,
                text=f"Heard {n} --> <b>",
                language="en",
                avg_logprob=-0.2,
                no_speech_prob=0.01,
                words=(Word(text="Heard", start_s=n, end_s=n + 1, probability=0.9),),
            )
            for n in range(3)
        ),
        SceneList(id="scl-1", video_id="vid-1", created_at=1.0, detector={"name": "adaptive"}),
        *(
            Scene(
                id=f"scn-{n}",
                scene_list_id="scl-1",
                video_id="vid-1",
                key=f"sck-{n}",
                index=n,
                start_frame=a,
                end_frame=b,
                start_pts=a,
                end_pts=b,
                start_s=s,
                end_s=e,
            )
            for n, (a, b, s, e) in enumerate(times)
        ),
        *(
            text(
                f"{name}-{n}",
                f"script:{field}",
                value,
                subject_type="scene",
                subject_id=f"sck-{n}",
                run_id="run-script",
            )
            for n, title in enumerate(("Boat", "Mill"))
            for name, field, value in (
                ("title", "scene_title", title),
                ("shot", "shot_type", "Wide."),
                ("move", "camera_movement", "Static."),
                ("seen", "content", f"{title}: {CAPTION}"),
            )
        ),
        Frame(id="frm-1", video_id="vid-1", index=0, pts=0),
        Measurement(
            id="msr-1",
            video_id="vid-1",
            run_id="run-speech",
            subject_type="scene",
            subject_id="sck-0",
            kind="brightness",
            value={"mean": 0.25},
        ),
    ]


def frame_work() -> list:
    """Two models' captions of three frames, what a judge chose, labels of people, a study."""
    frames = [Frame(id=f"frm-{i}", video_id="vid-1", index=i, pts=3000 * i) for i in (30, 60)]
    ids, sequence = ("frm-1", "frm-30", "frm-60"), [0, 30, 60]
    found: list = [*frames, Run(id="run-match", stage="matching", backend="x", model="J/1", created_at=3.0)]
    for name, captions in FRAME_CAPTIONS.items():
        run = Run(id=f"run-f{name}", stage="frames", backend="x", model=f"Cap/{name}", created_at=3.0)
        found += [
            run,
            *(
                Text(
                    id=f"txt-f{name}-{n}",
                    kind="frame",
                    subject_type="frame",
                    subject_id=ids[n],
                    value=caption,
                    run_id=run.id,
                    frames=tuple(sequence),
                    **ABOUT,
                )
                for n, caption in enumerate(captions)
            ),
            *(
                Verdict(
                    id=f"jdg-f{name}-{n}",
                    run_id="run-match",
                    subject_type="frame_match",
                    value_type="letter",
                    subject_id=f"match-{name}-{n}",
                    state="done",
                    label=letter,
                    extra={
                        "sequence": sequence,
                        "frame": sequence[n],
                        "own": "ABC"[n],
                        "captions_run": run.id,
                    },
                    **ABOUT,
                )
                for n, letter in enumerate(MATCHED[name])
            ),
        ]
    about = {"video_id": "vid-1", "person_id": "per-1"}
    return [
        *found,
        FrameLabel(id="flb-1", first=0, second=30, label="yes", created_at=2.0, **about),
        FrameLabel(id="flb-2", first=30, second=60, label="uncertain", created_at=2.5, **about),
        Study(
            id="std-1",
            name="which?",
            runs=("run-fa", "run-fb"),
            seed=7,
            person_id="per-1",
            created_at=3.0,
            sequences=({"video_id": "vid-1", "frames": sequence},),
        ),
        StudyChoice(
            id="chc-1",
            study_id="std-1",
            sequence=0,
            frame=30,
            best="run-fb",
            second=None,
            created_at=4.0,
            **about,
        ),
    ]
