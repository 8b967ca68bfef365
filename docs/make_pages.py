"""Writes the pages of `PAGES` from the code that they describe: `make docs`."""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Column, Table

from annotation.editing.decision_log import Action
from annotation.store import tables as t
from annotation.store.tables import TABLE_OF, action, blind_mode, current, metadata, video_change
from docs.api_page import api_page
from docs.dataframes_page import dataframes_page
from docs.keys_page import keys_page
from exports.catalogue.format_registry import FORMATS, Format
from exports.catalogue.what_formats_keep import KEPT, kept_words
from exports.peers.differences import DIFFERENCES

HERE = Path(__file__).resolve().parent

COLUMNS = {
    "id": "key",
    "video_id": "the video",
    "run_id": "the run that made it",
    "person_id": "the person who made it",
    "dataset_id": "the dataset that it came from",
    "source_text_id": "the text that it was made from",
    "source_hash": "fingerprint of what it was made from; a different one now means it is stale",
    "text_id": "the caption",
    "study_id": "the study",
    "question_id": "the question",
    "verdict_id": "the verdict",
    "evaluation_id": "the evaluation",
    "scene_list_id": "the version of the cuts that it belongs to",
    "finding_id": "the finding",
    "call_id": "the request and raw reply that it was read from",
    "subject_type": "what `subject_id` is the id of",
    "subject_id": "what it is about",
    "created_at": "UTC seconds since 1970",
    "updated_at": "UTC seconds since 1970",
    "stage": "step of the pipeline",
    "state": "`done`, `unparsed`, `failed` or `missing`",
    "reason": "why",
    "note": "free words",
    "index": "counted from 0",
    "kind": "kind of caption, such as `vdc:camera` or `frame`",
    "value": "the words",
    "baseline": "made by the embedded baseline, not by a model",
    "params": "parameters of what made it",
    "model": "name of the model",
    "start_s": "seconds from the start of the presentation",
    "end_s": "seconds from the start of the presentation",
    "frames": "frame indices",
    "category": "category of the source, if it has one",
}
"""What a column means wherever nothing more particular is said."""

