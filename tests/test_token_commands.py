"""Tokens for programs on the command line."""

from __future__ import annotations

import re
from pathlib import Path

from annotation.workspace.workspace import Workspace
from tests.test_command_line import app, app_json


def test_tokens_are_made_listed_and_revoked(tmp_path: Path) -> None:
    space = ("--workspace", tmp_path / "here")
    owner = Workspace(tmp_path / "here").owner().name
    out, err = app("account", "token", owner, "nightly", "--scope", "write", "--days", 7, *space)
    assert re.fullmatch(r"dailies_[\w-]{43}\n", out) and "not shown again" in err
    (row,) = app_json("account", "tokens", owner, *space)
    assert (row["name"], row["scope"], row["state"], row["used"]) == ("nightly", "write", "valid", None)
    assert out.strip() not in str(row)
    for wrong, why in (
        (("token", owner, "nightly"), "already"),
        (("token", owner), "name the token"),
        (("token", "nobody", "x"), "account 'nobody' not found"),
        (("revoke", owner, "weekly"), "valid tokens: 'nightly'"),
    ):
        assert why in app("account", *wrong, *space, code=2)[1]
    assert app_json("account", "revoke", owner, "nightly", *space)["state"] == "revoked"
    made = app_json("account", "token", owner, "nightly", *space)
    assert made["token"].startswith("dailies_") and made["scope"] == "read"
