"""Background work on cuts: measuring scenes whose cuts moved, and detecting cuts for a comparison.

It does not wait for pipeline jobs. Results are stored, and the next run measures scenes that were not
measured when the app ended.
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
"""Seconds without a change of the cuts before scenes are measured."""


@dataclass(frozen=True, slots=True)
class Detection:
    """One pass of a detector over one video, for a comparison."""

    video_id: str
    detector: str
    state: Literal["waiting", "running", "done", "failed", "stopped"] = "waiting"
    done: int = 0
    total: int = 0
    scene_list_id: str = ""
    why: str = ""
    """The error, in one line."""

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "stopped")


class CutWork:
    """Measures in one thread and detects in another."""

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
        """Stop soon. Finished results are kept."""
        self._stop.set()
        for pool in (self._measuring, self._detecting):
            pool.shutdown(wait=True, cancel_futures=True)

    # --- measuring --------------------------------------------------------------------

    def measure(self, video: Video) -> None:
        """Measure scenes after a person changed their cuts, once the cuts have not changed for a while."""
        with self._lock:
            waiting = video.id in self._asked
            self._asked[video.id] = time.monotonic()
        if not waiting and not self._stop.is_set():
            self._measuring.submit(self._guarded, lambda: self._measure(video))

    def measures(self, video_id: str) -> bool:
        """Return whether scenes of this video are being measured, or wait for it."""
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
        """Wait until no request has arrived for `REST_S` seconds; return the time of the last one."""
        while not self._stop.is_set() and time.monotonic() < self._asked[video_id] + REST_S:
            self._stop.wait(0.1)
        return self._asked[video_id]

    def _through(self, video_id: str, asked: float) -> bool:
        """Return whether `asked` is the newest request. If so, the next one starts a new measurement."""
        with self._lock:
            if self._asked[video_id] != asked:
                return False
            del self._asked[video_id]
            return True

    def _unmeasured(self, video_id: str, run_id: str) -> list[Scene]:
        """Return unmeasured scenes whose cuts people changed; of measured videos, all unmeasured scenes."""
        history = CutHistory(self.store, video_id)
        known = stretches(self.store, video_id, run_id, "clear_frames")
        return [one for one in history.scenes if (known or history.recut(one)) and stretch(one) not in known]

    # --- detecting --------------------------------------------------------------------

    def detect(self, video: Video, spec: str) -> Detection:
        """Start a detector whose cuts will be compared with the current ones.

        Raises UsageError for an unknown detector, or if one is running on the video; BackendUnavailable if
        the detector is not installed.
        """
        detector = scene_detector(spec)
        before = self._detections.get(video.id)
        if before and not before.over:
            raise UsageError(f"{before.detector} is already running on this video; stop it first")
        facts_of(video)
        self._halted.discard(video.id)
        self._detections[video.id] = Detection(video.id, detector.name)
        self._detecting.submit(self._guarded, lambda: self._detect(video, detector))
        return self._detections[video.id]

    def detection(self, video_id: str) -> Detection | None:
        """Return the last detection requested since the app started."""
        return self._detections.get(video_id)

    def halt(self, video_id: str) -> None:
        """Stop the detection of cuts in this video."""
        self._halted.add(video_id)

    def _detect(self, video: Video, detector: SceneDetector) -> None:
        def say(**values: object) -> None:  # fields of Detection, which `replace` does not type
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
        except Exception:  # shown to the person who waits; `_guarded` logs it
            say(state="failed", why="a bug in Dailies; the log has the traceback")
            raise

    def _candidate(self, video: Video, detector: SceneDetector, progress: Callable[[int, int], None]) -> str:
        """Return the scene list of this detector, from the store if it was detected before."""
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
        except Exception:  # top level of a thread: no caller catches it
            log.exception("cuts")


def detectors() -> dict[str, dict[str, object]]:
    """Return the available detectors: parameters by name."""
    return {name: dict(params) for name, params in DETECTORS.items()}
