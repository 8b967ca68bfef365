"""Files of retrieval: npz, Parquet, JSON; what they give, what they refuse, and the reports on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.records.errors import FormatError
from annotation.reports.report_type import Options
from annotation.store.benchmark_of_evaluation import evaluations_of
from backends.errors import DailiesError, UsageError
from exports.carebench.retrieval_files import read_recalls, read_settings
from exports.carebench.retrieval_report import lines, rebias_reports, retrieval_reports
from exports.catalogue import format_registry as formats
from tests.databases import new_store
from tests.exports.carebench.capst_files import metadata
from ui.pages.scores.benchmarks_view import system_json

LEADERBOARD = {"model": "CaRe 7B", "spatial": 90.83, "temporal": 77.35}
"""Means of the six recalls of the leaderboard; the paper prints a ReBias of 17.53."""
DRAW = np.random.default_rng(3)
VIDEOS = np.array([f"v_{n}.mp4" for n in range(30)])


def similarity(noise: float) -> np.ndarray:
    return np.eye(30) + DRAW.normal(scale=noise, size=(30, 30))


def both(path: Path, **more: Any) -> Path:
    np.savez(
        path,
        spatial_similarity=similarity(0.2),
        temporal_similarity=similarity(0.7),
        video_ids=VIDEOS,
        text_ids=VIDEOS,
        **more,
    )
    return path


def value(report: dict[str, Any], metric: str, policy: str, **group: str) -> Any:
    rows = [r for r in report["rows"] if (r["metric"], r["policy"], r["group"]) == (metric, policy, group)]
    assert len(rows) == 1
    return rows[0]


def test_the_leaderboard_gives_the_figures_of_both_orientations(tmp_path: Path) -> None:
    file = tmp_path / "leaderboard.json"
    file.write_text(json.dumps([LEADERBOARD]))
    (report,) = rebias_reports(new_store(tmp_path), Options(files=(file,)))
    formula = value(report, "ReBias", "as given", orientation="temporal over spatial")
    printed = value(report, "ReBias", "as given", orientation="spatial over temporal")
    assert f"{100 * formula['value']:.2f} {100 * printed['value']:.2f}" == "14.84 17.43"
    assert formula["low"] is None and "as the paper's formula" in formula["note"]
    assert any("14.84 %" in line for line in lines(report))


def test_the_ways_to_write_recalls_read_the_same(tmp_path: Path) -> None:
    six = [77.0, 95.6, 98.0, 79.0, 96.8, 99.0]
    nested = {
        "t2v": {"R@1": 77.0, "R@5": 95.6, "R@10": 98.0},
        "v2t": {"R@1": 79.0, "R@5": 96.8, "R@10": 99.0},
    }
    ways = ("image_retrieval", "text_retrieval")
    printed = {
        f"{name}_recall@{k}": six[3 * n + i] for n, name in enumerate(ways) for i, k in enumerate((1, 5, 10))
    }
    shares = [x / 100 for x in six]
    found = []
    for form in (six, nested, printed, shares):
        file = tmp_path / "one.json"
        file.write_text(json.dumps({"general": form, "captioning_f1": 33.4}))
        (sheet,) = read_recalls(file)
        found.append({key: round(number, 9) for key, number in sheet.settings["general"].each.items()})
        (report,) = retrieval_reports(new_store(tmp_path, f"s{len(found)}"), Options(files=(file,)))
        assert value(report, "unified score", "as given")["value"] == pytest.approx(0.557)
    assert all(each == found[0] for each in found) and found[0]["t2v", 1] == 0.77


def test_an_npz_of_two_settings(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    annotations = tmp_path / "metadata.json"
    annotations.write_text(
        json.dumps([metadata(name, f"Caption of {name}.") for name in VIDEOS[:5].tolist()])
    )
    formats.commit(store, formats.read(annotations, store))
    file = both(tmp_path / "CaRe.npz")
    (report,) = rebias_reports(store, Options(files=(file,), policies=("pessimistic",)))
    found = value(report, "ReBias", "pessimistic", orientation="temporal over spatial")
    assert 0 < found["low"] < found["value"] < found["high"] and found["n"] == 30
    means = [value(report, "mean recall", "pessimistic", setting=s)["value"] for s in ("temporal", "spatial")]
    assert found["value"] == pytest.approx(abs(1 - means[0] / means[1]))
    missed = report["missed"]
    assert missed and all(one["spatial_rank"] <= 1 < one["temporal_rank"] for one in missed)
    here = {one["video"]: bool(one["video_id"]) for one in missed}
    assert here == {name: name in VIDEOS[:5] for name in here}
    (recall,) = retrieval_reports(store, Options(files=(file,)))
    assert len(recall["rows"]) == 3 * 2 * (2 * 3 + 1)

    assert formats.detect(file) == "retrieval"
    formats.commit(store, formats.read(file, store))
    assert formats.commit(store, formats.read(file, store)) == {}
    (kept,) = rebias_reports(store, Options(policies=("pessimistic",)))
    assert value(kept, "ReBias", "pessimistic", orientation="temporal over spatial") == found
    assert len(retrieval_reports(store, Options(evaluation="retrieval: CaRe"))[0]["rows"]) == len(
        recall["rows"]
    )
    page = system_json(store, "retrieval")
    assert page["evaluation"] == "retrieval: CaRe" and [e.name for e in evaluations_of(store, "rebias")]
    shown = {(r["policy"], str(r["group"]), r["metric"]): r["value"] for r in page["rows"]}
    assert shown["pessimistic", str(found["group"]), "ReBias"] == pytest.approx(found["value"], abs=1e-5)
    links = [item["href"] for item in page["lists"][0]["items"]]
    assert any(link.startswith("/split?video=vid-") for link in links)
    out = tmp_path / "recalls.json"
    formats.write(store, "retrieval", out)
    assert formats.detect(out) == "retrieval"
    (sheet,) = read_recalls(out)
    assert sheet.settings["temporal"].mean == pytest.approx(
        next(
            r["value"]
            for r in recall["rows"]
            if (r["metric"], r["policy"]) == ("mean recall", "expected")
            and r["group"] == {"setting": "temporal"}
        )
    )


def test_files_of_one_setting_each_and_embeddings(tmp_path: Path) -> None:
    vectors = DRAW.normal(size=(20, 8))
    for name, noise in (("spatial", 0.1), ("temporal", 2.0)):
        texts = vectors + DRAW.normal(scale=noise, size=(20, 8))
        np.savez(tmp_path / f"CaRe_{name}.npz", text_embeddings=texts, video_embeddings=vectors)
    files = tuple(tmp_path / f"CaRe_{name}.npz" for name in ("spatial", "temporal"))
    (report,) = rebias_reports(new_store(tmp_path), Options(files=files))
    assert report["evaluation"] == "CaRe"
    with pytest.raises(UsageError, match="needs spatial and temporal"):
        rebias_reports(new_store(tmp_path), Options(files=files[:1]))


def test_imported_files_of_one_model_are_one_evaluation(tmp_path: Path) -> None:
    """The page shows ReBias where one file brought what is seen and another what happens."""
    store = new_store(tmp_path)
    for name, noise in (("CaRe_spatial", 0.2), ("CaRe_temporal", 0.7), ("CLIP_temporal", 0.5)):
        np.savez(tmp_path / f"{name}.npz", similarity=similarity(noise), video_ids=VIDEOS, text_ids=VIDEOS)
        formats.commit(store, formats.read(tmp_path / f"{name}.npz", store))
    assert [e.name for e in evaluations_of(store, "rebias")] == ["retrieval: CLIP", "retrieval: CaRe"]
    files = tuple(tmp_path / f"CaRe_{name}.npz" for name in ("spatial", "temporal"))
    (both_files,) = rebias_reports(store, Options(files=files))
    (kept,) = rebias_reports(store, Options(evaluation="retrieval: CaRe"))
    assert kept["rows"] == both_files["rows"] and kept["missed"] == both_files["missed"]
    assert kept["about"] == ["spatial from CaRe_spatial.npz", "temporal from CaRe_temporal.npz"]
    care = next(e for e in evaluations_of(store, "rebias") if e.name == "retrieval: CaRe")
    page = system_json(store, "retrieval", care.id)
    assert {row["metric"] for row in page["rows"]} >= {"ReBias", "R@1"}
    assert "CaRe_temporal.npz" in page["about"] and page["lists"]
    # The same file again changes nothing; another file of a setting that is there stands by itself.
    assert formats.commit(store, formats.read(files[1], store)) == {}
    np.savez(files[1], similarity=similarity(0.9), video_ids=VIDEOS, text_ids=VIDEOS)
    formats.commit(store, formats.read(files[1], store))
    names = [e.name for e in evaluations_of(store, "rebias")]
    assert len(names) == 3 and names[0].startswith("retrieval: CaRe (")
    (again,) = rebias_reports(store, Options(evaluation="retrieval: CaRe"))
    assert again["rows"] == kept["rows"]


def test_two_runs_of_one_model_are_never_mixed(tmp_path: Path) -> None:
    store, files = new_store(tmp_path), {}
    for run in ("one", "two"):
        (tmp_path / run).mkdir()
        for name in ("spatial", "temporal"):
            files[run, name] = tmp_path / run / f"CaRe_{name}.npz"
            np.savez(files[run, name], similarity=similarity(0.4), video_ids=VIDEOS, text_ids=VIDEOS)
    # Of the first run's setting and the second's nothing tells which goes with a third file.
    for key in (("one", "spatial"), ("two", "spatial"), ("one", "temporal")):
        formats.commit(store, formats.read(files[key], store))
    assert len(evaluations_of(store, "rebias")) == 3
    with pytest.raises(UsageError, match="both hold spatial of CaRe: give the files of one run at a time"):
        rebias_reports(store, Options(files=tuple(files.values())))
    (report,) = rebias_reports(store, Options(files=(files["two", "spatial"], files["two", "temporal"])))
    assert report["evaluation"] == "CaRe"


def test_parquet_gives_what_npz_gives(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    scores = similarity(0.5)
    file, plain = tmp_path / "x_spatial.parquet", tmp_path / "x_spatial.npz"
    pairs = [(f"t{a}", f"v{b}") for a in range(30) for b in range(30)]
    columns = {
        "text": [a for a, _ in pairs],
        "video": [b for _, b in pairs],
        "similarity": scores.ravel(),
        "positive": [a[1:] == b[1:] for a, b in pairs],
    }
    parquet.write_table(pyarrow.table(columns), file)
    np.savez(plain, similarity=scores)
    one, other = (read_settings(path)[0] for path in (file, plain))
    assert one.name == other.name == "spatial"
    np.testing.assert_array_equal(one.similarity, other.similarity)
    np.testing.assert_array_equal(one.positive, other.positive)
    rows = {
        "side": ["text", "text", "video"],
        "id": ["a", "b", "c"],
        "video": ["c", "c", None],
        "embedding": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
    }
    parquet.write_table(pyarrow.table(rows), file)
    (found,) = read_settings(file)
    assert found.positive.tolist() == [[True], [True]] and found.similarity[0, 0] == pytest.approx(0.5**0.5)
    parquet.write_table(
        pyarrow.table({"text": ["a", "b"], "video": ["c", "d"], "similarity": [1.0, 0.0]}), file
    )
    with pytest.raises(FormatError, match="2 of 4 pairs"):
        read_settings(file)


class Harmless:
    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("run",))


@pytest.mark.parametrize(
    ("arrays", "why"),
    [
        ({"similarity": np.ones((2, 3))}, "without ids"),
        ({"similarity": np.ones(3)}, "must be"),
        ({"similarity": np.array([["a"]])}, "give numbers"),
        ({"similarity": np.ones((2, 2)), "positives": np.ones((2, 3))}, "positives has the shape"),
        ({"similarity": np.ones((2, 2)), "text_ids": np.array(["a"])}, "1 names for 2"),
        ({"similarity": np.ones((2, 2)), "video_ids": np.array(["a", "a"])}, "same id"),
        ({"similarity": np.ones((2, 2)), "text_ids": np.array(["a", "b"])}, "no text belongs"),
        ({"text_embeddings": np.zeros((2, 2)), "video_embeddings": np.ones((2, 2))}, "no direction"),
        ({"other": np.ones(2)}, "missing arrays"),
        ({"similarity": np.array([[Harmless()]], dtype=object)}, "plain arrays"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    tmp_path: Path, arrays: dict[str, Any], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(FormatError, match=why):
        read_settings(tmp_path / "x.npz")
    assert "run" not in capsys.readouterr().out, "nothing of a pickle is executed"


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"spatial": "x"}', '{"spatial": {"t2v": 3}}', '{"spatial": 400}', "[3]"]
)
def test_recalls_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(DailiesError) as caught:
        read_recalls(tmp_path / "x.json")
    assert "\n" not in str(caught.value)


def test_files_have_to_be_named(tmp_path: Path) -> None:
    for reports in (retrieval_reports, rebias_reports):
        with pytest.raises(UsageError, match="name files"):
            reports(new_store(tmp_path), Options())
        with pytest.raises(UsageError, match="is not there"):
            reports(new_store(tmp_path), Options(files=(tmp_path / "none.npz",)))
        with pytest.raises(UsageError, match="no rule for ties"):
            reports(new_store(tmp_path), Options(policies=("lucky",)))


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"text": ["a"], "video": ["a"], "similarity": ["high"]}, "'high'; give a number"),
        ({"text": ["a", "a"], "video": ["a", "a"], "similarity": [1.0, 2.0]}, "a, a is repeated"),
        ({"side": ["text", "clip"], "id": ["a", "a"], "embedding": [[1.0], [1.0]]}, "'clip'; use text or"),
        ({"side": ["text"], "id": ["a"], "embedding": [[1.0]]}, "no row has the side video"),
    ],
)
def test_a_parquet_that_does_not_fit_is_refused(tmp_path: Path, columns: dict[str, Any], why: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), tmp_path / "x.parquet")
    with pytest.raises(FormatError, match=why):
        read_settings(tmp_path / "x.parquet")


def test_a_value_without_order_is_named_by_its_place(tmp_path: Path) -> None:
    scores = np.eye(3)
    scores[1, 2] = np.nan
    np.savez(tmp_path / "x.npz", similarity=scores)
    with pytest.raises(FormatError, match=r"x.npz.*1 of 9 .* row 1, column 2"):
        read_settings(tmp_path / "x.npz")


def test_ids_of_bytes_are_names_and_a_pickle_is_never_advised(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "x.npz",
        similarity=np.eye(2),
        text_ids=np.array([b"a", b"b"]),
        video_ids=np.array(["a", "b"]),
    )
    assert read_settings(tmp_path / "x.npz")[0].texts == ("a", "b")
    (tmp_path / "y.npz").write_text("hello")
    with pytest.raises(FormatError) as caught:
        read_settings(tmp_path / "y.npz")
    assert "pickle" not in str(caught.value) and "numpy.savez" in str(caught.value)


@pytest.mark.parametrize(
    ("sheet", "why"),
    [
        ({"spatial": 0.9083, "temporal": 77.35}, "all in percent or all as shares"),
        ({"spatial": {"t2v": {"R@1": 77, "R@5": 95}}, "temporal": {"t2v": {"R@1": 50}}}, "different recalls"),
    ],
)
def test_recalls_that_do_not_compare_give_no_rebias(tmp_path: Path, sheet: dict[str, Any], why: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps(sheet))
    with pytest.raises(DailiesError, match=why):
        rebias_reports(new_store(tmp_path), Options(files=(file,)))


def test_rebias_wants_the_same_videos(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    for name, ids in (("spatial", VIDEOS[:20]), ("temporal", VIDEOS[10:])):
        size = len(ids)
        np.savez(tmp_path / f"M_{name}.npz", similarity=np.eye(size), text_ids=ids, video_ids=ids)
    files = tuple(tmp_path / f"M_{name}.npz" for name in ("spatial", "temporal"))
    (report,) = rebias_reports(store, Options(files=files))
    assert "10 of them the same" in report["about"][0] and report["about"][0] in lines(report)
    np.savez(files[0], similarity=np.eye(10), text_ids=VIDEOS[:10], video_ids=VIDEOS[:10])
    with pytest.raises(UsageError, match="no video in common"):
        rebias_reports(store, Options(files=files))
    for file in files:
        formats.commit(store, formats.read(file, store))
    page = system_json(store, "retrieval")
    assert "no video in common" in page["about"] and {row["metric"] for row in page["rows"]} >= {"R@1"}
    assert "ReBias" not in {row["metric"] for row in page["rows"]}
