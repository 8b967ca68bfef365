"""Whatever people do, pages, files, rows of programs and previews hold the same words, each under its writer.

Random work through the real services is compared with a plain account of it (`model.py`). What a format
promises to keep is read from `Format.fields` and `Format.keeps`.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import load_workbook

from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import Assignment, Correction, Exclusion, Person
from annotation.records.videos import Alias, Scene, Video
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.store import Store
from backends.errors import UsageError
from exports import dataframes
from exports.catalogue import format_registry as formats
from exports.catalogue.export_preview import preview
from exports.catalogue.format_registry import FORMATS
from exports.generic.verdict_rows import caption_rows, verdict_rows
from tests.databases import new_store
from tests.exports.shown_and_written.drafts import EVALUATIONS, KINDS, PEOPLE, SCRIPT
from tests.exports.shown_and_written.model import PARTS, SOURCES, Claim
from tests.exports.shown_and_written.world import World
from ui.pages.script.view import script_json
from ui.pages.split.view import split_json

KEPT = {name: known.keeps for name, known in FORMATS.items() if known.keeps}
STEPS = 40
NEEDED = ("write", "correct", "judge")
"""What every sequence does at least once, however long that takes."""
OF_TEXTS = [name for name, known in FORMATS.items() if known.texts and known.reader and name in KEPT]
OF_VERDICTS = [n for n, known in FORMATS.items() if known.counts and known.reader and n in KEPT]
QUICK, LONG = range(6), range(100, 160)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.mark.parametrize("seed", QUICK)
def test_a_few_sequences(folder: Path, seed: int) -> None:
    hold(folder, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", LONG)
def test_many_sequences(folder: Path, seed: int) -> None:
    hold(folder, seed)


def hold(folder: Path, seed: int) -> None:
    world = World(folder, seed)
    try:
        step = 0
        while step < STEPS or not all(world.accepted[name] for name in NEEDED):
            world.act()
            step += 1
            if step % 10 == 0:
                pages_show(world)
            assert step < 5 * STEPS, world.accepted
        files_hold(world, folder)
        rows_of_texts_hold(world)
        verdicts_hold(world, folder)
        everything_comes_back(world, folder)
    except AssertionError as error:
        raise AssertionError("\n".join([*world.done, str(error)])) from error
    finally:
        world.close()


# --- pages --------------------------------------------------------------------------------


def pages_show(world: World) -> None:
    for video in world.videos:
        page = split_json(world.store, world.media, video, player=False)
        for name, kinds in (("full", SOURCES), ("spatial", PARTS[:1]), ("temporal", PARTS[1:])):
            found = [world.model.first(video, kind, video) for kind in kinds]
            same(page["texts"][name], next((one for one in found if one), None), f"{video} {name}")
        fields = script_json(world.store, world.media, video)["script"]
        for key in world.keys(video):
            for kind in SCRIPT:
                shown = fields.get(key, {}).get(kind)
                same(shown, world.model.first(video, kind, key), f"{video} {key} {kind}")


def same(shown: object, wanted: Claim | None, where: str) -> None:
    """A text without words may be shown where there is no other."""
    if wanted is None:
        assert not shown or not str(shown["value"]).strip(), (where, shown)
        return
    assert shown and (shown["id"], shown["value"]) == (wanted.text.id, wanted.words), (where, shown)
    kind, who = wanted.writer
    by = shown["corrected_by"] or shown["author"]
    assert (by in NAMES_OF_PEOPLE) == (kind == "person"), (where, by, wanted.writer)
    assert kind != "person" or by == NAMES[kind, who], (where, by, wanted.writer)


# --- files of texts -----------------------------------------------------------------------


CHOICES: list[tuple[str, dict[str, str]]] = [
    ("counting", {}),
    ("references", {"whose": "references"}),
    *((f"person:{one.id}", {"whose": one.name}) for one in PEOPLE),
    *((f"evaluation:{n}", {"evaluation_id": f"model {n}"}) for n in EVALUATIONS),
]
"""Whose texts, as the account calls it and as it is asked for."""


def files_hold(world: World, folder: Path) -> None:
    for name in OF_TEXTS:
        for whose, how in [CHOICES[0], *world.draw.sample(CHOICES[1:], 2)]:
            if "evaluation_id" in how and FORMATS[name].evaluation == "none":
                continue
            wanted = expected(world, name, whose)
            where = f"{name} {whose}"
            shown = preview(FORMATS[name], formats.wanted(world.store, name, **how))
            says(world, shown.rows, wanted, where)
            out = folder / f"{name}-{whose.replace(':', '-')}{FORMATS[name].suffix}"
            try:
                formats.write(world.store, name, out, **how)
            except UsageError:
                assert not any(claim.words.strip() for claim in wanted.values()), (where, wanted)
                continue
            compare(read_back(folder, name, out), wanted, name, where)


Place = tuple[str, str, int]
"""Title of the video, kind of text, index of the scene (-1: the video itself)."""


def expected(world: World, name: str, whose: str) -> dict[Place, Claim]:
    """What the file should hold, by the plain account."""
    found: dict[Place, Claim] = {}
    kinds = FORMATS[name].fields.values()
    for video in world.videos:
        title = f"clip {video[-1]}"
        for kind in kinds:
            if kind.startswith("script:"):
                for scene in current_scenes(world.store, video):
                    claim = world.model.first(video, kind, scene.key, whose)
                    if claim and claim.words.strip():
                        found[title, kind, scene.index] = claim
            elif claim := world.model.first(video, kind, video, whose):
                found[title, kind, -1] = claim
        if FORMATS[name].system == "carebench":
            stand_in(world, video, whose, found)
    return found


def stand_in(world: World, video: str, whose: str, found: dict[Place, Claim]) -> None:
    """A split is written with the caption that it is made from, which may be a detailed one of VDC."""
    place = (f"clip {video[-1]}", "carebench:full", -1)
    detailed = world.model.first(video, "vdc:detailed", video, whose)
    parts = [key for key in found if key[0] == place[0] and key[1] in PARTS]
    if place not in found and parts and detailed:
        found[place] = detailed


def says(world: World, rows: tuple, wanted: dict[Place, Claim], where: str) -> None:
    """The preview counts the same texts under the same writers."""
    fields = FORMATS[where.split()[0]].fields
    counted = {(row.video, fields[f], by) for row in rows for f, cell in row.cells.items() for by in cell.by}
    mine = {(place[0], place[1], NAMES[claim.writer]) for place, claim in wanted.items()}
    assert counted == mine, (where, counted, mine)
    total = sum(cell.count for row in rows for cell in row.cells.values())
    assert total == len(wanted), (where, total, wanted)


NAMES: dict[tuple[str, str], str] = {
    **{("person", one.id): one.name for one in PEOPLE},
    ("dataset", "dst-vdc"): "VDC",
    ("dataset", "dst-care"): "CaReBench",
    **{("run", f"run-captions-{n}"): f"m{n}" for n in EVALUATIONS},
    **{("run", f"run-{n}"): n for n in ("split", "script", "script-b")},
}
"""What the account's writers are called."""
NAMES_OF_PEOPLE = {one.name for one in PEOPLE}


