"""Find and replace: a preview, and the change."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.editing import find_and_replace
from annotation.editing.find_and_replace import LONGEST_FIND, Replaced, ReplacePreview, Search
from annotation.records.allowed_values import SubjectType
from ui.requests.dependencies import PartsOf, Revision, Who

router = APIRouter(prefix="/api/replace")


class SearchBody(BaseModel):
    find: str = Field(min_length=1, max_length=LONGEST_FIND)
    replace: str = Field("", max_length=LONGEST_FIND)
    whole_word: bool = False
    match_case: bool = False
    video: str = ""
    """Empty: in all videos."""

    def search(self) -> Search:
        return Search(self.find, self.replace, self.whole_word, self.match_case, self.video)


class Chosen(BaseModel):
    subject: tuple[SubjectType, str, str]
    revision: Revision


class ReplaceBody(SearchBody):
    texts: list[Chosen] = Field(max_length=find_and_replace.MOST_SHOWN)


@router.post("/preview")
def preview(body: SearchBody, parts: PartsOf, who: Who) -> ReplacePreview:
    """Every text that would change. Changes nothing."""
    return find_and_replace.preview(parts.store, who, body.search())


@router.post("")
def replace(body: ReplaceBody, parts: PartsOf, who: Who) -> Replaced:
    """Change the selected texts; those changed since the preview are skipped and listed."""
    chosen = [(one.subject, one.revision) for one in body.texts]
    return find_and_replace.replace(parts.store, who, body.search(), chosen)
