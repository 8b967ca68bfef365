"""One row per text that counts, with who wrote it, for DataFrames and programs."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from annotation.records.ids import Json
from annotation.records.videos import Scene
from annotation.store.store import Store
from annotation.texts.which_text_counts import COUNTING, Seen, Values, Whose, texts_by_subject
from annotation.texts.writers import writer_names
from exports.files.video_ids import VideoNames


def text_rows(
    store: Store,
    kinds: Collection[str] | None = None,
    whose: Whose = COUNTING,
    values: Values = "current",
    video_ids: Collection[str] | None = None,
    seen: Seen | None = None,
) -> Iterator[dict[str, Json]]:
    """In the order of videos, scenes and kinds; arguments as those of `texts_by_subject`.

    Texts about scenes that a change of the cuts removed are left out, and so are texts without words.
    """
    found = texts_by_subject(store, kinds, whose, values, video_ids, seen=seen)
    names, called = VideoNames(store, "vdc"), writer_names(store)
    scenes = _scene_numbers(store, {about.video_id for about in found})
    for about in sorted(found, key=lambda a: (a.video_id, scenes.get(a.about, 0), a.kind)):
        one = found[about][0]
        here = about.about == about.video_id or about.about in scenes
        if not here or not one.has_words:
            continue
        yield {
            "video_id": names.name(about.video_id),
            "kind": about.kind,
            "scene": scenes.get(about.about),
            "text": one.value,
            "writer": called.get(one.writer, ""),
            "written_by": one.writer.kind,
            "standing": one.standing,
            "baseline": one.by_baseline,
            "text_id": one.text.id,
        }


def _scene_numbers(store: Store, video_ids: Collection[str]) -> dict[str, int]:
    """`{scene key: its number, from 1}` in the cuts that count."""
    found: dict[str, int] = {}
    for video_id in video_ids:
        cuts = store.scene_list(video_id)
        scenes = store.find(Scene, scene_list_id=cuts.id) if cuts else []
        found |= {scene.key: scene.index + 1 for scene in scenes}
    return found
