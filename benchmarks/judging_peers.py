"""The peers' own scoring code on given work; started by `benchmarks.judging`, in the peer's own Python.

Reads the documents from stdin, prints `{"seconds": s}`. Imports nothing of this project, so that any
environment can run it. lmms-eval is its own `vdc_process_results_generic` through sglang's front end;
VLMEvalKit its `track_progress_rich` with 32 threads over both phases, without the pickle that it writes after
every call.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import types
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

THREADS = 32


def _file(checkout: str, name: str) -> str:
    """A file of a checkout, which may be a bare repository."""
    path = Path(checkout) / name
    if path.exists():
        return path.read_text(encoding="utf-8")
    return subprocess.run(
        ["git", "-C", checkout, "show", f"HEAD:{name}"], check=True, capture_output=True, text=True
    ).stdout


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lmms_eval(docs: list[dict[str, Any]], checkout: str) -> float:
    """`vdc_process_results_generic` of its task, document after document, as its evaluator calls it."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("HF_HOME", folder)
        for name in ("utils.py", "_default_template_yaml"):
            (Path(folder) / name).write_text(_file(checkout, f"lmms_eval/tasks/vdc/{name}"), encoding="utf-8")
        task = _module(Path(folder) / "utils.py")
    begin = time.perf_counter()
    for doc in docs:
        task.vdc_process_results_generic(doc, [doc["pred"]])
    return time.perf_counter() - begin


def vlmevalkit(docs: list[dict[str, Any]], checkout: str, url: str) -> float:
    """Its `track_progress_rich` over answers, then over verdicts; a call is one plain HTTP request.

    The pickle that it writes after every call is left out, in its favour.
    """
    # Its module wants neighbours that these calls never use.
    for name in ("vlmeval", "vlmeval.smp"):
        sys.modules.setdefault(name, types.ModuleType(name))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mp_util.py"
        text = _file(checkout, "vlmeval/utils/mp_util.py")
        path.write_text(text.replace("from ..smp import", "from vlmeval.smp import"), encoding="utf-8")
        for line in text.splitlines():
            if line.startswith("from ..smp import"):
                for wanted in line.partition("import ")[2].split(","):
                    setattr(sys.modules["vlmeval.smp"], wanted.strip(), None)
        track = _module(path).track_progress_rich
    return _two_phases(docs, url, lambda ask, tasks: track(ask, [(t,) for t in tasks], nproc=THREADS))


def sequential(docs: list[dict[str, Any]], url: str) -> float:
    """One call at a time, with the wording and the parsing of lmms-eval's scorer."""
    return _two_phases(docs, url, lambda ask, tasks: [ask(task) for task in tasks])


def _two_phases(docs: list[dict[str, Any]], url: str, run: Callable[..., list[str]]) -> float:
    def ask(text: str) -> str:
        body = {"model": "fixed-time", "max_tokens": 256, "messages": [{"role": "user", "content": text}]}
        request = urllib.request.Request(
            f"{url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=600) as answer:
            return str(json.load(answer)["choices"][0]["message"]["content"])

    pairs = [(doc["pred"], qa) for doc in docs for qa in doc["qa_list"]]
    begin = time.perf_counter()
    answers = run(
        ask, [f"detailed description: {caption}, question: {qa['question']}" for caption, qa in pairs]
    )
    verdicts = run(
        ask,
        [
            f"Question: {qa['question']}\nCorrect Answer: {qa['answer']}\nPredicted Answer: {answer}\n"
            for (_, qa), answer in zip(pairs, answers, strict=True)
        ],
    )
    for verdict in verdicts:
        ast.literal_eval(verdict)
    return time.perf_counter() - begin


PEERS: dict[str, Callable[..., float]] = {
    "lmms-eval": lmms_eval,
    "vlmevalkit": vlmevalkit,
    "sequential": sequential,
}

if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        seconds = PEERS[sys.argv[1]](json.load(sys.stdin), *sys.argv[2:])
    print(json.dumps({"seconds": seconds}))