OWN = {
    "dataset.name": "as people call it",
    "dataset.format": "name of the format that it came in",
    "dataset.version": "as the source says",
    "dataset.about": "what else the source says of itself",
    "video.title": "as shown",
    "video.discipline": "discipline (Video-MMLU), empty when there is none",
    "video.sha256": "of the file; the same content is the same video",
    "video.facts": "frames, size, rate, codec and so on: `VideoFacts` in backends/video_and_word_types.py",
    "alias.alias": "the id there",
    "alias.video_id": "the video here",
    "scene.start_frame": "first frame",
    "scene.start_pts": "PTS of the first frame",
    "scene.end_pts": "PTS of the first frame that is not in the scene",
    "segment.text": "what was said",
    "segment.language": "two letters, such as `en`",
    "segment.avg_logprob": "mean log probability of the words, as Whisper gives it",
    "segment.no_speech_prob": "how likely it is no speech, as Whisper gives it",
    "segment.words": "each word with start, end and probability",
    "frame.pts": "presentation time stamp",
    "measurement.value": "the numbers; `frames` are those of the scene that was measured",
    "question.text": "the question",
    "question.reference": "the reference answer",
    "answer.source": "`caption`, `video` (the model saw the video) or `imported`",
    "answer.value": "the answer",
    "answer.span_end": "character after the supporting words",
    "answer.reason": "why it is not `done`",
    "verdict.value_type": "how label and score are to be read, such as `yes_no_score`",
    "verdict.subject_type": "`answer`, `element`, `frame_pair` and so on",
    "verdict.extra": "fields of the source that have no place elsewhere",
    "run.endpoint": "address of the server, empty when there is none",
    "run.prompt_hash": "of the prompt file; figures compare only between runs of the same one",
    "run.seed": "sent with every request",
    "run_video.run_id": "the run",
    "evaluation_run.run_id": "the run",
    "run_video.state": "`queued`, `running`, `done`, `failed` or `stopped`",
    "run_video.done": "items finished",
    "run_video.total": "items in all",
    "run_video.failed": "items that failed",
    "run_video.message": "for people",
    "evaluation.name": "as people call it; no two are alike",
    "evaluation.baseline": "whether any of its runs is one of the embedded baseline",
    "evaluation_run.role": "`captions`, `questions`, `answers`, `elements` or `verdicts`",
    "correction.person_id": "who",
    "selection.frames": "indices of the frames that were picked",
    "element.kind": "`event` or `object`",
    "element_list.kind": "`event` or `object`",
    "element.value": "the event or object in words",
    "finding.check": "name of the check",
    "finding.why": "for people",
    "finding.text": "the words that it is about",
    "finding.start": "first character of them",
    "finding.end": "character after them",
    "dismissal.person_id": "who",
    "error_source.kind": "`caption_omits`, `caption_wrong`, `extraction`, `judge`, `question`, or empty",
    "error_source.person_id": "who",
    "error_source.proposed": "what the page proposed when the person decided; empty: nothing",
    "pinned_frames.question_id": "the question that the frames are for",
    "pinned_frames.person_id": "who",
    "pinned_frames.frames": "frame indices, ascending; empty: all taken back",
    "exclusion.question_id": "the question that is not to be counted",
    "exclusion.person_id": "who",
    "exclusion.reason": "why; empty withdraws",
    "person.name": "no two are alike",
    "person.role": "`annotator`, `expert`, `researcher` or `admin`",
    "assignment.person_id": "who is to do it",
    "assignment.state": "`open`, `working`, `done`, `skipped`, `flagged`, `returned`, `approved` or "
    "`withdrawn`",
    "model_call.backend": "the spec that was typed",
    "model_call.reply": "raw, as it came",
    "model_call.finish_reason": "`stop`, `length` or what the server said",
    "model_call.seconds": "from request to reply",
    "model_call.usage": "token counts of the server",
    "model_call.frames": "indices of the frames whose pictures were sent",
    "action.person_id": "who",
    "action.changes": "per subject: kind, subject, value before and after",
    "action.state": "`done`, `undone`, or `dropped` when it can be neither undone nor redone any more",
    "import_part.import_id": "the import, as its decision names it",
    "import_part.table_name": "of these rows",
    "import_part.added": "ids of new rows",
    "import_part.changed": "per row: key, values before and after",
    "action.updated_at": "of the last save that belongs to it",
    "account.person_id": "who",
    "account.password": "scrypt hash with its salt; empty: none",
    "account.disabled": "whether they may not come in any more; what they wrote stays",
    "account.changed_at": "UTC seconds since 1970",
    "identity.person_id": "who",
    "identity.issuer": "address of the provider",
    "identity.subject": "who it is there; together with the issuer never somebody else",
    "personal_token.hash": "SHA-256 of the token",
    "personal_token.person_id": "for whom it speaks",
    "personal_token.name": "what it is for, as its person says",
    "personal_token.scope": "`read` or `write`",
    "personal_token.with_accounts": "made where people log in; others hold only where they do not",
    "personal_token.until": "when it ends by itself, UTC seconds since 1970",
    "personal_token.used_at": "UTC seconds since 1970, to a minute; empty: never",
    "personal_token.revoked_at": "UTC seconds since 1970; empty: it is not",
    "login_session.person_id": "who is logged in",
    "login_session.seen_at": "UTC seconds since 1970, to five minutes",
    "login_session.until": "when it ends by itself, UTC seconds since 1970",
    "audit_entry.person_id": "who; empty: a stranger, or the command line",
    "audit_entry.what": "what was asked for",
    "audit_entry.about": "of whom or what, and how it ended when it was refused",
    "audit_entry.address": "where the request came from",
    "mended_text.table_name": "where it stands",
    "mended_text.column_name": "in which column",
    "mended_text.row_key": "in which row: the values of its key",
    "mended_text.before": "the value as it was, with escapes, cut after 2,000 characters",
    "blind_mode.person_id": "who labels",
    "blind_mode.by_id": "who said so: what somebody else switched on, the person cannot switch off",
    "blind_mode.on": "whether they label without seeing the judge",
    "video_change.number": "of the last change of anything on the video; each change of the workspace counts "
    "one on",
    "current.field": "which field of it: `value`, `text`, `reference` or `verdict`",
    "current.slot": "what a newer result replaces: the same question in the same run, the same caption "
    "of one author",
    "current.value": "the value that counts now",
    "current.label": "of a verdict",
    "current.score": "of a verdict",
    "current.revision": "0 while nobody has changed it",
    "current.corrected": "whether `value` is a person's",
    "current.correction_id": "the correction that says so, or that took one back; of a verdict the opinion "
    "that counts",
    "current.disputed": "whether people say different things of the verdict",
    "workspace.opinion_rule": "which of several people's verdicts counts: `latest`, `majority` or "
    "`adjudicated` (scores.md)",
    "current.confirmed": "whether the person's verdict is the judge's own: a confirmation, no correction",
    "current.stale": "whether what it was made from has changed since",
    "current.superseded": "whether a newer result has taken its place",
    "current.error_source": "what made the answer fail, by the opinion that counts",
    "current.run_id": "the run that made the machine's value",
    "current.question_id": "of an answer or verdict",
    "current.state": "of the value",
}
"""`table.column`, where the shared words do not fit and the record has none of its own."""

