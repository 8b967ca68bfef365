"""VDCscore: aurora, lmms-eval of today and of October 2024, and VLMEvalKit, on made questions and replies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from annotation.store.store import Store
from benchmarks.peers import made, ours
from benchmarks.peers.figures import ENDS, Figure
from benchmarks.peers.loading import Judge, Recording, Silent, file_of, load, run_main, sglang, stub
from benchmarks.peers.made import Work

EMPTY_REPLY = "An empty reply to lmms-eval of 2024"
RUN_ENDS = "A reply that ends a scorer's run"
CODE = "A reply that is read by running it"
ROUNDED = ("score", "acc")


# --- aurora -----------------------------------------------------------------------------------


def aurora(checkout: Path, folder: Path, seed: int) -> Iterator[Figure]:
    """`post_eval/process_vdc_result.py`, its whole `main`."""
    script = file_of(checkout, "post_eval/process_vdc_result.py")
    kinds = made.PLAIN * 6 + made.ONE_KEY + made.BELOW + made.TEXTS + made.BROKEN + made.NULLS
    for name, replies in (("plain", made.PLAIN), ("odd", kinds)):
        work = made.work(seed, replies, videos=60)
        here = folder / f"aurora-{name}"
        questions = ours.question_file(here, work)
        theirs = _aurora(script, here, questions, work)
        store = ours.store_in(here)
        ours.brought(store, questions)
        ours.judged(store, here, work)
        found = ours.figures(store, "aurora")
        for metric, key in (("score", "tp_score"), ("accuracy", "tp_acc")):
            yield Figure("aurora", name, metric, theirs[key], found[work.aspect, f"{metric}_macro"])


def _aurora(script: Path, folder: Path, questions: Path, work: Work) -> dict[str, float]:
    reference = ({"video_id": v, "captions": {"main_object_caption": c}} for v, c in work.references.items())
    ours.write_lines(folder / "post_eval" / "VDC_1k_captions.jsonl", reference)
    raw = [{"doc": {"video_id": video}, "resps": [[caption]]} for video, caption in work.captions.items()]
    (folder / "raw.json").write_text(json.dumps(raw), encoding="utf-8")
    module = load(script, "aurora_vdc", {"sglang": sglang(work.replies.__getitem__)})
    out = folder / "out" / "scores.jsonl"
    run_main(
        module, folder, ["--raw_file", "raw.json", "--output_file", str(out), "--tp_qa_path", str(questions)]
    )
    last: dict[str, float] = json.loads(out.read_text(encoding="utf-8").splitlines()[-1])
    return last


# --- lmms-eval --------------------------------------------------------------------------------

Lines = list[dict[str, Any]]


def lmms_eval(checkout: Path, folder: Path, seed: int) -> Iterator[Figure]:
    """Today's `vdc_process_results_generic` and both aggregations."""
    path = file_of(checkout, "lmms_eval/tasks/vdc/utils.py")
    kinds = {
        "plain": made.PLAIN,
        "one key, below 0": made.PLAIN * 3 + made.ONE_KEY[:4] + made.BELOW,
        "unreadable": made.PLAIN * 3 + made.BROKEN,
    }
    for name, replies in kinds.items():
        # A video without one readable reply ends the run: each has a plain one.
        work = _with_a_plain_one(made.work(seed, replies))
        stubs = {"sglang": sglang(work.replies.__getitem__), "loguru": stub("loguru", logger=Silent())}
        module = _lmms_module(path, stubs)
        yield from _lmms(module, folder / f"lmms-{len(name)}", work, name, "lmms-eval", "llmms_eval", "head")


def lmms_eval_2024(checkout: Path, folder: Path, seed: int) -> Iterator[Figure]:
    """The same of 924814c, with its HTTP client answered here."""
    path = file_of(checkout, "lmms_eval/tasks/vdc/utils.py")
    kinds = made.PLAIN * 3 + made.ONE_KEY + made.BELOW + made.TEXTS + made.BROKEN + made.NULLS + made.SPACED
    for name, replies in (("plain", made.PLAIN), ("odd", kinds), ("an empty reply", (*made.PLAIN, ""))):
        work = made.work(seed, replies)
        utils = stub("lmms_eval.tasks._task_utils.file_utils")
        tasks = "lmms_eval.tasks._task_utils"
        stubs = {name: stub(name) for name in ("lmms_eval", "lmms_eval.tasks")}
        stubs |= {
            f"{tasks}.file_utils": utils,
            tasks: stub(tasks, file_utils=utils),
            "loguru": stub("loguru", logger=Silent()),
        }
        module = _lmms_module(path, stubs)
        module.requests = _Requests(work.replies.__getitem__)  # type: ignore[attr-defined]
        module.NUM_SECONDS_TO_SLEEP = 0  # type: ignore[attr-defined]
        yield from _lmms(
            module, folder / f"lmms24-{len(name)}", work, name, "lmms-eval-2024", "gpt_eval", "v0.2"
        )


