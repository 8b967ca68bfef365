"""A model that a visitor enters for one run. Its address and key are not stored."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from annotation.stages.stage_context import Engines
from backends.chat.openai_chat import OpenAiChat
from backends.digest import digest
from backends.errors import UsageError
from backends.text.storable_text import check_storable

LONGEST = 2000
"""Characters of an address, a name or a key."""
_SALT = secrets.token_hex(16)
"""Results name their model by a digest of the address: another server gets other results."""


@dataclass(frozen=True, slots=True)
class OwnModel:
    """An OpenAI-compatible server."""

    address: str
    """`https://host/v1`."""
    model: str
    """Empty: the only one that the server has."""
    key: str = field(repr=False)

    @contextmanager
    def engines(self, engines: Engines, *, public: bool) -> Iterator[Engines]:
        """These engines with the model in all chat roles. Closes its connections at the end.

        With `public` only public addresses are connected to. Raises UsageError and BackendUnavailable.
        """
        chat = self._chat(public=public)
        try:
            chat.check()
            chat.hide_address(f"own-model-{digest(_SALT, self.address)[:6]}")
            yield replace(engines, captioner=chat, writer=chat, extractor=chat, judge=chat)
        finally:
            chat.close()

    def _chat(self, *, public: bool) -> OpenAiChat:
        if not self.address.lower().startswith(("http://", "https://")):
            raise UsageError("write the address of the model like https://host/v1")
        check_storable((self.address, self.model), "address and model")
        if "#" in self.address or "?" in self.address:
            raise UsageError("write the address of the model without ? and #, and the model below it")
        if any(len(text) > LONGEST for text in (self.address, self.model, self.key)):
            raise UsageError(f"address, model and key have at most {LONGEST:,} characters each")
        if not (self.key.isascii() and self.key.isprintable()):
            raise UsageError("the key has characters that no key has; copy it again")
        spec = f"{self.address}#{self.model}" if self.model else self.address
        return OpenAiChat(spec, key=self.key, public=public)
