"""Verify ID tokens: signature, audience, and the nonce of the login in progress.

OpenID Connect Core 1.0, section 3.1.3.7. joserfc verifies the signatures; only this module imports it, for
servers with `--oidc`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joserfc import jwt
from joserfc.errors import ClaimError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry
from joserfc.jwt import JWTClaimsRegistry

from annotation.records.errors import NotAllowed

ALGORITHMS = ("RS256", "ES256")
"""Asymmetric signatures only. Never `none`, and never HS256, whose key this app would share."""
LEEWAY_S = 60
"""Accepted clock difference in seconds."""


class UnknownKey(NotAllowed):
    """The token names a key that is not in the cached key set."""


def read_keys(answer: Mapping[str, Any]) -> KeySet:
    """The keys of a JWKS document. Raises ValueError if it has none."""
    try:
        return KeySet.import_key_set({"keys": list(answer["keys"])})
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise ValueError("its keys cannot be read") from error


@dataclass(frozen=True, slots=True)
class IdTokenCheck:
    """The claims that a token must have."""

    issuer: str
    client: str
    nonce: str

    def read(self, token: str, keys: KeySet) -> dict[str, Any]:
        """The claims. Raises NotAllowed if a claim or the signature is not valid."""
        # Providers add private fields to the header.
        registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
        try:
            claims = jwt.decode(token, keys, registry=registry).claims
            self._rules().validate(claims)
        except InvalidKeyIdError as error:
            raise UnknownKey("the ID token is signed with an unknown key") from error
        except ClaimError as error:
            raise NotAllowed(f"the ID token is not valid: {error.claim}") from error
        except (JoseError, ValueError) as error:
            raise NotAllowed(f"the ID token is not valid: {_first(error)}") from error
        self._check_party(claims)
        return claims

    def _rules(self) -> JWTClaimsRegistry:
        return JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": self.issuer},
            sub={"essential": True},
            aud={"essential": True, "value": self.client},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": self.nonce},
        )

    def _check_party(self, claims: Mapping[str, Any]) -> None:
        """A token for several audiences must name this app as the authorized party."""
        audience = claims["aud"]
        several = isinstance(audience, list) and len(audience) > 1
        if claims.get("azp", None if several else self.client) != self.client:
            raise NotAllowed("the ID token is not valid: azp")
        if not isinstance(claims["nonce"], str):
            raise NotAllowed("the ID token is not valid: nonce")


def _first(error: Exception) -> str:
    return str(getattr(error, "error", "") or "unreadable").replace("_", " ")
