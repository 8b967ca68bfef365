"""Find dictionaries in a model's text: JSON, Python, and mixtures of both.

Judges that are asked for "a Python dictionary string" (VDCscore) answer with JSON, with
Python, with the typographic quotes of the prompt (`{’pred’: ’no’}`), with bare keys, in
code fences and after a page of reasoning. The parser of this module accepts all of these
and never evaluates code. Unclosed dictionaries are not objects: incomplete verdicts are ignored.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from annotation.records.ids import Json
from backends.text.storable_text import mended

DOUBLE_QUOTES = '"“”„‟＂«»″'
SINGLE_QUOTES = "'‘’‚‛`´′＇"
QUOTES = DOUBLE_QUOTES + SINGLE_QUOTES
_MAX_DEPTH = 32
_MAX_KEY = 200
_MAX_BROKEN = 50
_SNIPPET = 60

_GAP = r"(?:\s|//[^\n]*+|\#[^\n]*+)*+"
_SEPARATOR = r"\s*(?:[:：]|=>?)"
_Q = f"[{re.escape(QUOTES)}]"
_JSON_KEY = rf"\"(?:[^\"\\\n]|\\.){{0,{_MAX_KEY}}}+\""
_QUOTED_KEY = rf"{_Q}[^{re.escape(QUOTES)}\n]{{1,80}}{_Q}"
_NEXT_KEY = rf"(?:{_JSON_KEY}|{_QUOTED_KEY}|[^\W\d]\w*){_SEPARATOR}"
_gap = re.compile(_GAP)
_separator = re.compile(_SEPARATOR)
_bare_key = re.compile(rf"[^\W\d][\w .-]{{0,60}}?(?={_SEPARATOR})")
_cut_key = re.compile(r"\w{1,60}\s*\Z")
_bare_value = re.compile(r"[^,，}\]\n{\[]{1,300}")
_comment = re.compile(r"\s(?://|#).*")
_mark = re.compile(rf"\\.|{_Q}", re.DOTALL)
_escape = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_after_key = re.compile(_SEPARATOR)
_after_value = re.compile(rf"{_GAP}(?:\}}|\Z|[,，]{_GAP}(?:\}}|{_NEXT_KEY}))")
_after_item = re.compile(rf"{_GAP}(?:[\],，]|\Z)")
_number = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_short_integer = re.compile(r"[+-]?\d{1,15}", re.ASCII)
_WORDS: dict[str, Json] = {"true": True, "false": False, "none": None, "null": None}
_NOT_FINITE = {"nan", "inf", "infinity"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\"}

_reasoning = re.compile(
    r"(?P<open><(?:think|thinking|thought|reasoning|reflection|scratchpad)>|\[THINK\]|◁think▷"
    r"|<\|channel\|>analysis<\|message\|>)"
    r"|(?P<close></(?:think|thinking|thought|reasoning|reflection|scratchpad)>|\[/THINK\]|◁/think▷"
    r"|<\|channel\|>final<\|message\|>)",
    re.IGNORECASE,
)


class ReplyObject(dict[str, Json]):
    """One dictionary. `pairs` keeps every key and value as written, including repeated keys."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[str, Json]] = []

    def put(self, key: str, value: Json) -> None:
        self.pairs.append((key, value))
        self[key] = value

    def values_of(self, name: str) -> list[Json]:
        """Return all values whose key equals `name`, ignoring case, with blanks and hyphens equal to `_`."""
        return [value for key, value in self.pairs if plain_key(key) == name]


@dataclass(frozen=True, slots=True)
class Scan:
    """The objects found in a reply."""

    objects: tuple[ReplyObject, ...]
    spans: tuple[tuple[int, int], ...]
    """The [start, end) of each object in `text`."""
    text: str
    """The reply without its reasoning."""
    rest: str
    """The text outside the objects, without the reasoning."""
    cut_off: bool
    """Whether an object was started but not closed."""
    broken: tuple[str, ...]
    """The first characters of objects that cannot be read."""


class _NotAnObject(Exception):
    def __init__(self, *, cut: bool) -> None:
        super().__init__("cut off" if cut else "malformed")
        self.cut = cut


def plain_key(key: str) -> str:
    """Normalize a key: `Shot Type` and `shot-type` become `shot_type`."""
    return re.sub(r"[\s_-]+", "_", key.strip().strip("*").lower())


def strip_reasoning(text: str) -> str:
    """Return the reply without its reasoning.

    Removes `<think>...</think>` and similar tags. If the opening tag was part of the prompt, everything
    before the closing tag is removed; if the closing tag is missing, everything after the opening tag.
    """
    kept: list[str] = []
    begin = 0
    inside = False
    for tag in _reasoning.finditer(text):
        if tag.lastgroup == "close":
            if not inside:
                kept.clear()
            inside, begin = False, tag.end()
        elif not inside:
            kept.append(text[begin : tag.start()])
            inside = True
    return " ".join(kept if inside else [*kept, text[begin:]])


def find_objects(text: str) -> list[ReplyObject]:
    """Return every complete outermost dictionary in `text`, in order. Never raises."""
    return list(scan(text).objects)


def scan(text: str, *, descend: bool = False) -> Scan:
    """Find dictionaries in a reply.

    `descend` also searches inside objects that were cut off or cannot be read. Use it for lists of
    independent items, not for a single verdict.
    """
    text = _unquoted(strip_reasoning(text))
    objects: list[ReplyObject] = []
    spans: list[tuple[int, int]] = []
    rest: list[str] = []
    broken: list[str] = []
    cut_off = False
    done = 0
    start = text.find("{")
    while start >= 0 and len(broken) < _MAX_BROKEN:
        read = _read_at(text, start)
        if isinstance(read, _NotAnObject):
            cut_off = cut_off or read.cut
            if read.cut and not descend:
                break
            broken.append(" ".join(text[start : start + _SNIPPET].split()))
            start = text.find("{", start + 1)
            continue
        found, end = read
        objects.append(found)
        spans.append((start, end))
        rest.append(text[done:start])
        done = end
        start = text.find("{", end)
    return Scan(tuple(objects), tuple(spans), text, " ".join([*rest, text[done:]]), cut_off, tuple(broken))


