"""The Keyframes page's data: candidates, progress between them, selections, wording, staleness."""

from __future__ import annotations

from itertools import pairwise

import pytest

from annotation.checks.frame_caption_checks import other_frames
from annotation.editing import edits as services
from annotation.people.who_labels_blind import set_mode, sight_of
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.errors import NotFound
from annotation.records.videos import Frame, Video
from backends.errors import UsageError
from tests.bench import Bench
from ui.pages.keyframes.labels_view import for_person
from ui.pages.keyframes.view import keyframes_json


@pytest.fixture
def shown(bench: Bench):
    """The page's data, read anew."""
    return lambda: keyframes_json(bench.store, bench.media, bench.video.id)


def test_candidates_come_in_order_with_times_and_captions(bench: Bench, shown) -> None:
    frames = shown()["frames"]
    assert [f["index"] for f in frames] == sorted(f.index for f in bench.store.find(Frame))
    assert len(frames) >= 4
    assert [f["seconds"] for f in frames] == pytest.approx([f["index"] / 25 for f in frames])
    assert all(f["caption"]["value"] and f["caption"]["baseline"] for f in frames)


def test_every_neighbouring_pair_has_its_verdict(shown) -> None:
    page = shown()
    indices = [f["index"] for f in page["frames"]]
    assert [p["frames"] for p in page["pairs"]] == [list(p) for p in pairwise(indices)]
    assert all(0 <= p["difference"] <= 1 and p["raw"] and not p["stale"] for p in page["pairs"])


def test_methods_stand_in_a_fixed_order_with_reasons(shown) -> None:
    page = shown()
    rows = {row["key"]: row for row in page["rows"]}
    assert list(rows) == [
        "progression",
        "uniform:progression",
        "clusters",
        "uniform:clusters",
        "clusters:progression",
        "progression:budget",
        "uniform:budget",
        "clusters:budget",
    ]
    progression, uniform = rows["progression"], rows["uniform:progression"]
    labels = {p["frames"][1]: p["label"] for p in page["pairs"]}
    kept = [page["frames"][0]["index"], *(i for i, label in labels.items() if label == "yes")]
    assert progression["frames"] == kept and len(uniform["frames"]) == len(kept)
    assert progression["baseline"] and not uniform["baseline"]
    assert set(progression["reasons"]) == {str(f["index"]) for f in page["frames"]}
    for frame, label in labels.items():
        assert progression["reasons"][str(frame)].startswith("kept" if label == "yes" else "dropped")
    fixed = {len(rows[f"{method}:budget"]["frames"]) for method in ("progression", "uniform", "clusters")}
    assert fixed == {min(6, len(page["frames"]))}
    assert " neighbouring pairs show progress" in rows["progression:budget"]["note"]
    assert len(rows["uniform:clusters"]["frames"]) == len(rows["clusters"]["frames"])
    assert all(0 <= row["redundancy"] <= 1 for row in rows.values() if len(row["frames"]) > 1)


def test_a_blind_person_gets_no_row_that_owes_its_frames_or_its_size_to_verdicts(bench: Bench, shown) -> None:
    page = shown()
    ann = bench.workspace.add_person("ann", "annotator")
    services.pick_frames(bench.store, ann, bench.video.id, [page["frames"][0]["index"]])
    set_mode(bench.store, bench.workspace.owner(), ann.id, True)
    page = keyframes_json(bench.store, bench.media, bench.video.id, person_id=ann.id)
    told = for_person(bench.store, ann, sight_of(bench.store, ann), page)
    assert [row["key"] for row in told["rows"]] == [
        "clusters",
        "uniform:clusters",
        "uniform:budget",
        "clusters:budget",
        "uniform:person",
        "clusters:person",
        f"person:{ann.id}",
    ]


def test_a_corrected_caption_makes_both_its_pairs_stale(bench: Bench, shown) -> None:
    frame = shown()["frames"][1]
    owner = bench.workspace.owner()
    text = frame["caption"]["id"]
    say = {"person_id": owner.id, "base_revision": 0}
    bench.store.correct("text", text, "value", "Darker than in the previous frame.", **say)
    page = shown()
    assert [p["frames"] for p in page["pairs"] if p["stale"]] == [p["frames"] for p in page["pairs"][:2]]
    now = page["frames"][1]
    assert now["caption"]["corrected"]
    assert [now["caption"]["value"][a:b] for a, b in now["other_frames"]] == ["previous frame"]
    say["base_revision"] = 1
    bench.store.correct("text", text, "value", None, **say, cleared=True)
    assert not any(p["stale"] for p in shown()["pairs"])


def test_each_person_has_a_row_and_the_newest_counts(bench: Bench, shown) -> None:
    indices = [f["index"] for f in shown()["frames"]]
    owner, other = bench.workspace.owner(), bench.workspace.add_person("second", "annotator")
    services.pick_frames(bench.store, owner, bench.video.id, indices[:3])
    services.pick_frames(bench.store, other, bench.video.id, indices[1:2])
    services.pick_frames(bench.store, owner, bench.video.id, indices[:1])
    rows = {s["person_id"]: s for s in shown()["rows"] if s["method"] == "person"}
    assert {who: row["frames"] for who, row in rows.items()} == {
        owner.id: indices[:1],
        other.id: indices[1:2],
    }
    assert rows[other.id]["by"] == "second"
    with pytest.raises(UsageError):
        services.pick_frames(bench.store, owner, bench.video.id, [10_000])


def test_an_unreadable_verdict_is_shown_as_such(bench: Bench, shown) -> None:
    pair = bench.store.find(Verdict, subject_type="frame_pair")[0]
    bench.store.add(
        [
            Verdict(
                id="jdg-later",
                video_id=pair.video_id,
                run_id=pair.run_id,
                subject_type="frame_pair",
                subject_id=pair.subject_id,
                value_type="progression",
                created_at=pair.created_at + 60,
                state="unparsed",
                reason="two letters",
                raw="A or B",
                extra=dict(pair.extra),
            )
        ]
    )
    found = next(p for p in shown()["pairs"] if p["frames"] == pair.extra["frames"])
    assert (found["state"], found["label"], found["raw"]) == ("unparsed", "", "A or B")


def test_without_frame_captions_or_file_there_are_no_candidates(bench: Bench) -> None:
    bench.store.add([Video(id="vid-bare", title="bare", created_at=1.0)])
    page = keyframes_json(bench.store, bench.media, "vid-bare")
    assert (page["frames"], page["pairs"], page["rows"]) == ([], [], [])
    assert page["player"]["file"] is False
    assert keyframes_json(bench.store, bench.media, bench.video.id, player=False)["player"] is None
    with pytest.raises(NotFound):
        keyframes_json(bench.store, bench.media, "vid-0")


@pytest.mark.parametrize(
    ("caption", "phrases"),
    [
        ("The pan is hotter than in the previous frame.", ["previous frame"]),
        ("Identical to the first frame; the last two frames differ.", ["first frame", "last two frames"]),
        ("Unlike the next image, the lid is on.", ["next image"]),
        ("As in Frame 2, she holds a knife.", ["Frame 2"]),
        ("The dough is flatter than before.", ["than before"]),
        ("A man frames a picture beside two window frames.", []),
        ("Before lunch, a hand holds one picture frame.", []),
        ("", []),
    ],
)
def test_wording_that_names_other_frames(caption: str, phrases: list[str]) -> None:
    assert [caption[a:b] for a, b in other_frames(caption)] == phrases
