"""How often the proposed error source of a failed question is the one that a person named.

    python -m benchmarks.error_sources            # the half that the rules may be tuned on
    python -m benchmarks.error_sources --report   # the other half

`error_source_set/hand.txt`: captions, failed questions and causes, written by hand (`# caption`, then
`question | reference | extracted answer | cause`). `replies.tsv`: causes of failed questions of the sample
(`sample`) and of one video of VDC whose captions were spoiled by `spoil` (`wrong`; the video's record lies
beside the checkout), with answers of Qwen2.5-Coder-1.5B-Instruct, which also judged them (`model`), or of the
sample's authors (`authors`). `cut_captions.jsonl`: captions written by hand from VDC's questions and
reference answers, about a third of the facts left out and a third changed, each with its half.
`cut_replies.tsv`: what the same model answered from them and judged no: video, aspect, number of the question
in VDC's published file (which lies beside the checkout), cause, extracted answer. In all 564: 154 written by
hand, 392 replies of the model (366 on cut captions of 45 videos, 26 on the sample and the spoiled video), 18
of the sample's authors. All were labelled by somebody who had not read the rules; who labelled the cut
captions of half `tune` had seen their summary in docs/scores.md. Halves share no caption. Replies of half
`report` were made and labelled after the rules had been changed for the last time.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from annotation.checks.question_checks import Asked
from annotation.records.allowed_values import ErrorSourceKind
from annotation.reports.cached_error_source_proposals import unfair
from annotation.systems.vdc.error_source_proposals import Failed, propose
from benchmarks.cuts import markdown

SET = Path(__file__).with_name("error_source_set")
ROOT = Path(__file__).resolve().parents[1]
VDC = ROOT.parent / "shared" / "data" / "vdc"
RECORD, QUESTIONS = VDC / "vdc_full_record_4pG1KZS2Y_I.json", VDC / "qa"
CAUSES: tuple[ErrorSourceKind, ...] = get_args(ErrorSourceKind)
ASPECTS = ("short", "background", "camera", "main_object", "detailed")
SPOILED = (
    ("smartphones", "tablets"),
    ("white", "black"),
    ("Angry Birds 2", "Candy Crush"),
    ("steady", "shaky"),
    ("medium shot", "close-up"),
    ("timer", "logo"),
    ("slightly above", "far below"),
    ("slightly elevated", "low"),
    ("6:12 PM", "9:40 AM"),
    ("NASA.gov Video", "BBC News"),
    ("bright", "dim"),
    ("side by side", "one above the other"),
    ("blank", "red"),
    ("swiftly", "slowly"),
    ("bottom", "top"),
    ("left", "upper"),
    ("urgency", "calm"),
    ("YouTube", "Netflix"),
    ("two ", "three "),
)
"""What a reference caption says, and what it was made to say before the model answered from it."""


@dataclass(frozen=True, slots=True)
class Labelled:
    failed: Failed
    cause: str
    replies: str
    """`hand`, `model` or `authors`."""
    half: str


def labelled() -> list[Labelled]:
    return [*_by_hand(), *_of_replies(), *_of_cut_captions()]


def _by_hand() -> Iterator[Labelled]:
    caption, number = "", 0
    for line in (SET / "hand.txt").read_text().splitlines():
        if line.startswith("# "):
            caption, number = line[2:], number + 1
            continue
        question, reference, answer, cause = line.split(" | ")
        asked = Asked(video="v", aspect="short", question=question, answer=reference)
        failed = Failed(question, reference, answer, caption, unfair([asked], {}).get("", ()))
        yield Labelled(failed, cause, "hand", "report" if number % 2 else "tune")


def _of_replies() -> Iterator[Labelled]:
    sources = {"sample": _sample()}
    if RECORD.exists():
        sources["wrong"] = _record()
    else:
        print(f"skipped: {RECORD} is not here", file=sys.stderr)
    for line in (SET / "replies.tsv").read_text().splitlines():
        replies, variant, aspect, index, cause, answer = line.split("\t")
        if variant not in sources:
            continue
        captions, references, questions = sources[variant]
        failed = _failed(aspect, questions[aspect], int(index), answer, captions[aspect], references)
        yield Labelled(failed, cause, replies, "tune")


def _of_cut_captions() -> Iterator[Labelled]:
    if not QUESTIONS.exists():
        print(f"skipped: {QUESTIONS} is not here", file=sys.stderr)
        return
    captions = {row["video_id"]: row for row in _lines(SET / "cut_captions.jsonl")}
    questions = {
        (aspect, video): asked
        for aspect in ASPECTS
        for row in _lines(QUESTIONS / f"{aspect}.jsonl")
        for video, asked in row.items()
    }
    for line in (SET / "cut_replies.tsv").read_text().splitlines():
        video, aspect, index, cause, answer = line.split("\t")
        failed = _failed(aspect, questions[aspect, video], int(index), answer, captions[video]["caption"], {})
        yield Labelled(failed, cause, "model", captions[video]["half"])


def _failed(
    aspect: str,
    questions: Sequence[Mapping[str, Any]],
    index: int,
    answer: str,
    caption: str,
    references: Mapping[tuple[str, str], str],
) -> Failed:
    """A failed question of one video, with what the checks of all its questions say of it."""
    asked = [
        Asked(video="v", aspect=aspect, question=q["question"], answer=q["answer"], id=str(number))
        for number, q in enumerate(questions)
    ]
    findings = unfair(asked, references).get(str(index), ())
    return Failed(asked[index].question, asked[index].answer, answer, caption, findings)


Source = tuple[dict[str, str], dict[tuple[str, str], str], dict[str, list[dict[str, Any]]]]
"""Captions that were judged, reference captions, questions, by aspect."""


def _sample() -> Source:
    sample = ROOT / "sample"
    captions = {row["aspect"]: row["caption"] for row in _lines(sample / "evaluation" / "captions.jsonl")}
    reference = _lines(sample / "vdc_captions.jsonl")[0]
    questions = {
        aspect: next(iter(_lines(sample / "vdc_qa" / f"{aspect}.jsonl")[0].values())) for aspect in captions
    }
    return captions, {("v", aspect): reference[f"{aspect}_caption"] for aspect in captions}, questions


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def _record() -> Source:
    record = json.loads(RECORD.read_text())
    references = {name.removesuffix("_caption"): text for name, text in record["captions"].items()}
    captions = {aspect: spoil(text) for aspect, text in references.items()}
    return captions, {("v", aspect): text for aspect, text in references.items()}, record["qa"]


def spoil(caption: str) -> str:
    for before, after in SPOILED:
        caption = caption.replace(before, after)
    return caption


def table(rows: Sequence[Labelled]) -> str:
    proposed = [(row, one.kind if (one := propose(row.failed)) else None) for row in rows]
    named = Counter(kind for _, kind in proposed if kind)
    right = Counter(kind for row, kind in proposed if kind == row.cause)
    true = Counter(row.cause for row in rows)
    lines = [
        [
            cause.replace("_", " "),
            str(true[cause]),
            _of(right[cause], named[cause]),
            _of(right[cause], true[cause]),
        ]
        for cause in CAUSES
    ]
    all_right, all_named = sum(right.values()), sum(named.values())
    lines.append(["all", str(len(rows)), _of(all_right, all_named), _of(all_right, len(rows))])
    lines.append(["always: caption omits", str(len(rows)), _of(true["caption_omits"], len(rows)), ""])
    return markdown(["cause", "labelled", "right of those proposed", "found of those labelled"], lines)


def _of(part: int, whole: int) -> str:
    return f"{part / whole:.2f} ({part} of {whole})" if whole else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the proposed error source is a person's.")
    parser.add_argument("--report", action="store_true", help="the half that the rules are not tuned on")
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    half = "report" if given.report else "tune"
    rows = [row for row in labelled() if row.half == half]
    print(f"half `{half}`\n\n{table(rows)}\n")
    for replies in ("hand", "model", "authors"):
        if some := [row for row in rows if row.replies == replies]:
            print(f"replies: {replies}\n\n{table(some)}\n")
    for row in rows if given.misses and not given.report else ():
        found = propose(row.failed)
        if found is None or found.kind != row.cause:
            said = f"{found.kind}: {found.reason}" if found else "nothing"
            failed = row.failed
            print(f"{row.cause} <- {said} | {failed.question} | {failed.reference} | {failed.answer}")


if __name__ == "__main__":
    main()
