"""How often the frames of a question show what answers it, beside as many uniform frames.

    python -m benchmarks.evidence --cache FOLDER --vript FOLDER            # the half to tune the ranking on
    python -m benchmarks.evidence --cache FOLDER --vript FOLDER --report   # the other half

FOLDER of `--vript` is a checkout of github.com/mutonix/Vript. More clips come from its video examples, from
packages (see `assembly`) and from `--clips`, folders. Needs ffmpeg and espeak-ng. Films, questions
and spans: `evidence_films`: eight rendered lectures, two films of Vript (whose texts are the published ones),
two joined from public clips. The stages run once, into a workspace in the cache: scenes, speech by
Whisper, measurements, text on screen, the baseline's script.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from annotation.pipeline.evidence.frame_of_moment import Look
from annotation.pipeline.evidence.moments import Known, Words
from annotation.pipeline.evidence.moments_from_store import read_known
from annotation.pipeline.evidence.question_frames import frames_of, look_at
from annotation.pipeline.evidence.ranking import Query
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.workspace.workspace import Workspace
from benchmarks import assembly
from benchmarks.camera_real import BESIDE
from benchmarks.cuts import markdown
from benchmarks.evidence_films import Asked, Film, films, questions

FRAMES = 4
STAGES = "probe,scenes,speech,measurements,text,script"
ROOT = Path(__file__).resolve().parents[1]
Scripts = str
"""`people`, `baseline`, or `none`."""
WORDS = frozenset(("script", "speech", "text on screen"))
MEASURED = frozenset(("colour", "camera"))


@dataclass(frozen=True, slots=True)
class Footage:
    """A film and what the app knows of it."""

    film: Film
    known: Known
    look: Look


@dataclass(frozen=True, slots=True)
class Result:
    asked: Asked
    first: bool
    among: bool
    uniform: bool
    seek_s: float
    """From the first frame to the span; 0 within it."""
    from_start_s: float
    """From frame 0."""


def footages(cache: Path, made: Sequence[Film]) -> list[Footage]:
    """The stages run where they have not."""
    folder = cache / "workspace"
    run = [sys.executable, str(ROOT / "app.py"), "run", *(str(film.path) for film in made)]
    subprocess.run(
        [*run, "--workspace", str(folder), "--stages", STAGES, "--language", "en"], check=True, cwd=ROOT
    )
    space = Workspace(folder)
    media = MediaLibrary(space.media)
    videos = {Path(video.path).stem: video for video in space.store.find(Video) if video.path}
    found = []
    for film in made:
        video = videos[film.name]
        known = read_known(space.store, video)
        found.append(Footage(film, known, look_at(space.store, media, video)))
    return found


def with_scripts(footage: Footage, scripts: Scripts, sources: frozenset[str]) -> Known:
    """What is known, with the scripts of one author and some sources alone."""
    known = footage.known
    words = [
        one
        for one in known.words
        if one.source in sources and (one.source != "script" or scripts == "baseline")
    ]
    if scripts == "people" and "script" in sources:
        words += _by_people(footage)
    kept = (
        {"clear_frames"}
        | ({"palette"} if "colour" in sources else set())
        | ({"camera_motion"} if "camera" in sources else set())
    )
    measured: Mapping[int, Mapping[str, Any]] = {
        scene: {kind: value for kind, value in values.items() if kind in kept}
        for scene, values in known.measured.items()
    }
    return replace(known, words=words, measured=measured)


def _by_people(footage: Footage) -> list[Words]:
    """Each text belongs to the moments whose middle lies in its part."""
    found = []
    for part in footage.film.parts:
        within = tuple(
            n
            for n, moment in enumerate(footage.known.moments)
            if part.start_s <= (moment.start_s + moment.end_s) / 2 < part.end_s
        )
        if part.script and within:
            found.append(Words("script", part.script, within))
    return found


def ask(footage: Footage, known: Known, asked: Asked) -> Result:
    parts = {part.number: part for part in footage.film.parts}
    numbers = [n for n in parts if asked.parts[0] <= n <= asked.parts[1]]
    span = (parts[numbers[0]].start_s, parts[numbers[-1]].end_s)
    whole = footage.film.parts[-1].end_s
    found = frames_of(known, footage.look, Query(asked.question, asked.answer)).frames[:FRAMES]
    times = [frame.at_s for frame in found]
    uniform = [(n + 0.5) * whole / FRAMES for n in range(FRAMES)]
    return Result(
        asked,
        first=bool(times) and _within(times[0], span),
        among=any(_within(at, span) for at in times),
        uniform=any(_within(at, span) for at in uniform),
        seek_s=_away(times[0] if times else 0.0, span),
        from_start_s=_away(0.0, span),
    )


def _within(at_s: float, span: tuple[float, float]) -> bool:
    """The frame at a cut shows what comes after it."""
    return span[0] <= at_s < span[1]


def _away(at_s: float, span: tuple[float, float]) -> float:
    return max(span[0] - at_s, at_s - span[1], 0.0)


def measure(found: Sequence[Footage], scripts: Scripts, sources: frozenset[str]) -> list[Result]:
    by_film = {footage.film.name: footage for footage in found}
    known = {name: with_scripts(footage, scripts, sources) for name, footage in by_film.items()}
    return [ask(by_film[one.film], known[one.film], one) for one in questions() if one.film in by_film]


def _share(results: Sequence[Result], right: Callable[[Result], bool]) -> str:
    hits = sum(right(one) for one in results)
    return f"{hits / len(results):.2f} ({hits} of {len(results)})" if results else "-"


def _row(name: str, results: Sequence[Result]) -> list[str]:
    first, among = _share(results, lambda one: one.first), _share(results, lambda one: one.among)
    return [name, first, among, _share(results, lambda one: one.uniform)]


def tables(found: Sequence[Footage]) -> str:
    every = WORDS | MEASURED
    heard = WORDS - {"script"}
    rows = [
        _row("people's scripts, everything", people := measure(found, "people", every)),
        _row("the baseline's script, everything", measure(found, "baseline", every)),
        _row("no script, everything else", none := measure(found, "none", every)),
        _row("people's scripts alone", measure(found, "people", frozenset({"script"}))),
        *(
            _row(f"{source} alone", measure(found, "none", frozenset({source})))
            for source in sorted(heard | MEASURED)
        ),
        _row("speech and text on screen alone", alone := measure(found, "none", heard)),
    ]
    told = [one for one in alone if one.asked.where in ("said", "shown")]
    rows.append(_row("the same, of answers that are said or shown", told))
    for where in ("seen", "said", "shown", "order"):
        rows.append(
            _row(
                f"people's scripts, everything: {where}", [one for one in people if one.asked.where == where]
            )
        )
    head = [
        "known of the film",
        "right span first",
        f"among {FRAMES} frames",
        f"among {FRAMES} uniform frames",
    ]
    lines = [markdown(head, rows), ""]
    for name, results in (("people's scripts", people), ("no script", none)):
        before, after = median(r.from_start_s for r in results), median(r.seek_s for r in results)
        spared = median(r.from_start_s - r.seek_s for r in results)
        lines.append(
            f"{name}: median seek {before:.1f} s from frame 0, {after:.1f} s now; {spared:.1f} s spared"
        )
    return "\n".join(lines)


def misses(found: Sequence[Footage]) -> list[str]:
    """To look at while tuning."""
    results = measure(found, "people", WORDS | MEASURED)
    return [
        f"{r.asked.film} {r.asked.parts} {r.asked.question} [{r.asked.answer}]"
        for r in results
        if not r.among
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the frames of a question show what answers it.")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--vript", type=Path, required=True)
    parser.add_argument("--clips", type=Path, action="append", default=[BESIDE])
    parser.add_argument("--report", action="store_true", help="the half that the ranking is not tuned on")
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    folders = [*given.clips, given.vript / "vriptor" / "video_examples"]
    clips = assembly.clips(given.cache / "clips")
    clips |= {path.name: path for folder in folders if folder.is_dir() for path in folder.iterdir()}
    half = "report" if given.report else "tune"
    made = films(given.cache / "films", clips, given.vript)
    found = [one for one in footages(given.cache, made) if one.film.half == half]
    print(f"half `{half}`: {len(found)} footages\n\n{tables(found)}")
    if given.misses and not given.report:
        print("\n".join(misses(found)))


if __name__ == "__main__":
    main()
