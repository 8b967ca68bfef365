"""What a video costs: processor time by stage, rows and bytes, requests. The inputs of docs/scale.md.

    python -m benchmarks.scale --cache FOLDER --database postgresql://user@host/empty

Makes films of real footage with narration at 480 and 1080 lines in the cache folder, takes the beginning of
each (half a minute; `--seconds`) through the stages that need no model as a worker does, one after the other
in this process, and then one through the others with the embedded baseline, to count what a server would be
asked. Processor time is of all threads. Then threads write rows as fast as they can, as many workers would.
Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import av
from sqlalchemy import event, func, select

from annotation.intake.add_video import add_video
from annotation.pipeline.distributed.video_worker import Job, Worker
from annotation.pipeline.distributed.work_on_ray_node import MARK_EVERY_S
from annotation.pipeline.engines import EngineChoice
from annotation.pipeline.stage_registry import USUAL
from annotation.records.allowed_values import Stage
from annotation.records.runs import ModelCall, RunVideo
from annotation.records.videos import Video
from annotation.stages.stage_context import make_run
from annotation.stages.stage_spec import names_of
from annotation.store import tables as t
from annotation.store.store import Store
from benchmarks.long_film import long_film
from benchmarks.pipeline import machine

SAMPLE = Path(__file__).resolve().parent.parent / "sample" / "clip.mp4"
SIZES = ((854, 480), (1920, 1080))
WRITERS = 16
"""Threads that write at the same time."""
WRITES = 1500


class Meter:
    """Processor seconds from one word of a worker to the next, by stage; and commits."""

    def __init__(self, store: Store) -> None:
        self.cpu: dict[str, float] = defaultdict(float)
        self.commits = 0
        self._last = time.process_time()
        event.listen(store.engine, "commit", self._committed)

    def _committed(self, _connection: Any) -> None:
        self.commits += 1

    def __call__(self, video: Video, stage: Stage, state: str, done: int, total: int, message: str) -> None:
        del video, done, total
        if message:
            print(f"{stage}: {state}: {message}")
        self.lap(stage if state != "running" else "")

    def lap(self, name: str) -> None:
        """What was used since the last lap belongs to `name`, or is not over yet."""
        if name:
            now = time.process_time()
            self.cpu[name] += now - self._last
            self._last = now


def rows(store: Store) -> Counter[str]:
    """By table."""
    with store.reading() as conn:
        counts = {x.name: conn.scalar(select(func.count()).select_from(x)) for x in t.metadata.sorted_tables}
    return Counter({name: int(count or 0) for name, count in counts.items()})


def database_bytes(store: Store) -> int:
    """Of our own tables with their indexes; 0 where it is no PostgreSQL."""
    if store.engine.dialect.name != "postgresql":
        return 0
    with store.reading() as conn:
        sizes = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
        ours = f"{sizes} AND relnamespace = current_schema()::regnamespace"
        return int(conn.exec_driver_sql(ours).scalar() or 0)


def folder_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@contextmanager
def worker_on(folder: Path, database: str | None, stages: tuple[Stage, ...]) -> Iterator[Worker]:
    url = database or f"sqlite:///{folder / 'dailies.db'}"
    worker = Worker(Job(folder, url, EngineChoice(), stages), MARK_EVERY_S)
    try:
        yield worker
    finally:
        worker.close()


def cost(worker: Worker, film: Path, stages: tuple[Stage, ...]) -> dict[str, Any]:
    """One film through the stages: seconds of the processor, rows, bytes, commits."""
    store, media = worker.space.store, worker.space.media
    before, size, kept = rows(store), database_bytes(store), folder_bytes(media)
    meter = Meter(store)
    began = time.perf_counter()
    video = add_video(store, media, film)
    meter.lap("add")
    answer = worker.do(video.id, meter, Event())
    assert answer.kind == "done" and not answer.problems, answer
    event.remove(store.engine, "commit", meter._committed)
    assert video.facts
    return {
        "minutes": video.facts.duration_s / 60,
        "cpu": dict(meter.cpu),
        "commits": meter.commits,
        "rows": rows(store) - before,
        "database": database_bytes(store) - size,
        "media": folder_bytes(media) - kept,
        "file": film.stat().st_size,
        "seconds": time.perf_counter() - began,
        "stages": stages,
    }


def requests(store: Store) -> dict[str, tuple[int, int, int]]:
    """By stage: requests, pictures, letters of text in them."""
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for call in store.find(ModelCall):
        user: Any = call.request["user"]
        mine = found[str(call.request["stage"])]
        mine[0] += 1
        mine[1] += sum("jpeg_sha256" in part for part in user)
        mine[2] += len(str(call.request["system"])) + sum(len(part.get("text", "")) for part in user)
    return {stage: (n, pictures, letters) for stage, (n, pictures, letters) in found.items()}


def writes_a_second(store: Store, video: Video) -> float:
    """Rows on progress, one a transaction, from many threads."""
    runs = [make_run("probe", backend="benchmark", model=str(number)) for number in range(WRITERS)]
    store.add(runs)

    def write(number: int) -> None:
        run = runs[number % WRITERS]
        store.put(
            RunVideo(
                id=f"rv-{run.model}",
                run_id=run.id,
                video_id=video.id,
                stage="probe",
                state="done",
                done=number,
                updated_at=time.time(),
            )
        )

    began = time.perf_counter()
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITES)))
    return WRITES / (time.perf_counter() - began)


# --- tables ----------------------------------------------------------------------------


def cost_table(costs: dict[str, dict[str, Any]]) -> str:
    names = list(costs)
    stages = list(dict.fromkeys(stage for one in costs.values() for stage in one["cpu"]))
    lines = [f"| for a minute of video | {' | '.join(names)} |", "|---|" + "---|" * len(names)]

    def line(what: str, values: list[float], digits: int = 1) -> None:
        lines.append(f"| {what} | {' | '.join(f'{value:.{digits}f}' for value in values)} |")

    for stage in stages:
        cpu = [one["cpu"].get(stage, 0.0) / one["minutes"] for one in costs.values()]
        line(f"{stage}, s of processor", cpu)
    line("all, s of processor", [sum(one["cpu"].values()) / one["minutes"] for one in costs.values()])
    for what, name, unit in (
        ("rows", "", 1),
        ("database, kB", "database", 1000),
        ("media, kB", "media", 1000),
        ("the file, kB", "file", 1000),
        ("write transactions", "commits", 1),
    ):
        amounts = [sum(one["rows"].values()) if not name else one[name] for one in costs.values()]
        values = [amount / unit / one["minutes"] for amount, one in zip(amounts, costs.values(), strict=True)]
        line(what, values, 0)
    lengths = " | ".join(f"{one['minutes'] * 60:.0f} s in {one['seconds']:.0f} s" for one in costs.values())
    return "\n".join([*lines, f"| length, and time by the clock | {lengths} |"])


def request_table(found: dict[str, tuple[int, int, int]], minutes: float) -> str:
    lines = ["| stage | requests | pictures | letters of text |", "|---|---|---|---|"]
    lines += [
        f"| {stage} | {n} | {pictures} | {letters} |" for stage, (n, pictures, letters) in found.items()
    ]
    total = [sum(one[i] for one in found.values()) for i in range(3)]
    return "\n".join([*lines, f"| all, of {minutes:.1f} minutes | {' | '.join(map(str, total))} |"])


def beginning(source: Path, target: Path, seconds: float) -> Path:
    """The same packets up to there."""
    with av.open(str(source)) as given, av.open(str(target), "w") as out:
        streams = {stream.index: out.add_stream_from_template(stream) for stream in given.streams}
        for packet in given.demux():
            if packet.dts is not None and packet.pts * packet.time_base < seconds:
                packet.stream = streams[packet.stream.index]
                out.mux(packet)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description="What a video costs: the inputs of docs/scale.md.")
    parser.add_argument("--cache", type=Path, required=True, help="where the films are made and kept")
    parser.add_argument("--database", help="an empty PostgreSQL database (default: SQLite)")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each film (default 30)")
    options = parser.parse_args()
    whole = {f"{height} lines": long_film(options.cache, 1.0, width, height) for width, height in SIZES}
    print(f"{machine()}; load {os.getloadavg()[0]:.1f} before\n")
    with tempfile.TemporaryDirectory() as folder:
        apart = names_of(spec for spec in USUAL if spec.apart)
        parts = Path(folder) / "films"
        parts.mkdir()
        films = {name: beginning(film, parts / film.name, options.seconds) for name, film in whole.items()}
        with worker_on(Path(folder), options.database, apart) as worker:
            cost(worker, beginning(SAMPLE, parts / "sample.mp4", 8.0), apart)  # pays for loading Whisper
            costs = {name: cost(worker, film, apart) for name, film in films.items()}
            store = worker.space.store
            print(cost_table(costs))
            print(f"\nload {os.getloadavg()[0]:.1f} after\n")
            print(f"{writes_a_second(store, store.find(Video)[0]):.0f} write transactions a second\n")
        left = names_of(spec for spec in USUAL if not spec.apart)
        with worker_on(Path(folder), options.database, left) as worker:
            video = next(v for v in worker.space.store.find(Video) if v.facts and v.facts.height == 480)
            size = database_bytes(worker.space.store)
            worker.do(video.id, Meter(worker.space.store), Event())
            grown = (database_bytes(worker.space.store) - size) / 1000
            print(request_table(requests(worker.space.store), video.facts.duration_s / 60))  # type: ignore[union-attr]
            print(f"\n{grown:.0f} kB of database with every request and reply")


if __name__ == "__main__":
    main()
