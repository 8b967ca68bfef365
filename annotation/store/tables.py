"""The schema: one table per record of `annotation.records.record_union`, and `current`.

Columns have the names of the record's fields. Structured fields (mappings, tuples,
nested records) are JSON. `current` is derived: it holds the current value of every field
that a person can correct, and is written in the transaction that changes the value, so
that lists do not read histories.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from annotation.records.captions_to_verdicts import Answer, BenchmarkItem, Question, Verdict
from annotation.records.captions_to_verdicts import Text as TextRecord
from annotation.records.decisions import (
    Assignment,
    Correction,
    Dismissal,
    ErrorSource,
    Exclusion,
    FrameLabel,
    Merge,
    Person,
    PinnedFrames,
    Selection,
    Study,
    StudyChoice,
)
from annotation.records.elements import Element, ElementList, Finding
from annotation.records.prompt_versions import PromptLook, PromptUse, PromptVersion
from annotation.records.runs import Evaluation, EvaluationRun, ModelCall, Run, RunVideo
from annotation.records.videos import (
    Alias,
    Dataset,
    Frame,
    Measurement,
    Scene,
    SceneList,
    ScreenText,
    Segment,
    Video,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

SHORT = String(64)
"""Ids, states, kinds."""


def _id() -> Column[str]:
    return Column("id", SHORT, primary_key=True)


def _ref(name: str, table: str, *, nullable: bool = False, index: bool = True) -> Column[str]:
    return Column(name, SHORT, ForeignKey(f"{table}.id"), nullable=nullable, index=index)


def _word(name: str, *, nullable: bool = False, index: bool = False) -> Column[str]:
    return Column(name, SHORT, nullable=nullable, index=index)


def _text(name: str, *, nullable: bool = False) -> Column[str]:
    return Column(name, Text, nullable=nullable)


def _int(name: str, *, nullable: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=nullable)


def _float(name: str, *, nullable: bool = False) -> Column[float]:
    return Column(name, Float(53), nullable=nullable)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False, default=False)


def _json(name: str, *, nullable: bool = False) -> Column[object]:
    return Column(name, JSON(none_as_null=True), nullable=nullable)


def _author() -> tuple[Column[str], Column[str]]:
    return _ref("run_id", "run", nullable=True), _ref("person_id", "person", nullable=True)


dataset = Table("dataset", metadata, _id(), _text("name"), _word("format"), _text("version"), _json("about"))
video = Table(
    "video", metadata, _id(), _text("title"), _float("created_at"), _text("category"),
    _text("discipline"), _text("action"), _text("path", nullable=True),
    Column("sha256", SHORT, nullable=True, index=True), _json("facts", nullable=True), _json("extra"),
    _json("clips"),
)  # fmt: skip
alias = Table(
    "alias", metadata, _id(), _ref("dataset_id", "dataset"), Column("alias", Text, nullable=False),
    _ref("video_id", "video"), UniqueConstraint("dataset_id", "alias"),
)  # fmt: skip
person = Table(
    "person", metadata, _id(), Column("name", String(200), nullable=False, unique=True), _word("role"),
    _float("created_at"),
)  # fmt: skip
run = Table(
    "run", metadata, _id(), _word("stage", index=True), _text("backend"), _text("model"),
    _float("created_at"), _text("endpoint"), _word("prompt_hash"), _json("params"), _int("seed"),
    _json("software"), _json("upstream"), _flag("baseline"), _json("took"),
)  # fmt: skip
run_video = Table(
    "run_video", metadata, _id(), _ref("run_id", "run"), _ref("video_id", "video"), _word("stage"),
    _word("state"), _int("done"), _int("total"), _int("failed"), _text("message"), _float("updated_at"),
    UniqueConstraint("run_id", "video_id", "stage"),
)  # fmt: skip
evaluation = Table(
    "evaluation", metadata, _id(), Column("name", String(200), nullable=False, unique=True),
    _float("created_at"), _text("note"), _flag("baseline"),
)  # fmt: skip
evaluation_run = Table(
    "evaluation_run", metadata, _id(), _ref("evaluation_id", "evaluation"), _word("role"),
    _ref("run_id", "run"), UniqueConstraint("evaluation_id", "role", "run_id"),
)  # fmt: skip
scene_list = Table(
    "scene_list", metadata, _id(), _ref("video_id", "video"), _float("created_at"), _json("detector"),
    *_author(), _word("parent_id", nullable=True), _text("note"),
)  # fmt: skip
scene = Table(
    "scene", metadata, _id(), _ref("scene_list_id", "scene_list"), _ref("video_id", "video"),
    _word("key", index=True), _int("index"), _int("start_frame"), _int("end_frame"), _int("start_pts"),
    _int("end_pts"), _float("start_s"), _float("end_s"), UniqueConstraint("scene_list_id", "index"),
)  # fmt: skip
segment = Table(
    "segment", metadata, _id(), _ref("video_id", "video"), _ref("run_id", "run"), _int("index"),
    _float("start_s"), _float("end_s"), _text("text"), _word("language"), _float("avg_logprob"),
    _float("no_speech_prob"), _json("words"),
)  # fmt: skip
screen_text = Table(
    "screen_text", metadata, _id(), _ref("video_id", "video"), _ref("run_id", "run"), _int("index"),
    _text("text"), _float("score"), _json("box"), _int("frame"), _int("pts"), _int("first_frame"),
    _int("last_frame"), _float("start_s"), _float("end_s"),
)  # fmt: skip
frame = Table(
    "frame", metadata, _id(), _ref("video_id", "video"), _int("index"), _int("pts"),
    UniqueConstraint("video_id", "index"),
)  # fmt: skip
measurement = Table(
    "measurement", metadata, _id(), _ref("video_id", "video"), _ref("run_id", "run"),
    _word("subject_type"), _word("subject_id", index=True), _word("kind"), _json("value"),
)  # fmt: skip
model_call = Table(
    "model_call", metadata, _id(), _text("backend"), _text("model"), _json("request"), _text("reply"),
    _float("created_at"), _word("finish_reason"), _float("seconds"), _json("usage"), _json("frames"),
    _text("note"),
)  # fmt: skip
text = Table(
    "text", metadata, _id(), _ref("video_id", "video"), _word("kind", index=True), _word("subject_type"),
    _word("subject_id", index=True), _text("value"), _float("created_at"), _word("state"),
    _text("reason"), *_author(), _ref("dataset_id", "dataset", nullable=True, index=False),
    _word("source_text_id", nullable=True, index=True), _word("source_hash"), _json("frames"),
    _ref("call_id", "model_call", nullable=True, index=False), _flag("baseline"),
)  # fmt: skip
question = Table(
    "question", metadata, _id(), _ref("video_id", "video"), _word("kind", index=True), _int("index"),
    _text("text"), _text("reference"), _float("created_at"), _text("category"), *_author(),
    _ref("dataset_id", "dataset", nullable=True, index=False),
    _word("source_text_id", nullable=True, index=True), _word("source_hash"),
    _ref("call_id", "model_call", nullable=True, index=False), _flag("baseline"),
)  # fmt: skip
benchmark_item = Table(
    "benchmark_item", metadata, _id(), _ref("video_id", "video"), _ref("dataset_id", "dataset"),
    _word("task"), _text("name"), _int("index"), _json("value"), _float("created_at"),
)  # fmt: skip
answer = Table(
    "answer", metadata, _id(), _ref("video_id", "video"), _ref("question_id", "question"),
    _ref("run_id", "run"), _word("source"), _text("value"), _float("created_at"), _word("state"),
    _text("reason"), _ref("text_id", "text", nullable=True), _word("source_hash"),
    _int("span_start", nullable=True), _int("span_end", nullable=True),
    _ref("call_id", "model_call", nullable=True, index=False), _flag("baseline"),
)  # fmt: skip
verdict = Table(
    "verdict", metadata, _id(), _ref("video_id", "video"), _ref("run_id", "run"),
    _word("subject_type"), _word("subject_id", index=True), _word("value_type"), _float("created_at"),
    _word("state"), _text("label"), _float("score", nullable=True), _text("reason"), _text("raw"),
    _word("kind", nullable=True), _word("source_hash"),
    _ref("call_id", "model_call", nullable=True, index=False), _flag("baseline"), _json("extra"),
)  # fmt: skip
correction = Table(
    "correction", metadata, _id(), _word("subject_type"), _word("subject_id"), _word("field"),
    _json("value", nullable=True), _flag("cleared"), _int("revision"), _ref("person_id", "person"),
    _text("reason"), _float("created_at"), _flag("blind"),
    # Of two people who start from the same revision, only one can save, on any database.
    UniqueConstraint("subject_type", "subject_id", "field", "revision"),
)  # fmt: skip
selection = Table(
    "selection", metadata, _id(), _ref("video_id", "video"), _word("method"), _json("frames"),
    _json("reasons"), _float("created_at"), *_author(), _json("params"), _flag("baseline"),
)  # fmt: skip
frame_label = Table(
    "frame_label", metadata, _id(), _ref("video_id", "video"), _int("first"), _int("second"),
    _ref("person_id", "person"), _word("label"), _float("created_at"),
)  # fmt: skip
study = Table(
    "study", metadata, _id(), Column("name", String(200), nullable=False, unique=True), _json("runs"),
    _json("sequences"), _int("seed"), _ref("person_id", "person", index=False), _float("created_at"),
    _float("closed_at", nullable=True),
)  # fmt: skip
study_choice = Table(
    "study_choice", metadata, _id(), _ref("study_id", "study"), _ref("video_id", "video"),
    _int("sequence"), _int("frame"), _ref("person_id", "person"), _word("best", nullable=True),
    _word("second", nullable=True), _float("created_at"),
)  # fmt: skip
prompt_version = Table(
    "prompt_version", metadata, _id(), _word("prompt", index=True), _text("label"), _text("system"),
    _text("user"), _word("hash"), _ref("person_id", "person", index=False), _float("created_at"),
)  # fmt: skip
prompt_use = Table(
    "prompt_use", metadata, _id(), _word("prompt", index=True),
    _ref("version_id", "prompt_version", nullable=True, index=False),
    _ref("person_id", "person", index=False), _float("created_at"),
)  # fmt: skip
prompt_look = Table(
    "prompt_look", metadata, _id(), _word("prompt", index=True),
    _ref("version_id", "prompt_version", index=False),
    _ref("evaluation_id", "evaluation", index=False), _json("questions"),
    _ref("person_id", "person", index=False), _float("created_at"),
)  # fmt: skip
element_list = Table(
    "element_list", metadata, _id(), _ref("video_id", "video"), _ref("text_id", "text"), _word("kind"),
    _float("created_at"), _word("state"), _text("reason"), _ref("run_id", "run", nullable=True),
    _word("source_hash"), _ref("call_id", "model_call", nullable=True, index=False), _flag("baseline"),
)  # fmt: skip
element = Table(
    "element", metadata, _id(), _ref("video_id", "video"), _ref("text_id", "text"), _word("kind"),
    _int("index"), _text("value"), _float("created_at"), *_author(),
    _word("list_id", nullable=True, index=True),
)  # fmt: skip
finding = Table(
    "finding", metadata, _id(), _ref("video_id", "video"), _word("check"), _word("subject_type"),
    _word("subject_id", index=True), _text("why"), _float("created_at"), _text("text"),
    _int("start", nullable=True), _int("end", nullable=True),
)  # fmt: skip
dismissal = Table(
    "dismissal", metadata, _id(), _ref("finding_id", "finding"), _ref("person_id", "person"),
    _text("reason"), _float("created_at"),
)  # fmt: skip
error_source = Table(
    "error_source", metadata, _id(), _ref("video_id", "video"), _ref("verdict_id", "verdict"),
    _ref("person_id", "person"), _word("kind"), _float("created_at"), _text("note"), _word("proposed"),
)  # fmt: skip
pinned_frames = Table(
    "pinned_frames", metadata, _id(), _ref("question_id", "question"), _ref("video_id", "video"),
    _ref("person_id", "person"), _json("frames"), _float("created_at"),
)  # fmt: skip
exclusion = Table(
    "exclusion", metadata, _id(), _ref("question_id", "question"), _ref("video_id", "video"),
    _ref("person_id", "person"), _text("reason"), _float("created_at"),
)  # fmt: skip
assignment = Table(
    "assignment", metadata, _id(), _ref("video_id", "video"), _ref("person_id", "person"),
    _word("task"), _word("state"), _float("created_at"), _text("note"), _json("versions"),
)  # fmt: skip
merge = Table(
    "merged_caption", metadata, _id(), _ref("video_id", "video"), _ref("person_id", "person"),
    _ref("text_id", "text"), _word("hash"), _json("parts"), _float("created_at"),
)  # fmt: skip

current = Table(
    "current", metadata,
    Column("subject_type", SHORT, primary_key=True),
    Column("subject_id", SHORT, primary_key=True),
    Column("field", SHORT, primary_key=True),
    _ref("video_id", "video"), _word("run_id", nullable=True),
    _word("question_id", nullable=True, index=True),
    _word("kind", nullable=True), _word("slot"),
    _json("value", nullable=True), _word("state"), _text("label"), _float("score", nullable=True),
    _int("revision"), _word("correction_id", nullable=True), _flag("corrected"), _flag("confirmed"),
    _flag("disputed"), _flag("stale"), _flag("superseded"), _word("error_source"),
    _float("updated_at"),
    Column("baseline", Boolean, nullable=False, default=False),
    Index("ix_current_slot", "slot"),
    Index("ix_current_list", "subject_type", "run_id", "superseded", "state", "score"),
)  # fmt: skip
"""Current values. `correction_id` is the correction that set the value, or that withdrew one; for a verdict,
the opinion that counts (`annotation.store.opinion_rules`). `disputed`: people disagree. `slot` identifies
results that replace each other (the same question in the same run, the same caption by the same author): the
older row is kept and marked `superseded`."""

action = Table(
    "action", metadata, _id(), _ref("person_id", "person", index=False),
    _ref("video_id", "video", nullable=True), _text("what"), _json("changes"), _word("state"),
    _word("visit"), _float("created_at"), _float("updated_at"), _flag("whole"), _json("left_alone"),
    Index("ix_action_stack", "person_id", "state", "created_at"),
)  # fmt: skip
"""Actions of people, for undo (`annotation.editing.undo_and_redo`). It is not exported."""

video_change = Table(
    "video_change", metadata, Column("video_id", SHORT, primary_key=True),
    Column("number", BigInteger, nullable=False, index=True),
)  # fmt: skip
"""The number of each video's last change (`annotation.store.changed_videos`). A removed video keeps its row,
so that caches drop it."""

blind_mode = Table(
    "blind_mode", metadata, _id(), _ref("person_id", "person"), _ref("by_id", "person", index=False),
    _flag("on"), _float("created_at"),
)  # fmt: skip
"""People who label without seeing the judge (`people/who_labels_blind.py`). A person's newest row counts."""

