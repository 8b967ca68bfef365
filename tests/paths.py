"""Where things lie beside the tests."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
"""Real question sets and logs, where they lie beside this checkout; tests of them are skipped elsewhere."""
