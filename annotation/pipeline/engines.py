"""From what was typed (flags, settings) to the engines of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from threading import Lock
from typing import Any, TypeVar, cast, get_args

from annotation.prompts.prompt_files import Prompts
from annotation.records.constants_of_systems import CaptionPrompts
from annotation.stages.stage_context import Engines, Hearing
from annotation.stages.stage_spec import CHAT_ROLES, ChatRole
from annotation.workspace.workspace import Workspace
from backends.chat.defaults import LONGEST_REPLY
from backends.chat.registry import chat_model
from backends.embeddings.registry import check_spec, joint_embeddings
from backends.errors import UsageError
from backends.ocr.registry import DEFAULT as OCR
from backends.ocr.registry import text_reader
from backends.protocols import Asked, ChatModel, SceneMeasurer, SpeechEngine
from backends.remote.settings import read_rules
from backends.scenes.scene_detectors import scene_detector
from backends.speech.faster_whisper_engine import NONE, speech_engine
from backends.speech.whisper_sizes import DETECT
from backends.text.storable_text import check_storable
from backends.video.reader_registry import check_reader

T = TypeVar("T")
TABLES = ("remote", "limits", "prices")
"""Parts of the settings that name no engine."""


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
    ocr: str = OCR
    """Who reads text in the picture."""
    reader: str = "pyav"
    embedder: str = "baseline"
    """Vectors of texts and videos, for retrieval."""
    caption_prompts: str = "fixed"
    """`pool`: the five captions are asked with prompts drawn from VDC's pool."""
    reply_characters: int = LONGEST_REPLY
    """Of a chat model; a longer reply fails."""

    def asking(self, roles: Collection[str]) -> EngineChoice:
        """The same with the baseline in all other chat roles, so that only these models have to answer."""

        def kept(role: ChatRole, spec: str) -> str:
            return spec if role in roles else "baseline"

        return replace(
            self,
            captioner=kept("captioner", self.captioner),
            writer=kept("writer", self.writer or self.captioner),
            extractor=kept("extractor", self.extractor or self.judge),
            judge=kept("judge", self.judge),
        )


def choose(settings: Mapping[str, Any], **flags: str | None) -> EngineChoice:
    """Flags win over settings, settings over defaults.

    Raises UsageError for a setting that does not exist or is no text.
    """
    names = {field.name for field in fields(EngineChoice)} - {"reply_characters"}
    check_storable(settings, "settings.toml")
    read_rules(settings)
    longest = _longest_reply(settings)
    settings = {name: value for name, value in settings.items() if name not in TABLES}
    unknown = sorted(set(settings) - names)
    if unknown:
        raise UsageError(
            f"settings.toml: no setting {unknown[0]!r}; there are {', '.join(sorted(names))}, "
            + ", ".join(f"[{table}]" for table in TABLES)
        )
    wrong = [name for name, value in settings.items() if not isinstance(value, str)]
    if wrong:
        raise UsageError(f'settings.toml: {wrong[0]} must be text in quotes, like {wrong[0]} = "baseline"')
    given = {name: value for name, value in flags.items() if value}
    return replace(EngineChoice(reply_characters=longest), **{**settings, **given})


def _longest_reply(settings: Mapping[str, Any]) -> int:
    """`reply_characters` of `[limits]`. Raises UsageError for what is no number from 1 on."""
    limits = settings.get("limits", {})
    longest = limits.get("reply_characters", LONGEST_REPLY) if isinstance(limits, dict) else None
    if type(longest) is not int or longest < 1:
        raise UsageError("settings.toml: write [limits] and below it reply_characters = 1000000")
    return longest


def refuse_in_process(choice: EngineChoice) -> None:
    """Raises UsageError for an engine inside the process, which pages would have to load for every job."""
    for role in CHAT_ROLES:
        kind, _, model = getattr(choice, role).partition(":")
        if kind == "vllm-engine":
            raise UsageError(
                f"vllm-engine is for `run`; here write vllm:{model}, whose server stays for all jobs"
            )


def check_names(choice: EngineChoice, workspace: Workspace) -> None:
    """Raises UsageError for specs of engines in this process that name nothing; models are not asked."""
    check_reader(choice.reader)
    check_spec(choice.embedder)
    scene_detector(choice.detector)
    text_reader(choice.ocr)
    if choice.speech != EngineChoice().speech:  # to know the names takes a second
        speech_engine(choice.speech, workspace.cache)


def make_engines(choice: EngineChoice, workspace: Workspace) -> Engines:
    """Engines of a run; one spec is one engine. Servers are asked whether they answer.

    Raises UsageError for specs that name nothing, BackendUnavailable for servers that are down.
    """
    check_reader(choice.reader)
    check_spec(choice.embedder)
    if choice.caption_prompts not in get_args(CaptionPrompts):
        raise UsageError(f"no caption prompts {choice.caption_prompts!r}; choose from fixed, pool")
    models: dict[str, ChatModel] = {}

    def model(spec: str) -> ChatModel:
        if spec not in models:
            models[spec] = chat_model(
                spec, folder=workspace.cache / "servers", longest_reply=choice.reply_characters
            )
            models[spec].check()
        return models[spec]

    detector, reads_text = scene_detector(choice.detector), text_reader(choice.ocr)
    return Engines(
        captioner=model(choice.captioner),
        writer=model(choice.writer or choice.captioner),
        extractor=model(choice.extractor or choice.judge),
        judge=model(choice.judge),
        detector=lambda: detector,
        speech=_hearing(choice, workspace),
        measurer=_measurer,
        text_reader=(lambda: None) if choice.ocr == "none" else lambda: reads_text,
        reader=choice.reader,
        caption_prompts=cast(CaptionPrompts, choice.caption_prompts),
        embedder=_once(lambda: joint_embeddings(choice.embedder, embedding_words(workspace.prompts))),
    )


def _hearing(choice: EngineChoice, workspace: Workspace) -> Hearing:
    """One engine for each size and language that is asked for, so that its weights are loaded once."""
    heard: dict[tuple[str, str], SpeechEngine] = {}
    lock = Lock()

    def hearing(size: str = "", language: str = "") -> SpeechEngine | None:
        spec, code = size or choice.speech, language or choice.language
        if spec == NONE:
            return None
        with lock:
            if (spec, code) not in heard:
                expected = None if code in ("", DETECT) else code
                heard[spec, code] = speech_engine(spec, workspace.cache, language=expected)
            return heard[spec, code]

    return hearing


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
