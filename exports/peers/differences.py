"""Known differences between our figures and other tools' on the same file, for docs/formats.md.

`benchmarks.peers` compares with the tools' own code and exits with 1 at a difference that is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping

DIFFERENCES: Mapping[str, str] = {
    "A reply that ends a scorer's run": "lmms-eval stops at a reply that is not a Python literal or whose "
    "score is a text, VLMEvalKit at a score or a `pred` of the wrong type: they give no figure. Here such "
    'replies are left out and counted ("would end its run").',
    "An empty reply to lmms-eval of 2024": "its HTTP client retries five times and ends the run. Here the "
    'reply is "no" and 0, like any reply that it cannot read.',
    "A reply that is read by running it": "VLMEvalKit passes a reply that is not JSON to Python's `eval`, so "
    "that `{'pred': 'yes', 'score': 2 + 2}` is a verdict. Dailies does not run replies; it counts them "
    '("readable by running it alone").',
    "A video that occurs twice in a log of lmms-eval": "both lines are in its mean. Here the first is kept "
    "and the other reported, because a video has one caption per run; the import reports how much the log's "
    "own figure differs. If the reference captions were imported before, they determine the aspect.",
    "A score that is NaN": "`{'pred': 'yes', 'score': 'nan'}` makes AuroraCap's mean NaN. Here the reply is "
    "unreadable.",
    "Equal similarities in retrieval": "CaReBench uses the order of its sort. Here the expected value over "
    "random orders is given with the worst and best case; CaReBench's figure is between those.",
    "Videos without a text, and fewer than ten candidates, in retrieval": "CaReBench counts a video without "
    "a text as missed, and its run ends with fewer candidates than R@10 needs. Here such videos are left out "
    "and counted, and R@10 of fewer than ten candidates is 1.",
    "References of Vript-HAL in a table of replies": "the released tables keep both references as one text, "
    "a Python list, and the released scorer takes its words from that text with brackets, quotes and "
    "`\\n`. Here the list is parsed, as in the annotations.",
    "A caption without a word that counts": "the released scorer of Vript-HAL divides by the number of words "
    "and its run ends. Here such clips are left out and counted.",
    "An id that occurs twice in a table of Vript-Hard": "the released scorers count both lines. Here the "
    "first is kept and the other reported.",
}
"""By heading."""
