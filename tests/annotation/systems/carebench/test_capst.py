"""CapST: lists of elements and verdicts on them as models write them; scores against sums by hand."""

from __future__ import annotations

import json

import pytest

from annotation.pipeline.reply_kinds import read_reply
from annotation.prompts.prompt_files import load_prompts
from annotation.systems.carebench import capst_requests
from annotation.systems.carebench.capst_scores import LETTER, ElementVerdict, Side, capst_table
from backends.chat.baseline import BaselineChat
from backends.chat.baseline_rules import elements as rules
from backends.protocols import ChatReply

PROMPTS = load_prompts()
EVENTS = ["A man cuts an onion.", "He wipes the board."]


def reply(text: str, finish: str = "stop") -> ChatReply:
    return ChatReply(text=text, finish_reason=finish, seconds=0.1)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"events": EVENTS}),
        "<think>[maybe]</think>```json\n" + json.dumps({"Events": EVENTS}) + "\n```",
        json.dumps(EVENTS),
        json.dumps({"events": [{"event": one} for one in EVENTS]}),
        f"{{'events': ['{EVENTS[0]}', '{EVENTS[1]}',]}}",
        json.dumps({"events": [EVENTS[0], f" {EVENTS[0].upper()}", *EVENTS, 3]}),
        json.dumps({"list": EVENTS}),
    ],
)
def test_lists_of_elements(text: str) -> None:
    found = capst_requests.read_elements(reply(text), "event")
    assert (found.state, list(found.elements), found.reason) == ("done", EVENTS, "")


@pytest.mark.parametrize(
    ("text", "finish", "why"),
    [
        ("", "stop", "empty"),
        ("Nothing happens here.", "stop", "no list"),
        ('{"events": ["A man cu', "length", "cut off"),
        ('{"events": ["a"]} or {"events": ["b"]}', "stop", "different"),
        ('{"events": [1, null]}', "stop", "no readable entry"),
    ],
)
def test_lists_that_cannot_be_read(text: str, finish: str, why: str) -> None:
    found = capst_requests.read_elements(reply(text, finish), "event")
    assert found.state == "unparsed" and found.elements == () and why in found.reason


def test_an_empty_list_is_read_and_a_long_one_is_cut() -> None:
    assert capst_requests.read_elements(reply('{"objects": []}'), "object").state == "done"
    found = capst_requests.read_elements(
        reply(json.dumps({"objects": [f"There is {n}" for n in range(13)]})), "object"
    )
    assert len(found.elements) == capst_requests.MOST and "3 beyond" in found.problems[0]


def entry(label: str, **more: object) -> dict[str, object]:
    return {**more, "relationship": label, "reason": "because"}


@pytest.mark.parametrize(
    "value",
    [
        {"verdicts": [entry("entailment", number=1), entry("neutral", number=2)]},
        {"verdicts": [entry("neutral", number="2"), entry("Entailed.", number="1")]},
        {"events": [entry("neutral", event="he wipes the board"), entry("entailment", event=EVENTS[0])]},
        [entry("entailment"), entry("NEUTRAL")],
    ],
)
def test_verdicts_belong_to_their_elements(value: object) -> None:
    found = capst_requests.read_entailment(reply(f"Sure:\n{json.dumps(value)}"), EVENTS)
    assert [(r.state, r.label, r.reason) for r in found] == [
        ("done", "entailment", "because"),
        ("done", "neutral", "because"),
    ]


@pytest.mark.parametrize(
    ("value", "states"),
    [
        ([entry("entailment", number=1)], ["done", "unparsed"]),
        ([entry("entailment", number=1), entry("neutral", number=1)], ["unparsed", "unparsed"]),
        ([entry("entailment", number=1), entry("likely", number=2)], ["done", "unparsed"]),
        ([entry("entailment", number=3), entry("neutral", number=0)], ["unparsed", "unparsed"]),
        ([entry("entailment"), entry("neutral"), entry("neutral")], ["unparsed", "unparsed"]),
        ("nothing", ["unparsed", "unparsed"]),
    ],
)
def test_what_is_missing_leaves_the_others_alone(value: object, states: list[str]) -> None:
    found = capst_requests.read_entailment(reply(json.dumps(value)), EVENTS)
    assert [r.state for r in found] == states
    assert all(bool(r.label) == (r.state == "done") and r.reason for r in found)


