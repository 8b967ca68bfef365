"""One row per text that counts, with its author, for DataFrames and other programs."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from annotation.intake.names_of_videos import VideoNames
from annotation.records.ids import Json
from annotation.records.videos import Scene
from annotation.store.store import Store
from annotation.texts.which_text_counts import COUNTING, Seen, Subject, Values, Whose, texts_by_subject
from annotation.texts.writers import writer_names


def text_rows(
    store: Store,
    kinds: Collection[str] | None = None,
    whose: Whose = COUNTING,
    values: Values = "current",
    video_ids: Collection[str] | None = None,
    seen: Seen | None = None,
) -> Iterator[dict[str, Json]]:
    """Yield rows ordered by video, scene and kind. Arguments are those of `texts_by_subject`.

    Empty texts and texts about removed scenes are left out.
    """
    found = texts_by_subject(store, kinds, whose, values, video_ids, seen=seen)
    names, called = VideoNames(store, "vdc"), writer_names(store)
    scenes = _scene_numbers(store, {subject.video_id for subject in found})

    def place(subject: Subject) -> tuple[str, int, str, str]:
        return subject.video_id, scenes.get(subject.subject_id, 0), subject.kind, subject.subject_id

    for subject in sorted(found, key=place):
        one = found[subject][0]
        gone = one.text.subject_type == "scene" and subject.subject_id not in scenes
        if gone or not one.has_words:
            continue
        yield {
            "video_id": names.name(subject.video_id),
            "kind": subject.kind,
            "about": one.text.subject_type,
            "scene": scenes.get(subject.subject_id),
            "subject_id": subject.subject_id,
            "text": one.value,
            "writer": called.get(one.writer, ""),
            "written_by": one.writer.kind,
            "standing": one.standing,
            "baseline": one.by_baseline,
            "text_id": one.text.id,
        }


def _scene_numbers(store: Store, video_ids: Collection[str]) -> dict[str, int]:
    """Return `{scene key: its number, from 1}` of the current scenes."""
    found: dict[str, int] = {}
    for video_id in video_ids:
        cuts = store.scene_list(video_id)
        scenes = store.find(Scene, scene_list_id=cuts.id) if cuts else []
        found |= {scene.key: scene.index + 1 for scene in scenes}
    return found
