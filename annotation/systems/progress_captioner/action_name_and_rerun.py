"""Actions of the Keyframes page other than picking frames: name the action, caption and judge again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from annotation.editing import undo_and_redo
from annotation.editing.decision_kinds import KINDS
from annotation.editing.decision_log import Change
from annotation.editing.display_names import quote
from annotation.people.permissions import require
from annotation.records.decisions import Person
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.probe_scenes_speech import facts_of
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import Plan
from annotation.store.store import Store
from annotation.systems.progress_captioner import caption_stage
from annotation.systems.progress_captioner.frame_options import USUAL, FrameOptions
from annotation.systems.progress_captioner.system import FRAMES, KEYFRAMES
from backends.errors import UsageError

LONGEST_ACTION = 200
"""Maximum length of an action label, in characters."""
MOST = 240
"""Maximum number of candidates of one video: each costs two requests, and a page shows them all."""


def name_action(store: Store, person: Person | None, video_id: str, action: str) -> Video:
    """Set the action that a video shows; captions and verdicts made for another action become stale.

    Raises NotAllowed, NotFound, UsageError for a label that is too long.
    """
    editor = require(person, "edit")
    action = " ".join(action.split())
    if len(action) > LONGEST_ACTION:
        raise UsageError(
            f"an action label has at most {LONGEST_ACTION} characters; this one has {len(action)}"
        )
    kind, subject = KINDS["action"], (store.get(Video, video_id).id,)
    with store.writing() as conn:
        before = kind.now(store, conn, subject)
        if before != action:
            kind.restore(store, conn, subject, action, editor.id)
            done = f"named the action “{quote(action)}”" if action else "cleared the action label"
            undo_and_redo.record_in(
                conn, editor.id, video_id, done, [Change("action", subject, before, action)]
            )
    return store.get(Video, video_id)


def options_of(run: Run) -> FrameOptions | None:
    """Options with which the pipeline made these frame captions; None if they were imported from a file."""
    if run.stage != "frames":
        return None
    params = run.params
    try:
        return FrameOptions(
            per_call=int(params.get("window", USUAL.per_call)),
            fps=None if params.get("fps") is None else float(params["fps"]),
            frames=tuple(int(index) for index in params.get("frames", ())),
            context=params.get("context", USUAL.context),
            mode=params.get("mode", USUAL.mode),
            sampling=params.get("sampling", USUAL.sampling),
        ).checked()
    except (TypeError, ValueError, UsageError):
        return None


def plan_frames(video: Video, options: FrameOptions) -> Plan:
    """Plan captions of the candidates and verdicts between them; existing records are not requested again.

    Raises UsageError for more candidates than a page can show.
    """
    options.checked()
    count = int(facts_of(video).duration_s * (options.fps or 0)) + 1
    if max(count, len(options.frames)) > MOST:
        raise UsageError(
            f"a page shows at most {MOST} candidates, not {max(count, len(options.frames))}; choose fewer"
        )
    chosen = f"{len(options.frames)} chosen frames" if options.frames else f"{options.fps or 1:g} a second"
    return Plan(
        name=f"frame captions, {chosen}, {options.per_call} at a time",
        videos=(video,),
        stages=(replace(FRAMES, run=partial(_run_frames, options=options)), KEYFRAMES),
        settle=lambda _context: None,
    )


def _run_frames(context: Context, video: Video, *, options: FrameOptions) -> StageResults:
    context.options = (options,)
    return caption_stage.run_frames(context, video)
