"""Generates the pages of `PAGES` from the code that they describe: `make docs`."""

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
from exports.peers.differences import DIFFERENCES

HERE = Path(__file__).resolve().parent

COLUMNS = {
    "id": "key",
    "video_id": "the video",
    "run_id": "the run that made it",
    "person_id": "the person who made it",
    "dataset_id": "the dataset that it came from",
    "source_text_id": "the text that it was made from",
    "source_hash": "fingerprint of its source; if the current one differs, the result is stale",
    "text_id": "the caption",
    "study_id": "the study",
    "question_id": "the question",
    "verdict_id": "the verdict",
    "evaluation_id": "the evaluation",
    "scene_list_id": "the version of the cuts that it belongs to",
    "finding_id": "the finding",
    "call_id": "the request and raw reply that it was parsed from",
    "subject_type": "what `subject_id` is the id of",
    "subject_id": "the subject",
    "created_at": "UTC seconds since 1970",
    "updated_at": "UTC seconds since 1970",
    "stage": "step of the pipeline",
    "state": "`done`, `unparsed`, `failed` or `missing`",
    "reason": "the reason",
    "note": "free text",
    "index": "counted from 0",
    "kind": "kind of caption, such as `vdc:camera` or `frame`",
    "value": "the text",
    "baseline": "whether the embedded baseline made it instead of a model",
    "params": "parameters of the engine or model",
    "model": "name of the model",
    "start_s": "seconds from the start of the presentation",
    "end_s": "seconds from the start of the presentation",
    "frames": "frame indices",
    "category": "category of the source, if it has one",
}
"""Default descriptions of columns, by name."""

