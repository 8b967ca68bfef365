"""The app of one seed: its workspace, its process that is killed and started again, its log."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotation.editing import assignments
from annotation.people import accounts
from annotation.records.captions_to_verdicts import Text
from annotation.records.ids import new_id
from annotation.records.videos import Video
from annotation.store.copy_database import copy_database
from annotation.workspace.workspace import Workspace
from backends.chat.ports import free_port
from tests.app_process import start
from tests.backends.clips import textured, write_clip
from tests.postgres import new_database

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "a paper boat"
PEOPLE = {"ana": "annotator", "ben": "expert"}
START_S = 240.0
CAPTIONS = {
    "camera": "The camera stands still.",
    "short": "A street in the rain.",
    "background": "Wet houses stand in a row.",
    "main_object": "A man with an umbrella walks by.",
}
"""Of the video that is elsewhere; the detailed one is missing."""


# --- what is there before the first key -----------------------------------------------------


def prepare(workspace: Path) -> Path:
    """Two people and their work in a workspace with the sample, and two more videos: one whose scenes
    nobody has written about, and one without a file."""
    clip = write_clip(workspace / "tram.mp4", [textured(n // 25) for n in range(75)])
    command = [
        sys.executable,
        "app.py",
        "run",
        str(clip),
        "--stages",
        "probe,scenes",
        "--workspace",
        str(workspace),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    space = Workspace(workspace)
    try:
        people = [space.add_person(name, role) for name, role in PEOPLE.items()]
        owner = space.owner()
        for person in (*people, owner):
            accounts.set_password(space.store, person.id, PASSWORD)
        _captions(space)
        videos = [video.id for video in space.store.find(Video)]
        for task in ("script", "captions", "aspects"):
            assignments.assign(space.store, owner, videos, people[0].id, task)
        assignments.assign(space.store, owner, videos, people[1].id, "aspects")
    finally:
        space.close()
    return workspace


def _captions(space: Workspace) -> None:
    author = space.add_person("carla", "annotator")
    video = Video(id=new_id("vid"), title="A street in the rain", created_at=time.time())
    texts = [
        Text(
            id=new_id("txt"),
            video_id=video.id,
            kind=f"vdc:{kind}",
            subject_type="video",
            subject_id=video.id,
            value=value,
            created_at=time.time(),
            person_id=author.id,
        )
        for kind, value in CAPTIONS.items()
    ]
    space.store.add([video, *texts])


@contextmanager
def database_of(workspace: Path, server: str) -> Iterator[str]:
    """The URL of what the app works on; `server`: as tests/postgres.py gives it, empty for SQLite."""
    if not server:
        yield f"sqlite:///{workspace / 'dailies.db'}"
        return
    with new_database(server, f"monkey_{os.getpid()}_{time.monotonic_ns()}") as url:
        source, target = Workspace(workspace), Workspace(workspace, url)
        copy_database(source.store.engine, target.store.engine)
        source.close()
        target.close()
        yield url


# --- the process ------------------------------------------------------------------------------


class App:
    """The app on a workspace."""

    def __init__(self, workspace: Path, database: str, *, passwords: bool) -> None:
        self.folder, self.database = workspace, database
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.arguments = [
            "serve",
            "--workspace",
            str(workspace),
            "--port",
            str(self.port),
            "--speech",
            "none",
        ]
        self.arguments += ["--accounts"] if passwords else []
        self.arguments += [] if database.startswith("sqlite") else ["--database", database]
        self.process: Any = None
        self.starts = 0

    @property
    def log(self) -> Path:
        return self.folder.parent / f"server-{self.starts}.log"

    @property
    def runs(self) -> bool:
        return self.process is not None

    def start(self) -> None:
        """Raises RuntimeError when it does not answer in time."""
        self.starts += 1
        self.process = start(tuple(self.arguments), self.log, self.log, os.environ)
        end = time.monotonic() + START_S
        while not self.answers():
            if time.monotonic() > end or not self.process.is_alive():
                raise RuntimeError(f"the app did not start: {self.log.read_text()}")
            time.sleep(0.02)

    def answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/healthz", timeout=5).close()
        except OSError:
            return False
        return True

    def health(self) -> str:
        """What `/healthz` answers when it is not as it should be, else empty."""
        try:
            urllib.request.urlopen(f"{self.url}/healthz", timeout=20).close()
        except urllib.error.HTTPError as error:
            return f"/healthz answers {error.code}"
        except OSError as error:
            return f"/healthz does not answer: {error}"
        return ""

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.join(20)
        self.process = None

    def faults(self) -> list[str]:
        """Tracebacks in the log of every process of it so far."""
        logs = [self.folder.parent / f"server-{n}.log" for n in range(1, self.starts + 1)]
        found = [log.read_text(errors="replace") for log in logs if log.exists()]
        return [text[text.index("Traceback") :][:4000] for text in found if "Traceback" in text]

    def close(self) -> None:
        if self.runs:
            self.kill()


def copy_of(filled: Path, folder: Path) -> Path:
    """A workspace of one's own."""
    return Path(shutil.copytree(filled, folder / "workspace"))
