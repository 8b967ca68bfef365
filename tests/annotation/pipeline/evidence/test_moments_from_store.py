"""What the store knows of a video's moments."""

from __future__ import annotations

import time

from annotation.pipeline.evidence.moments_from_store import known_of
from annotation.pipeline.evidence.ranking import Query, rank
from annotation.records.captions_to_verdicts import Text
from annotation.records.ids import new_id
from annotation.records.videos import Measurement, ScreenText
from annotation.stages.newest_screen_texts import FRAMES_READ
from annotation.stages.stage_context import make_run
from tests.bench import Bench


def test_text_on_screen_names_its_moment_and_a_change_is_seen_at_once(bench: Bench) -> None:
    video = bench.video
    assert rank(known_of(bench.store, video), Query("What does the sign say?", "Bakery")) == []
    run = make_run("text", backend="test", model="test")
    line = ScreenText(
        id=new_id("scr"),
        video_id=video.id,
        run_id=run.id,
        index=0,
        text="BAKERY",
        score=0.99,
        box=(0.1, 0.1, 0.4, 0.2),
        frame=10,
        pts=0,
        first_frame=5,
        last_frame=15,
        start_s=0.2,
        end_s=0.6,
    )
    looked = Measurement(
        id=new_id("msr"),
        video_id=video.id,
        run_id=run.id,
        subject_type="video",
        subject_id=video.id,
        kind=FRAMES_READ,
        value={"frames": 3, "at": time.time()},
    )
    bench.store.add([run, line, looked])
    (found,) = rank(known_of(bench.store, video), Query("What does the sign say?", "Bakery"))
    assert [reason.words for reason in found.reasons] == ["text on screen: “BAKERY”"]
    assert found.moment == 0 and found.at_s is not None


def test_the_number_in_a_title_of_the_baseline_is_no_word_about_its_scene(bench: Bench) -> None:
    bench.run()
    titles = [
        bench.store.current("text", text.id, "value").value
        for text in bench.store.find(Text, kind="script:scene_title")
    ]
    assert titles and all(str(title).startswith("Scene ") for title in titles)
    scripts = [words.text for words in known_of(bench.store, bench.video).words if words.source == "script"]
    assert scripts and not any("Scene " in text for text in scripts)
