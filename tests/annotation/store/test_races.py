"""What several processes do at the same moment: one does it, the others see it, nobody gets an odd error."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from annotation.editing import assignments
from annotation.editing import edits as services
from annotation.editing.assignments import Place
from annotation.editing.edits import ERROR_SOURCES
from annotation.intake.add_video import add_video
from annotation.people import accounts, login_attempts, login_sessions
from annotation.people.openid_identities import Identity
from annotation.people.openid_identities import log_in as log_in_through
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.captions_to_verdicts import Question, Text, Verdict
from annotation.records.decisions import ErrorSource, Person, Study
from annotation.records.elements import Element
from annotation.records.errors import NotAllowed, NotFound
from annotation.records.runs import Evaluation, Run, RunVideo
from annotation.records.videos import Frame, Video
from annotation.stages.link_evaluation import link_evaluation
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.store import Store
from annotation.systems.carebench import element_edits, write_merge_approve
from annotation.systems.progress_captioner import action_name_and_rerun, studies
from annotation.workspace.backup import back_up, restore
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError
from backends.video.pts_tables import load_table
from exports.catalogue import format_registry as formats
from tests.annotation.store.test_store import chain
from tests.backends.clips import numbered, write_clip
from tests.processes import PROCESSES, ROUNDS, at_once

EXPERTS = [
    Person(id=f"per-{n}", name=f"expert {n}", role="admin", created_at=float(n)) for n in range(PROCESSES)
]


@pytest.fixture
def space(database: str, tmp_path: Path):
    """With some experts."""
    made = Workspace(tmp_path / "w", database)
    made.store.add(EXPERTS)
    yield made
    made.close()


def only_one(outcomes: Sequence[Sequence[Any]], gave: str, others: str) -> None:
    for round_ in outcomes:
        lost = [one for one in round_ if one != gave]
        assert len(lost) == PROCESSES - 1, round_
        assert all(others in one for one in lost), round_


# --- names ---------------------------------------------------------------------------------


def make_evaluation(own: Workspace, turn: int, number: int) -> str:
    runs = [own.store.get(Run, f"run-{turn}-{number}-{role}") for role in ("captions", "verdicts")]
    return link_evaluation(own.store, [("captions", runs[0]), ("verdicts", runs[1])], f"of {turn}").name


def test_evaluations_that_want_one_name_at_once_all_get_one(space: Workspace) -> None:
    space.store.add(
        [
            Run(id=f"run-{turn}-{number}-{stage}", stage=stage, backend="b", model="m", created_at=1.0)
            for turn in range(ROUNDS)
            for number in range(PROCESSES)
            for stage in ("captions", "verdicts")
        ]
    )
    for turn, names in enumerate(at_once(space, make_evaluation)):
        assert sum(name == f"of {turn}" for name in names) == 1, names
        assert all(name.startswith(f"of {turn}") for name in names), names
    assert space.store.count(Evaluation) == ROUNDS * PROCESSES


def captioned_twice() -> list[Any]:
    texts = [
        Text(
            id=f"txt-{run}-{n}",
            video_id="vid-1",
            kind="frame",
            subject_type="frame",
            subject_id=f"frm-{n}",
            value="a frame",
            created_at=1.0,
            run_id=run,
        )
        for run in ("run-1", "run-2")
        for n in range(3)
    ]
    runs = [Run(id=run, stage="frames", backend="b", model=run, created_at=1.0) for run in ("run-1", "run-2")]
    frames = [Frame(id=f"frm-{n}", video_id="vid-1", index=n, pts=n) for n in range(3)]
    return [Video(id="vid-1", title="v", created_at=1.0), *runs, *frames, *texts]


def make_study(own: Workspace, turn: int, number: int) -> str:
    studies.create(own.store, EXPERTS[number], f"study {turn}", ["run-1", "run-2"])
    return "made"


def test_of_studies_of_one_name_one_is_made_and_the_others_are_told(space: Workspace) -> None:
    space.store.add(captioned_twice())
    only_one(at_once(space, make_study), "made", "already exists; choose another name")


def choose_or_close(own: Workspace, turn: int, number: int) -> str:
    study = own.store.get(Study, own.store.find(Study, name=f"study {turn}")[0].id)
    if number == 0:
        studies.close(own.store, EXPERTS[0], study.id)
    else:
        studies.choose(own.store, EXPERTS[number], study.id, (0, 0), studies.Pick(0))
    return "ok"


def test_no_choice_comes_after_a_study_is_closed(space: Workspace) -> None:
    space.store.add(captioned_twice())
    for turn in range(ROUNDS):
        studies.create(space.store, EXPERTS[0], f"study {turn}", ["run-1", "run-2"])
    for outcome in at_once(space, choose_or_close):
        assert all(one == "ok" or "is closed" in one for one in outcome), outcome
    for study in space.store.find(Study):
        assert study.closed_at is not None
        assert all(row.created_at < study.closed_at for row in studies.choices(space.store, study).values())


# --- work of people ------------------------------------------------------------------------


def open_merge(own: Workspace, turn: int, number: int) -> str:
    write_merge_approve.begin_merge(own.store, EXPERTS[number], f"vid-{turn}")
    return "mine"


def test_of_experts_who_open_a_merge_at_once_one_has_it(space: Workspace) -> None:
    for turn in range(ROUNDS):
        space.store.add([Video(id=f"vid-{turn}", title=f"v {turn}", created_at=1.0)])
        assignments.assign(space.store, EXPERTS[0], [f"vid-{turn}"], EXPERTS[0].id, "aspects")
        assignments.set_state(space.store, EXPERTS[0], Place(f"vid-{turn}", EXPERTS[0].id, "aspects"), "done")
    only_one(at_once(space, open_merge), "mine", "withdraw that task")
    assert [
        len(write_merge_approve.work_on(space.store, f"vid-{turn}", "merge")) for turn in range(ROUNDS)
    ] == [1] * ROUNDS


def verdicts(space: Workspace) -> None:
    space.store.add(chain())
    space.store.add(
        [
            Verdict(
                id=f"jdg-of-{turn}",
                subject_type="answer",
                subject_id="ans-1",
                label="yes",
                score=4.0,
                value_type="yes_no_score",
                state="done",
                source_hash="",
                run_id="run-1",
                video_id="vid-1",
                created_at=2.0,
            )
            for turn in range(4 * ROUNDS)
        ]
    )


def set_error_source(own: Workspace, turn: int, number: int) -> str:
    return services.set_error_source(own.store, EXPERTS[number], f"jdg-of-{turn}", ERROR_SOURCES[number]).kind


def test_the_newest_error_source_is_the_one_that_lists_show(space: Workspace) -> None:
    verdicts(space)
    assert at_once(space, set_error_source, 4 * ROUNDS) == [list(ERROR_SOURCES[:PROCESSES])] * (4 * ROUNDS)
    for turn in range(4 * ROUNDS):
        rows = space.store.find(ErrorSource, verdict_id=f"jdg-of-{turn}", order_by=["created_at", "id"])
        assert rows[-1].kind == space.store.current("verdict", f"jdg-of-{turn}", "verdict").error_source


def add_element(own: Workspace, turn: int, number: int) -> int:
    return element_edits.add_element(own.store, EXPERTS[number], "txt-1", "object", f"{turn} {number}").index


def test_elements_that_are_added_at_once_have_a_place_each(space: Workspace) -> None:
    verdicts(space)
    found = sorted(place for round_ in at_once(space, add_element) for place in round_)
    assert found == list(range(ROUNDS * PROCESSES))
    assert space.store.count(Element) == ROUNDS * PROCESSES


# --- accounts ------------------------------------------------------------------------------


def accounts_of(space: Workspace) -> None:
    for turn in range(ROUNDS):
        space.store.add([Person(id=f"per-of-{turn}", name=f"of {turn}", role="annotator", created_at=9.0)])
        accounts.set_password(space.store, f"per-of-{turn}", "correct horse")


def log_in_while(own: Workspace, turn: int, number: int, change: Callable[[Store, str], None]) -> str:
    """The session's token; process 0 changes the account while the passwords are compared."""
    if number:
        try:
            return login_sessions.log_in(own.store, f"of {turn}", "correct horse", f"10.0.{turn}.{number}")
        except NotAllowed as error:
            assert str(error) == "wrong name or password"
            return ""
    time.sleep(0.03)
    change(own.store, f"per-of-{turn}")
    return ""


