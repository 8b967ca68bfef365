"""Extraction and verdict of 400 questions: Dailies beside the peers' scorers and a bare load generator.

    python -m benchmarks.judging --questions FOLDER            # VDCscore_qa, five files
        [--lmms-eval CHECKOUT --peer-python PYTHON]            # its own scorer, with sglang's front end
        [--vlmevalkit CHECKOUT]                                # its own thread pool
        [--server URL#MODEL or llama:FILE]                     # a real server instead, without the peers

Prints Markdown tables. The server answers in 200 ms and works on 64 requests at a time; captions are made of
the reference answers. Everyone does the same 800 calls: 400 answers, and a verdict on each. Dailies keeps
every request and reply in its store, the answers with their place in the caption, and is started as
`run-evaluation` would be; the bare generator sends the same bodies from 64 threads with `http.client` and
keeps nothing; on llama.cpp it too asks for the verdicts after the answers. A run that is killed in the middle
is started again, and the server's count tells what was asked twice.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from threading import Event
from typing import Any
from urllib.parse import urlsplit

from annotation.pipeline.backfill_and_second_judge import plan_fill
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.captions_to_verdicts import Question, Text, Verdict
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, ModelCall, Run
from annotation.workspace.workspace import Workspace, cache_folder
from backends.chat.chat_on_started_server import StartedChat
from backends.chat.registry import chat_model
from benchmarks.judge_server import JudgeServer
from benchmarks.pipeline import machine, table
from exports.catalogue import format_registry as formats
from ui.commands.run_stages import run_plan

COUNT = 400
THREADS = 64
VLMEVALKIT_THREADS = 32
"""Its default for calls of a server (`--api-nproc`)."""
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of one video and aspect, with the caption that is to answer them."""

    video: str
    aspect: str
    caption: str
    pairs: tuple[tuple[str, str], ...]


# --- the work -----------------------------------------------------------------------------


def workload(folder: Path, count: int) -> list[Asked]:
    """The first videos of the published questions, all five aspects of each, `count` questions in all."""
    files = {aspect: _by_video(folder / f"{aspect}.jsonl") for aspect in VDC_ASPECTS}
    found: list[Asked] = []
    left = count
    for video in sorted(set.intersection(*(set(videos) for videos in files.values()))):
        for aspect, videos in files.items():
            pairs = tuple((qa["question"], qa["answer"]) for qa in videos[video])[:left]
            if pairs:
                words = ". ".join(answer.capitalize() for _, answer in pairs)
                found.append(Asked(video, aspect, f"The video shows the following. {words}.", pairs))
            left -= len(pairs)
        if not left:
            break
    return found


def _by_video(path: Path) -> dict[str, list[dict[str, str]]]:
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return {video: pairs for line in lines for video, pairs in line.items()}