def test_a_reply_that_was_cut_off_keeps_what_is_whole() -> None:
    whole = json.dumps({"verdicts": [entry("entailment", number=1), entry("neutral", number=2)]})
    found = capst_requests.read_entailment(reply(whole[:-20], "length"), EVENTS)
    assert [r.state for r in found] == ["done", "unparsed"]


def test_read_replies_knows_both_forms() -> None:
    assert read_reply("capst", {"reply": '{"events": ["a"]}'})["elements"] == ("a",)
    row = {"reply": json.dumps([entry("neutral", number=1)]), "elements": ["a"]}
    assert read_reply("capst", row)["verdicts"][0]["label"] == "neutral"


def test_the_baseline_does_all_three_requests() -> None:
    caption = "A red boat drifts left past an old mill. A cat jumps onto the wall. There are two trees."
    model = BaselineChat()
    events = capst_requests.read_elements(
        model.complete(capst_requests.extract_request(PROMPTS, "event", caption)), "event"
    )
    objects = capst_requests.read_elements(
        model.complete(capst_requests.extract_request(PROMPTS, "object", caption)), "object"
    )
    assert events.elements == ("A red boat drifts left past an old mill", "A cat jumps onto the wall")
    assert objects.elements[:2] == ("There is a red boat.", "There is an old mill.")
    asked = ["There is a red boat.", "There is a blue boat.", "A dog barks."]
    request = capst_requests.entailment_request(PROMPTS, asked, caption)
    assert "2. There is a blue boat." in request.user[0].text and caption in request.user[0].text
    found = capst_requests.read_entailment(model.complete(request), asked)
    assert [r.label for r in found] == ["entailment", "contradiction", "neutral"]
    assert model.complete(request).text == model.complete(request).text
    assert rules.events("") == rules.objects("") == []


# --- scores -------------------------------------------------------------------------------


def side(video: str, kind: str, name: str, labels: str, state: str = "done", **more: str) -> Side:
    """`labels`: e, n, c, or u (unparsed), f (failed)."""
    words = {"e": "entailment", "n": "neutral", "c": "contradiction"}
    states = {"u": "unparsed", "f": "failed"}
    verdicts = tuple(ElementVerdict(states.get(x, "done"), words.get(x, "")) for x in labels)
    return Side(video, kind, name, state, verdicts, **more)


def four(video: str, er: str, ep: str, obr: str, obp: str, **more: str) -> list[Side]:
    return [
        side(video, "event", "reference", er, **more),
        side(video, "event", "prediction", ep, **more),
        side(video, "object", "reference", obr, **more),
        side(video, "object", "prediction", obp, **more),
    ]


def value(rows: list, elements: str, metric: str, policy: str = "parsed", category: str = "") -> object:
    group = {"elements": elements} | ({"category": category} if category else {})
    (row,) = [r for r in rows if r.group == group and r.metric == metric and r.policy == policy]
    return row


