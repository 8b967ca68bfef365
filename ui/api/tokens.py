"""Personal tokens, managed in the page.

Requests with a token cannot use these routes (`ui.requests.token_rules`).
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from annotation.people import personal_tokens
from annotation.people.permissions import Scope
from annotation.people.personal_tokens import DAYS, LONGEST_NAME, USUAL_DAYS, PersonalToken
from ui.api.api_wire_types import MadeToken, TokenFacts
from ui.auth.current_person import address_of
from ui.requests.dependencies import PartsOf, Who

router = APIRouter(prefix="/api")


class TokenBody(BaseModel):
    name: str = Field(max_length=LONGEST_NAME)
    """What the token is used for."""
    scope: Scope = "read"
    days: int = Field(USUAL_DAYS, ge=1, le=DAYS)


@router.get("/tokens")
def own(parts: PartsOf, who: Who) -> list[TokenFacts]:
    """The person's own tokens, newest first, including revoked and expired ones."""
    return [_shown(one) for one in personal_tokens.tokens(parts.store, who.id)]


@router.post("/tokens")
def make(body: TokenBody, request: Request, parts: PartsOf, who: Who) -> MadeToken:
    """Create a token for the current person. Only this response contains it: the database stores a hash."""
    made = personal_tokens.make(
        parts.store,
        who,
        body.name,
        body.scope,
        body.days,
        with_accounts=parts.door.locked,
        by=who,
        address=address_of(request),
    )
    return {**_shown(made.made), "token": made.token}


@router.post("/tokens/{token_id}/revoke")
def revoke(token_id: str, request: Request, parts: PartsOf, who: Who) -> TokenFacts:
    """Revoke one's own token; an admin can revoke any token."""
    return _shown(personal_tokens.revoke(parts.store, token_id, by=who, address=address_of(request)))


def _shown(token: PersonalToken) -> TokenFacts:
    return {
        "id": token.id,
        "name": token.name,
        "scope": token.scope,
        "state": token.state,
        "created_at": token.created_at,
        "until": token.until,
        "used_at": token.used_at,
    }
