"""Estimates the calls, tokens, time and cost of a pass before it runs.

In a dry run, the stages that use models work in a transaction that is rolled back, and their requests are
counted. Cached replies are found as in a real run. The embedded baseline supplies all other replies, so that
later stages have input. The number of questions is taken to be the number requested. Nothing is decoded:
pictures are counted only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from annotation.intake.files_of_one_person import passing_folder
from annotation.records.ids import record_id
from annotation.records.videos import Video
from annotation.stages.measured_speed import Habits, habits
from annotation.stages.media_library import MediaLibrary
from annotation.stages.model_calls import Called, Caller, call_id
from annotation.stages.probe_scenes_speech import facts_of, scene_records
from annotation.stages.spending import Took, took_words
from annotation.stages.stage_context import Context, make_run
from annotation.stages.stage_spec import StageSpec
from annotation.store.store import Store
from backends.chat.baseline import BaselineChat
from backends.errors import DailiesError, RequestRefused
from backends.protocols import ChatModel, ChatReply, ChatRequest, SceneCuts

SCENE_S = 5.0
"""Assumed length of scenes in a video without detected cuts, in seconds."""


@dataclass(slots=True)
class Line:
    """The requests of one stage to one model."""

    stage: str
    model: str
    baseline: bool
    calls: int = 0
    kept: int = 0
    """Replies in the cache, which need no call."""
    pictures: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float | None = 0.0
    """From the measured speed of this model; None if it has not been measured."""
    cost: float | None = None
    """In the currency of `[prices]`; None if the model has no price."""


@dataclass(slots=True)
class Estimate:
    """The estimate of a pass."""

    lines: list[Line] = field(default_factory=list)
    currency: str = ""
    notes: list[str] = field(default_factory=list)
    """Assumptions behind the figures, and what they leave out."""

    @property
    def asked(self) -> list[Line]:
        """Return the lines of models other than the embedded baseline."""
        return [line for line in self.lines if not line.baseline]

    @property
    def whole(self) -> Took:
        """Return the sums without the embedded baseline; time and cost include known values only."""
        took = Took()
        for one in self.asked:
            tokens = (one.prompt_tokens, one.completion_tokens)
            took += Took(one.calls, 0, *tokens, one.cost or 0.0, one.seconds or 0.0)
        return took


def estimate(
    context: Context,
    videos: Sequence[Video],
    stages: Sequence[StageSpec],
    *,
    most: int | None = None,
) -> Estimate:
    """Estimate these stages over these videos. Nothing is written, and no model is called.

    Each video has a separate transaction, so that others may write in between. If there are more than `most`
    videos, an evenly spaced sample of that size is used, and the figures are scaled.
    """
    found = Estimate(currency=context.caller.spending.prices.currency)
    without: list[str] = []
    chosen = videos
    if most is not None and len(videos) > most:
        chosen = [videos[n * len(videos) // most] for n in range(most)]
        found.notes.append(f"scaled from {most:,} of {len(videos):,} videos")
    with passing_folder(context.workspace) as temp_dir:
        dry = _Dry(context, temp_dir)
        for video in chosen:
            with rolled_back(context.store):
                _ask_video(dry, context.store.get(Video, video.id), stages, found, without)
    scale = len(videos) / max(1, len(chosen))
    found.lines = [_scaled(line, scale) for line in dry.lines.values()]
    _add_notes(found, dry)
    if without:
        names = without[0] if len(without) == 1 else f"{len(without):,} videos"
        found.notes.insert(
            0, f"scenes of {names} not detected yet: counted as scenes of {SCENE_S:.0f} s each"
        )
    return found


def _scaled(line: Line, scale: float) -> Line:
    return replace(
        line,
        calls=round(line.calls * scale),
        kept=round(line.kept * scale),
        pictures=round(line.pictures * scale),
        prompt_tokens=round(line.prompt_tokens * scale),
        completion_tokens=round(line.completion_tokens * scale),
        seconds=None if line.seconds is None else line.seconds * scale,
        cost=None if line.cost is None else line.cost * scale,
    )


class _Undone(Exception):
    """Raised to roll back a transaction; not an error."""


@contextmanager
def rolled_back(store: Store) -> Iterator[None]:
    """Roll back the block's writes at its end. Only the block sees them."""
    with suppress(_Undone), store.writing():
        yield
        raise _Undone


