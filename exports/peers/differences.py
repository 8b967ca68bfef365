"""Where figures here differ from a peer's on the same file, and why. For docs/formats.md.

`benchmarks.peers` compares with the peers' own code and ends with 1 at a difference that is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping

DIFFERENCES: Mapping[str, str] = {
    "A reply that ends a scorer's run": "lmms-eval stops at a reply that is no Python literal or whose "
    "score is a text, VLMEvalKit at a score that is a text or a `pred` that is none: they give no figure. "
    'Here such replies are left out; how many stands beside the figure ("would end its run").',
    "An empty reply to lmms-eval of 2024": "its HTTP client asks again five times and ends the run. Here "
    'it is "no" and 0, as any reply that it cannot read.',
    "A reply that is read by running it": "VLMEvalKit passes a reply that is no JSON to Python's `eval`, so "
    "that `{'pred': 'yes', 'score': 2 + 2}` is a verdict. Nothing is run here; how many stands beside the "
    'figure ("readable by running it alone").',
    "A video that stands twice in a log of lmms-eval": "both lines are in its mean. Here the first is kept "
    "and the other reported, since a video has one caption per run; the import says by how much the log's "
    "own figure differs. Where the reference captions were imported before, the aspect is taken from them.",
    "A score that is NaN": "`{'pred': 'yes', 'score': 'nan'}` makes AuroraCap's mean NaN. Here the reply is "
    "unreadable.",
    "Equal similarities in retrieval": "CaReBench takes whatever order its sort gives to them. Here they "
    "count by chance, and at their worst and best beside it; its figure lies between those.",
    "Videos without a text, and fewer than ten candidates, in retrieval": "CaReBench counts a video that no "
    "text belongs to as missed, and its run ends where there are fewer candidates than R@10 asks for. Here "
    "such a video is left out, how many stands beside the figure, and R@10 of fewer than ten is 1.",
    "References of Vript-HAL in a table of replies": "the released tables keep both references as one text, "
    "a Python list, and the released scorer takes its words out of that text with its brackets, quotes and "
    "`\\n`. Here the list is read, as from the annotations.",
    "A caption without a word that counts": "the released scorer of Vript-HAL divides by the number of words "
    "and its run ends. Here the clip is left out; how many stands beside the figure.",
    "An id that stands twice in a table of Vript-Hard": "the released scorers count both lines. Here the "
    "first is kept and the other reported.",
}
"""By heading."""