OWN = {
    "dataset.name": "display name",
    "dataset.format": "name of the format of its files",
    "dataset.version": "version given by the source",
    "dataset.about": "further information that the source gives about itself",
    "video.title": "display title",
    "video.discipline": "discipline (Video-MMLU), empty if there is none",
    "video.sha256": "hash of the file; files with the same content are the same video",
    "video.facts": "frames, size, rate, codec and so on: `VideoFacts` in backends/video_and_word_types.py",
    "alias.alias": "the video's id in the dataset",
    "alias.video_id": "the video in the workspace",
    "scene.start_frame": "first frame",
    "scene.start_pts": "PTS of the first frame",
    "scene.end_pts": "PTS of the first frame after the scene",
    "segment.text": "the spoken words",
    "segment.language": "two letters, such as `en`",
    "segment.avg_logprob": "mean log probability of the words, from Whisper",
    "segment.no_speech_prob": "probability that the segment is not speech, from Whisper",
    "segment.words": "each word with start, end and probability",
    "frame.pts": "presentation time stamp",
    "measurement.value": "the numbers; `frames` are those of the measured scene",
    "question.text": "the question",
    "question.reference": "the reference answer",
    "answer.source": "`caption`, `video` (the model saw the video) or `imported`",
    "answer.value": "the answer",
    "answer.span_end": "offset of the character after the supporting words",
    "answer.reason": "why the answer is not `done`",
    "verdict.value_type": "how to interpret label and score, such as `yes_no_score`",
    "verdict.subject_type": "`answer`, `element`, `frame_pair` and so on",
    "verdict.extra": "other fields of the source",
    "run.endpoint": "address of the server, empty if there is none",
    "run.prompt_hash": "hash of the prompt file; figures are comparable only between runs with the same hash",
    "run.seed": "sent with every request",
    "run_video.run_id": "the run",
    "evaluation_run.run_id": "the run",
    "run_video.state": "`queued`, `running`, `done`, `failed` or `stopped`",
    "run_video.done": "items finished",
    "run_video.total": "items in all",
    "run_video.failed": "items that failed",
    "run_video.message": "message for people",
    "evaluation.name": "unique display name",
    "evaluation.baseline": "whether one of its runs uses the embedded baseline",
    "evaluation_run.role": "`captions`, `questions`, `answers`, `elements` or `verdicts`",
    "correction.person_id": "the author",
    "selection.frames": "indices of the selected frames",
    "element.kind": "`event` or `object`",
    "element_list.kind": "`event` or `object`",
    "element.value": "the event or object in words",
    "finding.check": "name of the check",
    "finding.why": "explanation for people",
    "finding.text": "the words that the finding is about",
    "finding.start": "offset of their first character",
    "finding.end": "offset of the character after them",
    "dismissal.person_id": "the person who dismissed it",
    "error_source.kind": "`caption_omits`, `caption_wrong`, `extraction`, `judge`, `question`, or empty",
    "error_source.person_id": "the person who named it",
    "error_source.proposed": "what the page proposed when the person decided; empty if nothing",
    "pinned_frames.question_id": "the question that the frames are for",
    "pinned_frames.person_id": "the person who pinned them",
    "pinned_frames.frames": "frame indices, ascending; empty if all pins are withdrawn",
    "exclusion.question_id": "the excluded question",
    "exclusion.person_id": "the person who excluded it",
    "exclusion.reason": "the reason; an empty reason withdraws the exclusion",
    "person.name": "unique name",
    "person.role": "`annotator`, `expert`, `researcher` or `admin`",
    "assignment.person_id": "the person to whom the work is assigned",
    "assignment.state": "`open`, `working`, `done`, `skipped`, `flagged`, `returned`, `approved` or "
    "`withdrawn`",
    "model_call.backend": "the spec as typed",
    "model_call.reply": "the raw reply",
    "model_call.finish_reason": "`stop`, `length` or another value of the server",
    "model_call.seconds": "from request to reply",
    "model_call.usage": "token counts from the server",
    "model_call.frames": "indices of the frames whose pictures were sent",
    "action.person_id": "the person who made it",
    "action.changes": "per subject: kind, subject, value before and after",
    "action.state": "`done`, `undone`, or `dropped` if it can no longer be undone or redone",
    "import_part.import_id": "the import, as in its action",
    "import_part.table_name": "the table of these rows",
    "import_part.added": "ids of new rows",
    "import_part.changed": "per row: key, values before and after",
    "action.updated_at": "time of the last save that belongs to it",
    "account.person_id": "the person",
    "account.password": "scrypt hash with its salt; empty if there is none",
    "account.disabled": "whether the person can no longer log in; their work is kept",
    "account.changed_at": "UTC seconds since 1970",
    "identity.person_id": "the person",
    "identity.issuer": "address of the provider",
    "identity.subject": "id of the person at the provider; unique within the issuer",
    "personal_token.hash": "SHA-256 of the token",
    "personal_token.person_id": "the person on whose behalf it acts",
    "personal_token.name": "its purpose, in the person's words",
    "personal_token.scope": "`read` or `write`",
    "personal_token.with_accounts": "whether it was made with logins; others are valid only without",
    "personal_token.until": "time at which it expires, UTC seconds since 1970",
    "personal_token.used_at": "time of its last use, UTC seconds since 1970, to a minute; empty: never",
    "personal_token.revoked_at": "time of its revocation, UTC seconds since 1970; empty if it is valid",
    "login_session.person_id": "the person who is logged in",
    "login_session.seen_at": "time of the last request, UTC seconds since 1970, to five minutes",
    "login_session.until": "time at which it expires, UTC seconds since 1970",
    "audit_entry.person_id": "the person; empty for a stranger or the command line",
    "audit_entry.what": "what was requested",
    "audit_entry.about": "the person or object concerned, and the reason for a refusal",
    "audit_entry.address": "where the request came from",
    "mended_text.table_name": "table of the value",
    "mended_text.column_name": "column of the value",
    "mended_text.row_key": "row of the value: the values of its key",
    "mended_text.before": "the previous value, with escapes, cut after 2,000 characters",
    "blind_mode.person_id": "the person who labels",
    "blind_mode.by_id": "who switched it; people cannot switch off what someone else switched on",
    "blind_mode.on": "whether they label without seeing the judge",
    "video_change.number": "number of the last change of the video; each change in the workspace adds one",
    "current.field": "field of the subject: `value`, `text`, `reference` or `verdict`",
    "current.slot": "what a newer result replaces: the same question in the same run, the same caption "
    "by one author",
    "current.value": "the value that counts now",
    "current.label": "label of a verdict",
    "current.score": "score of a verdict",
    "current.revision": "0 before the first change",
    "current.corrected": "whether `value` is a person's",
    "current.correction_id": "the correction that set or cleared the value; for a verdict the opinion that "
    "counts",
    "current.disputed": "whether people disagree about the verdict",
    "workspace.opinion_rule": "which of several people's verdicts counts: `latest`, `majority` or "
    "`adjudicated` (scores.md)",
    "current.confirmed": "whether the person's verdict equals the judge's: a confirmation",
    "current.stale": "whether its source has changed since",
    "current.superseded": "whether a newer result has replaced it",
    "current.error_source": "why the answer failed, by the opinion that counts",
    "current.run_id": "the run that made the machine's value",
    "current.question_id": "the question of an answer or verdict",
    "current.state": "state of the value",
}
"""By `table.column`: descriptions instead of the defaults, for columns without a docstring in the record."""

