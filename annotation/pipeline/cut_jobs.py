"""Work on cuts in the background of the app: measuring scenes whose ends moved, detecting cuts to compare.

Neither waits for a job of the pipeline. What is found is written down, so nothing is lost with the
app: a scene that was not measured is measured by the next run.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.records.current_cuts import CANDIDATE
from annotation.records.ids import record_id
from annotation.records.videos import Scene, SceneList, Video
from annotation.stages.measurement_stage import measure_scene, measuring_run, stretch, stretches
from annotation.stages.media_library import MediaLibrary, path_of
from annotation.stages.probe_scenes_speech import facts_of, scene_records
from annotation.stages.stage_context import make_run
from annotation.store.cut_versions import CutHistory
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError, Stopped, UsageError
from backends.protocols import SceneDetector
from backends.scenes.scene_detectors import DETECTORS, scene_detector

log = logging.getLogger(__name__)
REST_S = 1.0
"""Scenes are measured when their cuts have rested for so long."""


@dataclass(frozen=True, slots=True)
class Detection:
    """One pass of a detector over one video, to be compared."""

    video_id: str
    detector: str
    state: Literal["waiting", "running", "done", "failed", "stopped"] = "waiting"
    done: int = 0
    total: int = 0
    scene_list_id: str = ""
    why: str = ""
    """What went wrong, in one line."""

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "stopped")


class CutWork:
    """One thread for measuring, one for detecting."""

    def __init__(self, workspace: Workspace, media: MediaLibrary) -> None:
        self.workspace = workspace
        self.store = workspace.store
        self.media = media
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._asked: dict[str, float] = {}
        self._detections: dict[str, Detection] = {}
        self._halted: set[str] = set()
        self._measuring = ThreadPoolExecutor(1, "measure-cuts")
        self._detecting = ThreadPoolExecutor(1, "detect-cuts")

    def close(self) -> None:
        """Stop soon; what is finished stays."""
        self._stop.set()
        for pool in (self._measuring, self._detecting):
            pool.shutdown(wait=True, cancel_futures=True)

    # --- measuring --------------------------------------------------------------------

    def measure(self, video: Video) -> None:
        """Measure the scenes that people have cut anew, once their cuts have rested."""
        with self._lock:
            waiting = video.id in self._asked
            self._asked[video.id] = time.monotonic()
        if not waiting and not self._stop.is_set():
            self._measuring.submit(self._guarded, lambda: self._measure(video))

    def measures(self, video_id: str) -> bool:
        """Whether scenes of this video are being measured, or wait for it."""
        with self._lock:
            return video_id in self._asked

    def _measure(self, video: Video) -> None:
        try:
            measurer = make_engines(EngineChoice(speech="none"), self.workspace).measurer()
            run = measuring_run(measurer)
            self.store.add([run])
            while not self._stop.is_set():
                asked = self._rest(video.id)
                todo = self._unmeasured(video.id, run.id)
                if todo:
                    measure_scene(self.store, self.media, measurer, run, video, todo[0])
                elif self._through(video.id, asked):
                    return
        except BaseException:
            with self._lock:
                self._asked.pop(video.id, None)
            raise

    def _rest(self, video_id: str) -> float:
        """Wait until nobody has asked for a while; returns when it was asked last."""
        while not self._stop.is_set() and time.monotonic() < self._asked[video_id] + REST_S:
            self._stop.wait(0.1)
        return self._asked[video_id]

    def _through(self, video_id: str, asked: float) -> bool:
        """Whether nobody has asked again since `asked`; then the next who asks starts anew."""
        with self._lock:
            if self._asked[video_id] != asked:
                return False
            del self._asked[video_id]
            return True

    def _unmeasured(self, video_id: str, run_id: str) -> list[Scene]:
        """Scenes that people cut; all of them where the others were measured."""
        history = CutHistory(self.store, video_id)
        known = stretches(self.store, video_id, run_id, "clear_frames")
        return [one for one in history.scenes if (known or history.recut(one)) and stretch(one) not in known]

    # --- detecting --------------------------------------------------------------------

    def detect(self, video: Video, spec: str) -> Detection:
        """Look for cuts with another detector, to be compared with those that count.

        Raises UsageError for a detector that does not exist, or while one is at work on the video;
        BackendUnavailable for one that is not installed.
        """
        detector = scene_detector(spec)
        before = self._detections.get(video.id)
        if before and not before.over:
            raise UsageError(f"{before.detector} is looking for cuts already; stop it first")
        facts_of(video)
        self._halted.discard(video.id)
        self._detections[video.id] = Detection(video.id, detector.name)
        self._detecting.submit(self._guarded, lambda: self._detect(video, detector))
        return self._detections[video.id]

    def detection(self, video_id: str) -> Detection | None:
        """The last one asked for since the app started."""
        return self._detections.get(video_id)

    def halt(self, video_id: str) -> None:
        """Stop looking for cuts in this video."""
        self._halted.add(video_id)

    def _detect(self, video: Video, detector: SceneDetector) -> None:
        def say(**values: object) -> None:  # fields of Detection, which the type of `replace` does not tell
            self._detections[video.id] = replace(self._detections[video.id], **values)  # type: ignore[arg-type]

        def progress(done: int, total: int) -> None:
            say(done=done, total=total)
            if self._stop.is_set() or video.id in self._halted:
                raise Stopped("stopped")

        try:
            say(state="running")
            say(scene_list_id=self._candidate(video, detector, progress), state="done")
        except Stopped:
            say(state="stopped")
        except DailiesError as error:
            say(state="failed", why=str(error))
        except Exception:  # said to the person who waits; `_guarded` logs it
            say(state="failed", why="a bug in Dailies; the log has the traceback")
            raise

    def _candidate(self, video: Video, detector: SceneDetector, progress: Callable[[int, int], None]) -> str:
        """The scene list that this detector gives, from the store where it is there already."""
        run = make_run("scenes", backend=detector.name, model=detector.name, params=dict(detector.params))
        list_id = record_id("scl", run.id, video.id, CANDIDATE)
        known = self.store.find(SceneList, id=[list_id, record_id("scl", run.id, video.id)])
        if known:
            return known[0].id
        table = self.media.table(video)
        cuts = detector.detect(path_of(video), table, facts_of(video), progress)
        self.store.add([run, *scene_records(list_id, run, video, cuts, table, note=CANDIDATE)])
        return list_id

    @staticmethod
    def _guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except DailiesError as error:
            log.warning("cuts: %s", error)
        except Exception:  # a thread of its own: nobody above would hear of it
            log.exception("cuts")


def detectors() -> dict[str, dict[str, object]]:
    """What can be asked to look for cuts: the parameters by name."""
    return {name: dict(params) for name, params in DETECTORS.items()}
