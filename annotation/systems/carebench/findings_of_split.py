"""All findings of the checks on the split of a video, in a form that can be dismissed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from annotation.editing.dismissed_findings import Found
from annotation.people.hidden_texts import ASPECTS, AspectSight
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.systems.carebench.split_checks.all_checks import check_split
from annotation.systems.carebench.split_checks.clauses import clauses
from annotation.systems.carebench.split_checks.duplicate_texts import missing_aspects, near_duplicates
from annotation.systems.carebench.split_checks.finding import Finding, Side, Texts
from annotation.texts.which_text_counts import CountingText, Subject, texts_by_subject

NAMES: Mapping[str, str] = {
    "invented": "not in the full caption",
    "script": "other script",
    "meta_wording": "speaks of frames",
    "missing_aspect": "part missing",
    "near_duplicate": "near-duplicate",
}
"""Names of the checks for people, where they are not the words of the check."""
KEPT = 64
"""Number of splits whose findings are cached: a page asks for those of an unchanged split several times."""


@dataclass(frozen=True, slots=True)
class FoundInSplit:
    """A finding and the text that it concerns."""

    found: Found
    """Its subject is the video, so it stays dismissed if a person saves the text as their own."""
    side: Side
    made: Finding | None = None
    """The check's finding; None for findings about the video."""

    @property
    def name(self) -> str:
        """The name of the check for people."""
        return NAMES.get(self.found.check, self.found.check.replace("_", " "))


def findings_of_split(
    store: Store, video: Video, texts: Texts, sight: AspectSight | None = None
) -> list[FoundInSplit]:
    """Findings of the three texts in order, then those of the video. `sight` limits the visible texts."""
    of_texts = [FoundInSplit(_found(video.id, one, texts), one.side, one) for one in _checked(texts)]
    return [*of_texts, *(FoundInSplit(one, "full") for one in _of_video(store, video, texts.full, sight))]


@lru_cache(maxsize=KEPT)
def _checked(texts: Texts) -> tuple[Finding, ...]:
    return tuple(check_split(texts))


def _found(video_id: str, one: Finding, texts: Texts) -> Found:
    """The key includes the surrounding clause, so that the same word elsewhere is a separate finding."""
    around = [c.text for c in clauses(texts.of(one.side)) if c.start <= one.start < c.end] if one.text else []
    return Found(
        video_id=video_id,
        check=one.check,
        subject_type="video",
        subject_id=video_id,
        text=one.text,
        key=" | ".join([one.side, one.text, *around])[:4000],
        start=one.start,
        end=one.end,
        why=one.why,
    )


def _of_video(store: Store, video: Video, full: str, sight: AspectSight | None) -> list[Found]:
    found = [
        Found(
            video_id=video.id,
            check="missing_aspect",
            subject_type="video",
            subject_id=video.id,
            key=name,
            start=0,
            end=0,
            why=f"the part “{name}” is missing",
        )
        for name in missing_aspects(_parts(store, video, sight))
    ]
    others = _full_captions(store, video, sight) if full.strip() else {}
    for other, share in near_duplicates(full, others)[:3]:
        title = store.get(Video, other).title
        why = f"{share:.0%} of its word pairs are also in “{title}”: describe what distinguishes the two"
        found.append(
            Found(
                video_id=video.id,
                check="near_duplicate",
                subject_type="video",
                subject_id=video.id,
                key=other,
                start=0,
                end=0,
                why=why,
            )
        )
    return found


def _parts(store: Store, video: Video, sight: AspectSight | None) -> dict[str, str]:
    """The four parts by any author, limited to those visible to the requester."""
    kinds = {f"carebench:{name}": name for name in ASPECTS}
    seen = partial(sight.shown, store) if sight else None
    found = texts_by_subject(store, kinds, video_ids=[video.id], seen=seen)
    return {name: _words(found, Subject(video.id, kind, video.id)) for kind, name in kinds.items()}


def _words(found: Mapping[Subject, Sequence[CountingText]], subject: Subject) -> str:
    group = found.get(subject)
    return group[0].value if group else ""


def _full_captions(store: Store, video: Video, sight: AspectSight | None) -> dict[str, str]:
    """Current full captions of the other videos of the subcategory, for videos that have one."""
    subcategory = video.extra.get("subcategory")
    if not subcategory:
        return {}
    other_ids = [
        v.id
        for v in store.find(Video, category=video.category)
        if v.id != video.id and v.extra.get("subcategory") == subcategory
    ]
    seen = partial(sight.shown, store) if sight else None
    found = texts_by_subject(store, ["carebench:full"], video_ids=other_ids, seen=seen)
    return {subject.video_id: group[0].value for subject, group in found.items()}