CURRENT = (
    "What counts now for everything that a person can correct: the machine's value with corrections "
    "laid over it. Derived, and written in the same transaction as the change."
)

ACTION = (
    "What people decided, in order, for undo and redo: one row per decision. It is no record and is not "
    "exported; the corrections, error sources and versions that it speaks of are."
)

CHANGE = (
    "Which videos have changed, in order: what is kept in memory is renewed for those alone. A video that "
    "was removed keeps its row."
)

BLIND = (
    "Who labels without seeing the judge's verdicts: the newest row of a person counts. No record, not "
    "exported."
)

ACCOUNT = "Who can log in. No record: neither exported nor shown to anyone but admins."

IDENTITY = "Who somebody is for an OpenID provider. One person may have several. No record, as `account`."

SESSION = "Who is logged in, in whichever process. The id is a hash of the cookie: it opens nothing."

TOKENS = "What programs log in with. The hash opens nothing. No record, as `account`."

MENDED = "Values that held characters which cannot be stored, mended when the schema was brought up to date."
IMPORT = (
    "What imports wrote, some thousand rows at a time: ids of rows that are new, and what changed in others. "
    "It goes when an import is taken back. No record, not exported."
)
AUDIT = "Logins, changes of accounts, requests that change something beside texts, exports, and refusals."

WORKSPACE = "One row: which workspace this is. Pages keep what is not saved yet by it and by person."

SCHEMA_HEAD = """# The tables

Written by `make docs`; do not edit. One table per noun, the same in SQLite (`dailies.db` in the
workspace) and PostgreSQL. You may read them with any SQL tool while Dailies runs; write through
Dailies alone. Ids of machine output are made from what the output was made of, ids of what people
did are random. Columns of type JSON hold lists and objects. `*` marks columns that may be empty (NULL).
"""

FORMATS_HEAD = """# Formats

Written by `make docs`; do not edit. `python app.py import PATH` tells the format by what is in the
file, not by its name; `python app.py export FORMAT OUT` writes one. A file is imported whole or not
at all, and importing it twice changes nothing, also where the question set of a log came in between. Files
that one program wrote together (a log of lmms-eval, VLMEvalKit or LOVEU) are one import, given as a
folder, as single files, or in a .zip or .tar.gz; two runs in one folder are two. What is missing
for a whole log is said, and which folder or file became which evaluation. If there is an evaluation of that
name already, the name of the new one also says when its run began, where the log tells it, and its folder or
file. `import --json` tells the id of the import, and `import --undo ID` takes it back; on the page Ctrl+Z
does, and asks first. What an export cannot hold is said here and by `python app.py export --list`; what
comes back of a workspace through it is measured by a test.

Text is UTF-8, or UTF-16 with its byte order mark. A file that cannot be read is named with the reason and
costs only itself: the rest of a folder, of an archive or of what was dropped is imported.

## Whose texts a file holds

Runs, datasets and people may all have written one caption of a video. Formats of captions, splits and
scripts (`chooses among texts: yes` below) ask whose texts are wanted, and say in a preview how many there
are, by whom, and what is left out. The page's dialog shows it; `python app.py export FORMAT --preview`
prints it.

| choice | option | which text |
|---|---|---|
| what counts now | `--whose counting`, the default | the first by the rules below, as the pages show it |
| references | `--whose references` | the first by the rules, without texts that a machine began |
| one person | `--whose NAME` | the last words of this person, also where others have changed them since |
| one evaluation | `--evaluation NAME` | its model's captions, with corrections, and the splits made of them |

The rules: a text with words comes before an empty or failed one; approved work comes first (what was changed
after the approval is not approved), then what a person wrote, then a dataset's reference, then a person's
correction of a model's prediction, then work on a CaReBench caption or split that waits for approval, then a
machine's draft; a model's draft comes before the baseline's; the latest comes first. A part of a split counts
beside the caption that it was made from; a part of another caption does not count. `--values machine` leaves
people's corrections and their own texts out.

## Files in

`python app.py import PATH --videos FOLDER` also attaches video files: those in the folder (and below) whose
name, with or without its suffix, is an id, a title or a file name of a video without a file, or that lie
alone in a folder called so. The folder may be a Hugging Face cache, or a .zip or .tar.gz of videos, of which
only what fits is unpacked. Videos that are still without one are listed, and so are files that fit none
(`run FILE` adds one as a new video) or cannot be read as a video; a
file that fits two videos is reported and not taken. A file that is dropped on the Library, or given to
`run`, is attached by the same rule. What nothing is named like can be matched by hand with what is still
missing: in the preview of the page, or on the command line with a list (`--videos LIST.txt`, lines of
`id<tab>path`).

A file that fits a video and is the file of another one already belongs to one video that has two records:
the message offers to join them, and so do their rows in the Library (`o`) and `python app.py join`.
Results, verdicts and people's work of both are then under the record that has the file; names that datasets
give are kept, and Ctrl+Z makes it two again, with what was done since on each. What one run saw in both
files is kept once. It is refused, with the reason, where the files differ, one dataset names both, or one
person's text, task, cuts, keyframes, labels or action label of one of them would count no more. After
joining, a dataset file of the record that went brings its questions anew when it is imported again;
verdicts of its logs are recognised.
"""


