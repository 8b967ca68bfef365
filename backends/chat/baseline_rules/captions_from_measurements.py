"""Write captions as a log of measurements, speech and text on screen.

Captions do not name objects: a moving region that OpenCV finds is "a red shape". Speech and text
on screen are quoted, not interpreted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from backends.chat.baseline_rules.measurements_in_words import (
    SceneFacts,
    listed,
    main_colours,
    number,
    scene_facts,
    with_article,
)

MOST_STRETCHES = 30
"""Maximum groups of similar scenes in a caption; the rest is summarised."""
CONTENT_WORDS = 150
SPEECH_WORDS = 60
SHORT_SPEECH_WORDS = 20
WRITTEN_WORDS = 30
SHORT_WRITTEN_WORDS = 12
"""Limits for text on screen."""
LECTURE_WORDS = 4000
_DARK, _BRIGHT = 0.25, 0.7
_LITTLE, _MUCH = 0.05, 0.2
"""Differences between two frames, 0 to 1."""

# --- script ---------------------------------------------------------------------------


def script(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the four fields of a Vript script, within its limits of 15, 15, 150 and 10 words."""
    place = facts.get("scene") if isinstance(facts.get("scene"), Mapping) else {}
    scene = scene_facts({**facts, **(place or {})})
    return {
        "shot_type": _limited(_sentence(_shot_words(scene)), 15),
        "camera_movement": _limited(_camera_sentence(scene), 15),
        "content": _content(scene),
        "scene_title": _limited(_title(scene, place or {}), 10),
    }


def _shot_words(scene: SceneFacts) -> str:
    shot = scene.shot or "shot scale not measured"
    look = ", ".join(word for word in (scene.light, scene.sharpness) if word)
    return f"{shot}; {look} picture" if look else shot


def _camera_sentence(scene: SceneFacts) -> str:
    return f"The camera {scene.camera}." if scene.camera else "The camera movement could not be measured."


def _content(scene: SceneFacts) -> str:
    last = [*_written(scene.written, WRITTEN_WORDS), scene_sentence(scene)]
    max_words = CONTENT_WORDS - len(" ".join(last).split()) - 4
    return " ".join([*_speech(scene.voice, max_words), *last])


def _title(scene: SceneFacts, place: Mapping[str, Any]) -> str:
    of = f" of {place['of']}" if place.get("of") else ""
    moves = f"camera {scene.camera}" if scene.camera else ""
    looks = (" ".join(word for word in (scene.light, scene.shot) if word), scene.shot, "")
    titles = [", ".join(part for part in (look, moves) if part) for look in looks]
    number_words = f"Scene {scene.index + 1}{of}"
    max_words = 10 - len(number_words.split())
    fitting = [title for title in titles if title and len(title.split()) <= max_words]
    return f"{number_words}: {fitting[0]}" if fitting else number_words


# --- the five captions of VDC ---------------------------------------------------------


def vdc_caption(aspect: str, facts: Mapping[str, Any]) -> str:
    """Return one of the five captions from `{"title", "duration_s", "scenes": [...]}`."""
    scenes = [scene_facts(scene) for scene in facts.get("scenes") or () if isinstance(scene, Mapping)]
    duration_s = number(facts.get("duration_s")) or max((scene.end_s for scene in scenes), default=0.0)
    writers = {
        "camera": _camera_caption,
        "short": _short_caption,
        "background": _background_caption,
        "main_object": _object_caption,
        "detailed": _detailed_caption,
    }
    return writers[aspect](scenes, duration_s)


def _camera_caption(scenes: Sequence[SceneFacts], duration_s: float) -> str:
    if not scenes:
        return _unmeasured("the camera", duration_s)

    def described(scene: SceneFacts) -> str:
        move = f"the camera {scene.camera}" if scene.camera else "the camera movement could not be measured"
        return f"{move}{', in ' + with_article(scene.shot) if scene.shot else ''}"

    fades = [_sentence(f"{_place(scene, scenes)} {scene.fades}") for scene in scenes if scene.fades]
    walk = _walk(scenes, described, ("camera", "shot"), len(scenes))
    return " ".join([*walk, *fades[:MOST_STRETCHES], _counts(scenes, duration_s)])


def _short_caption(scenes: Sequence[SceneFacts], duration_s: float) -> str:
    colours = overall_colours(scenes)
    camera = Counter(scene.camera for scene in scenes if scene.camera).most_common(1)
    clauses = [f"the camera {'mostly ' if len(scenes) > 1 else ''}{camera[0][0]}"] if camera else []
    clauses += [f"{listed(colours)} {'dominate' if len(colours) > 1 else 'dominates'}"] if colours else []
    where = f" in which {listed(clauses)}" if clauses else ""
    voice = next((scene.voice for scene in scenes if scene.voice), "")
    length = f"{_length(scenes, duration_s)}{where}."
    return " ".join([*_speech(voice, SHORT_SPEECH_WORDS), *_first_written(scenes), length])