def read_back(folder: Path, name: str, out: Path) -> list[tuple[Place, str]]:
    """Every text of the file, also those that stand in it twice."""
    other = new_store(folder, f"back-{out.stem}")
    batch = formats.read(out, other, name)
    twice = [p for p in batch.problems if "already" in p.what or "twice" in p.what]
    assert not twice, (name, twice)
    formats.commit(other, batch)
    titles = {one.video_id: one.alias for one in other.find(Alias)}
    titles = {one.id: titles.get(one.id, one.title) for one in other.find(Video)}
    scenes = {one.key: one.index for one in other.find(Scene)}
    found = [
        ((titles[one.video_id], one.kind, scenes.get(one.subject_id, -1)), one.value)
        for one in other.find(Text)
    ]
    other.close()
    return found


def compare(found: list[tuple[Place, str]], wanted: dict[Place, Claim], name: str, where: str) -> None:
    kinds = set(FORMATS[name].fields.values())
    found = [(place, words) for place, words in found if place[1] in kinds]
    twice = [place for place, count in Counter(place for place, _ in found).items() if count > 1]
    assert not twice, (where, twice)
    held = {place: plain(name, words) for place, words in found}
    asked = {place: plain(name, claim.words) for place, claim in wanted.items() if claim.words.strip()}
    assert held == asked, where