def _ask_video(
    dry: _Dry,
    video: Video,
    stages: Sequence[StageSpec],
    found: Estimate,
    without: list[str],
) -> None:
    context = dry.context()
    if video.path and Path(video.path).is_file() and context.store.scene_list(video.id) is None:
        without.append(video.title)
        _placeholder_scenes(context, video)
    for spec in stages:
        if spec.apart:
            continue
        dry.caller.stage = spec.name
        try:
            spec.run(context, video)
        except DailiesError as error:
            found.notes.append(f"{video.title}: {spec.name} is not counted: {error}")


def _placeholder_scenes(context: Context, video: Video) -> None:
    table = context.media.table(video)
    starts = np.arange(0.0, max(facts_of(video).duration_s, 0.1), SCENE_S)
    frames = np.unique(np.clip(np.searchsorted(table.seconds, starts), 0, len(table.pts) - 1))
    run = make_run("scenes", backend="estimate", model="estimate")
    cuts = SceneCuts(tuple(frames.tolist()), {"name": "estimate", "params": {}, "version": ""})
    context.store.add([run, *scene_records(record_id("scl", run.id, video.id), run, video, cuts, table)])


# --- dry runs -------------------------------------------------------------------------------


class _Dry:
    """Contexts of a dry run, and the counted requests."""

    def __init__(self, context: Context, temp_dir: Path) -> None:
        self.lines: dict[tuple[str, str, str], Line] = {}
        self.habits: dict[str, Habits] = {}
        self.caller = _Counter(context.store, self)
        self._context = context
        self._media = _Blind(context.media, temp_dir)
        self.prices = context.caller.spending.prices

    def context(self) -> Context:
        """Return a new context, whose runs belong to one video."""
        return replace(
            self._context.for_another_video(),
            caller=self.caller,
            media=cast(MediaLibrary, self._media),
            report=lambda *_: None,
        )

    def count(self, model: ChatModel, stage: str, request: ChatRequest, *, kept: bool) -> None:
        key = (stage, model.backend, model.model)
        line = self.lines.setdefault(key, Line(stage, model.model, model.baseline))
        if kept:
            line.kept += 1
            return
        line.calls += 1
        if model.baseline:
            return
        habit = self.habit(model)
        tokens = habit.prompt_tokens(request), habit.completion_tokens(request)
        pace = habit.seconds(request)
        line.pictures += sum(bool(part.jpeg) for part in request.user)
        line.prompt_tokens += tokens[0]
        line.completion_tokens += tokens[1]
        line.seconds = None if pace is None or line.seconds is None else line.seconds + pace
        if price := self.prices.find(model):
            line.cost = (line.cost or 0.0) + price.of(*tokens)

    def habit(self, model: ChatModel) -> Habits:
        key = f"{model.backend}#{model.model}"
        if key not in self.habits:
            self.habits[key] = habits(self.caller.store, model)
        return self.habits[key]


class _Counter(Caller):
    """Counts requests and returns substitute replies."""

    def __init__(self, store: Store, dry: _Dry) -> None:
        super().__init__(store)
        self.stage = ""
        self._dry = dry

    def ask_all(
        self, model: ChatModel, requests: Sequence[Callable[[], ChatRequest]]
    ) -> Iterator[list[tuple[int, Called]]]:
        for position, build in enumerate(requests):
            request = build()
            kept = self._kept_call(call_id(model, request))
            self._dry.count(model, self.stage, request, kept=kept is not None)
            yield [
                (position, kept or Called(_placeholder_reply(model, request), None, frames=request.frames))
            ]