account = Table(
    "account", metadata, Column("person_id", SHORT, ForeignKey("person.id"), primary_key=True),
    _text("password"), _flag("disabled"), _float("changed_at"),
)  # fmt: skip
"""Accounts (`annotation.people.accounts`). The password is a scrypt hash, or empty if there is none."""

identity = Table(
    "identity", metadata, _id(), _ref("person_id", "person"), _text("issuer"), _text("subject"),
    _float("created_at"), UniqueConstraint("issuer", "subject"),
)  # fmt: skip
"""Identities at OpenID providers (`people/openid_identities.py`). A person may have several."""

login_session = Table(
    "login_session", metadata, _id(), _ref("person_id", "person"), _float("created_at"), _float("seen_at"),
    _float("until"),
)  # fmt: skip
"""Login sessions. The id is a hash of the cookie's token."""

personal_token = Table(
    "personal_token", metadata, _id(), Column("hash", SHORT, nullable=False, unique=True),
    _ref("person_id", "person"), _text("name"), _word("scope"), _flag("with_accounts"), _float("created_at"),
    _float("until"), _float("used_at", nullable=True), _float("revoked_at", nullable=True),
)  # fmt: skip
"""Tokens with which programs log in (`people/personal_tokens.py`). `with_accounts`: created while accounts
are required; other tokens are valid only while they are not. `used_at`: last use."""