def plain(name: str, words: str) -> str:
    way = KEPT[name].text
    return words.strip() if way == "stripped" else words.lower() if way == "lower case" else words


def rows_of_texts_hold(world: World) -> None:
    """The DataFrame, and with it the rows of the API, have every text that counts under its writer."""
    for whose, how in CHOICES[:5]:
        frame = dataframes.texts(world.store.url, how.get("whose", ""), (*KINDS, *SCRIPT))
        found = {
            (row.video_id, row.kind, -1 if pd.isna(row.scene) else row.scene - 1): (
                row.text,
                row.writer,
                row.written_by,
            )
            for row in frame.itertuples()
        }
        wanted = {
            place: (claim.words, NAMES[claim.writer], claim.writer[0])
            for name in ("vdc-captions", "vript")
            for place, claim in expected(world, name, whose).items()
        }
        assert len(frame) == len(found)
        assert {place: words for place, words in found.items() if place in wanted} == wanted, whose


# --- verdicts -----------------------------------------------------------------------------


def all_of(world: World, number: str) -> dict:
    return {
        f"What of {key[4:]}?": said[-1]
        for key, said in world.model.verdicts.items()
        if world.model.texts[key[4:]].author[1] == f"run-captions-{number}"
    }


def wanted_of(world: World, number: str) -> dict:
    out = {f"What of {key[4:]}?" for key in world.model.excluded}
    return {key: said[1:] for key, said in all_of(world, number).items() if key not in out}


def verdicts_hold(world: World, folder: Path) -> None:
    for number in EVALUATIONS:
        wanted = wanted_of(world, number)
        rows_hold(world, number, wanted)
        for name in OF_VERDICTS if wanted else ():
            out = folder / f"{name}-{number}"
            formats.write(world.store, name, out, evaluation_id=f"model {number}")
            other = new_store(folder, f"verdicts-{name}-{number}")
            formats.commit(other, formats.read(out, other, name))
            pairs = list(read_verdicts(other))
            found = dict(pairs)
            assert sorted(q for q, _ in pairs) == sorted(all_of(world, number)), (name, number)
            captions_hold(world, other, name, number)
            other.close()
            written = "".join(cells_and_lines(out))
            assert {written.count(q) for q in all_of(world, number)} <= {1}, (name, number)
            if name == "loveu":
                lines = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()]
                by = {line["question"]: line.get("corrected_by", "") for line in lines}
                assert by == {q: PERSON.get(said[0], "") for q, said in all_of(world, number).items()}, (
                    name,
                    number,
                )
                assert len(lines) == len(by)
            assert {key: found.get(key) for key in wanted} == wanted, (name, number)


def cells_and_lines(folder: Path) -> Iterator[str]:
    """What stands in the files of verdicts, since a reader joins what is there twice."""
    for pattern in ("verdicts.jsonl", "*_samples_*.jsonl"):
        yield from (file.read_text(encoding="utf-8") for file in folder.glob(pattern))
    for file in folder.glob("*_score.xlsx"):
        for sheet in load_workbook(file, read_only=True):
            yield from (str(cell) for row in sheet.values for cell in row)


