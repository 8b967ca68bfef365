"""A workspace: one folder with the database, the media cache and the settings."""

from __future__ import annotations

import getpass
import json
import logging
import os
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from filelock import FileLock, Timeout
from sqlalchemy import select

from annotation.prompts.prompt_files import Prompts, load_prompts
from annotation.records.allowed_values import Role
from annotation.records.decisions import Person
from annotation.records.ids import record_id
from annotation.store import tables
from annotation.store.database import database_shown, holds_workspace
from annotation.store.store import Store
from annotation.workspace.limit_settings import Limits
from backends.atomic_files import whole
from backends.errors import UsageError
from backends.text.storable_text import check_storable

SETTINGS_HEAD = """# Settings of this workspace. Flags on the command line override them.
# captioner = "http://127.0.0.1:8000/v1#model"   # also: writer, extractor, judge
# speech = "base"                                # a Whisper size, a folder with weights, or "none"
# detector = "default"
#
# [remote]
# allow = ["https://videos.example.org/clips/"]  # URLs under these may be fetched; none by default
#
# [prices]                                       # per million tokens; --estimate and --most-cost use them
# "MODEL" = { input = 2.5, output = 10 }
#
# [limits]
# upload_gb = 20                                 # per file; docs/teams.md lists the others
"""
IMPORT_WAIT_S = 600.0
DATABASE = "dailies.db"
"""Default database, in the workspace folder."""
SETTINGS = "settings.toml"
log = logging.getLogger(__name__)


class Workspace:
    """All data of one project. It is passed as an argument, never global."""

    def __init__(self, path: Path, database: str | None = None) -> None:
        """Open the folder, and create it if it does not exist.

        Raises UsageError if the folder cannot be written.
        """
        self.path = path.expanduser().resolve()
        self.media = self.path / "media"
        self._make_folders()
        self.store = Store(database_url(self.path, database))
        self._write_settings_once()

    @classmethod
    def existing(cls, path: Path, database: str | None = None) -> Workspace:
        """Open an existing workspace. Raises UsageError if there is none."""
        require_workspace(path, database)
        return cls(path, database)

    def _make_folders(self) -> None:
        try:
            self.media.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if (self.path / DATABASE).is_file():  # a workspace on a read-only disk can be read
                return
            raise UsageError(
                f"cannot create the workspace {self.path} ({error.strerror}); "
                "choose another folder with --workspace"
            ) from error

    def _write_settings_once(self) -> None:
        # The file is optional: without it, as on a read-only disk, all settings have their defaults.
        with suppress(OSError), (self.path / SETTINGS).open("x", encoding="utf-8") as file:
            file.write(SETTINGS_HEAD)

    def close(self) -> None:
        self.store.close()

    @cached_property
    def id(self) -> str:
        """The unique id of this workspace. Another workspace may have the same address later."""
        with self.store.reading() as conn:
            return str(conn.scalar(select(tables.workspace.c.id)))

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The contents of `settings.toml`. Raises UsageError if it is not valid TOML."""
        file = self.path / SETTINGS
        try:
            return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{file}: {error}; correct or delete it") from error

    def keep_setting(self, name: str, value: str) -> None:
        """Write a setting to `settings.toml`, above its tables. The rest of the file is not changed.

        Raises UsageError if the file cannot be written.
        """
        file = self.path / SETTINGS
        with FileLock(self.path / "settings.lock"):
            text = with_setting(file.read_text(encoding="utf-8"), name, value)
            try:
                with whole(file) as part:
                    part.write_text(text, encoding="utf-8")
            except OSError as error:
                raise UsageError(
                    f"{file} cannot be written ({error.strerror}); check its permissions"
                ) from error
        self.__dict__.pop("settings", None)

    def engine_settings(self) -> dict[str, str]:
        """Return the text settings outside of tables."""
        return {name: value for name, value in self.settings.items() if isinstance(value, str)}

    @cached_property
    def limits(self) -> Limits:
        """The limits of the workspace. Raises UsageError for an invalid setting."""
        return Limits.of(self.settings)

    @cached_property
    def prompts(self) -> Prompts:
        """The protocol prompts; files in `prompts/` of the workspace replace them by name.

        `prompts_in_use` applies the versions that people have chosen.
        """
        folder = self.path / "prompts"
        return load_prompts(folder if folder.is_dir() else None)

    @property
    def cache(self) -> Path:
        """The folder from `cache_folder`, which all workspaces share."""
        return cache_folder()

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Hold a lock that allows one import at a time across all processes of the workspace.

        Records are looked up while a file is read: if two files name the same new video, the second must find
        it. Raises UsageError if another import takes too long.
        """
        lock = FileLock(self.path / "import.lock")
        try:
            lock.acquire(timeout=IMPORT_WAIT_S)
        except Timeout:
            raise UsageError(
                f"another import has been running for {IMPORT_WAIT_S / 60:.0f} minutes; "
                "try again when it is finished"
            ) from None
        except (OSError, NotImplementedError) as error:
            log.warning(
                "%s: this disk does not support file locks (%s); import from one process only",
                self.path,
                error,
            )
        try:
            yield
        finally:
            lock.release()

    def owner(self) -> Person:
        """Return the default person of the workspace, an admin, created on first use.

        Raises UsageError if there is no admin and the user's name belongs to a person with another role.
        """
        people = self.store.find(Person, order_by=["created_at"])
        for person in people:
            if person.role == "admin":
                return person
        person, _new = self.welcome(_account_name(), "admin")
        if person.role != "admin":
            raise UsageError(
                f"there is no admin in this workspace, and {person.name!r} is {person.role}; type: "
                "python app.py account add NAME admin"
            )
        return person

    def add_person(self, name: str, role: str) -> Person:
        """Add a person. Raises UsageError if the name is taken or the role does not exist."""
        person, new = self.welcome(name, role)
        if not new:
            raise UsageError(f"there is already a person called {person.name!r}")
        return person

    def welcome(self, name: str, role: str) -> tuple[Person, bool]:
        """Return the person with this name, added if necessary, and whether they are new.

        An existing person keeps their role. If several processes or requests add the same person, only one
        gets True. Raises UsageError for an invalid name or an unknown role.
        """
        name = name.strip()
        check_storable(name, "the name")
        if not name or len(name) > 80:
            raise UsageError("a name must have 1 to 80 characters")
        if role not in ("annotator", "expert", "researcher", "admin"):
            raise UsageError(f"unknown role {role!r}; choose annotator, expert, researcher or admin")
        if known := self.store.find(Person, name=name):
            return known[0], False
        person = Person(id=record_id("per", name), name=name, role=cast(Role, role), created_at=time.time())
        new = bool(self.store.add([person]))
        return self.store.get(Person, person.id), new


