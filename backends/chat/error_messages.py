"""Recognise error messages of servers about requests that exceed their limits."""

from __future__ import annotations

import re

from backends.errors import BackendError, BackendUnavailable, RequestRefused, RequestTooLarge

_most_pictures = re.compile(
    r"at most (\d+) (?:image|picture)"  # vLLM
    r"|(?:maximum|max\w*|limit)[^.]{0,40}?\b(\d+) (?:image|picture)"
    r"|\b(\d+)\s*(?:is the )?(?:maximum|limit)[^.]{0,20}image",
    re.IGNORECASE,
)
_too_long = re.compile(
    r"maximum (?:context|model|input) length|longer than the (?:maximum )?(?:model|context)"  # vLLM, SGLang
    r"|context[_ ](?:length|size|window)|exceed\w* [^.]{0,40}context"  # hosted, llama.cpp
    r"|context_length_exceeded"
    r"|prompt is too long|too many (?:input )?tokens|max_total_tokens|max_model_len"
    r"|payload too large|request entity too large",
    re.IGNORECASE,
)
_reply_too_long = re.compile(
    r"max_(?:completion_)?tokens[^.]{0,20} (?:cannot|can't|must|is too)", re.IGNORECASE
)
"""The requested length of the reply is too large, whatever the request contains."""
_blind = re.compile(
    r"not a multimodal model|at most 0 image"  # vLLM
    r"|image input is not supported|\bmmproj\b"  # llama.cpp
    r"|missing data required for image"  # Ollama
    r"|(?:does not|doesn't|not) (?:support|accept)\w* (?:image|vision|multimodal|picture)"
    r"|image_url is only supported|(?:image|vision)[^.]{0,40} not supported"  # hosted
    r"|no endpoints found that support image"
    r"|(?:unknown|unexpected|invalid|unsupported) (?:variant|content|part)[^.]{0,40}image",
    re.IGNORECASE,
)


def is_blind(message: str) -> bool:
    """Return whether the message says that the model does not accept pictures."""
    return bool(_blind.search(message))


def too_large(status: int, message: str) -> bool:
    """Return whether the message says that the request exceeds the server's limits."""
    if _reply_too_long.search(message):
        return False
    return status == 413 or bool(_most_pictures.search(message) or _too_long.search(message))


def next_step(status: int, message: str) -> str:
    """Return what to do about a chat request that exceeds a limit of the server; empty for other errors."""
    if status == 413:
        return "; raise the size limit of the server, or of the proxy in front of it"
    if _reply_too_long.search(message) or _too_long.search(message):
        return "; start the server with a longer context (vLLM: max_model_len)"
    if _most_pictures.search(message):
        return "; start the server with a higher limit of pictures (vLLM: images, or --limit-mm-per-prompt)"
    return ""


def complaint(who: str, model: str, status: int, message: str, advice: str = "") -> BackendError:
    """Convert an error response into an exception; `who` is the address."""
    if is_blind(message):
        return BackendUnavailable(
            f"{model} at {who} does not accept pictures ({message}); name a vision model for the captioner, "
            "such as Qwen/Qwen2.5-VL-7B-Instruct"
        )
    text = f"{who}: {model} refused the request ({status}): {message}{advice}"
    if too_large(status, message):
        found = _most_pictures.search(message)
        return RequestTooLarge(text, int(next(n for n in found.groups() if n)) if found else None)
    return RequestRefused(text)
