"""Ask a few questions about measurements, speech and text, each answered by the caption of its aspect.

Scenes are named by number and times, as in the captions, so that readers and answering models find them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from backends.chat.baseline_rules.captions_from_measurements import (
    SHORT_SPEECH_WORDS,
    SPEECH_WORDS,
    joined_lines,
    overall_colours,
    stretches,
    when,
)
from backends.chat.baseline_rules.measurements_in_words import SceneFacts, scene_facts
from backends.chat.baseline_rules.questions_from_reference import LONGEST_ANSWER, MOST

LEAST_S = 0.5
"""Minimum duration of a scene, long enough to look at."""
LEAST_WORDS = 3
"""Minimum words of speech; shorter speech says little about a video."""
MOST_LINES = 3
"""Maximum lines of text on screen for a question; with more, the question is ambiguous."""
LEAST_LETTERS = 4
_ENDS = frozenset(".!?…。！？")
_GREYS = frozenset({"grey", "light grey", "dark grey", "black", "white"})
_UNCLEAR = frozenset({"moves in several ways", "shakes"})
_STILL = frozenset({"stays still", "seems to stay still", ""})

Row = dict[str, str]
_Stretch = Sequence[SceneFacts]


def measured_questions(aspect: str, video: Mapping[str, Any]) -> list[Row]:
    """Return at most two rows of `question`, `answer`, `category` from `{"duration_s", "scenes": [...]}`."""
    scenes = [scene_facts(scene) for scene in video.get("scenes") or () if isinstance(scene, Mapping)]
    ask = _ASPECTS.get(aspect)
    return list(ask(scenes))[:MOST] if ask and scenes else []


def _camera(scenes: Sequence[SceneFacts]) -> Iterator[Row]:
    """Ask about the camera in two scenes with different movements; moving cameras first."""
    groups = _clear(stretches(scenes, ("camera", "shot")), "camera")
    groups = [group for group in groups if group[0].camera not in _UNCLEAR]
    for group in _different(sorted(groups, key=lambda g: g[0].camera == "stays still"), lambda s: s.camera):
        where = _where(group, scenes)
        yield _row(f"What does the camera do{where}?", group[0].camera, "camera movement")


def _short(scenes: Sequence[SceneFacts]) -> Iterator[Row]:
    """Ask for the first words of speech, the text on screen, and with several scenes the dominant colour."""
    first = next((scene for scene in scenes if scene.voice), None)
    if first and _sensible(first, scenes):
        yield _speech_row(first.voice, "", SHORT_SPEECH_WORDS)
    written = next((scene for scene in scenes if scene.written), None)
    if written and _legible(written):
        yield _text_row([written], scenes)
    if len(scenes) > 1 and (colour := _mostly(scenes)):
        yield _row("Which color dominates most of the video?", colour, "color")


def _mostly(scenes: Sequence[SceneFacts]) -> str:
    """Return the colour that clearly dominates for more than half of the time; empty if there is none."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for scene in scenes:
        if "colours" in scene.sure:
            seconds[scene.colours[0]] += scene.end_s - scene.start_s
    whole = sum(scene.end_s - scene.start_s for scene in scenes)
    colour = next(iter(overall_colours(scenes)), "")
    return colour if 2 * seconds[colour] > whole else ""


def _background(scenes: Sequence[SceneFacts]) -> Iterator[Row]:
    """Ask for the dominant colours of two scenes; colours before greys."""
    groups = _of_one_picture(_clear(stretches(scenes, ("light", "colours")), "colours"))
    groups = sorted(groups, key=lambda group: group[0].colours[0] in _GREYS)
    for group in _different(groups, lambda scene: scene.colours[0]):
        where = _where(group, scenes) or " the picture"
        yield _row(f"Which color dominates{where}?", group[0].colours[0], "color")


def _main_object(scenes: Sequence[SceneFacts]) -> Iterator[Row]:
    """Ask for the direction of the moving object; its colour is not named, because people see an object."""
    moving = [scene for scene in scenes if scene.mover]
    groups = [g for g in _clear(stretches(moving, ("mover",)), "shape") if g[0].way and "camera" in g[0].sure]
    for group in _different(groups, lambda scene: scene.way):
        where = _where(group, scenes)
        yield _row(f"In which direction does the main moving object go{where}?", group[0].way, "movement")