def read_verdicts(store: Store) -> Iterator[tuple[str, tuple[str, float]]]:
    questions = {one.id: one.text for one in store.find(Question)}
    (evaluation,) = {v.run_id for v in store.find(Verdict)}
    assert evaluation
    asked = {one.id: questions[one.question_id] for one in store.find(Answer)}
    for verdict in store.find(Verdict):
        if verdict.subject_id in asked:
            now = store.current("verdict", verdict.id, "verdict").value
            yield asked[verdict.subject_id], (now["label"], float(now["score"]))


PERSON = {one.id: one.name for one in PEOPLE}


def captions_hold(world: World, other: Store, name: str, number: str) -> None:
    titles = {one.id: one.title for one in other.find(Video)}
    titles |= {one.video_id: one.alias for one in other.find(Alias)}
    for whose, mine in ((f"evaluation:{number}", True), ("references", False)):
        if not mine and name != "lmms-eval":
            continue
        texts = [t for t in other.find(Text) if t.kind in KINDS[:5] and bool(t.run_id) is mine]
        found = {(titles[t.video_id], t.kind): str(other.current("text", t.id, "value").value) for t in texts}
        assert len(found) == len(texts), (name, number)
        wanted = {
            (f"clip {video[-1]}", kind): claim.words
            for video in world.videos
            for kind in KINDS[:5]
            if (claim := world.model.first(video, kind, video, whose)) and claim.words.strip()
        }
        if not mine:
            wanted = {k: v for k, v in wanted.items() if k in found}
        assert {k: v for k, v in found.items() if v.strip()} == wanted, (name, number, whose)


def rows_hold(world: World, number: str, wanted: dict[str, tuple[str, float]]) -> None:
    """Rows of the API's table, of DataFrames and of the spreadsheet."""
    about = formats.wanted(world.store, "verdicts-csv", evaluation_id=f"model {number}")
    listed = list(verdict_rows(about))
    rows = {str(row["question"]): row for row in listed}
    assert sorted(str(row["question"]) for row in listed) == sorted(all_of(world, number))
    by = {q: PERSON.get(said[0], "") for q, said in all_of(world, number).items()}
    assert {q: row["corrected_by"] for q, row in rows.items()} == by
    assert {key: (rows[key]["pred"], rows[key]["score"]) for key in wanted} == wanted
    frame = dataframes.verdicts(world.store.url, f"model {number}")
    found = {row.question: (row.pred, row.score) for row in frame.itertuples()}
    assert {key: found[key] for key in wanted} == wanted
    outputs = "".join("".join(part) for _, part in FORMATS["verdicts-csv"].writer(about))
    table = {row["question"]: row for row in csv.DictReader(io.StringIO(outputs.lstrip("\ufeff")))}
    assert {key: (table[key]["pred"], float(table[key]["score"])) for key in wanted} == wanted
    of_captions = list(caption_rows(about))
    captions = {(str(row["video_id"]), str(row["aspect"])): str(row["caption"]) for row in of_captions}
    assert len(captions) == len(of_captions)
    for video in world.videos:
        for kind in KINDS[:5]:
            claim = world.model.first(video, kind, video, f"evaluation:{number}")
            held = captions.get((f"clip {video[-1]}", kind.partition(":")[2]))
            assert (claim.words if claim else "") == (held or ""), (video, kind)


# --- everything ---------------------------------------------------------------------------


def everything_comes_back(world: World, folder: Path) -> None:
    """In another workspace the pages show the same."""
    out = folder / "all.jsonl"
    formats.write(world.store, "dailies-jsonl", out)
    mine, world.store = world.store, new_store(folder, "moved")
    try:
        formats.commit(world.store, formats.read(out, world.store))
        for kind in (Person, Correction, Exclusion, Assignment):
            assert set(map(repr, world.store.find(kind))) == set(map(repr, mine.find(kind))), kind
        pages_show(world)
        rows_of_texts_hold(world)
        for number in EVALUATIONS:
            rows_hold(world, number, wanted_of(world, number))
    finally:
        world.store.close()
        world.store = mine