def _first_written(scenes: Sequence[SceneFacts]) -> list[str]:
    for scene in scenes:
        if scene.written:
            place = f"{when([scene])}, " if len(scenes) > 1 else ""
            return _written(scene.written, SHORT_WRITTEN_WORDS, f"{place}the picture")
    return []


def _background_caption(scenes: Sequence[SceneFacts], duration_s: float) -> str:
    def described(scene: SceneFacts) -> str:
        if not scene.colours:
            return f"the picture is {scene.light}"
        return f"{_colour_words(scene)}{f' in a {scene.light} picture' if scene.light else ''}"

    known = [scene for scene in scenes if scene.colours or scene.light]
    return " ".join(_walk(known, described, ("light", "colours"), len(scenes))) or _unmeasured(
        "the background", duration_s
    )


def _object_caption(scenes: Sequence[SceneFacts], duration_s: float) -> str:
    moving = [scene for scene in scenes if scene.mover]
    if not moving:
        known = any(scene.camera or scene.colours for scene in scenes)
        return "Nothing was seen to move on its own." if known else _unmeasured("the main object", duration_s)
    walk = _walk(moving, lambda scene: scene.mover, ("mover",), len(scenes))
    return " ".join(walk)


def _detailed_caption(scenes: Sequence[SceneFacts], duration_s: float) -> str:
    parts = []
    for group in stretches(scenes, ("look",))[:MOST_STRETCHES]:
        scene = group[0]
        place = f"{when(group)}, " if len(scenes) > 1 else ""
        seen = _sentence(f"{place}{_lower(scene_sentence(scene))}")
        parts += [
            *_speech(scene.voice, SPEECH_WORDS, place),
            *_written(scene.written, WRITTEN_WORDS, f"{place}the picture"),
            seen,
        ]
    return " ".join([*parts, *_rest(scenes), f"{_length(scenes, duration_s)}."])


def lecture_notes(facts: Mapping[str, Any]) -> str:
    """Return all speech and text of each scene, followed by its measurements."""
    scenes = [scene_facts(scene) for scene in facts.get("scenes") or () if isinstance(scene, Mapping)]
    duration_s = number(facts.get("duration_s")) or max((scene.end_s for scene in scenes), default=0.0)
    parts = [f"{_length(scenes, duration_s)}."]
    for scene in scenes:
        heard, read = _speech(scene.voice, LECTURE_WORDS), _written(scene.written, LECTURE_WORDS)
        parts += [*heard, *read, scene_sentence(scene)]
    return " ".join(parts)


# --- frames ---------------------------------------------------------------------------


def frame_captions(facts: Mapping[str, Any], n: int) -> list[str]:
    """Return one caption per frame; none refers to another frame, as the protocol requires."""
    rows = [row for row in facts.get("frames") or () if isinstance(row, Mapping)]
    action = str(facts.get("action") or "").strip()
    return [_frame_caption(rows[i] if i < len(rows) else {}, action) for i in range(max(n, len(rows)))]


def _frame_caption(row: Mapping[str, Any], action: str) -> str:
    colours = [name for name, _ in main_colours(row.get("palette"))]
    light = _light(row.get("brightness"))
    look = with_article(f"{light} picture".strip())
    at = f"At {number(row.get('seconds')):.1f} s" if "seconds" in row else "At an unknown time"
    during = f" of “{action}”" if action else ""
    main = f" in which {listed(colours)} {'dominate' if len(colours) > 1 else 'dominates'}" if colours else ""
    change = row.get("difference_to_previous")
    return f"{at}{during}: {look}{main}.{_change(change)}"


def _change(measured: Any) -> str:
    if not isinstance(measured, int | float):
        return ""
    much = "Hardly anything" if measured < _LITTLE else "Much" if measured > _MUCH else "A little"
    return f" {much} changes here."


def _light(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value.get("label", "")).replace("normal", "")
    if not isinstance(value, int | float):
        return ""
    return "dark" if value < _DARK else "bright" if value > _BRIGHT else ""


# --- shared ---------------------------------------------------------------------------