def database_url(folder: Path, database: str | None) -> str:
    """Return the URL of a workspace's database: `database`, or the file in the folder."""
    return database or f"sqlite:///{folder.expanduser().resolve() / DATABASE}"


def is_workspace(path: Path, database: str | None = None) -> bool:
    """Whether a folder exists and its database holds a workspace. Nothing is created or changed."""
    folder = path.expanduser().resolve()
    return folder.is_dir() and holds_workspace(database_url(folder, database))


def require_workspace(path: Path, database: str | None = None) -> None:
    """Raise UsageError if there is no workspace. Nothing is created or changed."""
    if not is_workspace(path, database):
        there = database is not None and path.expanduser().is_dir()
        where = f"in {database_shown(str(database))}" if there else f"at {path.expanduser().resolve()}"
        raise UsageError(
            f"there is no workspace {where}; give one with --workspace "
            "(serve, run and import create a new one)"
        )


def cache_folder() -> Path:
    """Return the folder for assembled model weights, and for unfinished work without a workspace."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(base) / "dailies"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir()) / "dailies"
    return folder


def _account_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "owner"


def with_setting(text: str, name: str, value: str) -> str:
    """Return the text of a settings file with `name` set to `value`.

    An existing line is replaced; otherwise the line is added above the tables. Raises UsageError if the
    change would affect other settings.
    """
    lines = text.splitlines()
    tables = next((i for i, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    line = f"{name} = {json.dumps(value, ensure_ascii=False)}"
    said = [i for i, old in enumerate(lines[:tables]) if old.partition("=")[0].strip() == name]
    if said:
        lines[said[0]] = line
    else:
        lines.insert(tables, line)
    changed = "\n".join(lines) + "\n"
    try:
        whole_file, before = tomllib.loads(changed), tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"settings.toml cannot be changed automatically: {error}; write {line} into it"
        ) from error
    if whole_file != {**before, name: value}:
        raise UsageError(f"settings.toml cannot be changed automatically; write {line} into it")
    return changed