def schema_page() -> str:
    """The text of schema.md."""
    kinds = {table.name: kind for kind, table in TABLE_OF.items()}
    tables = [metadata.tables[name] for name in sorted(kinds)]
    sections = [_section(table, str(kinds[table.name].__doc__), kinds[table.name]) for table in tables]
    return "\n".join(
        [
            SCHEMA_HEAD,
            *sections,
            _section(current, CURRENT, None),
            _section(action, ACTION, Action),
            _section(blind_mode, BLIND, None),
            _section(video_change, CHANGE, None),
            _section(t.account, ACCOUNT, None),
            _section(t.identity, IDENTITY, None),
            _section(t.login_session, SESSION, None),
            _section(t.personal_token, TOKENS, None),
            _section(t.audit_entry, AUDIT, None),
            _section(t.mended_text, MENDED, None),
            _section(t.import_part, IMPORT, None),
            _section(t.workspace, WORKSPACE, None),
        ]
    )


def _section(table: Table, about: str, kind: type | None) -> str:
    documented = _field_docs(kind) if kind else {}
    rows = [
        f"| `{column.name}`{'*' if column.nullable else ''} | {_type(column)} | "
        f"{_meaning(table, column, documented)} |"
        for column in table.columns
    ]
    return "\n".join(
        [f"## {table.name}", "", about, "", "| column | type | what it holds |", "|---|---|---|", *rows, ""]
    )


def _meaning(table: Table, column: Column[object], documented: dict[str, str]) -> str:
    """Raises KeyError for a column that nobody has described."""
    own = OWN.get(f"{table.name}.{column.name}") or documented.get(column.name)
    text = (own or COLUMNS[column.name]).replace("|", "\\|")
    return text[0].upper() + text[1:]


def _type(column: Column[object]) -> str:
    names = {"VARCHAR": "word", "TEXT": "text", "BIGINT": "integer", "BOOLEAN": "true/false", "JSON": "JSON"}
    name = str(column.type).split("(")[0]
    target = next((f" -> {key.column.table.name}" for key in column.foreign_keys), "")
    return names.get(name, "number") + target


def _field_docs(kind: type) -> dict[str, str]:
    """The words under each field of a record."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    return dict(_documented(tree.body))


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, text in itertools.pairwise(body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                yield name, " ".join(words.split()).removesuffix(".")


def formats_page() -> str:
    """The text of formats.md."""
    return "\n".join([FORMATS_HEAD, *(_format(known) for known in FORMATS.values()), _differences()])


def _differences() -> str:
    head = (
        "## Where figures differ from a peer's\n\nThe rules of the peers' scorers are those of their code "
        "([scores.md](scores.md)); `python -m benchmarks.peers` runs both on the same files. What is left:\n"
    )
    return "\n".join([head, *(f"- **{name}**: {why}" for name, why in DIFFERENCES.items()), ""])


def _format(known: Format) -> str:
    ways = " and ".join(way for way, does in (("read", known.reader), ("written", known.writer)) if does)
    shape = f"one `{known.suffix}` file" if known.suffix else "a folder"
    if known.each:
        shape += f", or one `{known.each}` file for one video"
    evaluation = {"none": "no", "optional": "optional (`--evaluation`)", "needed": "needed (`--evaluation`)"}
    return "\n".join(
        [
            f"## {known.name}",
            "",
            f"- what: {known.what}",
            f"- {ways}; {shape}",
            f"- detected by: {known.looks_for}",
            f"- an evaluation: {evaluation[known.evaluation]}",
            *(["- chooses among texts: yes"] if known.texts else []),
            f"- cannot hold: {known.cannot_hold}",
            *([f"- comes back: {kept_words(known.name)}"] if known.name in KEPT else []),
            "",
        ]
    )


PAGES = {
    "schema.md": schema_page,
    "formats.md": formats_page,
    "keys.md": keys_page,
    "dataframes.md": dataframes_page,
    "api.md": api_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
