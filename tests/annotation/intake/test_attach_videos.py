"""Videos that a dataset names get their files from a folder, by id; what does not fit is said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.intake.add_video import add_video
from annotation.intake.attach_videos import attach_folder
from annotation.intake.remote_lists import attach_list
from annotation.records.videos import Alias, Dataset, Video
from annotation.stages.media_library import MediaLibrary
from annotation.workspace.workspace import Workspace
from backends.errors import MediaError
from exports.catalogue import format_registry as formats
from tests.annotation.pipeline.test_pipeline import Bench
from tests.backends.clips import textured, write_clip


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
    store.add(
        [
            Dataset(id="one", name="one", format="vdc"),
            Dataset(id="two", name="two", format="mmlu"),
            *(Video(id=f"vid-{n}", title=f"Video {n}", created_at=1.0) for n in "ab"),
            Alias(id="als-1", dataset_id="one", alias="same", video_id="vid-a"),
            Alias(id="als-2", dataset_id="two", alias="same", video_id="vid-b"),
        ]
    )
    file = clip_of(tmp_path / "videos" / "same.mp4", 1)
    found = attach_folder(store, workspace.media, file.parent)
    assert found.problems == [
        ("same.mp4", "fits 2 videos (Video a, Video b); rename the file or change the ids")
    ]
    assert found.attached == [] and found.missing == ["Video a", "Video b"]
    with pytest.raises(MediaError, match=r"same\.mp4: fits 2 videos \(Video a, Video b\)"):
        add_video(store, workspace.media, file)
    assert store.count(Video) == 2


def test_a_dropped_file_is_that_of_the_video_a_dataset_calls_like_it(
    workspace: Workspace, tmp_path: Path
) -> None:
    """By its id in the dataset, also where its title is another one."""
    store = workspace.store
    store.add(
        [
            Dataset(id="one", name="one", format="mmlu"),
            Video(id="vid-a", title="Derivatives, part 1", created_at=1.0),
            Alias(id="als-1", dataset_id="one", alias="-abc_def", video_id="vid-a"),
        ]
    )
    made = add_video(store, workspace.media, clip_of(tmp_path / "-abc_def.mp4", 1))
    assert (made.id, made.title, store.count(Video)) == ("vid-a", "Derivatives, part 1", 1)


def test_a_file_that_another_video_has_is_named(bench: Bench, tmp_path: Path) -> None:
    asked(bench.workspace, tmp_path, ["copy"])
    folder = tmp_path / "videos"
    folder.mkdir()
    shutil.copy(bench.video.path or "", folder / "copy.mp4")
    found = attach_folder(bench.store, bench.workspace.media, folder)
    [same] = found.same
    assert (same.file, same.waiting.title, same.here.id) == ("copy.mp4", "copy", bench.video.id)
    assert str(same).startswith(f"is the same file as that of {bench.video.title!r}; join")
    assert found.missing == ["copy"]


def numbered_folder(folder: Path, seconds: Sequence[int]) -> Path:
    import cv2

    folder.mkdir(parents=True)
    for second in seconds:
        cv2.imwrite(str(folder / f"frame{second:03d}.png"), textured(second, 40.0 + 5 * second)[..., ::-1])
    return folder


def by_second(workspace: Workspace, folder: Path, name: str) -> Video:
    files = [f"d/{name}/frame{second:03d}.png" for second in (2, 5)]
    path = folder / f"{name}.json"
    path.write_text(json.dumps([{"idx": 0, "n_frames": 2, "image_files": files, "query0": ""}]))
    formats.commit(workspace.store, formats.read(path, workspace.store))
    return next(v for v in workspace.store.find(Video) if v.title == name)


def test_numbered_pictures_become_a_film_by_second(workspace: Workspace, tmp_path: Path) -> None:
    by_second(workspace, tmp_path, "clip_a")
    numbered_folder(tmp_path / "pictures" / "clip_a", (2, 5, 20))
    found = attach_folder(workspace.store, workspace.media, tmp_path / "pictures")
    assert (found.attached, found.missing, found.problems) == (["clip_a"], [], [])
    video = workspace.store.find(Video)[0]
    assert video.facts and (video.facts.frames, video.facts.fps_avg) == (21, 1.0)
    media = MediaLibrary(workspace.media)
    assert media.table(video).seconds.tolist() == [float(second) for second in range(21)]
    with media.reader(video) as reader:
        shown = {i: float(picture.mean()) for i, picture in reader.frames((0, 2, 4, 5, 19, 20))}
    media.close()
    # Seconds without a picture show the one before; before the first, the first.
    assert shown[0] == pytest.approx(shown[2], abs=2) and shown[4] == pytest.approx(shown[2], abs=2)
    assert shown[5] == pytest.approx(textured(5, 65.0).mean(), abs=4)
    assert shown[20] == pytest.approx(textured(20, 140.0).mean(), abs=4)
    assert shown[19] == pytest.approx(shown[5], abs=2)


def test_a_clip_whose_frames_are_counted_by_second_gets_one_frame_a_second(
    workspace: Workspace, tmp_path: Path
) -> None:
    video = by_second(workspace, tmp_path, "clip_b")
    folder = tmp_path / "videos"
    folder.mkdir()
    write_clip(folder / "clip_b.mp4", [textured(1, 40.0 + i) for i in range(150)])  # 6 s at 25 fps
    own = add_video(workspace.store, workspace.media, folder / "clip_b.mp4")
    assert own.id != video.id  # added by itself it is a video of its own: its frame 5 is no second 5
    workspace.store.remove_video(own.id)
    found = attach_folder(workspace.store, workspace.media, folder)
    assert found.attached == ["clip_b"]
    filmed = workspace.store.get(Video, video.id)
    assert filmed.facts and (filmed.facts.frames, filmed.facts.fps_avg) == (6, 1.0)
    media = MediaLibrary(workspace.media)
    with media.reader(filmed) as reader:
        assert float(reader.frame(5).mean()) == pytest.approx(textured(1, 40.0 + 125).mean(), abs=4)
    media.close()


def test_pictures_that_cannot_be_read_are_said(workspace: Workspace, tmp_path: Path) -> None:
    by_second(workspace, tmp_path, "clip_c")
    folder = numbered_folder(tmp_path / "pictures" / "clip_c", (1,))
    (folder / "frame002.png").write_bytes(b"no picture")
    found = attach_folder(workspace.store, workspace.media, tmp_path / "pictures")
    assert found.missing == ["clip_c"] and "frame002.png: not a readable picture" in found.problems[0][1]


def test_a_list_of_paths_can_call_files_by_their_videos(workspace: Workspace, tmp_path: Path) -> None:
    asked(workspace, tmp_path, ["a", "b", "c", "gone"])
    clip_of(tmp_path / "one" / "a.mp4", 1)
    clip_of(tmp_path / "one" / "other.mp4", 2)
    clip_of(tmp_path / "elsewhere.mp4", 3)
    file = tmp_path / "list.txt"
    file.write_text(f"# by hand\none\nb\telsewhere.mp4\nc\t{tmp_path / 'none.mp4'}\n", encoding="utf-8")
    found = attach_list(workspace, file, lambda *_: None)
    assert (found.attached, found.missing) == (["a", "b"], ["c", "gone"])
    assert [path.name for path in found.rest] == ["other.mp4"]
    assert found.problems == [(str(tmp_path / "none.mp4"), "no such file")]
    assert workspace.store.find(Video, title="b")[0].path == str(tmp_path / "elsewhere.mp4")


def test_lines_of_a_list_that_cannot_be_are_said_and_the_others_go_on(
    workspace: Workspace, tmp_path: Path
) -> None:
    asked(workspace, tmp_path, ["a", "b"])
    one, two = clip_of(tmp_path / "one.mp4", 1), clip_of(tmp_path / "two.mp4", 2)
    lines = ["~nosuchuser/x.mp4", "x" * 5000 + ".mp4", f"a\t{one}", f"a\t{two}"]
    file = tmp_path / "list.txt"
    file.write_text("\n".join(lines), encoding="utf-8")
    found = attach_list(workspace, file, lambda *_: None)
    assert (found.attached, found.missing) == (["a"], ["b"])
    assert workspace.store.find(Video, title="a")[0].path == str(one)
    assert len(found.problems) == 3 and found.problems[-1] == (
        str(two),
        f"a is {one} already in this list; this one is skipped",
    )


def test_of_two_who_attach_the_second_is_told(workspace: Workspace, tmp_path: Path) -> None:
    asked(workspace, tmp_path, ["a"])
    [waiting] = workspace.store.find(Video)
    first, second = clip_of(tmp_path / "1" / "a.mp4", 1), clip_of(tmp_path / "2" / "a.mp4", 2)
    add_video(workspace.store, workspace.media, first, waiting=waiting)
    with pytest.raises(MediaError, match="this one is skipped"):
        add_video(workspace.store, workspace.media, second, waiting=waiting)
    assert workspace.store.find(Video)[0].path == str(first)


def test_pictures_are_those_of_the_file_that_the_video_has(workspace: Workspace, tmp_path: Path) -> None:
    asked(workspace, tmp_path, ["a"])
    media = MediaLibrary(workspace.media)
    shown = []
    for seed in (1, 2):
        [video] = workspace.store.find(Video)
        workspace.store.put(replace(video, path=None, sha256=None, facts=None))  # taken back
        attach_folder(workspace.store, workspace.media, clip_of(tmp_path / f"{seed}" / "a.mp4", seed).parent)
        [video] = workspace.store.find(Video)
        shown.append([media.thumbnail(video, n, 320).result(30).read_bytes() for n in (1, seed + 1)])
    media.close()
    assert shown[0][0] != shown[1][0] and shown[1][1] != shown[0][1]
