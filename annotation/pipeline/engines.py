"""From what was typed (flags, settings) to the engines of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from threading import Lock
from typing import Any, TypeVar

from annotation.errors import UsageError
from annotation.pipeline.context import Engines
from annotation.prompting import Prompts
from annotation.workspace import Workspace
from backends.chat.registry import chat_model
from backends.embeddings.registry import check_spec, joint_embeddings
from backends.protocols import Asked, ChatModel, SceneMeasurer
from backends.remote.rules import read_rules
from backends.scenes import scene_detector
from backends.speech import speech_engine
from backends.video.readers import check_reader

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """Engine specs by role."""

    captioner: str = "baseline"
    writer: str = ""
    """Empty: as the captioner."""
    extractor: str = ""
    """Empty: as the judge, which is what VDCscore's authors do."""
    judge: str = "baseline"
    speech: str = "base"
    language: str = ""
    """Empty: detected."""
    detector: str = "default"
    reader: str = "pyav"
    embedder: str = "baseline"
    """Vectors of texts and videos, for retrieval."""


def choose(settings: Mapping[str, Any], **flags: str | None) -> EngineChoice:
    """Flags win over settings, settings over defaults.

    Raises UsageError for a setting that does not exist or is no text.
    """
    names = {field.name for field in fields(EngineChoice)}
    read_rules(settings)
    settings = {name: value for name, value in settings.items() if name != "remote"}
    unknown = sorted(set(settings) - names)
    if unknown:
        raise UsageError(
            f"settings.toml: no setting {unknown[0]!r}; there are {', '.join(sorted(names))}, [remote]"
        )
    wrong = [name for name, value in settings.items() if not isinstance(value, str)]
    if wrong:
        raise UsageError(f'settings.toml: {wrong[0]} must be text in quotes, like {wrong[0]} = "baseline"')
    given = {name: value for name, value in flags.items() if value}
    return replace(EngineChoice(), **{**settings, **given})


def refuse_in_process(choice: EngineChoice) -> None:
    """Raises UsageError for an engine inside the process, which pages would have to load for every job."""
    for role in ("captioner", "writer", "extractor", "judge"):
        kind, _, model = getattr(choice, role).partition(":")
        if kind == "vllm-engine":
            raise UsageError(
                f"vllm-engine is for `run`; here write vllm:{model}, whose server stays for all jobs"
            )


def make_engines(choice: EngineChoice, workspace: Workspace) -> Engines:
    """Engines of a run; one spec is one engine. Servers are asked whether they answer.

    Raises UsageError for specs that name nothing, BackendUnavailable for servers that are down.
    """
    check_reader(choice.reader)
    check_spec(choice.embedder)
    models: dict[str, ChatModel] = {}

    def model(spec: str) -> ChatModel:
        if spec not in models:
            models[spec] = chat_model(spec, folder=workspace.cache / "servers")
            models[spec].check()
        return models[spec]

    detector = scene_detector(choice.detector)
    speech = _once(lambda: speech_engine(choice.speech, workspace.cache, language=choice.language or None))
    return Engines(
        captioner=model(choice.captioner), writer=model(choice.writer or choice.captioner),
        extractor=model(choice.extractor or choice.judge), judge=model(choice.judge),
        detector=lambda: detector, speech=(lambda: None) if choice.speech == "none" else speech,
        measurer=_measurer, reader=choice.reader,
        embedder=_once(lambda: joint_embeddings(choice.embedder, embedding_words(workspace.prompts))),
    )  # fmt: skip


def _once(make: Callable[[], T]) -> Callable[[], T]:
    made: list[T] = []
    lock = Lock()

    def get() -> T:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return get


def embedding_words(prompts: Prompts) -> Asked:
    """How a model that follows instructions is asked for a vector."""
    text, video = prompts["carebench_embed_text"], prompts["carebench_embed_video"]
    return Asked(
        lambda words: (text.system, text.parts({"text": words})),
        lambda frames: (video.system, video.parts({}, frames)),
        prompts.hash(text.name, video.name),
    )


def _measurer() -> SceneMeasurer:
    from backends.measurements.opencv import OpencvMeasurer

    return OpencvMeasurer()