def _detailed(scenes: Sequence[SceneFacts]) -> Iterator[Row]:
    """Ask for speech and text of the last scene with any, and for the scene with a unique feature."""
    groups = stretches(scenes, ("look",))
    spoken = [group for group in groups if group[0].voice]
    if len(spoken) > 1 and _sensible(spoken[-1][0], scenes):
        yield _speech_row(spoken[-1][0].voice, _where(spoken[-1], scenes), SPEECH_WORDS)
    written = [group for group in groups if group[0].written]
    if len(written) > 1 and written[-1][0].written != written[0][0].written and _legible(written[-1][0]):
        yield _text_row(written[-1], scenes)
    yield from _order(groups)


def _order(groups: Sequence[_Stretch]) -> Iterator[Row]:
    """Ask which scene has a camera movement or a dominant colour that no other scene has.

    A colour that ranks second in another scene does not identify a scene.
    """
    if len(groups) < 2:
        return
    moves = Counter(group[0].camera for group in groups)
    once = [g for g in _clear(groups, "camera") if moves[g[0].camera] == 1]
    for group in [g for g in once if g[0].camera not in _UNCLEAR | {"stays still"}][:1]:
        yield _row(f"In which scene does the camera {_plain(group[0].camera)}?", _scene(group), "order")
    colours = Counter(colour for group in groups for colour in {c for s in group for c in s.colours})
    clear = _of_one_picture(_clear(groups, "colours"))
    for group in [g for g in clear if colours[g[0].colours[0]] == 1][:1]:
        yield _row(f"Which scene is dominated by {group[0].colours[0]}?", _scene(group), "order")


_ASPECTS: Mapping[str, Callable[[Sequence[SceneFacts]], Iterator[Row]]] = {
    "camera": _camera,
    "short": _short,
    "background": _background,
    "main_object": _main_object,
    "detailed": _detailed,
}


def _clear(groups: Sequence[_Stretch], what: str) -> list[_Stretch]:
    """Keep groups that are long enough and whose first scene has a clear measurement."""
    return [g for g in groups if what in g[0].sure and g[-1].end_s - g[0].start_s >= LEAST_S]


def _of_one_picture(groups: Sequence[_Stretch]) -> list[_Stretch]:
    """Keep groups with a static camera; with a moving one, colours change during the scene."""
    return [g for g in groups if all(scene.camera in _STILL for scene in g)]


def _different(groups: Sequence[_Stretch], what: Callable[[SceneFacts], str]) -> list[_Stretch]:
    """Keep the first group of each value, so that two questions of a kind have different answers."""
    seen: dict[str, _Stretch] = {}
    for group in groups:
        seen.setdefault(what(group[0]), group)
    return list(seen.values())


def _where(group: _Stretch, scenes: Sequence[SceneFacts]) -> str:
    """Return, for example, ` in scene 2, from 1.2 s to 3.0 s`; empty for a video of one scene."""
    words = when(group)
    return f" {words[0].lower()}{words[1:]}" if len(scenes) > 1 else ""


def _scene(group: _Stretch) -> str:
    return when(group).removeprefix("In ")


def _sensible(scene: SceneFacts, scenes: Sequence[SceneFacts]) -> bool:
    """Return whether the speech suits a question: it starts a sentence and was recognised reliably."""
    before = next((s.voice for s in reversed(scenes[: scenes.index(scene)]) if s.voice), "")
    begins = not scene.voice[0].islower() and (not before or before.rstrip("\"'”’)")[-1:] in _ENDS)
    return begins and len(scene.voice.split()) >= LEAST_WORDS and not scene.voice_doubted


def _speech_row(voice: str, where: str, most_words: int) -> Row:
    """Ask for the speech, or its first words; the caption contains `most_words` words of it."""
    words = voice.replace('"', "'").split()
    if len(words) <= min(most_words, LONGEST_ANSWER):
        return _row(f"What is said{where}?", " ".join(words), "speech")
    return _row(f"With which words does the voice{where} begin?", " ".join(words[:LONGEST_ANSWER]), "speech")


def _legible(scene: SceneFacts) -> bool:
    """Return whether the text on screen suits a question: short, and mostly letters."""
    words = joined_lines(scene.written)
    letters = sum(one.isalnum() for one in words)
    few = len(scene.written) <= MOST_LINES and len(words.split()) <= LONGEST_ANSWER
    return few and letters >= LEAST_LETTERS and 2 * letters > len(words)


def _text_row(group: _Stretch, scenes: Sequence[SceneFacts]) -> Row:
    question = f"Which text is shown on the screen{_where(group, scenes)}?"
    return _row(question, joined_lines(group[0].written), "text")


def _plain(verb: str) -> str:
    """Convert, for example, `pans left` to `pan left`."""
    first, _, rest = verb.partition(" ")
    return f"{first.removesuffix('s')} {rest}".strip()


def _row(question: str, answer: str, category: str) -> Row:
    return {"question": question, "answer": answer, "category": category}
