"""Words of the prompt, examples and refusals are no answers, of whatever kind."""

from __future__ import annotations

import pytest

from annotation.pipeline.reply_kinds import read_reply
from annotation.prompts.prompt_files import load_prompts
from annotation.replies.verdict_reply import contradicts_itself, read_verdict
from annotation.systems.carebench import capst_requests, split_requests
from annotation.systems.progress_captioner import requests as progress_captioner
from annotation.systems.vdc import requests as vdc
from annotation.systems.vript import script_requests
from annotation.systems.vript.hard_replies import read_rating
from backends.protocols import ChatReply, ChatRequest

PROMPTS = load_prompts()
ASKED = vdc.verdict_request(PROMPTS, "What colour is the boat?", "red", "I cannot tell the colour")


def words_of(request: ChatRequest) -> str:
    return "\n".join([request.system, *(part.text for part in request.user)])


PROMPT = words_of(ASKED)
BARE = "{'pred': 'yes', 'score': 4.8}"


def reply(text: str, request: ChatRequest, finish_reason: str = "stop") -> ChatReply:
    return ChatReply(text, finish_reason, 0.0, prompt=words_of(request))


@pytest.mark.parametrize(
    "prompt", ["vdc_verdict", "vdc_verdict_loveu", "mmlu_verdict_notes", "mmlu_verdict_quiz"]
)
def test_every_echo_of_the_end_that_is_more_than_the_example(prompt: str) -> None:
    """The first version read `yes 4.8` out of 43 of 43 of them."""
    request = vdc.verdict_request(PROMPTS, "What colour is the boat?", "red", "blue", prompt)
    words = words_of(request)
    begin = words.rindex("{")
    for start in range(begin - 4, 0, -7):
        read = vdc.read_verdict_reply(reply(words[start:], request))
        assert read.state == "unparsed", words[start:]
        assert "repeated from the prompt" in read.reason
    assert vdc.read_verdict_reply(reply(words[begin:], request)).score == 4.8, (
        "the bare dictionary is a verdict"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I cannot judge this. An example of the format would be {'pred': 'yes', 'score': 5}.", "example"),
        ("I cannot judge this. {'pred': 'no', 'score': 0}", "declines to judge: 'I cannot judge'"),
        ("{'pred': 'no', 'score': 0}\nAs an AI language model, I am not able to see videos.", "declines"),
        ("{'pred': 'no', 'score': 0, 'reason': 'I am unable to evaluate this'}", "declines"),
        ("I can’t provide a fair score here: {'pred': 'no', 'score': 0}", "declines"),
        ("There is not enough information to judge. {'pred': 'no', 'score': 0}", "declines"),
        ("For example: {'pred': 'yes', 'score': 4.8}", "example"),
        ("A reply looks like {'pred': 'yes', 'score': 5}; this is only an example.", "example"),
        ("{'pred': 'yes', 'score': 5} is just an example.", "example"),
        ("For instance, pred: yes, score: 5", "example"),
        (
            "Sure! For example, your response should look like this: {'pred': 'yes', 'score': 4.8}.",
            "repeated",
        ),
    ],
)
def test_no_verdict(text: str, reason: str) -> None:
    read = read_verdict(text, "stop", PROMPT)
    assert (read.state, read.score) == ("unparsed", None)
    assert reason in read.reason


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (BARE, 4.8),
        (BARE + ".", 4.8),
        ("{'pred': 'no', 'score': 1}", 1),
        (f"{PROMPT}\n{{'pred': 'no', 'score': 1}}", 1),
        (f"{PROMPT}\n{BARE}", 4.8),
        (f"My verdict is this: {BARE}", 4.8),
        ("In this example the answers match: {'pred': 'yes', 'score': 5}", 5),
        ("Here is the evaluation in the requested format: {'pred': 'no', 'score': 2}", 2),
        ("The predicted answer says 'I cannot tell the colour', so {'pred': 'no', 'score': 0}", 0),
        ("Predicted Answer: I cannot tell the colour. {'pred': 'no', 'score': 0}", 0),
        ("I cannot see a match between them. {'pred': 'no', 'score': 0}", 0),
        ("The caption cannot decide it. {'pred': 'no', 'score': 0}", 0),
    ],
)
def test_a_verdict_all_the_same(text: str, score: float) -> None:
    assert read_verdict(text, "stop", PROMPT).score == score