def _unquoted(text: str) -> str:
    """Decode a reply that is one JSON string with a dictionary inside; return other replies unchanged."""
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] == '"' and "{\\" in bare:
        try:
            inner = json.loads(bare, strict=False)
        except ValueError:
            return text
        return inner if isinstance(inner, str) else text
    return text


def _read_at(text: str, start: int) -> tuple[ReplyObject, int] | _NotAnObject:
    """Read the object at `start`. Straight quotes must match first; if that fails, any quotes match."""
    failure = _NotAnObject(cut=False)
    for strict in (True, False):
        reader = _Reader(text, start, strict)
        try:
            return reader.object(0), reader.pos
        except _NotAnObject as error:
            if strict:
                failure = error
    return failure


class _Reader:
    """Recursive descent parser of one object."""

    def __init__(self, text: str, pos: int, strict: bool) -> None:
        self.text = text
        self.pos = pos
        self.strict = strict

    def object(self, depth: int) -> ReplyObject:
        self._enter(depth)
        found = ReplyObject()
        while not self._take("}"):
            key = self._key()
            self._separator()
            found.put(key, self._value(depth + 1))
            if not self._take(",，"):
                self._require("}")
                break
        return found

    def _array(self, depth: int) -> list[Json]:
        self._enter(depth)
        items: list[Json] = []
        while not self._take("]"):
            items.append(self._value(depth + 1, in_array=True))
            if not self._take(",，"):
                self._require("]")
                break
        return items

    def _enter(self, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise _NotAnObject(cut=False)
        self.pos += 1

    def _value(self, depth: int, *, in_array: bool = False) -> Json:
        self._skip()
        first = self._peek()
        if first == "{":
            return self.object(depth)
        if first == "[":
            return self._array(depth)
        if first in QUOTES:
            return self._string(_after_item if in_array else _after_value)
        return self._bare()

    def _key(self) -> str:
        if self._peek() in QUOTES:
            return self._string(_after_key, limit=_MAX_KEY)
        match = _bare_key.match(self.text, self.pos)
        if match is None:
            raise _NotAnObject(cut=_cut_key.match(self.text, self.pos) is not None)
        self.pos = match.end()
        return match.group().strip()

    def _separator(self) -> None:
        match = _separator.match(self.text, self.pos)
        if match is None:
            self._peek()
            raise _NotAnObject(cut=False)
        self.pos = match.end()

    def _string(self, after: re.Pattern[str], limit: int | None = None) -> str:
        """Read a string. A quote closes it only if the following text can follow a string, so that
        apostrophes and unescaped quotes stay part of it."""
        closers = self._closers(self.text[self.pos])
        begin = self.pos + 1
        end = len(self.text) if limit is None else begin + limit
        for mark in _mark.finditer(self.text, begin):
            if mark.start() > end:
                break
            if mark.group() in closers and after.match(self.text, mark.end()):
                self.pos = mark.end()
                return _unescape(self.text[begin : mark.start()])
        raise _NotAnObject(cut=limit is None or self._key_is_cut(begin))

    def _key_is_cut(self, begin: int) -> bool:
        """Whether the rest of the text is only the beginning of a key."""
        tail = self.text[begin : begin + _MAX_KEY + 1]
        return len(tail) <= _MAX_KEY and not set("{}\n") & set(tail)

    def _closers(self, opener: str) -> str:
        if self.strict and opener in "\"'":
            return opener
        return DOUBLE_QUOTES if opener in DOUBLE_QUOTES else SINGLE_QUOTES

    def _bare(self) -> Json:
        match = _bare_value.match(self.text, self.pos)
        if match is None:
            raise _NotAnObject(cut=False)
        self.pos = match.end()
        if self.pos == len(self.text):
            raise _NotAnObject(cut=True)
        return _literal(_comment.sub("", match.group()).strip())

    def _skip(self) -> None:
        match = _gap.match(self.text, self.pos)
        self.pos = match.end() if match else self.pos

    def _peek(self) -> str:
        if self.pos >= len(self.text):
            raise _NotAnObject(cut=True)
        return self.text[self.pos]

    def _take(self, chars: str) -> bool:
        self._skip()
        if self._peek() not in chars:
            return False
        self.pos += 1
        self._skip()
        return True

    def _require(self, char: str) -> None:
        if not self._take(char):
            raise _NotAnObject(cut=False)


def _literal(token: str) -> Json:
    """Convert a bare value: a number, a constant of JSON or Python, or the text itself (`yes`, `2+2`)."""
    if not token:
        raise _NotAnObject(cut=False)
    if token.lower() in _WORDS:
        return _WORDS[token.lower()]
    if token.lower().lstrip("+-") in _NOT_FINITE:
        return float(token)
    if _short_integer.fullmatch(token):
        return int(token)
    return float(token) if _number.fullmatch(token) else token


def _unescape(raw: str) -> str:
    if "\\" not in raw:
        return raw
    text = _escape.sub(_escaped, raw)
    # Two \u escapes may form one character. Unpaired surrogates and NUL cannot be stored.
    return mended(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _escaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) == 5:
        return chr(int(code[1:], 16))
    if code in QUOTES:
        return code
    return _ESCAPES.get(code, match.group())