def _placeholder_reply(model: ChatModel, request: ChatRequest) -> ChatReply:
    """Return the substitute reply."""
    if request.stage == "questions" and not model.baseline:
        pairs = [
            {"question": f"What is number {n}?", "answer": f"{n}", "category": "other"}
            for n in range(int(request.facts.get("count", 1)))
        ]
        return ChatReply(json.dumps({"questions": pairs}), "stop", 0.0)
    try:
        return BaselineChat().complete(request)
    except (
        RequestRefused,
        LookupError,
        TypeError,
        ValueError,
    ):  # the baseline needs facts that other models may not have
        return ChatReply("A reply.", "stop", 0.0)


class _Blind:
    """A media library that does not decode: pictures are only counted.

    Files that stages keep for a video go into a temporary folder, because their pictures are grey.
    """

    def __init__(self, media: MediaLibrary, temp_dir: Path) -> None:
        self._media = media
        self._temp_dir = temp_dir

    def __getattr__(self, name: str) -> Any:
        return getattr(self._media, name)

    def folder_of(self, video: Video) -> Path:
        folder = self._temp_dir / video.id
        folder.mkdir(exist_ok=True)
        return folder

    def pictures(
        self,
        _video: Video,
        indices: Sequence[int],
        **_how: object,
    ) -> list[bytes]:
        return [b"not decoded"] * len(indices)

    @contextmanager
    def reader(self, _video: Video) -> Iterator[_Blind]:
        yield self

    def frames(self, indices: Sequence[int], width: int = 0) -> Iterator[tuple[int, Any]]:
        """Yield grey pictures."""
        yield from ((index, np.full((width * 9 // 16, width, 3), 128, np.uint8)) for index in indices)


# --- formats ------------------------------------------------------------------------------------


def _add_notes(found: Estimate, dry: _Dry) -> None:
    unmeasured = sorted({one.model for one in found.asked if one.calls and one.seconds is None})
    if unmeasured:
        found.notes.append(
            f"time of {', '.join(unmeasured)} unknown: too few stored replies to measure its speed; "
            "tokens of a reply are counted as the maximum it may write"
        )
    if any(one.pictures for one in found.asked):
        found.notes.append("all requests with pictures are counted, even if a reply is stored")
    unpriced = sorted({one.model for one in found.asked if one.calls and one.cost is None})
    if unpriced and dry.prices.models:
        found.notes.append(f"cost of {', '.join(unpriced)} unknown: no price in settings.toml")


def estimate_json(found: Estimate) -> dict[str, Any]:
    """Return the format of a run's `took`, with "kept", "currency", "lines" and "notes" added.

    Sums leave out the embedded baseline; `seconds` and `cost` are None if no value is known.
    """
    whole, asked = found.whole, [one for one in found.asked if one.calls]
    return {
        "calls": whole.calls,
        "kept": sum(one.kept for one in found.asked),
        "prompt_tokens": whole.prompt_tokens,
        "completion_tokens": whole.completion_tokens,
        "seconds": whole.seconds if all(one.seconds is not None for one in asked) else None,
        "cost": whole.cost if asked and all(one.cost is not None for one in asked) else None,
        "currency": found.currency,
        "lines": [asdict(one) for one in found.lines],
        "notes": found.notes,
    }


def estimate_lines(found: Estimate) -> list[str]:
    """Format the estimate for people."""
    rows = [
        f"{one.stage:12} {one.model}: {_line_words(one, found.currency)}"
        for one in found.lines
        if one.calls or one.kept
    ]
    if not any(one.calls for one in found.lines):
        rows.append("no requests to send: all replies are stored, or there is nothing to do")
    if len([one for one in found.asked if one.calls]) > 1:
        rows.append(f"{'together':12} about {took_words(found.whole, found.currency)}")
    return [*rows, *(f"  {note}" for note in found.notes)]


def _line_words(one: Line, currency: str) -> str:
    kept = f"{one.kept:,} replies are stored" if one.kept else ""
    if one.baseline:
        calls = f"{one.calls:,} by the embedded baseline, which costs nothing" if one.calls else ""
    else:
        took = Took(
            one.calls, 0, one.prompt_tokens, one.completion_tokens, one.cost or 0.0, one.seconds or 0.0
        )
        calls = f"about {took_words(took, currency)}" if one.calls else ""
    return "; ".join(filter(None, (calls, kept)))
