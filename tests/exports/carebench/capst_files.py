"""The files of CaReBench's evaluation code in their public shape, with made-up captions."""

from __future__ import annotations

from typing import Any

GT = 'A man in a red coat stands by a stove. He picks up the kettle and says "tea". A window is behind him.'
PRED = "a man in a blue coat pours tea. there is a window."


def entries(kind: str, labels: str, words: str) -> list[dict[str, str]]:
    """`labels`: e, n, c per element."""
    names = {"e": "entailment", "n": "neutral", "c": "contradiction"}
    return [
        {kind: f"{words} {n}", "relationship": names[label], "reason": f"because {n}"}
        for n, label in enumerate(labels)
    ]


def line(idx: object, gt: str, pred: str, labels: tuple[str, str, str, str]) -> dict[str, Any]:
    """One line of DREAM_eval_infos.jsonl, as its code writes it: in lower case."""
    row: dict[str, Any] = {"idx": idx, "gt": gt.lower(), "pred": pred.lower()}
    parts = (
        ("event", "gt", "recall"),
        ("event", "pred", "precision"),
        ("object", "gt", "recall"),
        ("object", "pred", "precision"),
    )
    for (kind, part, metric), verdicts in zip(parts, labels, strict=True):
        row[f"{kind}s_{part}"] = entries(kind, verdicts, f"{kind} {part} {idx}")
        row[f"{kind}s_hit_num_{metric}"] = f"hit: {verdicts.count('e')} / {len(verdicts)}"
    return row


LINES = [
    line(0, GT, PRED, ("eeennncc", "en", "ennn", "cn")),
    line(1, "A dog runs over a field.", "a dog runs.", ("en", "e", "e", "en")),
]
"""Events: recall 3/8 and 1/2, precision 1/2 and 1; objects: recall 1/4 and 1, precision 0 and 1/2."""
EVENTS = {"recall": (3 / 8 + 1 / 2) / 2, "precision": (1 / 2 + 1) / 2}
OBJECTS = {"recall": (1 / 4 + 1) / 2, "precision": (0 + 1 / 2) / 2}


def metadata(video: str, caption: str, **more: Any) -> dict[str, Any]:
    return {
        "video": video,
        "caption": caption,
        "spatial_caption": f"Spatial of {video}.",
        "temporal_caption": f"Temporal of {video}.",
        "category": "Personal Care",
        "subcategory": "cooking",
    } | more
