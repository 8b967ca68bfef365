"""Command line of Dailies: flags -> workspace -> engines -> command.

`python app.py` without a command serves the interface; `python app.py --help` lists the commands.
Every flag can also be set in the environment: `--judge` of `serve` is DAILIES_SERVE_JUDGE.
Exit codes: 0 done, 1 some items failed, 2 usage error, 130 stopped.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.exc import DatabaseError

from annotation.records.errors import DiskFull, FormatError
from annotation.workspace.workspace import SETTINGS
from backends.errors import BackendUnavailable, DailiesError, MediaError, Stopped, UsageError
from backends.text.file_encoding import read_text
from ui.commands import (
    accounts,
    auth_flags,
    backup,
    check_split,
    evaluations,
    frame_captions,
    importing,
    joining,
    prompts,
    run,
    scores,
)
from ui.commands.command_group import CommandGroup
from ui.commands.late_help import command_with_help
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    ChatOption,
    DatabaseOption,
    DetectorOption,
    EmbedderOption,
    JsonOption,
    LanguageOption,
    OcrOption,
    PresetOption,
    ReaderOption,
    SpeechOption,
    VideoArgument,
    WorkspaceOption,
    open_or_make_workspace,
    some_path,
    workspace_or_passing,
)
from ui.commands.options import open_workspace as _open
from ui.commands.options import show as _print
from ui.commands.terminal_output import Bars, print_json, say, stoppable

# Gradio reads these on import; without them it calls outside hosts.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

cli = typer.Typer(
    cls=CommandGroup,
    help="Annotate and inspect video captions, their questions and their verdicts, next to the frames.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@cli.callback(invoke_without_command=True)
def default(context: typer.Context) -> None:
    """Without a command: serve the interface on 127.0.0.1:7860."""
    if context.invoked_subcommand is None:
        serve()


@cli.command()
def serve(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 7860,
    demo: Annotated[bool, typer.Option("--demo", help="Fill the workspace with the sample first.")] = False,
    auth: Annotated[
        Path | None,
        typer.Option(help="File with accounts, one `name:role:hash` per line.", parser=some_path),
    ] = None,
    accounts: Annotated[
        bool, typer.Option("--accounts", help="Require a login; create accounts with: app.py account add.")
    ] = False,
    proxy_header: auth_flags.ProxyHeaderOption = None,
    trusted_proxy: auth_flags.TrustedProxyOption = None,
    oidc: auth_flags.OidcOption = None,
    oidc_client: auth_flags.OidcClientOption = None,
    oidc_name_claim: auth_flags.OidcNameOption = None,
    oidc_roles: auth_flags.OidcRolesOption = None,
    public_url: auth_flags.PublicUrlOption = None,
    embed_in: auth_flags.EmbedInOption = None,
    allow_host: auth_flags.AllowHostOption = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen on other addresses without a login.")
    ] = False,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Serve agents over MCP at /mcp (requirements-mcp.txt).")
    ] = False,
    demo_only: Annotated[
        bool, typer.Option("--demo-only", help="Serve only the Demo page, to everyone; nothing is kept.")
    ] = False,
    captioner: ChatOption = None,
    writer: ChatOption = None,
    extractor: ChatOption = None,
    judge: ChatOption = None,
    speech: SpeechOption = None,
    language: LanguageOption = None,
    ocr: OcrOption = None,
    detector: DetectorOption = None,
    reader: ReaderOption = None,
    embedder: EmbedderOption = None,
) -> None:
    """Serve the interface."""
    from annotation.pipeline.engines import check_names, choose, make_engines, refuse_in_process
    from annotation.stages.stage_context import Engines
    from backends.idle_models import keep_less_memory
    from ui.server import check_address, check_mcp, serve_app, serve_demo

    keep_less_memory()
    if mcp:
        check_mcp()
    guarded = bool(auth or accounts or proxy_header or oidc or insecure)
    if demo_only and (guarded or mcp or demo):
        raise UsageError("--demo-only serves one page to everyone; remove the flags of the other pages")
    # A Space without a login is open to everyone.
    demo_only = demo_only or (not guarded and bool(os.environ.get("SPACE_ID")))
    check_address(host, port, protected=guarded or demo_only)
    rules = auth_flags.auth_rules(
        auth, accounts, proxy_header, trusted_proxy, oidc, oidc_client, oidc_name_claim, oidc_roles
    )
    site = auth_flags.site(public_url, embed_in)
    space = open_or_make_workspace(workspace, database)
    flags = {
        "captioner": captioner,
        "writer": writer,
        "extractor": extractor,
        "judge": judge,
        "speech": speech,
        "language": language,
        "ocr": ocr,
        "detector": detector,
        "reader": reader,
        "embedder": embedder,
    }

    def engines() -> Engines:
        """Create the engines from the flags and the current settings: a page may have connected a model."""
        return make_engines(choose(space.settings, **flags), space)

    choice = choose(space.settings, **flags)
    refuse_in_process(choice)
    check_names(choice, space)
    if demo_only:
        serve_demo(engines, space.limits, host, port)
        return
    if demo:
        from exports.sample import fill_sample

        with Bars() as bars, stoppable() as stop:
            fill_sample(space, engines(), bars, stop)
    serve_app(
        space,
        engines,
        host,
        port,
        rules,
        site=site,
        allow_host=allow_host or (),
        for_agents=mcp,
        proxies=auth_flags.forwarding_proxies(proxy_header, trusted_proxy),
    )


@cli.command()
def probe(video: VideoArgument, as_json: JsonOption = False) -> None:
    """Print the stream facts of a video file."""
    from backends.video.probe import probe as probe_file

    facts, _table = probe_file(video)
    found = {"file": str(video), **asdict(facts)}
    _print(found, as_json, lambda: [f"{name:16} {value}" for name, value in found.items()])


@cli.command()
def scenes(
    video: VideoArgument,
    detector: DetectorOption = None,
    preset: PresetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the scenes of a video file. An interrupted run resumes where it stopped."""
    from ui.commands.run_stages import find_scenes

    with stoppable() as stop:
        found = find_scenes(video, preset or detector or "default", stop)
    rows = found["scenes"]
    _print(
        found,
        as_json,
        lambda: [
            f"scene {r['index'] + 1:3}  {r['start_s']:9.3f} to {r['end_s']:9.3f} s  "
            f"frames {r['start_frame']} to {r['end_frame'] - 1}"
            for r in rows
        ],
    )


