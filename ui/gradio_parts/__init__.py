"""Two Gradio components: a player that knows its frames, and a text with marked words."""

from .frame_player import Film, FramePlayer, Range, ShownFrame
from .marked_caption import Caption, MarkedCaption, Span

__all__ = ["Caption", "Film", "FramePlayer", "MarkedCaption", "Range", "ShownFrame", "Span"]