def filled(folder: Path, work: Sequence[Asked]) -> tuple[Workspace, str]:
    """A workspace with the questions and an evaluation that holds the captions alone."""
    source = folder / "questions"
    source.mkdir(parents=True)
    for aspect in VDC_ASPECTS:
        lines = [
            {one.video: [{"question": q, "answer": a} for q, a in one.pairs]}
            for one in work
            if one.aspect == aspect
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (source / f"{aspect}.jsonl").write_text(text, encoding="utf-8")
    space = Workspace(folder / "workspace")
    formats.commit(space.store, formats.read(source, space.store))
    now = time.time()
    run = Run(id="run-made", stage="captions", backend="import:made", model="made captions", created_at=now)
    evaluation = Evaluation(id="evl-made", name="made captions", created_at=now)
    link = EvaluationRun(id="evr-made", evaluation_id=evaluation.id, role="captions", run_id=run.id)
    records: list[Record] = [run, evaluation, link]
    kinds = {(q.kind, q.text, q.reference): q.video_id for q in space.store.find(Question)}
    for one in work:
        video = kinds[f"vdc:{one.aspect}", *one.pairs[0]]
        records.append(
            Text(
                id=record_id("txt", run.id, one.video, one.aspect),
                video_id=video,
                kind=f"vdc:{one.aspect}",
                subject_type="video",
                subject_id=video,
                value=one.caption,
                created_at=now,
                run_id=run.id,
            )
        )
    space.store.add(records)
    return space, evaluation.id


# --- those that do it -----------------------------------------------------------------------


def dailies(space: Workspace, evaluation: str, spec: str) -> float:
    """Seconds for the two stages, every request and reply kept."""
    engines = make_engines(EngineChoice(judge=spec, extractor=spec, speech="none", ocr="none"), space)
    begin = time.perf_counter()
    outcome = run_plan(space, engines, plan_fill(space.store, evaluation), Event())
    seconds = time.perf_counter() - begin
    assert not outcome.problems, outcome.problems
    return seconds


def bodies(space: Workspace, model: str) -> list[bytes]:
    """What Dailies sent, as it was sent."""
    return [
        json.dumps(
            {
                "model": model,
                "temperature": call.request["temperature"],
                "seed": call.request["seed"],
                "max_tokens": call.request["max_tokens"],
                "messages": [
                    {"role": "system", "content": call.request["system"]},
                    {"role": "user", "content": "\n".join(part["text"] for part in call.request["user"])},
                ],
            }
        ).encode()
        for call in space.store.find(ModelCall, order_by=["created_at"])
    ]


def bare(url: str, wanted: Sequence[bytes], threads: int) -> float:
    """Seconds for the same requests from a pool of threads with Python's own client, nothing kept."""
    mine = threading.local()
    where = urlsplit(url)

    def ask(body: bytes) -> None:
        if not hasattr(mine, "connection"):
            mine.connection = http.client.HTTPConnection(where.hostname or "", where.port)
        headers = {"Content-Type": "application/json"}
        mine.connection.request("POST", f"{where.path}/chat/completions", body, headers)
        answer = mine.connection.getresponse()
        assert answer.status == 200, answer.read()
        json.load(answer)

    with ThreadPoolExecutor(threads) as pool:
        begin = time.perf_counter()
        list(pool.map(ask, wanted))
        return time.perf_counter() - begin


PEER = ROOT / "benchmarks" / "judging_peers.py"


def peer(python: str, *arguments: str, work: Sequence[Asked]) -> float:
    """Seconds that a peer's own code takes, run by its own Python; it is given the work as JSON."""
    docs = [
        {
            "video_name": one.video,
            "caption": "",
            "pred": one.caption,
            "qa_list": [{"question": q, "answer": a} for q, a in one.pairs],
        }
        for one in work
    ]
    done = subprocess.run(
        [python, str(PEER), *arguments], input=json.dumps(docs), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: {done.stderr[-2000:]}")
    return float(json.loads(done.stdout.splitlines()[-1])["seconds"])


# --- a run that is killed ---------------------------------------------------------------------


def killed_run(folder: Path, work: Sequence[Asked], server: JudgeServer, after: int) -> list[str]:
    """Kill the command in the middle, start it again; the row of the table."""
    space, evaluation = filled(folder, work)
    command = [
        sys.executable,
        "app.py",
        "run-evaluation",
        "--workspace",
        str(space.path),
        evaluation,
        "--extractor",
        server.spec,
        "--judge",
        server.spec,
    ]
    before = server.calls()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and server.calls() - before < after:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    answered, kept = _settled(server) - before, space.store.count(ModelCall)
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    again = server.calls() - before - answered
    needed = 2 * sum(len(one.pairs) for one in work)
    verdicts = space.store.count(Verdict, state="done")
    space.close()
    return [str(answered), str(kept), str(again), str(kept + again - needed), str(verdicts)]


def _settled(server: JudgeServer) -> int:
    """The server's count once it has answered what was on its way, to nobody."""
    last = -1
    while (now := server.calls()) != last:
        last = now
        time.sleep(1.0)
    return now


# --- the tables ---------------------------------------------------------------------------------


@contextmanager
def _made(work: Sequence[Asked]) -> Iterator[tuple[Workspace, str, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        space, evaluation = filled(Path(folder), work)
        yield space, evaluation, Path(folder)
        space.close()


def measure(work: Sequence[Asked], server: JudgeServer, repeats: int) -> tuple[list[float], list[float]]:
    """Seconds of Dailies and of the bare generator, in turn."""
    own, plain = [], []
    for _ in range(repeats):
        with _made(work) as (space, evaluation, _folder):
            own.append(dailies(space, evaluation, server.spec))
            plain.append(bare(server.url, bodies(space, server.spec.partition("#")[2]), THREADS))
    return own, plain


def main() -> None:
    parser = argparse.ArgumentParser(description="Judging beside the peers' scorers.")
    parser.add_argument("--questions", type=Path, required=True, help="folder with camera.jsonl and so on")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--lmms-eval", help="a checkout; needs --peer-python")
    parser.add_argument("--peer-python", default=sys.executable, help="where sglang's front end is installed")
    parser.add_argument("--vlmevalkit", help="a checkout")
    parser.add_argument("--server", help="URL#MODEL or llama:FILE: Dailies and the bare generator alone")
    given = parser.parse_args()
    work = workload(given.questions, given.count)
    print(f"{machine()}\n")
    if given.server:
        print(real_table(work, given.server, given.repeats))
        return
    with JudgeServer() as server, tempfile.TemporaryDirectory() as folder:
        own, plain = measure(work, server, given.repeats)
        rows = [("bare load generator, 64 threads", min(plain)), ("Dailies, every reply kept", min(own))]
        rows += peers(given, work, server)
        calls = 2 * given.count
        base = min(own)
        print(
            table(
                (f"{calls} calls, 200 ms each, 64 slots", "seconds, calls a second, times Dailies' time"),
                [
                    (name, f"{seconds:.2f}, {calls / seconds:.0f}, {seconds / base:.2f}")
                    for name, seconds in rows
                ],
            ),
            end="\n\n",
        )
        row = killed_run(Path(folder), work, server, given.count)
        head = [
            "answered when killed",
            "kept",
            "asked by the next run",
            "asked again though kept",
            "verdicts",
        ]
        print("\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), row)))


def peers(given: Any, work: Sequence[Asked], server: JudgeServer) -> list[tuple[str, float]]:
    rows = []
    if given.lmms_eval:
        # Its address is fixed in its code.
        with JudgeServer(port=30000):
            took = peer(given.peer_python, "lmms-eval", given.lmms_eval, work=work)
        rows.append(("lmms-eval's own scorer (sglang front end)", took))
    else:
        took = peer(sys.executable, "sequential", server.url, work=work)
        rows.append(("one call at a time, as lmms-eval's scorer does", took))
    if given.vlmevalkit:
        took = peer(given.peer_python, "vlmevalkit", given.vlmevalkit, server.url, work=work)
        rows.append((f"VLMEvalKit's pool, {VLMEVALKIT_THREADS} threads, two phases", took))
    return rows


@contextmanager
def _address(spec: str) -> Iterator[tuple[str, str, int]]:
    """(URL, model, requests at once) of a server that runs, or of one that is started here: `llama:FILE`."""
    if spec.startswith("http"):
        url, _, model = spec.partition("#")
        yield url, model, THREADS
        return
    started = chat_model(spec, folder=cache_folder() / "servers")
    started.prepare(pictures=False, tell=lambda _said: None, stop=Event())
    client = started.running() if isinstance(started, StartedChat) else None
    if client is None:
        raise SystemExit(f"{spec} is no server; name llama:FILE, vllm:MODEL or URL#MODEL")
    yield client.endpoint, started.model, started.concurrency


def real_table(work: Sequence[Asked], spec: str, repeats: int) -> str:
    """Dailies and the bare generator on a real server, by turns: the median of the pairs' ratios.

    Whoever goes first changes from pair to pair, so that neither load from elsewhere nor what the server
    learns of the prompts (its prefix cache) is the gain of one. A first pass of Dailies warms the server.
    The bare generator too sends verdicts once the answers are there: of few calls the last ones of a phase
    leave slots idle, whoever asks.
    """
    with _address(spec) as (url, model, threads):
        with _made(work) as (space, evaluation, _folder):
            dailies(space, evaluation, spec)
            wanted = bodies(space, model)
        pairs = [_pair(work, spec, (url, wanted, threads), bare_first=n % 2 == 0) for n in range(repeats)]
    ratios = sorted(plain / own for own, plain in pairs)
    found = ", ".join(f"{ratio:.3f}" for ratio in ratios)
    rows = [
        ("bare load generator", f"{median(plain for _, plain in pairs):.1f}"),
        ("Dailies, every reply kept", f"{median(own for own, _ in pairs):.1f}"),
    ]
    said = table((f"{len(wanted)} calls of {model}, {threads} at once", "seconds, median"), rows)
    return f"{said}\n\nof the bare generator's calls a second: median {median(ratios):.3f} of {found}"


def _pair(
    work: Sequence[Asked], spec: str, load: tuple[str, Sequence[bytes], int], *, bare_first: bool
) -> tuple[float, float]:
    """Seconds of Dailies and of the bare generator, right after each other."""
    before = _phases(*load) if bare_first else None
    with _made(work) as (space, evaluation, _folder):
        own = dailies(space, evaluation, spec)
    return own, _phases(*load) if before is None else before


def _phases(url: str, wanted: Sequence[bytes], threads: int) -> float:
    """Seconds of the bare generator for the answers, then for the verdicts on them."""
    verdicts = [body for body in wanted if b"Correct Answer:" in body]
    return sum(bare(url, [b for b in wanted if (b in verdicts) == last], threads) for last in (False, True))


if __name__ == "__main__":
    main()
