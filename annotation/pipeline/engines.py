"""Creates the engines of a run from flags and settings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from threading import Lock
from typing import Any, TypeVar, cast, get_args

from annotation.prompts.prompt_files import Prompts
from annotation.stages.stage_context import CaptionPrompts, Engines, SpeechFactory
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
"""Tables of the settings that do not configure an engine."""


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """Engine specs by role."""

    captioner: str = "baseline"
    writer: str = ""
    """Empty: the captioner."""
    extractor: str = ""
    """Empty: the judge, as in the code of VDCscore's authors."""
    judge: str = "baseline"
    speech: str = "base"
    language: str = ""
    """Empty: detect the language."""
    detector: str = "default"
    ocr: str = OCR
    """Engine that reads text in the picture."""
    reader: str = "pyav"
    embedder: str = "baseline"
    """Engine for vectors of texts and videos, used for retrieval."""
    caption_prompts: str = "fixed"
    """`pool`: the prompts of the five captions are drawn from VDC's pool."""
    reply_characters: int = LONGEST_REPLY
    """Limit for a chat model; a longer reply fails."""

    def asking(self, roles: Collection[str]) -> EngineChoice:
        """Return this choice with the baseline in all other chat roles, so that only these models must
        answer.
        """

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
    """Combine flags, settings and defaults, in this order of precedence.

    Raises UsageError for an unknown setting or one that is not a string.
    """
    names = {field.name for field in fields(EngineChoice)} - {"reply_characters"}
    check_storable(settings, "settings.toml")
    read_rules(settings)
    longest = _longest_reply(settings)
    settings = {name: value for name, value in settings.items() if name not in TABLES}
    unknown = sorted(set(settings) - names)
    if unknown:
        raise UsageError(
            f"settings.toml: setting {unknown[0]!r} not found; choose from {', '.join(sorted(names))}, "
            + ", ".join(f"[{table}]" for table in TABLES)
        )
    wrong = [name for name, value in settings.items() if not isinstance(value, str)]
    if wrong:
        raise UsageError(f'settings.toml: {wrong[0]} must be text in quotes, like {wrong[0]} = "baseline"')
    given = {name: value for name, value in flags.items() if value}
    return replace(EngineChoice(reply_characters=longest), **{**settings, **given})


def _longest_reply(settings: Mapping[str, Any]) -> int:
    """Return `reply_characters` of `[limits]`. Raises UsageError if it is not an integer of at least 1."""
    limits = settings.get("limits", {})
    longest = limits.get("reply_characters", LONGEST_REPLY) if isinstance(limits, dict) else None
    if type(longest) is not int or longest < 1:
        raise UsageError("settings.toml: write [limits] and below it reply_characters = 1000000")
    return longest


def refuse_in_process(choice: EngineChoice) -> None:
    """Raise UsageError for an engine inside the process, which the app would have to load for every job."""
    for role in CHAT_ROLES:
        kind, _, model = getattr(choice, role).partition(":")
        if kind == "vllm-engine":
            raise UsageError(
                f"vllm-engine is for `run`; here write vllm:{model}, whose server is used by all jobs"
            )


def check_names(choice: EngineChoice, workspace: Workspace) -> None:
    """Raise UsageError for unknown engines inside the process. Models are not requested."""
    check_reader(choice.reader)
    check_spec(choice.embedder)
    scene_detector(choice.detector)
    text_reader(choice.ocr)
    if choice.speech != EngineChoice().speech:  # Loading the known names takes a second.
        speech_engine(choice.speech, workspace.cache)


def make_engines(choice: EngineChoice, workspace: Workspace) -> Engines:
    """Create the engines of a run; equal specs share one engine. Checks whether servers answer.

    Raises UsageError for invalid specs, BackendUnavailable if a server does not answer.
    """
    check_reader(choice.reader)
    check_spec(choice.embedder)
    if choice.caption_prompts not in get_args(CaptionPrompts):
        raise UsageError(f"caption prompts {choice.caption_prompts!r} not found; choose from fixed, pool")
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
        speech=_speech_factory(choice, workspace),
        measurer=_measurer,
        text_reader=(lambda: None) if choice.ocr == "none" else lambda: reads_text,
        reader=choice.reader,
        caption_prompts=cast(CaptionPrompts, choice.caption_prompts),
        embedder=_once(lambda: joint_embeddings(choice.embedder, embedding_words(workspace.prompts))),
    )


def _speech_factory(choice: EngineChoice, workspace: Workspace) -> SpeechFactory:
    """Return a factory with one engine per size and language, so that weights are loaded once."""
    engines: dict[tuple[str, str], SpeechEngine] = {}
    lock = Lock()

    def factory(size: str = "", language: str = "") -> SpeechEngine | None:
        spec, code = size or choice.speech, language or choice.language
        if spec == NONE:
            return None
        with lock:
            if (spec, code) not in engines:
                expected = None if code in ("", DETECT) else code
                engines[spec, code] = speech_engine(spec, workspace.cache, language=expected)
            return engines[spec, code]

    return factory


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
    """Return the prompts for vectors of a model that follows instructions."""
    text, video = prompts["carebench_embed_text"], prompts["carebench_embed_video"]
    return Asked(
        lambda words: (text.system, text.parts({"text": words})),
        lambda frames: (video.system, video.parts({}, frames)),
        prompts.hash(text.name, video.name),
    )


def _measurer() -> SceneMeasurer:
    from backends.measurements.opencv import OpencvMeasurer

    return OpencvMeasurer()