CURRENT = (
    "The current value of everything that a person can correct: the machine's value with corrections "
    "applied. It is derived, and written in the same transaction as the change."
)

ACTION = (
    "People's actions in order, for undo and redo: one row per action. It is not a record and is not "
    "exported. The corrections, error sources and versions that it refers to are."
)

CHANGE = (
    "Changed videos, in order. Caches are refreshed only for these videos. A removed video keeps its row."
)

BLIND = (
    "Who labels without seeing the judge's verdicts: the newest row of a person counts. It is not a "
    "record and is not exported."
)

ACCOUNT = "Who can log in. It is not a record: it is not exported, and only admins can see it."

IDENTITY = (
    "A person's identity at an OpenID provider. A person may have several. Not a record, like `account`."
)

SESSION = "Sessions of logged-in people, for all processes. The id is a hash of the cookie: it cannot log in."

TOKENS = "Personal tokens of programs. The hash cannot be used to log in. Not a record, like `account`."

MENDED = "Values with characters that cannot be stored. They were repaired when the schema was upgraded."
IMPORT = (
    "Rows written by imports, some thousand at a time: ids of new rows, and the changes of existing rows. "
    "They are deleted when an import is undone. It is not a record and is not exported."
)
AUDIT = "Logins, changes of accounts, requests that change something other than texts, exports, and refusals."

WORKSPACE = "One row: the id of this workspace. Pages store unsaved input by this id and by person."

SCHEMA_HEAD = """# The tables

`make docs` generates this page; do not edit it. There is one table per noun, the same in SQLite
(`dailies.db` in the workspace) and PostgreSQL. You may read the tables with any SQL tool while Dailies
runs; write only through Dailies. Ids of machine output are derived from its inputs; ids of people's work
are random. Columns of type JSON contain lists and objects. `*` marks columns that may be empty (NULL).
"""

FORMATS_HEAD = """# Formats

`make docs` generates this page; do not edit it. `python app.py import PATH` detects the format from the
content of a file, not from its name. `python app.py export FORMAT OUT` writes a format. A file is imported
completely or not at all. Importing it again changes nothing, even if the question set of a log was imported
in between. Files that one program wrote together (a log of lmms-eval, VLMEvalKit or LOVEU) are imported
together, as a folder, single files, or a .zip or .tar.gz. Two runs in one folder are imported separately.
The import reports which parts of a log are missing, and which folder or file became which evaluation. If an
evaluation with that name exists, the name of the new one also contains the start of its run, if the log
gives it, and its folder or file. `import --json` prints the id of the import, and `import --undo ID` undoes
it. On the page, Ctrl+Z does so after a confirmation. This page and `python app.py export --list` list what
an export cannot hold. A test measures what survives an export and an import.

Text is UTF-8, or UTF-16 with its byte order mark. An unreadable file is reported with the reason and
skipped. The other files of the folder, of the archive or of the upload are imported.

## Whose texts a file holds

Runs, datasets and people may all have written one caption of a video. Exports of captions, splits and
scripts (`chooses among texts: yes` below) let you choose the texts. A preview shows the number of texts,
their writers, and what is left out. The page shows it in a dialog; `python app.py export FORMAT --preview`
prints it.

| choice | option | which text |
|---|---|---|
| what counts now | `--whose counting`, the default | the first by the rules below, as on the pages |
| references | `--whose references` | the first by the rules, without texts that a machine started |
| one person | `--whose NAME` | the latest text of this person, even if others have changed it since |
| one evaluation | `--evaluation NAME` | captions of its model with corrections, and splits made from them |

Texts are ranked by these rules:

1. A text with words comes before an empty or failed one.
2. The kinds of text follow in this order: approved work (a text changed after its approval is not
   approved), a person's own text, a dataset's reference, a person's correction of a model's prediction,
   work on a CaReBench caption or split that waits for approval, a machine's draft.
3. A model's draft comes before the baseline's.
4. The latest text comes first.

A part of a split counts only with the caption that it was made from. `--values machine` omits people's
corrections and their own texts.

## Files in

`python app.py import PATH --videos FOLDER` also attaches video files from the folder and its subfolders. A
file is attached to a video without a file if its name, with or without the suffix, is an id, a title or a
file name of that video, or if it is the only file in a folder with such a name. The folder may be a Hugging
Face cache, or a .zip or .tar.gz of videos, of which only matching files are unpacked. The command lists
videos that still have no file, files that match no video (`run FILE` adds one as a new video), and files
that are not readable as a video. A file that matches two videos is reported and skipped. The same rule
applies to a file that is dropped on the Library or given to `run`. Files without a matching name can be
assigned by hand to the videos without a file: in the preview of the page, or on the command line with a
list (`--videos LIST.txt`, lines of `id<tab>path`).

If a file matches one video and already belongs to another, the video has two records. The message offers to
join them; their rows in the Library (`o`) and `python app.py join` do the same. The record with the file
then has the results, verdicts and people's work of both. Names from datasets are kept. Ctrl+Z separates the
records again, each with the work that was done on it since. Results that one run produced for both files
are kept once. Joining fails, with the reason, if the files differ, if one dataset names both, or if a
person's text, task, cuts, keyframes, labels or action label on one of them would no longer count. If you
import a dataset file of the removed record again after joining, its questions are added again; verdicts of
its logs are recognised.
"""


