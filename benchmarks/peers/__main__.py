"""The peers' own scoring code beside ours, on the same files, figure by figure.

    python -m benchmarks.peers --aurora DIR --lmms-eval DIR --lmms-eval-2024 DIR --vlmevalkit DIR
        --carebench DIR --vript DIR --video-mmlu DIR [--embeddings NAME --tagger NAME] [--seed 0] [--all]

Folders are checkouts of aurora, lmms-eval (today's and commit 924814c), VLMEvalKit, CaReBench, Vript and
Video-MMLU. Their code runs as it is; what stands in for it is only the model behind a judge's call, and
packages that it imports for other work. Retrieval needs PyTorch. Vript-HAL needs spaCy and
sentence-transformers with a model of each, by name or folder: both sides use these in place of those of the
paper. Files are made from the seed, with every oddity that logs show (one-key replies, curly quotes, empty
lists, ids that stand twice, cut lines, scores that are texts, numbers below 0), and those that the
repositories hold. Each is read here, scored, and written in the same format again, and the peer's code scores
what was written. Prints the figures that differ (`--all`: every one) and ends with 1 at one that "Where
figures differ" in docs/formats.md does not explain.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks.peers.carebench import carebench
from benchmarks.peers.figures import Figure, NotRun, explained_headings, table, unexplained
from benchmarks.peers.loading import PeerMissing
from benchmarks.peers.retrieval import retrieval
from benchmarks.peers.vdc import aurora, lmms_eval, lmms_eval_2024, vlmevalkit
from benchmarks.peers.video_mmlu import video_mmlu
from benchmarks.peers.vript import vript
from benchmarks.peers.vript_hal import Engines, hal

Found = Iterator[Figure | NotRun]
Scorer = Callable[[Path, Path, int], Found]
PEERS: Mapping[str, Sequence[Scorer]] = {
    "aurora": [aurora],
    "lmms-eval": [lmms_eval],
    "lmms-eval-2024": [lmms_eval_2024],
    "vlmevalkit": [vlmevalkit],
    "carebench": [carebench, retrieval],
    "vript": [vript],
    "video-mmlu": [video_mmlu],
}
"""By the checkout that they need."""


def main() -> int:
    """0 when all figures agree or are explained, 1 otherwise, 2 when a named folder is no such repository."""
    options = _options()
    found: list[Figure | NotRun] = []
    logging.disable(logging.WARNING)
    with_words: Scorer = partial(hal, engines=Engines(options.tagger, options.embeddings))
    for name, scorers in {**PEERS, "vript": [*PEERS["vript"], with_words]}.items():
        try:
            found += _run(name, scorers, options)
        except PeerMissing as error:
            sys.stderr.write(f"{name}: {error}; give the repository's root\n")
            return 2
    figures = [one for one in found if isinstance(one, Figure)]
    skipped = [one for one in found if isinstance(one, NotRun)]
    _print(figures, skipped, everything=options.all)
    return 1 if unexplained(figures, explained_headings()) else 0


def _run(name: str, scorers: Sequence[Scorer], options: argparse.Namespace) -> Found:
    """Raises PeerMissing."""
    checkout: Path | None = getattr(options, name.replace("-", "_"))
    if checkout is None:
        yield NotRun(name, f"no --{name}")
        return
    for scorer in scorers:
        with tempfile.TemporaryDirectory() as folder:
            yield from scorer(checkout.resolve(), Path(folder), options.seed)


def _print(figures: Sequence[Figure], skipped: Sequence[NotRun], *, everything: bool) -> None:
    out = [f"{one.peer}: not run, {one.why}" for one in skipped]
    shown = figures if everything else [one for one in figures if not one.agrees]
    out += [*(table(shown) if shown else []), ""]
    out += ["| peer | figures | the same to 4 digits | explained | not |", "|---|---|---|---|---|"]
    headings = explained_headings()
    wrong = Counter(one.peer for one in unexplained(figures, headings))
    for peer, count in Counter(one.peer for one in figures).items():
        same = sum(one.agrees for one in figures if one.peer == peer)
        out.append(f"| {peer} | {count} | {same} | {count - same - wrong[peer]} | {wrong[peer]} |")
    sys.stdout.write("\n".join(out) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description=(__doc__ or "").partition("\n")[0]
    )
    for name in PEERS:
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=f"checkout of {name}")
    parser.add_argument("--embeddings", default="", help="vectors of words for Vript-HAL: a name or folder")
    parser.add_argument("--tagger", default="", help="pipeline of spaCy for Vript-HAL: a package or folder")
    parser.add_argument("--seed", type=int, default=0, help="of the made files")
    parser.add_argument("--all", action="store_true", help="print every figure, not only those that differ")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
