"""A film five times as long needs no more memory, and `scenes` that was stopped goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from backends.errors import Stopped
from backends.scenes import scene_detectors
from benchmarks.long_film import repeat
from tests.backends.clips import textured, write_clip
from tests.paths import ROOT
from ui.commands.run_stages import find_scenes

MOST_MB = 45
"""More for eight minutes more of film: detection keeps about a kilobyte of a picture, never the picture."""
DETECT = """
import resource, sys
from pathlib import Path
from backends.scenes.scene_detectors import scene_detector
from backends.video.probe import probe
path = Path(sys.argv[1])
facts, table = probe(path)
cuts = scene_detector("default").detect(path, table, facts, lambda done, total: None, Path(sys.argv[2]))
print(len(cuts.starts), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.fixture(scope="module")
def minute(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film of one minute, a cut every ten seconds."""
    shots = [textured(shot, 80 + 50 * (shot % 2)) for shot in range(6)]
    pictures = (np.roll(shots[i // 250], i // 5, axis=1) for i in range(1500))
    return write_clip(tmp_path_factory.mktemp("film") / "minute.mp4", pictures, keyint=50)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units beside Linux")
def test_memory_does_not_grow_with_the_film(minute: Path, tmp_path: Path) -> None:
    found = {}
    for minutes in (2, 10):
        film = tmp_path / f"{minutes}.mp4"
        repeat(minute, film, minutes * 60)
        command = [sys.executable, "-c", DETECT, str(film), str(tmp_path / f"notes {minutes}")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
        assert not done.returncode, done.stderr
        scenes, mb = map(int, done.stdout.split())
        assert scenes == 6 * minutes
        found[minutes] = mb
    assert found[10] - found[2] < MOST_MB, found


def test_scenes_of_a_file_go_on(minute: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "alone"))
    alone = find_scenes(minute, "default", Event())
    assert not list(tmp_path.glob("alone/dailies/unfinished/*")), "what is finished leaves no notes"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(scene_detectors, "NOTE_EVERY", 50)

    class AfterNotes(Event):
        def is_set(self) -> bool:
            return len(list(tmp_path.glob("cache/dailies/unfinished/*/*.npz"))) >= 3

    with pytest.raises(Stopped):
        find_scenes(minute, "default", AfterNotes())
    kept = sorted(tmp_path.glob("cache/dailies/unfinished/*/*.npz"))
    written = [file.stat().st_mtime_ns for file in kept]
    with pytest.raises(Stopped):
        find_scenes(minute, "default", AfterNotes())
    assert [file.stat().st_mtime_ns for file in kept] == written
    assert find_scenes(minute, "default", Event()) == alone


PROBE = """
import resource, sys
from pathlib import Path
from backends.video.probe import probe
facts, _ = probe(Path(sys.argv[1]))
print(facts.frames, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units beside Linux")
def test_the_check_of_the_last_pictures_does_not_hold_them(tmp_path: Path) -> None:
    """The last group of pictures may be hundreds long, each of megabytes."""
    found = {}
    for frames in (20, 200):
        pictures = [textured(1, 128, 1920, 1080)] * frames
        film = write_clip(tmp_path / f"{frames}.mp4", pictures, keyint=400)
        command = [sys.executable, "-c", PROBE, str(film)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
        assert not done.returncode, done.stderr
        seen, found[frames] = map(int, done.stdout.split())
        assert seen == frames
    assert found[200] - found[20] < 150, found
