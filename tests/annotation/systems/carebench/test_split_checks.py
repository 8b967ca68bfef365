"""The checks of a split: the labelled sets' figures, places, quoted text, fixes, and the time."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from annotation.systems.carebench.split_checks.all_checks import check_split
from annotation.systems.carebench.split_checks.clauses import clauses
from annotation.systems.carebench.split_checks.cut_and_put_words import cut, sentence
from annotation.systems.carebench.split_checks.finding import CHECKS, Finding, Fix, Texts
from annotation.systems.carebench.split_checks.fixes import fix_of
from annotation.systems.carebench.split_checks.length_and_script import seen_texts
from annotation.systems.carebench.split_checks.tagging import tagged
from benchmarks import split_checks as measured

SIDES = ("full", "spatial", "temporal")
FULL = (
    "This video shows a man making tea in a small kitchen. The man wears a red coat. He fills the kettle, "
    "sets it on the stove and waits. Behind him a window with blue curtains is open. Then he pours the water "
    "into a mug."
)


def found(full: str = "", spatial: str = "", temporal: str = "") -> list[Finding]:
    return check_split(Texts(full, spatial, temporal))


def fix(finding: Finding, full: str = "", spatial: str = "", temporal: str = "") -> Fix:
    made = fix_of(finding, Texts(full, spatial, temporal))
    assert made, finding
    return made


def one(check: str, **texts: str) -> Finding:
    [finding] = [f for f in found(**texts) if f.check == check]
    return finding


def test_the_labelled_sets_are_large_and_none_repeats_another() -> None:
    sets = {name: measured.rows(name) for name in measured.sets()}
    assert all(len(rows) >= (50 if name == measured.REPORTED else 150) for name, rows in sets.items())
    texts = {name: {r[s] for r in rows for s in SIDES} - {""} for name, rows in sets.items()}
    assert sum(map(len, texts.values())) == len(set().union(*texts.values()))
    for row in (row for rows in sets.values() for row in rows):
        assert all(row[x["side"]][x["start"] : x["end"]] == x["text"] for x in row["labels"])


@pytest.mark.parametrize("name", measured.sets())
def test_every_set_holds_its_floors(name: str) -> None:
    """What was reached on the sets that were tuned on, and the aim on the unseen one where it is there."""
    found = measured.figures(measured.rows(name))
    assert measured.holds(name, found), f"{measured.overall(found)} is below {measured.floors(name)}"


@pytest.mark.parametrize("name", measured.TUNED_ON)
def test_the_floors_are_no_lower_than_the_aim(name: str) -> None:
    precision, recall = measured.floors(name)
    assert precision >= measured.PRECISION and recall >= measured.RECALL
    assert not measured.holds(name, {"lost": measured.Figures(right=1, findings=2, found=1, labels=1)})


def test_every_check_is_measured_and_finds() -> None:
    found = measured.figures(measured.rows("frozen"))
    assert all(found[check].labels >= 5 and found[check].recall >= measured.RECALL for check in CHECKS)


def test_the_table_says_when_there_is_nothing_to_report() -> None:
    figures = measured.figures([])
    assert "every set above was tuned on" in measured._aim({"tuning": figures})
    assert "reached." in measured._aim({measured.REPORTED: figures})


@pytest.mark.parametrize(
    "spatial",
    [
        "Sunlight falls across the floor, and a lamp casts a warm glow.",
        "In the corner hangs a punching bag.",
        "A statue of a man raising his sword stands in the square.",
        "A boy stands with his arms crossed.",
        "A machine for making pasta is clamped to the table.",
        "The corridor turns to the left at the far end.",
        "A boy in a shirt with rolled-up sleeves and matching shorts sits on a bench.",
        "Six people sit round an oval table, a lamp above it.",
        "A phone clipped to the vent is on, and a stall selling fruit is behind the car.",
        "A horse with a plaited mane stands under pines and firs.",
    ],
)
def test_verbs_of_motion_that_tell_how_something_is_are_no_actions(spatial: str) -> None:
    assert not [f for f in found(spatial=spatial) if f.check == "action_in_spatial"]


@pytest.mark.parametrize(
    ("spatial", "verb"),
    [
        ("A man in a boiler suit hammers at a pipe.", "hammers"),
        ("A woman in a coat, and a colleague behind her labels test tubes.", "labels"),
        ("Two guards sit at the desk; one of them types on a keyboard.", "types"),
        ("The slide on the screen changes to a chart.", "changes"),
        ("The dough is kneaded on a board.", "kneaded"),
        ("A dog is on the lawn. Suddenly it snaps at a bee.", "snaps"),
        ("A chair is here, after that a table is there.", "after that"),
    ],
)
def test_verbs_that_look_like_nouns_are_actions(spatial: str, verb: str) -> None:
    assert verb in one("action_in_spatial", spatial=spatial).text


def test_a_retold_caption_is_neither_lost_nor_made_up() -> None:
    full = (
        "This video shows a man in a kitchen. He wears a green jumper. He takes a sip from a mug, goes on "
        "reading and stands up. A poodle comes back with a stick. He lets the blind down twice."
    )
    spatial = "A man in a kitchen in a green pullover."
    temporal = (
        "This video shows a man. He drinks from a cup, continues to read and gets up. A dog returns with a "
        "stick. Two times he lowers the blind."
    )
    assert not {f.check for f in found(full, spatial, temporal)} & {"lost", "invented"}
    blue = found(full, "A man in a kitchen in a blue pullover, with a parrot.", temporal)
    assert {f.text for f in blue if f.check == "invented"} == {"blue", "with a parrot."}


def test_another_word_for_the_same_is_neither_lost_nor_made_up() -> None:
    full = "This video shows a woman and her bicycle. She fixes the wheel of the bicycle. A child laughs."
    told = "This video shows a woman and her bike. She repairs the wheel of the bike. A kid giggles."
    assert not {f.check for f in found(full, "A bike.", told)} & {"lost", "invented"}
    assert "invented" in {f.check for f in found(full, "A bike.", told + " A thief steals the wallet.")}


def test_places_are_code_points_of_their_side() -> None:
    spatial = "😀 Ein Café. A man walks past a bench."
    finding = one("action_in_spatial", spatial=spatial)
    assert (finding.start, finding.end) == (spatial.index("walks"), spatial.index("walks") + 5)
    for finding in found(FULL, spatial, "He picks up the red kettle."):
        text = {"full": FULL, "spatial": spatial, "temporal": "He picks up the red kettle."}[finding.side]
        assert text[finding.start : finding.end] == finding.text and finding.why


@pytest.mark.parametrize(
    "texts", [("", "", ""), (" ", "\n", "."), ("7", "…", "!?"), ("名前", "名前", "名前")]
)
def test_odd_texts_are_no_trouble(texts: tuple[str, str, str]) -> None:
    for finding in found(*texts):
        assert finding.check in CHECKS
    assert clauses("") == ()


def test_clauses_are_the_text_in_order() -> None:
    rows = clauses(FULL)
    assert [row.text for row in rows[2:5]] == [
        "He fills the kettle,",
        "sets it on the stove and waits.",
        "Behind him a window with blue curtains is open.",
    ]
    assert all(FULL[row.start : row.end] == row.text for row in rows)
    assert all(a.end <= b.start for a, b in pairwise(rows))
    assert "".join(row.text for row in rows).replace(" ", "") == FULL.replace(" ", "")


def test_nothing_is_lost_or_made_up_while_nobody_has_split() -> None:
    assert {f.check for f in found(FULL)} == {"length"}
    assert {f.check for f in found("", "", "He runs.")} == set()


def test_what_is_lost_goes_to_its_side_in_its_place() -> None:
    temporal = "This video shows a man making tea. Then he pours the water into a mug."
    texts = {"full": FULL, "spatial": "A man in a red coat is in a small kitchen.", "temporal": temporal}
    lost = [f for f in found(**texts) if f.check == "lost"]
    assert [f.text for f in lost] == [
        "He fills the kettle,",
        "sets it on the stove and waits.",
        "Behind him a window with blue curtains is open.",
    ]
    assert fix(lost[0], **texts).texts["temporal"].index("He fills") < temporal.index("Then") + 30
    assert "window" in fix(lost[2], **texts).texts["spatial"]


def test_a_fix_settles_its_finding() -> None:
    texts = Texts(
        FULL,
        "A man in a red coat fills a kettle. A window with green curtains is open.",
        "He fills the kettle, sets it on the blue stove and waits. The frames show how he pours the water "
        "into a 杯.",
    )
    seen = set()
    for finding in check_split(texts):
        made = fix_of(finding, texts)
        if made is None:
            continue
        new = {side: made.texts.get(side, texts.of(side)) for side in ("full", "spatial", "temporal")}
        left = check_split(Texts(**new))
        assert (finding.check, finding.side, finding.text) not in {(f.check, f.side, f.text) for f in left}
        seen.add(finding.check)
    assert seen >= {
        "action_in_spatial",
        "static_in_temporal",
        "invented",
        "no_overview",
        "script",
        "meta_wording",
    }


def test_a_changed_colour_is_put_right_and_not_called_lost() -> None:
    full = "This video shows a dog in a yard. The dog is brown. It digs a hole."
    texts = {"full": full, "spatial": "A yard. The brown dog is black.", "temporal": full}
    assert one("invented", **texts).text == "black"
    texts["spatial"] = "A yard. The dog is black."
    assert fix(one("invented", **texts), **texts).texts == {"spatial": "A yard. The dog is brown."}
    assert "lost" not in {f.check for f in found(**texts)}


def test_text_seen_in_the_picture_may_stay_and_is_marked() -> None:
    full = 'A sign reads "开门" over the door. A man opens the 门 and leaves.'
    finding = one("script", full=full)
    assert (finding.text, finding.start) == ("门", full.rindex("门"))
    [seen] = seen_texts(Texts(full, "", ""))
    assert (seen.side, seen.text) == ("full", "开门")
    banner = "A banner with the words 생일 축하 hangs over the table."
    assert "“생일 축하”" in fix(one("script", full=banner), banner).texts["full"]
    assert not [f for f in found(full="一个男人打开了门。他走进 IKEA。") if f.check == "script"]


@pytest.mark.parametrize(("words", "hit"), [(149, True), (150, False), (300, False), (301, True), (0, False)])
def test_a_full_caption_has_150_to_300_words(words: int, hit: bool) -> None:
    text = " ".join(["word"] * words)
    assert [f.check for f in found(full=text) if f.check == "length"] == ["length"] * hit


def test_300_words_take_less_than_50_ms_of_the_processor() -> None:
    tagged("The model is loaded with the first sentence.")
    texts = measured.text_of(measured.WORDS)
    assert sum(len(t.split()) for t in (texts.full, texts.spatial, texts.temporal)) == measured.WORDS
    # Other work on the same core makes processor time longer too: the best of three.
    assert min(measured.milliseconds(texts, kept=False, times=7)[1] for _ in range(3)) < measured.LIMIT_MS


@pytest.mark.parametrize(
    ("full", "spatial", "word", "fixed"),
    [
        # The colour of another thing is no correction.
        (
            "Lily pads float on water. Behind them is an old white windmill.",
            "Lily pads on green water.",
            "green",
            "Lily pads on water.",
        ),
        ("The new one is silver.", "The new phone is gold.", "gold", "The new phone is silver."),
        # As little goes as leaves the sentence whole.
        (
            "A woman in a red coat stands near a pillar.",
            "A woman with a red coat and a leather handbag.",
            "handbag",
            "A woman with a red coat.",
        ),
        (
            "Small bottles are lined up on the table.",
            "Small bottles with tulips are lined up on the table.",
            "tulips",
            "Small bottles are lined up on the table.",
        ),
    ],
)
def test_what_is_made_up_goes_alone(full: str, spatial: str, word: str, fixed: str) -> None:
    finding = next(f for f in found(full, spatial, "") if f.check == "invented" and f.text == word)
    assert fix(finding, full, spatial).texts == {"spatial": fixed}


def test_a_word_of_order_goes_alone() -> None:
    spatial = "First there is a hallway with coat hooks, and then a staircase with a worn carpet."
    findings = [f for f in found("", spatial, "") if f.check == "action_in_spatial"]
    texts = {f.text: fix(f, "", spatial).texts for f in findings}
    assert texts["First"] == {"spatial": spatial.replace("First there", "There")}
    assert texts["then"] == {"spatial": spatial.replace(" then", "")}


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        (
            "She laughs on the ice, and a boy sprays snow. After a while she skates.",
            "and a boy sprays snow.",
            "She laughs on the ice. After a while she skates.",
        ),
        (
            "The man, who is tall and has a beard, tastes the soup.",
            "has a beard",
            "The man, who is tall, tastes the soup.",
        ),
        ("He wears a shirt and a tie. He plays.", "tie", "He wears a shirt. He plays."),
        ("He puts his hat on in a red room.", "in a red room", "He puts his hat on."),
    ],
)
def test_what_is_cut_leaves_whole_sentences(text: str, gone: str, left: str) -> None:
    start = text.index(gone)
    assert cut(text, start, start + len(gone)) == left


def test_a_clause_that_moves_ends_with_a_word() -> None:
    assert sentence("its rim furred with moss, and then") == "Its rim furred with moss."


def test_spaces_and_line_breaks_change_no_finding() -> None:
    spatial = "A man in a red coat runs to the house, and a dog jumps over a fence."
    spread = spatial.replace(" ", "   ").replace("house,   ", "house,\n ")
    one_space, many = (found("", text, "") for text in (spatial, spread))
    assert [f.text for f in one_space] == [f.text for f in many] == ["runs", "jumps"]
    assert [spread[f.start : f.end] for f in many] == ["runs", "jumps"]


def test_a_caption_that_nobody_has_punctuated_is_read_in_seconds() -> None:
    text = "a man walks the dog runs and a child laughs while birds fly over the red house " * 25
    begun = time.process_time()
    rows = clauses(text)
    assert len(rows) > 25 and len(found(text, text, "")) > 25
    assert time.process_time() - begun < 20, "400 words took minutes"
    assert [text[row.start : row.end] for row in rows] == [row.text for row in rows]


def test_length_counts_letters_where_no_spaces_are() -> None:
    assert one("length", full="一个男人站在厨房里。" * 2).why == "18 characters: 132 short of 150"
    assert not [f for f in found("一个男人站在厨房里。" * 20, "", "") if f.check == "length"]
