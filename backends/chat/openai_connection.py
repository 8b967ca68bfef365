"""Connection to an OpenAI-compatible server: address, key, models, retries and errors.

Retries are handled here, so that `Retry-After`, the total time and the number of attempts are limited
and the pipeline is notified of an overload.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from threading import Event
from typing import Any, TypeVar
from urllib.parse import urlsplit

from backends.chat.defaults import DEFAULT_TIMEOUT_S
from backends.chat.error_messages import complaint, is_blind
from backends.chat.kept_json_connections import (
    LONGEST_BODY,
    JsonServer,
    NoAnswer,
    NoConnection,
    StatusError,
    TooLong,
)
from backends.chat.openai_messages import one_line, said, serve_command, some, split_spec
from backends.chat.retries import Again, Retries, ServerLost, overloaded, wait_s
from backends.errors import BackendError, BackendUnavailable, RequestFailed, Stopped
from backends.remote.allowed_addresses import is_public, lookup

T = TypeVar("T")
_LOOK_S = 0.2
"""Interval of checks whether the work was stopped."""


class OpenAiServer:
    """A server at `http(s)://host:port/v1#model`. Thread-safe.

    If `key` is None, it is taken from DAILIES_API_KEY, else OPENAI_API_KEY. With `public` only public
    addresses are connected to: for addresses that strangers enter. Without `#model`, the server is queried
    at once and must serve exactly one model (else BackendUnavailable). `on_pressure` is called in the
    requesting thread on every 429, 503 and timeout; set it to a limiter's `back_off`. Its time does not
    count as time of the request. `lost` is called after every failed attempt: if it returns True, the
    server is gone for good and ServerLost is raised at once.
    """

    replies = "a chat completion"
    """Expected kind of reply, for messages."""
    longest = LONGEST_BODY
    """Maximum size of a reply in bytes."""

    def __init__(
        self,
        spec: str,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: Retries | None = None,
        on_pressure: Callable[[], None] | None = None,
        lost: Callable[[], bool] | None = None,
        key: str | None = None,
        public: bool = False,
    ) -> None:
        self.backend = spec
        self.endpoint, model = split_spec(spec)
        self.on_pressure = on_pressure or _nothing
        self._lost = lost or _never
        self._context: int | None = None
        """Context length in tokens (prompt and reply), if the server reports it."""
        self._timeout_s = timeout_s
        self._retries = retries or Retries()
        self._closed = threading.Event()
        self._hidden = False
        if public:
            _require_public(self.endpoint)
        if key is None:
            key = os.environ.get("DAILIES_API_KEY") or os.environ.get("OPENAI_API_KEY")
        self._server = JsonServer(self.endpoint, key or "none", self.longest, public=public)
        self.model = model or self._only_model()

    def hide_address(self, name: str) -> None:
        """Record and show `name` in place of the address from now on."""
        self.backend, self.endpoint, self._hidden = f"{name}#{self.model}", name, True

    # --- requests -----------------------------------------------------------------------

    def with_retries(self, once: Callable[[float], T], stop: Event | None = None) -> T:
        """Return the result of `once`, with retries. `once` receives its timeout and raises Again to retry.

        Raises RequestFailed after all attempts, and Stopped before the next attempt if `stop` is set.
        """
        policy = self._retries
        began = time.monotonic()
        for attempt in range(policy.tries):
            left = policy.total_s - (time.monotonic() - began)
            try:
                return once(min(self._timeout_s, max(left, 0.001)))
            except Again as trouble:
                why = trouble
            if self._lost():
                raise ServerLost(f"{self.endpoint}: {why}; the server is gone") from why
            if why.pressure:
                before = time.monotonic()
                self.on_pressure()
                began += time.monotonic() - before
            wait = wait_s(policy, attempt, why.retry_after_s)
            left = policy.total_s - (time.monotonic() - began)
            if attempt + 1 == policy.tries or wait >= left or self._wait(wait, stop):
                break
        raise RequestFailed(
            f"{self.endpoint}: {why} ({attempt + 1} tries in {time.monotonic() - began:.1f} s); "
            "check the server, then run again to repeat failed requests"
        ) from why

    def _wait(self, wait: float, stop: Event | None) -> bool:
        """Wait before the next attempt; return True if the client was closed. Raises Stopped."""
        until = time.monotonic() + wait
        while (left := until - time.monotonic()) > 0:
            if stop is not None and stop.is_set():
                raise Stopped("stopped between two tries")
            if self._closed.wait(min(left, _LOOK_S)):
                return True
        return False

    def post(self, path: str, body: Mapping[str, Any], timeout_s: float, stop: Event | None = None) -> Any:
        """Return the reply as JSON. Raises Again for temporary errors, StatusError for permanent ones, and
        RequestFailed for a reply that is too long (a retry would not help). Stopped as `JsonServer.post`."""
        try:
            return self._server.post(path, body, timeout_s, stop)
        except TooLong as error:
            raise RequestFailed(f"{self.endpoint}: {error}, so it was not read completely") from error
        except NoAnswer as error:
            raise Again(f"no answer within {timeout_s:g} s", pressure=True) from error
        except NoConnection as error:
            raise Again("no connection" if self._hidden else f"no connection: {one_line(error)}") from error
        except StatusError as error:
            if error.status in (408, 429) or (error.status >= 500 and not is_blind(said(error))):
                raise overloaded(error) from error
            raise
        except ValueError as error:
            raise Again(f"the reply is not {self.replies}") from error

    def _refused(self, error: StatusError) -> BackendError:
        advice = {
            401: "; set DAILIES_API_KEY to a key of this server",
            403: "; set DAILIES_API_KEY to a key that may use this model",
            404: f"; list the served models with: curl {self.endpoint}/models",
        }.get(error.status, "")
        model = getattr(self, "model", "")
        return self._complaint(model, error.status, said(error), advice)

    def _complaint(self, model: str, status: int, message: str, advice: str) -> BackendError:
        return complaint(self.endpoint, model, status, message, advice)

    # --- what is served -----------------------------------------------------------------

    def check(self) -> str:
        """Check that the server serves the model; return one line for `doctor`.

        Raises BackendUnavailable with the command that starts a server, or with the models that
        this one serves, and RequestRefused if the key is not accepted.
        """
        served = self.served_models()
        if served and not any(name in (self.model, f"{self.model}:latest") for name in served):
            raise BackendUnavailable(
                f"{self.endpoint} does not serve {self.model}; "
                f"write {self.endpoint}#MODEL with one of: {some(served)}"
            )
        return f"{self.model} at {self.endpoint} answers"

    def served_models(self) -> list[str]:
        """Return the model names that the server lists; empty if it has no list."""
        try:
            page = self._server.get("/models", min(10.0, self._timeout_s))
            models = page["data"] or []
            lengths = {str(model["id"]): _length(model) for model in models}
            length = lengths.get(getattr(self, "model", "")) or (
                lengths.popitem()[1] if len(lengths) == 1 else None
            )
            self._context = length if isinstance(length, int) else None
            return [str(model["id"]) for model in models]
        except (NoAnswer, NoConnection) as error:
            raise BackendUnavailable(self._how_to_start(error)) from error
        except StatusError as error:
            if error.status in (404, 405):
                return []
            if error.status < 500:
                raise self._refused(error) from error
            raise BackendUnavailable(f"{self._how_to_start(error)}") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BackendUnavailable(
                f"{self.endpoint} is not an OpenAI-compatible server; the address usually ends with /v1"
            ) from error

    def _only_model(self) -> str:
        served = self.served_models()
        if len(served) == 1:
            return served[0]
        lists = f"serves {some(served)}" if served else "does not list its models"
        raise BackendUnavailable(f"{self.endpoint} {lists}; name the model: {self.endpoint}#MODEL")

    def _how_to_start(self, error: Exception) -> str:
        model = getattr(self, "model", "") or "MODEL"
        port = urlsplit(self.endpoint).port or 8000
        return (
            f"no server answers at {self.endpoint} ({one_line(error)}); "
            f"start one with: {self._command(model, port)}"
        )

    def _command(self, model: str, port: int) -> str:
        return serve_command(model, port)

    def close(self) -> None:
        """Stop waiting for retries and close idle connections; requests in flight continue."""
        self._closed.set()
        self._server.close()


def _length(model: Mapping[str, Any]) -> Any:
    """Return the context length in tokens (prompt and reply), as vLLM or llama.cpp reports it."""
    meta = model.get("meta")
    return model.get("max_model_len") or (meta.get("n_ctx") if isinstance(meta, Mapping) else None)


def _require_public(endpoint: str) -> None:
    """Raise BackendUnavailable if the host has no address, or one that is not public."""
    parts = urlsplit(endpoint)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        addresses = lookup(parts.hostname or "", port)
    except (OSError, UnicodeError):
        addresses = []
    if not addresses:
        raise BackendUnavailable(f"{endpoint}: host not found; check the address")
    if not all(is_public(address) for address in addresses):
        raise BackendUnavailable(
            f"{endpoint}: not a public address; this server connects only to public ones here"
        )


def _nothing() -> None:
    return None


def _never() -> bool:
    return False
