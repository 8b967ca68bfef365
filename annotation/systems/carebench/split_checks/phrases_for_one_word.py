"""Phrases equivalent to one word: "comes back" is "returns", "takes a step" is "steps"."""

from __future__ import annotations

import re
from functools import lru_cache

from annotation.systems.carebench.split_checks.word_lists import COLOURS

_GO = r"(?:go|goes|going|went|gone)"
_COME = r"(?:come|comes|coming|came)"
_TAKE = r"(?:take|takes|taking|took|taken)"
_PUT = r"(?:put|puts|putting)"
_GIVE = r"(?:give|gives|giving|gave|given)"
_MAKE = r"(?:make|makes|making|made)"
_GET = r"(?:get|gets|getting|got)"
_SET = r"(?:set|sets|setting)"
_COLOURS = "|".join(sorted(COLOURS))
_PLAIN = (
    (rf"(?:{_GO}|carr(?:y|ies|ied|ying)|keeps?|kept) on", "continue"),
    (rf"{_COME} back|{_GO} back|walks? back|runs? back", "return"),
    (rf"{_GO} (?:away|off)|walks? (?:away|off)|runs? off|rides? off|drives? off|heads? off", "leave"),
    (rf"{_PUT} (?:up|back up)", "raise"),
    (rf"{_PUT} (?:\w+ )?(?:down|aside)|{_SET} (?:\w+ )?down|lays? (?:\w+ )?down", "place"),
    (rf"{_PUT} on|pulls? on|slips? on", "don wear"),
    (rf"{_TAKE} (?:\w+ ){{0,2}}off|pulls? (?:\w+ ){{0,2}}off|lifts? (?:\w+ ){{0,2}}off|slips? off", "remove"),
    (rf"(?:{_TAKE}|pulls?|lifts?) (?:\w+ ){{0,2}}out|{_GET} (?:\w+ )?out", "remove"),
    (rf"picks? (?:\w+ ){{0,2}}up|{_TAKE} hold of", "take grab lift"),
    (r"turns? (?:\w+ )?on|switch(?:es)? (?:\w+ )?on", "light start"),
    (r"turns? (?:\w+ )?off|switch(?:es)? (?:\w+ )?off", "stop"),
    (rf"turns? (?:a)?round|{_MAKE} a (?:\w+ )?turn", "turn rotate"),
    (rf"{_TAKE} (?:a|one|two|several|some|\w+) (?:\w+ )?steps?", "step walk"),
    (rf"{_TAKE} (?:a )?(?:\w+ )?(?:break|rest|pause)|{_MAKE} a pause", "rest pause wait"),
    (rf"{_TAKE} (?:a|another|one) (?:\w+ )?(?:sip|drink|swig)", "drink"),
    (rf"{_TAKE} (?:a|another|one) (?:\w+ )?bite", "bite eat"),
    (rf"(?:{_TAKE}|{_GIVE}) (?:\w+ ){{1,3}}(?:look|glance)", "look"),
    (rf"{_TAKE} (?:a|another|one) (?:\w+ )?bow", "bow"),
    (rf"{_TAKE} (?:a|another|one|some) (?:\w+ )?(?:photo|photos|picture|pictures|selfie)", "photograph"),
    (rf"{_GIVE} (?:\w+ ){{0,3}}applause|bursts? into applause|{_GIVE} a round of applause", "applaud"),
    (r"bursts? (?:into laughter|out laughing)|breaks? into (?:a laugh|laughter)", "laugh"),
    (r"breaks? into a (?:smile|grin)", "smile"),
    (r"(?:breaks? into|sets? off at) a (?:run|sprint|gallop)", "run"),
    (rf"{_MAKE} (?:his|her|its|their|the|a) way|{_GO} (?:over|up|across|along)", "walk go move"),
    (rf"{_GET} up|stands? up|(?:{_GET}|rises?) to (?:his|her|its|their) feet", "rise stand"),
    (rf"{_GET} (?:on|onto|into|in)|climbs? (?:on|onto|into|in|aboard)", "mount board enter"),
    (rf"{_GET} (?:off|out|down)|climbs? (?:off|out|down)|steps? (?:off|out)", "dismount leave exit"),
    (rf"{_GET} (?:going|started)|{_SET} (?:off|out)|takes? off|pulls? away", "start leave depart"),
    (rf"{_COME} (?:in|into)|{_GO} (?:in|into)|walks? (?:in|into)|steps? (?:in|into)|runs? in", "enter"),
    (rf"{_COME} (?:up to|over|closer|near)|walks? (?:up|over) to|draws? near", "approach"),
    (rf"{_COME} (?:up|out)", "appear surface rise"),
    (rf"{_COME} (?:into view|into sight)", "appear"),
    (rf"{_GO} out of (?:view|sight)|{_GO} (?:from|out)", "disappear leave"),
    (rf"{_COME} to (?:a )?(?:stop|halt|rest|standstill)|pulls? up|draws? up|skids? to a halt", "stop halt"),
    (rf"(?:{_GO}|{_GET}|drops?) (?:down )?(?:on|onto|to) (?:his|her|its|their|one|both) knees?", "kneel"),
    (rf"(?:turns?|turned|{_GO}|{_GET}|becomes?|became|grows?|grew)(?= (?:{_COLOURS})\b)", "become"),
    (rf"{_COME} (?:\w+ )?down|{_GO} (?:\w+ )?down", "descend land"),
    (r"falls? (?:down|over|to the ground)|tips? over|keels? over", "fall tumble"),
    (r"(?:finish(?:es|ed)?|comes?|crosses the (?:finish(?:ing)? )?line) first|takes? first place", "win"),
    (r"says? sorry", "apologise apologize"),
    (r"shakes? hands|handshake", "handshake greet shake"),
    (r"blows? (?:\w+ ){0,2}out|puts? (?:\w+ )?out", "extinguish blow"),
    (r"looks? (?:around|about|back|over|up|down)|turns? (?:his|her|its|their) (?:head|gaze)", "look"),
    (r"points? (?:at|to|out)", "point indicate"),
    (r"(?:tops?|fills?) (?:\w+ )?up", "fill"),
    (r"lets? (?:\w+ ){0,2}go(?: of)?|(?:is|are) let go", "release"),
    (r"lets? (?:\w+ ){0,3}down|is let down|are let down", "lower"),
    (r"high-fives?|high five", "highfive"),
    (r"holds? (?:\w+ )?up", "raise lift show"),
    (r"twice", "2 time"),
    (r"thrice", "3 time"),
    (r"a dozen", "12"),
    (r"half a dozen", "6"),
    (r"from top to bottom|from the top down|downwards?", "down"),
    (r"from bottom to top|from the bottom up|upwards?", "up"),
    (r"up and down", "up down"),
    (r"to and fro|back and forth|from side to side", "side forth"),
    (r"in circles?|in a circle|circular(?:ly)?|round and round", "circle"),
    (r"upside down|on its head", "upside flip"),
    (r"all at once|at the same time|in unison|simultaneously|together", "together"),
    (r"one after (?:another|the other)|one by one|in turn", "turn one"),
    (r"in slow motion|slow-motion", "slow"),
    (r"hand in hand|holding hands", "hand hold"),
)
_FIND = re.compile(
    r"\b(?:" + "|".join(f"(?P<p{n}>{pattern})" for n, (pattern, _) in enumerate(_PLAIN)) + r")\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=512)
def in_plain_words(text: str) -> str:
    """The text with each phrase replaced by its one-word equivalent."""
    return _FIND.sub(lambda match: _PLAIN[int((match.lastgroup or "p0")[1:])][1], text)
