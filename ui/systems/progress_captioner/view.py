"""ProgressCaptioner on the pages: FrameCapEval."""

from __future__ import annotations

from ui.lib.system_view import SystemView
from ui.systems.progress_captioner.framecap_view import FRAMECAP

SYSTEM = SystemView(name="progress_captioner", scores=(FRAMECAP,))