def scene_sentence(scene: SceneFacts) -> str:
    """Return, for example, `The camera pans left; a red shape moves to the right; a wide shot.`"""
    blurred = "blurred" if scene.sharpness == "blurred" else ""
    look = " ".join(filter(None, (scene.light, blurred, scene.shot or "picture")))
    colours = f"in which {_colour_words(scene)}" if scene.colours else ""
    seen = f"{with_article(look)} {colours}".strip() if look != "picture" or colours else ""
    camera = f"the camera {scene.camera}" if scene.camera else ""
    fades = f"the scene {scene.fades}" if scene.fades else ""
    parts = [part for part in (camera, scene.mover, seen, fades) if part]
    return _sentence("; ".join(parts) or "nothing was measured")


def seconds(value: float) -> str:
    """Return, for example, `4.2 seconds`."""
    return f"{value:.1f} seconds"


def _colour_words(scene: SceneFacts) -> str:
    """Describe one colour if it clearly leads, else two."""
    colours = scene.colours[: 1 if "colours" in scene.sure else 2]
    return f"{listed(colours)} {'dominate' if len(colours) > 1 else 'dominates'}"


def _speech(voice: str, max_words: int, place: str = "") -> list[str]:
    words = voice.replace('"', "'").split()
    if not words or max_words < 3:
        return []
    who = _sentence(f"{place}{'a' if place else 'A'} voice").removesuffix(".")
    if len(words) > max_words:
        return [f'{who} begins: "{" ".join(words[:max_words])} …"']
    said = " ".join(words)
    return [f'{who} says: "{said if said[-1] in ".!?…" else said + "."}"']


def _written(lines: Sequence[str], max_words: int, what: str = "the picture") -> list[str]:
    words = joined_lines(lines).split()
    more = " …" if len(words) > max_words else ""
    return [_sentence(f'{what} reads: "{" ".join(words[:max_words])}{more}"')] if words else []


def joined_lines(lines: Sequence[str]) -> str:
    """Return, for example, `FOR SALE / Tel. 12`."""
    return " / ".join(" ".join(line.replace('"', "'").split()) for line in lines)


def _lower(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:]}".removesuffix(".")


def _walk(
    scenes: Sequence[SceneFacts], described: Callable[[SceneFacts], str], same: tuple[str, ...], of: int
) -> list[str]:
    """Return one sentence per group of scenes with equal fields `same`; `of` is the number of scenes."""
    lines = []
    for group in stretches(scenes, same)[:MOST_STRETCHES]:
        words = described(group[0])
        lead = f"{when(group)}, {words}" if of > 1 else words
        lines.append(_sentence(lead))
    return [*lines, *_rest(scenes, same)]


def stretches(scenes: Sequence[SceneFacts], same: tuple[str, ...]) -> list[list[SceneFacts]]:
    return [
        list(group)
        for _, group in groupby(scenes, key=lambda s: tuple(getattr(s, name) for name in sorted(same)))
    ]


def _rest(scenes: Sequence[SceneFacts], same: tuple[str, ...] = ("look",)) -> list[str]:
    left = sum(len(group) for group in stretches(scenes, same)[MOST_STRETCHES:])
    return [f"{left} more scenes follow."] if left else []


def when(group: Sequence[SceneFacts]) -> str:
    first, last = group[0], group[-1]
    many = f"s {first.index + 1} to {last.index + 1}" if len(group) > 1 else f" {first.index + 1}"
    return f"In scene{many}, from {first.start_s:.1f} s to {last.end_s:.1f} s"


def _place(scene: SceneFacts, scenes: Sequence[SceneFacts]) -> str:
    return f"scene {scene.index + 1}" if len(scenes) > 1 else "the video"


def _counts(scenes: Sequence[SceneFacts], duration_s: float) -> str:
    cuts = max(0, len(scenes) - 1)
    found = (
        "no cut was found" if not cuts else "one cut was found" if cuts == 1 else f"{cuts} cuts were found"
    )
    return f"In {seconds(duration_s)}, {found}."


def _length(scenes: Sequence[SceneFacts], duration_s: float) -> str:
    count = "one scene" if len(scenes) == 1 else f"{len(scenes)} scenes"
    return f"A video of {seconds(duration_s)} in {count}" if scenes else f"A video of {seconds(duration_s)}"


def overall_colours(scenes: Sequence[SceneFacts]) -> list[str]:
    """Return the two colours with the largest area over time."""
    weight: Counter[str] = Counter()
    for scene in scenes:
        for name, share in zip(scene.colours, scene.shares, strict=True):
            weight[name] += int(1000 * share * max(0.1, scene.end_s - scene.start_s))
    return [name for name, _ in sorted(weight.items(), key=lambda item: (-item[1], item[0]))[:2]]


def _unmeasured(what: str, duration_s: float) -> str:
    return f"Nothing was measured about {what} in {seconds(duration_s)} of video."


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _limited(text: str, words: int) -> str:
    kept = text.split()
    return text if len(kept) <= words else " ".join(kept[:words]).rstrip(",;:")
