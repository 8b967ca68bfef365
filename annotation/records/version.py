"""The version of Dailies; pyproject.toml reads it here."""

VERSION = "0.2.0"
