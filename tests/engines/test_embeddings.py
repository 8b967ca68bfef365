"""Real embeddings without a GPU: a CLIP of sentence-transformers, and two pooling servers of vLLM.

The models are random numbers, or see by random numbers: what they find near is no verdict of anything.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backends.chat.ports import free_port
from backends.embeddings.registry import joint_embeddings
from backends.errors import BackendUnavailable, DailiesError
from tests.app_process import run_app
from tests.backends.clips import textured, write_clip
from tests.backends.embeddings.contract import BLUE, LONG, RED, TEXTS, obey
from tests.embeddings_server import WORDS
from tests.engines.small_gguf import ROOT
from tests.engines.vllm_env import VllmEnv

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]
START_S = 600.0


def test_a_clip_of_sentence_transformers(vllm: VllmEnv) -> None:
    command = [str(vllm.python), "-m", "tests.engines.inside_clip", str(vllm.clip)]
    environment = {**os.environ, **vllm.variables}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    blind, missing = found.pop("refused")
    assert found == {
        "says": "clip, texts of up to 77 tokens",
        "cut": [False, True],
        "mean": True,
        "same key": True,
    }
    assert (
        "does not accept pictures" in blind and "hf download sentence-transformers/no-such-model" in missing
    )
    assert "\n" not in blind + missing


@pytest.fixture(scope="module")
def pooling(vllm: VllmEnv, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Specs of two servers: a language model that sees, and a CLIP. They load at the same time."""
    logs = [tmp_path_factory.mktemp("pooling") / "log" for _ in range(2)]
    starts = [
        _serve(vllm, logs[0], vllm.sees, "--dtype", "float32", "--max-model-len", "4096"),
        _serve(vllm, logs[1], vllm.clip, "--dtype", "float32"),
    ]
    try:
        (see, _), (clip, _) = starts
        specs = f"http://127.0.0.1:{see}/v1#tiny", f"http://127.0.0.1:{clip}/v1?frames=each#tiny"
        for spec, (_, process), log in zip(specs, starts, logs, strict=True):
            _wait(spec, process, log)
        yield specs
    finally:
        for _, process in starts:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)


def _serve(vllm: VllmEnv, log: Path, model: Path, *options: str) -> tuple[int, subprocess.Popen[bytes]]:
    port = free_port()
    variables = {**os.environ, **vllm.variables}
    command = [
        variables["DAILIES_VLLM"],
        "serve",
        str(model),
        "--runner",
        "pooling",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--served-model-name",
        "tiny",
        "--enforce-eager",
        *options,
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=variables, start_new_session=True, stdout=out, stderr=out)
    return port, process


def _wait(spec: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S
    while True:
        try:
            joint_embeddings(spec, WORDS).check()
        except DailiesError:
            assert process.poll() is None and time.monotonic() < until, log.read_text()[-3000:]
            time.sleep(0.5)
        else:
            return


def test_vllm_obeys_the_contract(pooling: tuple[str, str]) -> None:
    sees, clip = (joint_embeddings(spec, WORDS) for spec in pooling)
    obey(sees)
    obey(clip)
    assert clip.texts([TEXTS[0], LONG]).cut == (False, True)
    assert sees.texts([LONG * 5]).cut == (True,)
    assert sees.videos([[RED, BLUE] * 16]).rows.shape == (1, 576)


def test_vllm_says_when_a_model_takes_one_picture_at_a_time(pooling: tuple[str, str]) -> None:
    together = joint_embeddings(pooling[1].replace("?frames=each", ""), WORDS)
    with pytest.raises(BackendUnavailable, match=r"write \?frames=each before the #"):
        together.videos([[RED, BLUE]])


def test_from_files_to_figures(pooling: tuple[str, str], tmp_path: Path) -> None:
    """`score rebias --embedder` over three clips; the second run asks nothing and prints the same."""
    records = []
    for n in range(3):
        (tmp_path / "clips").mkdir(exist_ok=True)
        write_clip(tmp_path / "clips" / f"v_{n}.mp4", [textured(n * 40 + i) for i in range(40)])
        words = {"caption": "Whole", "spatial_caption": "Seen", "temporal_caption": "Happens"}
        records.append({"video": f"v_{n}.mp4", **{key: f"{word} {n}." for key, word in words.items()}})
    (tmp_path / "metadata.json").write_text(json.dumps(records))
    _app(tmp_path, "import", str(tmp_path / "metadata.json"), "--videos", str(tmp_path / "clips"))
    for spec in pooling:
        first, second = (_app(tmp_path, "score", "rebias", "--embedder", spec, "--json") for _ in range(2))
        assert first == second
        found = json.loads(first)
        assert found["left_out"] == {} and {row["n"] for row in found["rows"]} == {3}
        assert "32 frames" in found["about"][0]


def _app(folder: Path, *words: str) -> str:
    done = run_app(*words, "--workspace", folder / "w", timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout
