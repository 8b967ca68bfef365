"""Videos that a dataset names get their files from a folder, by id; what does not fit is said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotation.errors import MediaError
from annotation.pipeline.attaching import attach_folder
from annotation.pipeline.footage import add_video
from annotation.records import Alias, Dataset, Video
from annotation.workspace import Workspace
from exports import formats
from tests.backends.clips import textured, write_clip
from tests.pipeline.test_pipeline import Bench


def clip_of(path: Path, seed: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    made = write_clip(path.with_name(f"{seed}.mp4"), [textured(seed, 90.0)] * 5)
    shutil.move(made, path)
    return path


def asked(workspace: Workspace, folder: Path, ids: Sequence[str]) -> None:
    path = folder / "video_mmlu.jsonl"
    lines = [{"video_id": i, "discipline": "Math", "caption": "N.", "captions_qa": []} for i in ids]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    formats.commit(workspace.store, formats.read(path, workspace.store))


def test_files_are_found_by_id_and_the_rest_is_said(workspace: Workspace, tmp_path: Path) -> None:
    asked(workspace, tmp_path, ["-abc", "b.c", "gone", "cut", "twice"])
    folder = tmp_path / "videos"
    for seed, name in enumerate(("-abc.MP4", "deep/b.c.mkv", "twice.mov", "twice.webm", "other.mp4"), 1):
        clip_of(folder / name, seed)
    (folder / "cut.mp4").write_bytes(b"no video")
    (folder / "gone.txt").write_text("no video either")
    found = attach_folder(workspace.store, workspace.media, folder)
    assert found.attached == ["-abc", "b.c", "twice"]
    assert (found.missing, found.unused) == (["cut", "gone"], 1)
    assert [file for file, _ in found.problems] == ["twice.webm", "cut.mp4"]
    assert "has twice.mov already" in found.problems[0][1]
    paths = {v.title: Path(v.path).name for v in workspace.store.find(Video) if v.path}
    assert paths == {"-abc": "-abc.MP4", "b.c": "b.c.mkv", "twice": "twice.mov"}
    assert all(v.facts and v.discipline == "Math" for v in workspace.store.find(Video) if v.path)
    again = attach_folder(workspace.store, workspace.media, folder)
    assert (again.attached, again.missing) == ([], ["cut", "gone"])


def test_a_name_that_fits_two_videos_is_nobodys(workspace: Workspace, tmp_path: Path) -> None:
    store = workspace.store
    store.add([
        Dataset(id="one", name="one", format="vdc"), Dataset(id="two", name="two", format="mmlu"),
        *(Video(id=f"vid-{n}", title=f"Video {n}", created_at=1.0) for n in "ab"),
        Alias(id="als-1", dataset_id="one", alias="same", video_id="vid-a"),
        Alias(id="als-2", dataset_id="two", alias="same", video_id="vid-b"),
    ])  # fmt: skip
    file = clip_of(tmp_path / "videos" / "same.mp4", 1)
    found = attach_folder(store, workspace.media, file.parent)
    assert found.problems == [("same.mp4", "fits 2 videos (Video a, Video b); rename it or the ids")]
    assert found.attached == [] and found.missing == ["Video a", "Video b"]
    with pytest.raises(MediaError, match=r"same\.mp4: fits 2 videos \(Video a, Video b\)"):
        add_video(store, workspace.media, file)
    assert store.count(Video) == 2


def test_a_dropped_file_is_that_of_the_video_a_dataset_calls_like_it(
    workspace: Workspace, tmp_path: Path
) -> None:
    """By its id in the dataset, also where its title is another one."""
    store = workspace.store
    store.add([Dataset(id="one", name="one", format="mmlu"),
               Video(id="vid-a", title="Derivatives, part 1", created_at=1.0),
               Alias(id="als-1", dataset_id="one", alias="-abc_def", video_id="vid-a")])  # fmt: skip
    made = add_video(store, workspace.media, clip_of(tmp_path / "-abc_def.mp4", 1))
    assert (made.id, made.title, store.count(Video)) == ("vid-a", "Derivatives, part 1", 1)


def test_a_file_that_another_video_has_is_named(bench: Bench, tmp_path: Path) -> None:
    asked(bench.workspace, tmp_path, ["copy"])
    folder = tmp_path / "videos"
    folder.mkdir()
    shutil.copy(bench.video.path or "", folder / "copy.mp4")
    found = attach_folder(bench.store, bench.workspace.media, folder)
    assert found.problems == [
        ("copy.mp4", f"is the same file as {bench.video.title!r}, which has it already")
    ]
    assert found.missing == ["copy"]