def test_contradictions() -> None:
    assert contradicts_itself("no", 5)
    assert contradicts_itself("no", 4)
    assert contradicts_itself("yes", 0)
    assert contradicts_itself("yes", 1)
    assert not contradicts_itself("no", 3.2)
    assert not contradicts_itself("yes", 2)
    assert not contradicts_itself("", None)


# --- other kinds --------------------------------------------------------------------------


def test_progression() -> None:
    asked = progress_captioner.progression_request(PROMPTS, action="cutting", before="a", after="b", facts={})
    words = words_of(asked)

    def read(text: str) -> str:
        return progress_captioner.read_progression(reply(text, asked)).label

    assert read(words) == ""
    assert read(words[words.index("has not progressed") :]) == "", "C, as the prompt goes on"
    assert read(words[words.index("progressed).\nC.") :]) == ""
    assert read("C. Uncertain: It is unclear whether the action has progressed or not.") == "uncertain"
    assert read("B. No Action Progression: The action remains the same between Image 1 and Image 2.") == "no"
    assert read("I cannot compare the images. A") == ""
    assert read("A") == "yes"


def test_matching() -> None:
    asked = progress_captioner.matching_request(PROMPTS, ["a cup", "a kettle"], b"x", 3, {})
    words = words_of(asked)
    assert progress_captioner.read_matching(reply(words[-80:], asked), 2).state == "unparsed"
    assert progress_captioner.read_matching(reply(words, asked), 2).state == "unparsed"
    assert progress_captioner.read_matching(reply("A. a cup", asked), 2).choice == 0


def test_capst() -> None:
    asked = capst_requests.extract_request(PROMPTS, "event", "A man sings.")
    words = words_of(asked)
    for text in (
        words,
        words[-60:],
        '{"events": ["...", "..."]}',
        'I cannot provide an answer. {"events": []}',
    ):
        assert capst_requests.read_elements(reply(text, asked), "event").state == "unparsed", text
    assert capst_requests.read_elements(reply('{"events": []}', asked), "event").state == "done"
    judged = capst_requests.entailment_request(PROMPTS, ["A man sings."], "A man sings.")
    words = words_of(judged)
    example = words[words.rindex('{"verdicts"') :]
    for text in (
        words,
        words[-120:],
        example,
        "I cannot judge this. " + example.replace("...", "it says so"),
    ):
        assert [
            one.state for one in capst_requests.read_entailment(reply(text, judged), ["A man sings."])
        ] == ["unparsed"]
    good = example.replace("...", "it says so")
    assert [one.label for one in capst_requests.read_entailment(reply(good, judged), ["A man sings."])] == [
        "entailment"
    ]


def test_ratings() -> None:
    prompt = PROMPTS["vript_rr_judge"].system
    assert read_rating(prompt[-21:], prompt).state == "unparsed"
    assert read_rating('{"rating": False}', prompt).label == "no"


def test_texts_answers_and_scripts() -> None:
    asked = vdc.answer_request(PROMPTS, "A red boat lies on the sand.", "What colour is the boat?")
    words = words_of(asked)
    for text in (words, words[-100:], words[-30:], "I'm sorry, but I can't help with that.", ""):
        assert vdc.read_answer(reply(text, asked)).state == "unparsed", text
    for text in (
        "red",
        "A red boat lies on the sand.",
        "I cannot tell the colour.",
        "Sorry: the caption omits it",
    ):
        assert vdc.read_answer(reply(text, asked)).state == "done", text
    script = '{"shot_type": "...", "camera_movement": "...", "content": "...", "scene_title": "..."}'
    assert script_requests.read_script(ChatReply(script, "stop", 0.0)).state == "unparsed"
    split = '{"spatial": "...", "temporal": "..."}'
    assert split_requests.read_split(ChatReply(split, "stop", 0.0)).state == "unparsed"
    questions = '{"questions": [{"question": "...", "answer": "...", "category": "..."}]}'
    assert vdc.read_questions(ChatReply(questions, "stop", 0.0)).state == "unparsed"


def test_read_replies_knows_the_prompt_that_a_line_gives() -> None:
    text = PROMPT[-45:]
    assert read_reply("vdc", {"reply": text, "prompt": PROMPT})["state"] == "unparsed"
    assert read_reply("vdc", {"reply": BARE, "prompt": PROMPT})["score"] == 4.8
