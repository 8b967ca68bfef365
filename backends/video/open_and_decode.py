"""Open a file, pin one video stream, and decode it despite damage."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import av
from av.stream import Disposition

from backends.errors import MediaError

_NOT_VIDEO = ("tty", "image2", "image2pipe", "bin", "rawvideo")
"""FFmpeg demuxers that accept text, pictures or arbitrary bytes as video."""

_PLAYLISTS = ("hls", "dash", "concat", "concatf")
"""Formats that only list other files."""

_PLAYABLE_FORMATS = {"mov", "mp4", "matroska", "webm"}
_PLAYABLE_CODECS = {"h264", "vp8", "vp9", "av1"}
_PLAYABLE_SOUND = {"aac", "mp3", "opus", "vorbis", "flac"}

BACK_STEPS = (0, 1, 2, 4, 8)
"""Keyframes to step back if decoding from the nearest one does not reach a frame."""

_THREADS = min(4, os.cpu_count() or 1)
"""Decoder threads per open file: more are hardly faster and each needs memory for one frame."""


def open_video(path: Path, **codec_options: str) -> tuple[Any, Any]:
    """Return `(container, stream)` of the pinned video stream; the caller closes the container.

    The pinned stream is the one that Chromium plays: the first video stream that is
    not a cover picture. `codec_options` are FFmpeg's decoder options. Only local files
    are opened, also from inside playlists. Raises MediaError.
    """
    container = _open(path)
    try:
        stream = _pinned(container, path)
        stream.codec_context.options = codec_options
        stream.codec_context.thread_count = _THREADS
        stream.thread_type = "AUTO"
    except BaseException:
        container.close()
        raise
    return container, stream


def _open(path: Path) -> Any:
    _check_file(path)
    try:
        # An absolute path is never parsed as a protocol; the whitelist keeps playlists off the network.
        container = av.open(
            str(path.absolute()), options={"protocol_whitelist": "file"}, metadata_errors="ignore"
        )
    except (av.FFmpegError, OSError, ValueError) as error:
        raise MediaError(f"{path.name}: {_why_unreadable(path, error)}") from error
    names = container.format.name.split(",")
    if any(name in _NOT_VIDEO or name in _PLAYLISTS or name.endswith("_pipe") for name in names):
        container.close()
        raise MediaError(f"{path.name}: this is {names[0]} data, not a video; choose a video file")
    return container


def why_no_video(path: Path) -> str:
    """Return the error message of `open_video` without the file name; empty if the file opens."""
    try:
        container, _ = open_video(path)
    except MediaError as error:
        return str(error).removeprefix(f"{path.name}: ")
    container.close()
    return ""


def _check_file(path: Path) -> None:
    try:
        if not path.exists():
            raise MediaError(f"{path.name}: no such file; check the path {path}")
        if not path.is_file():
            raise MediaError(f"{path.name}: not a file; give one video file")
        if path.stat().st_size == 0:
            raise MediaError(f"{path.name}: the file is empty (0 bytes); copy or download it again")
    except OSError as error:
        raise MediaError(f"{path.name}: cannot be read ({error.strerror}); check its permissions") from error


def _why_unreadable(path: Path, error: Exception) -> str:
    if isinstance(error, PermissionError):
        return "cannot be read (permission denied); check its permissions"
    with suppress(OSError), path.open("rb") as file:
        if file.read(12)[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free"):
            return "its index (moov) is missing, so the file is incomplete; copy or download it again"
    return "FFmpeg finds no video in it; check that it is a video file, or convert it to MP4"


def _pinned(container: Any, path: Path) -> Any:
    streams = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
    if not streams:
        what = "sound but no pictures" if container.streams.audio else "no video stream"
        raise MediaError(f"{path.name}: it contains {what}; choose a file with a video stream")
    if streams[0].codec_context is None:
        raise MediaError(f"{path.name}: FFmpeg has no decoder for its video; convert it to H.264 in MP4")
    return streams[0]


def codec_name(stream: Any) -> str:
    """Return the name of the codec (`av1`), independent of the decoder."""
    return str(stream.codec_context.codec.canonical_name)


def unplayable_why(container: Any, stream: Any) -> str:
    """Return why browsers cannot play the file without conversion; empty if they can."""
    return _invisible_why(container, stream) or _silent_why(container)


def _invisible_why(container: Any, stream: Any) -> str:
    codec = codec_name(stream)
    formats = set(container.format.name.split(","))
    if not formats & _PLAYABLE_FORMATS:
        return f"browsers do not open {min(formats, key=len)} files"
    if codec not in _PLAYABLE_CODECS:
        return f"browsers do not show {codec} video"
    return ""


def _silent_why(container: Any) -> str:
    """Return why the sound does not play: Chromium plays such a file silently, without an error."""
    if not container.streams.audio:
        return ""
    codec = sound_codec(container.streams.audio[0])
    playable = codec in _PLAYABLE_SOUND or codec.startswith("pcm_")
    return "" if playable else f"browsers do not play {codec} sound"


def sound_codec(stream: Any) -> str:
    """Return the codec of an audio stream, also if FFmpeg has no decoder for it."""
    context = stream.codec_context
    return str(context.codec.canonical_name) if context is not None else "unknown"


def presentation_start(container: Any, stream: Any) -> float:
    """Return the offset to subtract from timestamps (seconds) to get a player's `currentTime`.

    Chromium's clock is the timestamp: a first frame at 0.033 s is shown at
    `currentTime` 0.033 (FFmpeg has already applied edit lists). If a browser cannot
    show the pictures of a file, it plays a converted copy, which begins at the
    container's start time.
    """
    if not _invisible_why(container, stream):
        return 0.0
    return int(container.start_time or 0) / float(av.time_base)


def packets(container: Any, *streams: Any) -> Iterator[Any]:
    """Yield demuxed packets, including flush packets. A damaged container ends the iteration early."""
    with suppress(av.FFmpegError):
        yield from container.demux(*streams)


def decoded(container: Any, stream: Any, wanted: Callable[[], int | None] | None = None) -> Iterator[Any]:
    """Yield frames of `stream` from the current position, in presentation order.

    Packets that cannot be decoded are skipped, so frames may be missing; frames
    without a timestamp are dropped. `wanted` returns the timestamp of the first needed
    frame: earlier frames that are not references are not decoded.
    """
    for packet in packets(container, stream):
        if wanted is not None:
            _leave_out(stream.codec_context, packet.pts, wanted())
        try:
            frames = packet.decode()
        except EOFError:
            return
        except av.FFmpegError:
            continue
        yield from (frame for frame in frames if frame.pts is not None)
    # The demuxer stopped without a flush packet: get the frames that the decoder still holds.
    with suppress(av.FFmpegError):
        yield from (frame for frame in stream.codec_context.decode(None) if frame.pts is not None)


def _leave_out(codec: Any, pts: int | None, wanted: int | None) -> None:
    """Skip the next packet if it is early and not a reference; this does not change other frames."""
    skip = "NONREF" if pts is not None and wanted is not None and pts < wanted else "DEFAULT"
    if codec.skip_frame != skip:
        codec.skip_frame = skip


def seek(container: Any, stream: Any, pts: int) -> bool:
    """Seek to the keyframe at or before `pts`; return False if the container does not support it."""
    try:
        container.seek(pts, stream=stream)
    except (av.FFmpegError, OSError, OverflowError):
        return False
    return True