def keep_out(store: Store, person_id: str) -> None:
    accounts.set_disabled(store, person_id, True)


def other_password(store: Store, person_id: str) -> None:
    accounts.set_password(store, person_id, "another horse")


@pytest.mark.parametrize("change", [keep_out, other_password])
def test_no_login_outlives_the_end_of_the_account(space: Workspace, change) -> None:
    accounts_of(space)
    outcomes = at_once(space, partial(log_in_while, change=change))
    tokens = [token for round_ in outcomes for token in round_ if token]
    assert [token for token in tokens if login_sessions.person_of(space.store, token)] == []


def test_who_is_kept_out_meanwhile_comes_in_through_no_provider(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Identity("https://login.example.org", "sub-1", "ada")
    log_in_through(space.store, known, "annotator", "10.0.0.1")
    other, look = Store(space.store.url), accounts.is_disabled
    with ThreadPoolExecutor(1) as admin:

        def look_slowly(store: Store, person_id: str) -> bool:
            found = look(store, person_id)
            admin.submit(keep_out, other, person_id)
            time.sleep(0.3)
            return found

        monkeypatch.setattr(accounts, "is_disabled", look_slowly)
        token = log_in_through(space.store, known, "annotator", "10.0.0.1")
    assert login_sessions.person_of(space.store, token) is None
    other.close()


def guess(own: Workspace, turn: int, number: int) -> Counter[str]:
    """Several wrong passwords at once."""

    def one(which: int) -> str:
        try:
            return login_sessions.log_in(
                own.store, f"nobody {turn} {number} {which}", "wrong", f"10.9.{turn}.1"
            )
        except login_attempts.TooManyTries:
            return "wait"
        except NotAllowed:
            return "wrong"

    with ThreadPoolExecutor(6) as pool:
        return Counter(pool.map(one, range(6)))


def test_guesses_at_once_are_no_more_than_one_after_the_other(space: Workspace) -> None:
    for outcome in at_once(space, guess, 2):
        told = sum(outcome, Counter())
        assert told == {"wrong": login_attempts.TRIES, "wait": 6 * PROCESSES - login_attempts.TRIES}


# --- files ---------------------------------------------------------------------------------


def clip_of(folder: Path, number: int) -> Path:
    return write_clip(folder / f"clip {number}.mp4", [numbered(number + n) for n in range(3)])


def add_file(own: Workspace, turn: int, _number: int, clips: Sequence[Path]) -> str:
    return add_video(own.store, own.media, clips[turn]).id


def test_a_file_that_is_added_by_all_at_once_is_one_video(space: Workspace, tmp_path: Path) -> None:
    clips = [clip_of(tmp_path, n) for n in range(ROUNDS)]
    for ids in at_once(space, partial(add_file, clips=clips)):
        assert len(set(ids)) == 1, ids
        assert len(load_table(space.media / ids[0] / "pts.npz").pts)
    assert space.store.count(Video) == ROUNDS
    assert not list(space.media.rglob("*.part*")), "nothing half-done is left"


def name_or_add(own: Workspace, turn: int, number: int, clips: Sequence[Path], ids: Sequence[str]) -> str:
    if number:
        return add_video(own.store, own.media, clips[turn]).id
    time.sleep(0.004 * turn)
    return action_name_and_rerun.name_action(own.store, EXPERTS[0], ids[turn], f"action {turn}").id


def test_what_a_person_says_of_a_video_survives_its_file_coming_again(
    space: Workspace, tmp_path: Path
) -> None:
    rounds = 2 * ROUNDS
    clips = [clip_of(tmp_path, n) for n in range(rounds)]
    ids = [add_video(space.store, space.media, clip).id for clip in clips]
    at_once(space, partial(name_or_add, clips=clips, ids=ids), rounds)
    assert [space.store.get(Video, id_).action for id_ in ids] == [f"action {n}" for n in range(rounds)]


def import_one(own: Workspace, turn: int, number: int, files: Sequence[Sequence[Path]]) -> str:
    with own.importing():
        formats.commit(own.store, formats.read(files[turn][number], own.store))
    return "imported"


def test_files_that_name_one_new_video_at_once_make_it_once(space: Workspace, tmp_path: Path) -> None:
    """Questions of several aspects for a video that none of them finds yet."""
    names = [f"{aspect}.jsonl" for aspect in VDC_ASPECTS[:PROCESSES]]
    files = [[tmp_path / str(turn) / name for name in names] for turn in range(ROUNDS)]
    for turn, row in enumerate(files):
        row[0].parent.mkdir()
        for file in row:
            asked = [{"question": f"What is in {file.stem}?", "answer": "A boat"}]
            file.write_text(json.dumps({f"film-{turn}": asked}) + "\n", encoding="utf-8")
    given = at_once(space, partial(import_one, files=files))
    assert given == [["imported"] * PROCESSES] * ROUNDS
    assert space.store.count(Video) == ROUNDS and space.store.count(Question) == ROUNDS * PROCESSES


def restore_there(own: Workspace, turn: int, _number: int, archive: Path) -> str:
    restore(archive, own.path.parent / f"restored {turn}")
    return "restored"


def test_of_two_who_restore_into_one_folder_one_does(space: Workspace, tmp_path: Path) -> None:
    (space.path / "videos").mkdir()
    (space.path / "videos" / "one.mp4").write_bytes(b"a film")
    back_up(space.path, tmp_path / "all.tar", space.store.url)
    only_one(at_once(space, partial(restore_there, archive=tmp_path / "all.tar"), 2), "restored", "not empty")
    folder = tmp_path / "restored 0"
    assert sorted(path.name for path in folder.iterdir() if "dailies.db" not in path.name) == [
        "media",
        "settings.toml",
        "videos",
    ]
    assert [path.name for path in (folder / "videos").iterdir()] == ["one.mp4"]


# --- the store -----------------------------------------------------------------------------


def test_what_is_looked_at_while_writing_is_what_is_written(space: Workspace) -> None:
    with space.store.writing():
        space.store.add([Video(id="vid-9", title="v", created_at=1.0)])
        assert space.store.get(Video, "vid-9").title == "v"
        with pytest.raises(NotFound), space.store.writing():
            space.store.add([Video(id="vid-8", title="v", created_at=1.0)])
            raise NotFound("given up")
        assert space.store.find(Video, id="vid-8") == []
    assert [video.id for video in space.store.find(Video)] == ["vid-9"]
    with pytest.raises(UsageError), space.store.writing():
        space.store.remove_video("vid-9")
        raise UsageError("given up")
    assert space.store.count(Video) == 1


def test_many_requests_at_once_wait_for_each_other_and_for_nothing_else(space: Workspace) -> None:
    """More than there are connections, each of which looks and then acts."""
    people = [Person(id=f"per-of-{n}", name=f"of {n}", role="annotator", created_at=9.0) for n in range(40)]
    space.store.add(people)
    with ThreadPoolExecutor(len(people)) as pool:
        begin = time.monotonic()
        done = pool.map(lambda person: accounts.set_role(space.store, person.id, "expert").role, people)
        assert set(done) == {"expert"}
    assert time.monotonic() - begin < 20


def test_those_who_read_need_not_wait_for_those_who_wait_to_write(space: Workspace) -> None:
    with ThreadPoolExecutor(30) as pool:
        with space.store.writing():
            waiting = [
                pool.submit(space.store.add, [Video(id=f"vid-{n}", title="v", created_at=1.0)])
                for n in range(25)
            ]
            reader = Store(space.store.url)  # a schema that is there is not written again
            with ThreadPoolExecutor(1) as one:
                assert one.submit(space.store.count, Video).result(5) == 0
            reader.close()
        assert [future.result(20) for future in waiting] == [1] * 25


def test_progress_of_a_video_that_was_removed_is_an_error_of_ours(space: Workspace) -> None:
    space.store.add(chain())
    row = RunVideo(
        id="rv-1", run_id="run-1", video_id="vid-1", stage="probe", state="running", updated_at=1.0
    )
    space.store.put(row)
    space.store.remove_video("vid-1")
    with pytest.raises(NotFound, match="no longer exists"):
        space.store.put(row)
    assert current_scenes(space.store, "vid-1") == []