def _lmms_module(path: Path, stubs: Mapping[str, ModuleType]) -> ModuleType:
    import os

    os.environ.setdefault("HF_HOME", "/nowhere")  # it builds a path of it and opens none
    return load(path, "lmms_vdc", stubs, eval_logger=Silent())


def _with_a_plain_one(work: Work) -> Work:
    for asked in work.asked.values():
        work.replies[asked[0].question] = "{'pred': 'no', 'score': 2}"
    return work


class _Requests:
    """The HTTP client of the old scorer, with a judge at the other end."""

    exceptions = stub("exceptions", JSONDecodeError=ValueError, HTTPError=OSError, RequestException=OSError)

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def post(self, _url: str, *, json: Mapping[str, Any], **_more: Any) -> _Response:
        text = json["messages"][1]["content"]
        asked = re.search(r"Question: (.*?)\nCorrect Answer", text, re.DOTALL)
        return _Response(self._judge(asked[1]) if asked else "an answer")


class _Response:
    content = b"{}"

    def __init__(self, words: str) -> None:
        self._words = words

    def raise_for_status(self) -> None:
        pass

    def json(self) -> dict[str, Any]:
        return {"choices": [{"message": {"content": self._words}}], "model": "made"}


def _lmms(
    module: ModuleType, folder: Path, work: Work, name: str, policy: str, prefix: str, generation: str
) -> Iterator[Figure]:
    samples = _samples(module, work)
    explained = EMPTY_REPLY if policy.endswith("2024") else RUN_ENDS
    store = ours.store_in(folder)
    ours.brought(store, ours.question_file(folder, work))
    ours.judged(store, folder, work)
    found = ours.figures(store, policy)
    theirs = _aggregated(module, samples, prefix) if samples else dict.fromkeys(ROUNDED, ENDS)
    for key, metric in (("score", "score"), ("acc", "accuracy")):
        yield Figure(
            policy, f"{name}: verdicts", metric, theirs[key], found[work.aspect, f"{metric}_macro"], explained
        )
    if samples:
        yield from _their_log(module, folder, work, name, policy, samples, theirs, generation)


def _samples(module: ModuleType, work: Work) -> Lines | None:
    """What it gives for each video; None where it ends with an error."""
    found: Lines = []
    for number, (video, asked) in enumerate(work.asked.items()):
        doc = {
            "video_name": video,
            "caption": work.references[video],
            "qa_list": [{"question": a.question, "answer": a.answer} for a in asked],
        }
        try:
            metrics = module.vdc_process_results_generic(doc, [work.captions[video]])
        except UnboundLocalError:
            return None
        found.append({"doc_id": number, "doc": doc, "target": doc["caption"], "metrics": metrics})
    return found


def _aggregated(module: ModuleType, samples: Lines, prefix: str) -> dict[str, Any]:
    given = [sample["metrics"] for sample in samples]
    return {
        "score": module.vdc_aggregate_score([one[f"{prefix}_score"] for one in given], None),
        "acc": module.vdc_aggregate_acc([one[f"{prefix}_acc"] for one in given], None),
    }


def _their_log(
    module: ModuleType,
    folder: Path,
    work: Work,
    name: str,
    policy: str,
    samples: Lines,
    theirs: Mapping[str, Any],
    generation: str,
) -> Iterator[Figure]:
    """Its log without verdicts: read here, and out again in each format."""
    log = folder / "their-log"
    lines = (_log_line(sample, generation) for sample in samples)
    ours.write_lines(log / f"20260101_120000_samples_{work.aspect}_test.jsonl", lines)
    store = ours.store_in(folder / "read")
    ours.brought(store, log)
    yield from _both(policy, f"{name}: log read", theirs, ours.figures(store, policy), work.aspect)
    for format in ("lmms-eval", "loveu", "vlmevalkit"):
        out = ours.through(store, folder, format)
        again = ours.store_in(folder / f"again-{format}")
        ours.brought(again, out)
        yield from _both(
            policy, f"{name}: log out as {format}", theirs, ours.figures(again, policy), work.aspect
        )
        if format == "lmms-eval":
            [file] = out.glob("*_samples_*.jsonl")
            written = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            scores = module.vdc_aggregate_score([one["llmms_eval_score"] for one in written], None)
            yield Figure(policy, f"{name}: its code on our file", "score", theirs["score"], scores)
            accuracy = module.vdc_aggregate_acc([one["llmms_eval_acc"] for one in written], None)
            yield Figure(policy, f"{name}: its code on our file", "accuracy", theirs["acc"], accuracy)


def _log_line(sample: Mapping[str, Any], generation: str) -> dict[str, Any]:
    line: dict[str, Any] = {key: sample[key] for key in ("doc_id", "target")}
    caption = sample["doc"]["pred"]
    line |= (
        {"filtered_resps": caption, "doc_hash": "0"}
        if generation == "head"
        else {"doc": sample["doc"], "resps": [[caption]], "filtered_resps": [caption], "doc_hash": "0"}
    )
    return {**line, **sample["metrics"], "input": "Describe."}