def test_two_videos_by_hand() -> None:
    """Events: R = (3/8 + 1/2)/2, P = (1/2 + 1)/2; objects: R = (1/4 + 1)/2, P = (0 + 1/2)/2."""
    sides = [*four("a", "eeennncc", "en", "ennn", "cn"), *four("b", "en", "e", "e", "en")]
    rows = capst_table(sides, ["parsed"])
    recall, precision = (3 / 8 + 1 / 2) / 2, (1 / 2 + 1) / 2
    f1 = 2 * recall * precision / (recall + precision)
    r2, p2 = (1 / 4 + 1) / 2, (0 + 1 / 2) / 2
    o1 = 2 * r2 * p2 / (r2 + p2)
    assert value(rows, "events", "recall").value == pytest.approx(recall)
    assert value(rows, "events", "precision").value == pytest.approx(precision)
    assert value(rows, "events", "f1").value == pytest.approx(f1)
    assert value(rows, "objects", "f1").value == pytest.approx(o1)
    assert value(rows, "events and objects", "f1").value == pytest.approx((f1 + o1) / 2)
    assert value(rows, "events", f"recall{LETTER}").value == pytest.approx(precision)
    assert value(rows, "events", f"precision{LETTER}").value == pytest.approx(recall)
    row = value(rows, "events", "recall")
    assert (row.n, row.of, row.videos, row.dropped) == (10, 10, 2, {})
    assert row.low <= row.value <= row.high


def test_the_leaderboard_has_the_letters_as_here() -> None:
    """CaRe: R 26.6, P 51.4 give F1 35.1; with objects at 31.7 the mean is 33.4."""
    assert pytest.approx(35.1, abs=0.05) == 2 * 26.6 * 51.4 / (26.6 + 51.4)
    assert pytest.approx(33.4) == (35.1 + 31.7) / 2


def test_what_is_unreadable_is_left_out_and_counted() -> None:
    sides = [*four("a", "eeuu", "e", "e", "e"), *four("b", "n", "n", "n", "nf")]
    rows = capst_table(sides)
    parsed, wrong = (value(rows, "events", "recall", name) for name in ("parsed", "failures_as_wrong"))
    assert (parsed.value, parsed.n, parsed.of, parsed.dropped) == (0.5, 3, 5, {"unparsed": 2})
    assert (wrong.value, wrong.n, wrong.of) == (0.25, 5, 5)
    published = value(rows, "events", "recall", "carebench")
    assert (published.value, published.n, published.videos) == (None, 0, 0)
    assert sum(published.dropped.values()) == published.of == 5


def test_a_caption_without_elements_is_named() -> None:
    sides = [*four("a", "", "ee", "e", "e"), *four("b", "en", "e", "e", "e")]
    rows = capst_table(sides)
    parsed = value(rows, "events", "recall")
    assert parsed.value == 0.5 and parsed.videos == 1 and "1 list left out: no elements" in parsed.note
    assert value(rows, "events", "recall", "carebench").value == 0.75


def test_an_extraction_that_failed_is_no_zero() -> None:
    sides = [*four("a", "e", "e", "e", "e"), side("b", "event", "reference", "", "failed")]
    rows = capst_table(sides)
    assert value(rows, "events", "recall").value == 1.0
    assert "extraction failed" in value(rows, "events", "recall").note
    assert value(rows, "events", "recall", "failures_as_wrong").value == 0.5


def test_people_and_categories_and_zero() -> None:
    verdicts = (
        ElementVerdict("done", "neutral", "entailment"),
        ElementVerdict("unparsed", "", "contradiction"),
    )
    sides = [
        Side("a", "event", "reference", "done", verdicts, "Cooking"),
        side("a", "event", "prediction", "n", category="Cooking"),
    ]
    rows = capst_table(sides, by_category=True)
    assert value(rows, "events", "recall", "corrected", "Cooking").value == 0.5
    assert value(rows, "events", "recall", "parsed").value == 0.0
    assert value(rows, "events", "f1", "parsed").value == 0.0
    assert value(rows, "events", "f1", "carebench").value is None
    assert value(rows, "events and objects", "f1").value is None, "there are no objects"
    assert value(rows, "events", "recall", "corrected").low is None, "one video has no interval"


@pytest.mark.parametrize(
    ("words", "label"),
    [
        *((words, "entailment") for words in ("entailment", "Entailed", "entails", "entail.")),
        ("Neutral", "neutral"),
        *((w, "contradiction") for w in ("contradiction", "contradicted", "contradicts", "Contradictory")),
        ("contrary", ""),
    ],
)
def test_every_form_of_a_label_is_read(words: str, label: str) -> None:
    assert capst_requests.read_label(words) == label