@cli.command()
def export(
    format_: Annotated[str | None, typer.Argument(metavar="FORMAT", help="See --list.")] = None,
    out: Annotated[Path | None, typer.Argument(help="File or folder to write.", parser=some_path)] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    evaluation: Annotated[str | None, typer.Option(help="Name or id of the evaluation.")] = None,
    whose: Annotated[
        str,
        typer.Option(
            metavar="TEXTS",
            help="Author of the texts: counting (the current texts), references (datasets and people), or a "
            "person's name. For captions, splits and scripts; default: counting.",
        ),
    ] = "",
    values: Annotated[str, typer.Option(help="machine or current (with corrections).")] = "current",
    preview: Annotated[
        bool, typer.Option("--preview", help="Print what the file would contain, without writing it.")
    ] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List the formats and what each cannot hold.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Export to a file or folder in one of the formats."""
    from annotation.stages.media_library import MediaLibrary
    from exports.catalogue import export_preview
    from exports.catalogue import format_registry as formats

    if list_:
        rows = [
            {
                "name": f.name,
                "what": f.what,
                "cannot_hold": f.cannot_hold,
                "comes_back": f.keeps.words() if f.keeps else "",
                "reads": f.reader is not None,
                "writes": f.writer is not None,
            }
            for f in formats.FORMATS.values()
        ]
        _print(
            rows,
            as_json,
            lambda: [
                f"{r['name']:16} {r['what']}\n{'':16} cannot hold: {r['cannot_hold']}"
                + (f"\n{'':16} comes back: {r['comes_back']}" if r["comes_back"] else "")
                for r in rows
            ],
        )
        return
    if format_ is None or (out is None and not preview):
        raise UsageError("give a format and a file or folder to write; --list shows the formats")
    space = _open(workspace, database)
    with closing(MediaLibrary(space.media)) as media:
        about = formats.wanted(
            space.store, format_, evaluation_id=evaluation, values=values, whose=whose, media=media
        )
        known = formats.FORMATS[format_]
        held = export_preview.preview(known, about)
        if preview or out is None:
            _print(held.as_json(), as_json, held.lines)
            return
        for line in held.summary():
            say(line)
        files = formats.write_wanted(about, known, out)
    _print([str(file) for file in files], as_json, lambda: [str(file) for file in files])


@cli.command()
def lint(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files of questions, captions or scripts; default: the workspace.", parser=some_path
        ),
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    aspect: Annotated[str | None, typer.Option(help="Aspect of a question file whose name lacks it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Check questions, reference answers and scene scripts for defects."""
    from annotation.reports.lint_report import lines, workspace_report
    from exports.catalogue.lint_files import file_report

    found = file_report(paths, aspect) if paths else workspace_report(_open(workspace, database).store)
    _print(found, as_json, lambda: lines(found))


def _reply_kinds(_: Mapping[str, str]) -> dict[str, str]:
    from annotation.pipeline.reply_kinds import KINDS

    *others, last = KINDS
    return {"kind": f"{', '.join(others)} or {last}."}


@cli.command("read-replies", cls=command_with_help(_reply_kinds))
def read_replies(
    kind: Annotated[str, typer.Argument(help="Kind of the replies.")],
    file: Annotated[Path, typer.Argument(help='JSON lines `{"reply": "..."}`.', parser=some_path)],
    as_json: JsonOption = False,  # noqa: ARG001  # the list of readings is JSON either way
) -> None:
    """Show how raw model replies are read, as a JSON list (with and without --json)."""
    from annotation.pipeline.reply_kinds import known_kind, read_reply

    known_kind(kind)
    try:
        lines = read_text(file).splitlines()
        replies = [json.loads(line) for line in lines if line.strip()]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise FormatError(f"{file}: {error}; give JSON lines with a field `reply`") from error
    print_json([read_reply(kind, reply) for reply in replies])


@cli.command()
def doctor(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    captioner: ChatOption = None,
    judge: ChatOption = None,
    speech: SpeechOption = None,
    ocr: OcrOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check what is installed and which engines answer, and print the commands for the rest."""
    from annotation.pipeline.doctor import examine

    engines = {"captioner": captioner, "judge": judge, "speech": speech, "ocr": ocr, "embedder": embedder}
    if workspace != DEFAULT_WORKSPACE and not (workspace.expanduser() / SETTINGS).is_file():
        _open(workspace, database).close()  # raises UsageError if the workspace does not exist
    with workspace_or_passing(workspace, database) as space:
        rows = examine(space, kept=space.path == workspace.expanduser().resolve(), **engines)
    _print(
        rows, as_json, lambda: [f"{'ok' if r['ok'] else '--':3} {r['what']:24} {r['found']}" for r in rows]
    )


@cli.command()
def models(as_json: JsonOption = False) -> None:
    """List open models that can caption and judge, which of them fit on this machine, and their commands."""
    from annotation.pipeline.open_models import model_lines, model_list

    found = model_list()
    _print(found, as_json, lambda: model_lines(found))


@cli.command()
def password(name: str, role: str) -> None:
    """Print a line for the file of `serve --auth`."""
    from annotation.people.passwords import hash_password

    typed = typer.prompt("password", hide_input=True, confirmation_prompt=True, err=True)
    sys.stdout.write(f"{name}:{role}:{hash_password(typed)}\n")


for commands in (
    *(run, importing, joining, scores, evaluations, prompts),
    *(frame_captions, check_split, backup, accounts),
):
    commands.add_to(cli)


def main() -> int:
    """Run the command line. Usage errors become one line on stderr and an exit code."""
    if sys.stdout is None:  # closed by the parent process (`>&-`)
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    try:
        code = cli(standalone_mode=False, auto_envvar_prefix="DAILIES")
    except typer.Exit as done:
        return done.exit_code
    except (typer.Abort, KeyboardInterrupt, Stopped) as stopped:
        say(str(stopped) or "stopped")
        return 130
    except (UsageError, FormatError, MediaError, BackendUnavailable) as error:
        say(f"error: {error}")
        return 2
    except DailiesError as error:
        say(f"error: {error}")
        return 1
    except (OSError, DatabaseError) as error:
        from annotation.store.database import database_words, is_database_fault

        if full := DiskFull.of(error):
            say(f"error: {full}")
        elif isinstance(error, DatabaseError) and is_database_fault(error):
            say(f"error: {database_words(error)}")
        else:
            raise
        return 1
    except typer.TyperException as error:
        # str(error) lacks the name of the flag.
        say(f"error: {error.format_message()}")
        return 2
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    sys.exit(main())