def schema_page() -> str:
    """Return the text of schema.md."""
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
        [f"## {table.name}", "", about, "", "| column | type | description |", "|---|---|---|", *rows, ""]
    )


def _meaning(table: Table, column: Column[object], documented: dict[str, str]) -> str:
    """Return the description of a column. Raises KeyError if there is none."""
    own = OWN.get(f"{table.name}.{column.name}") or documented.get(column.name)
    text = (own or COLUMNS[column.name]).replace("|", "\\|")
    return text[0].upper() + text[1:]


def _type(column: Column[object]) -> str:
    names = {"VARCHAR": "word", "TEXT": "text", "BIGINT": "integer", "BOOLEAN": "true/false", "JSON": "JSON"}
    name = str(column.type).split("(")[0]
    target = next((f" -> {key.column.table.name}" for key in column.foreign_keys), "")
    return names.get(name, "number") + target


def _field_docs(kind: type) -> dict[str, str]:
    """Return the docstring of each field of a record."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    return dict(_documented(tree.body))


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, text in itertools.pairwise(body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                yield name, " ".join(words.split()).removesuffix(".")


def formats_page() -> str:
    """Return the text of formats.md."""
    return "\n".join([FORMATS_HEAD, *(_format(known) for known in FORMATS.values()), _differences()])


def _differences() -> str:
    head = (
        "## Where figures differ from a peer's\n\nThe policies of the peers follow their code "
        "([scores.md](scores.md)); `python -m benchmarks.peers` runs both on the same files. These "
        "differences remain:\n"
    )
    return "\n".join([head, *(f"- **{name}**: {why}" for name, why in DIFFERENCES.items()), ""])


def _format(known: Format) -> str:
    ways = " and ".join(way for way, does in (("read", known.reader), ("written", known.writer)) if does)
    shape = f"one `{known.suffix}` file" if known.suffix else "a folder"
    if known.each:
        shape += f", or one `{known.each}` file for one video"
    evaluation = {
        "none": "no",
        "optional": "optional (`--evaluation`)",
        "needed": "required (`--evaluation`)",
    }
    return "\n".join(
        [
            f"## {known.name}",
            "",
            f"- what: {known.what}",
            f"- {ways}; {shape}",
            f"- detected by: {known.looks_for}",
            f"- evaluation: {evaluation[known.evaluation]}",
            *(["- chooses among texts: yes"] if known.texts else []),
            f"- cannot hold: {known.cannot_hold}",
            *([f"- preserved by export and import: {known.keeps.words()}"] if known.keeps else []),
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