workspace = Table("workspace", metadata, _id(), _float("created_at"), _word("opinion_rule"))
"""One row with the id of this workspace. Pages store drafts under this id, because another workspace may have
the same address later. `opinion_rule` selects which of several people's verdicts counts
(`annotation.store.opinion_rules`)."""

audit_entry = Table(
    "audit_entry", metadata, _id(), _ref("person_id", "person", nullable=True, index=False), _word("what"),
    _text("about"), _text("address"), _float("created_at"),
    Index("ix_audit_entry_created_at", "created_at"),
)  # fmt: skip
"""Log of logins, changes of accounts, and all requests other than edits of texts."""

mended_text = Table(
    "mended_text", metadata, _id(), _word("table_name"), _word("column_name"), _text("row_key"),
    _text("before"),
)  # fmt: skip
"""Texts in which the schema upgrade replaced a character that cannot be stored with U+FFFD. `before` is the
earlier value, escaped."""

import_part = Table(
    "import_part", metadata, _id(), _word("import_id", index=True), _word("table_name"), _json("added"),
    _json("changed"),
)  # fmt: skip
"""Rows written by an import, in groups of some thousand (`annotation.store.import_log`): the ids of added
rows, and the changes to existing rows. For two joined videos: the ids of moved and removed rows. The entries
are deleted when the import or the joining is undone."""

TABLE_OF: dict[type[Any], Table] = {
    Dataset: dataset, Video: video, Alias: alias, Person: person, Run: run,
    RunVideo: run_video, Evaluation: evaluation, EvaluationRun: evaluation_run,
    SceneList: scene_list, Scene: scene, Segment: segment,
    ScreenText: screen_text, Frame: frame,
    Measurement: measurement, ModelCall: model_call, TextRecord: text, Question: question,
    Answer: answer, Verdict: verdict, Correction: correction, Selection: selection,
    FrameLabel: frame_label, Study: study, StudyChoice: study_choice,
    ElementList: element_list, Element: element, Finding: finding, Dismissal: dismissal,
    ErrorSource: error_source, PinnedFrames: pinned_frames, Exclusion: exclusion, Assignment: assignment,
    Merge: merge, BenchmarkItem: benchmark_item,
    PromptVersion: prompt_version, PromptUse: prompt_use, PromptLook: prompt_look,
}  # fmt: skip
"""The table of each record class. A table comes after the tables that it refers to."""