def _both(
    policy: str,
    name: str,
    theirs: Mapping[str, Any],
    found: Mapping[tuple[str, str], float | None],
    aspect: str,
) -> Iterator[Figure]:
    for key, metric in (("score", "score"), ("acc", "accuracy")):
        yield Figure(policy, name, metric, theirs[key], found[aspect, f"{metric}_macro"])


# --- VLMEvalKit -------------------------------------------------------------------------------

MODEL = "SomeModel_VDC_8frame"


def vlmevalkit(checkout: Path, folder: Path, seed: int) -> Iterator[Figure]:
    """`get_dimension_rating` on its own tables, and on those that we write."""
    path = file_of(checkout, "vlmeval/dataset/utils/vdc.py")
    odd = made.PLAIN * 3 + made.ONE_KEY + made.BELOW + made.BROKEN + made.SPACED
    kinds = {
        "plain": made.PLAIN,
        "odd": odd,
        "read by running it": (*made.PLAIN, *made.CODE),
        "a score that is a text": (*made.PLAIN, *made.TEXTS),
    }
    for name, replies in kinds.items():
        here = folder / f"vlm-{len(name)}"
        works = [made.work(seed, replies, aspect=aspect, videos=12) for aspect in made.ASPECTS]
        scored = _vlm_tables(here, works)
        theirs = _rating(path, scored)
        store = ours.store_in(here)
        ours.brought(store, here / "run")
        explained = CODE if "running" in name else RUN_ENDS if "text" in name else ""
        yield from _vlm_figures(name, theirs, store, explained)
        if explained:
            continue
        out = ours.through(store, here, "vlmevalkit")
        [file] = out.glob("*_score.xlsx")
        yield from _vlm_figures(f"{name}: its code on our file", _rating(path, file), store, "")
        for format in ("vlmevalkit", "loveu"):
            again = ours.store_in(here / f"again-{format}")
            ours.brought(again, ours.through(store, here / "more", format))
            yield from _vlm_figures(f"{name}: out as {format}", theirs, again, "")


def _vlm_tables(folder: Path, works: list[Work]) -> Path:
    """The tables of a run; of each video and aspect one verdict is left, as its code leaves it."""
    rows = [
        {
            "index": 0,
            "video": f"{video}.mp4",
            "caption_type": work.aspect,
            "question": str([{"question": a.question, "answer": a.answer} for a in asked]),
            "prediction": work.captions[video],
            "score": work.replies[asked[-1].question],
        }
        for work in works
        for video, asked in work.asked.items()
    ]
    for number, row in enumerate(rows):
        row["index"] = number
    (folder / "run").mkdir(parents=True)
    whole = pd.DataFrame(rows)
    whole.drop(columns="score").to_excel(folder / "run" / f"{MODEL}.xlsx", index=False)
    scored = folder / "run" / f"{MODEL}_judge_score.xlsx"
    whole.to_excel(scored, index=False)
    return scored


def _rating(path: Path, table: Path) -> dict[tuple[str, str], float] | None:
    """Unrounded: what `np.mean` gave it on the way to two decimals. None where it ends with an error."""
    stubs = {"vlmeval": stub("vlmeval"), "vlmeval.smp": stub("vlmeval.smp", load=pd.read_excel)}
    means = Recording(np, "mean")
    module = load(path, "vlm_vdc", stubs, np=means)
    try:
        with np.errstate(all="ignore"):
            rating: dict[str, dict[str, str]] = _quietly(lambda: module.get_dimension_rating(str(table)))
    except (TypeError, AttributeError):
        return None
    # Means come in the order of the two dictionaries; an accuracy of nothing is "0.00" without a mean.
    places = [("score", aspect) for aspect in rating["coarse_valid"]]
    places += [("accuracy", aspect) for aspect, said in rating["coarse_accuracy"].items() if said != "0.00"]
    kept = list(means.given)
    if len(kept) != len(places):  # an accuracy of 0 has a mean too
        places = [(m, a) for m in ("score", "accuracy") for a in rating["coarse_valid"]]
    return dict(zip(places, kept, strict=True))


def _quietly(work: Callable[[], Any]) -> Any:
    import warnings

    from benchmarks.peers.loading import quiet

    with warnings.catch_warnings(), quiet():
        warnings.simplefilter("ignore")
        return work()


def _vlm_figures(
    name: str, theirs: Mapping[tuple[str, str], float] | None, store: Store, explained: str
) -> Iterator[Figure]:
    found = ours.figures(store, "vlmevalkit")
    for aspect in (*made.ASPECTS, "overall"):
        for metric in ("accuracy", "score"):
            value = found.get(("" if aspect == "overall" else aspect, f"{metric}_micro"))
            stated = ENDS if theirs is None else theirs.get((metric, aspect))
            yield Figure("vlmevalkit", name, f"{metric} {aspect}", stated, value, explained)
