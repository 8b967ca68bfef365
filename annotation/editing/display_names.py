"""Names for the subjects of decisions, as people read them: "the content of scene 3"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.records.allowed_values import SubjectType
from annotation.records.captions_to_verdicts import Answer, BenchmarkItem, Question, Text, Verdict
from annotation.records.elements import Element
from annotation.records.system_facts import TextFacts, text_facts
from annotation.records.videos import Alias, Frame, Scene, Segment, Video
from annotation.store.store import Store
from backends.errors import UsageError
from backends.text.clock import clock

LONGEST_QUOTE = 40


@dataclass(frozen=True, slots=True)
class Named:
    """The name of a subject, and its video."""

    words: str
    video_id: str


def named(store: Store, subject_type: SubjectType, subject_id: str, field: str) -> Named:
    """Return the name of a subject. Raises NotFound, and UsageError for an unknown field."""
    if subject_type == "text":
        text = store.get(Text, subject_id)
        return Named(text_words(store, text), text.video_id)
    if subject_type == "segment":
        segment = store.get(Segment, subject_id)
        return Named(f"the speech at {clock(segment.start_s)}", segment.video_id)
    if subject_type == "question":
        question = store.get(Question, subject_id)
        what = "the reference answer of" if field == "reference" else "the question"
        return Named(f"{what} “{quote(question.text)}”", question.video_id)
    if subject_type == "answer":
        answer = store.get(Answer, subject_id)
        asked = store.get(Question, answer.question_id).text
        return Named(f"the extracted answer to “{quote(asked)}”", answer.video_id)
    if subject_type == "verdict":
        verdict = store.get(Verdict, subject_id)
        return Named(verdict_words(store, verdict), verdict.video_id)
    if subject_type == "element":
        element = store.get(Element, subject_id)
        words = str(store.current("element", element.id, "value").value) or element.value
        return Named(
            f"the {element.kind} “{quote(words)}”" if words else f"an {element.kind}", element.video_id
        )
    raise UsageError(f"a {subject_type} cannot be corrected")


def text_words(store: Store, text: Text) -> str:
    """Return a text's name: the content of scene 3, the camera caption, the caption of frame #1,043."""
    if text.kind == "frame":
        found = store.find(Frame, id=text.subject_id, limit=1)
        return f"the caption of frame #{found[0].index:,}" if found else "the caption of a frame"
    if text.kind == "speech":
        return "the speech"
    part = text.kind.partition(":")[2].replace("_", " ")
    words = text_facts().get(text.kind, TextFacts()).named
    return words.format(part=part, of_scene=_of_scene(store, text))


def _of_scene(store: Store, text: Text) -> str:
    if text.subject_type != "scene":
        return ""
    cuts = store.scene_list(text.video_id)
    found = store.find(Scene, scene_list_id=cuts.id, key=text.subject_id, limit=1) if cuts else []
    return f" of scene {found[0].index + 1}" if found else " of a scene"


def verdict_words(store: Store, verdict: Verdict) -> str:
    """Return a verdict's name: the verdict on a question, an element or two frames."""
    if verdict.subject_type == "element":
        return f"the verdict on {named(store, 'element', verdict.subject_id, 'value').words}"
    if verdict.subject_type in ("ero_item", "rr_item"):
        items = store.find(BenchmarkItem, id=verdict.subject_id, limit=1)
        return f"how the reply to {items[0].name} is read" if items else "how a reply is read"
    answers = store.find(Answer, id=verdict.subject_id, limit=1)
    if verdict.subject_type == "frame_pair" and "frames" in verdict.extra:
        before, after = verdict.extra["frames"]
        return f"the progress from frame #{before:,} to #{after:,}"
    if verdict.subject_type != "answer" or not answers:
        return "a verdict"
    return f"the verdict on “{quote(store.get(Question, answers[0].question_id).text)}”"


def videos_named(store: Store, names: Sequence[str]) -> list[Video]:
    """Return videos by id, title, dataset name or file path. Raises UsageError for an unknown name."""
    known: dict[str, set[str]] = defaultdict(set)
    videos = {video.id: video for video in store.find(Video)}
    for video in videos.values():
        for name in (video.id, video.title, video.path):
            known[name or ""].add(video.id)
    for alias in store.find(Alias):
        known[alias.alias].add(alias.video_id)
    unknown = [name for name in names if not name or name not in known]
    if unknown:
        raise UsageError(f"video {', '.join(unknown)} not found in this workspace; see the Library for names")
    return [videos[key] for key in dict.fromkeys(key for name in names for key in sorted(known[name]))]


def quote(words: str) -> str:
    """Return the beginning of a text, short enough for one line."""
    one_line = " ".join(words.split())
    return one_line if len(one_line) <= LONGEST_QUOTE else f"{one_line[: LONGEST_QUOTE - 1].rstrip()}…"
