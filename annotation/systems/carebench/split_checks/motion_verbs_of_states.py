"""Verbs of motion that describe a state: light falls, roads turn, arms are crossed, a bag is carried.

Each rule is a class of subjects or objects with the verbs that are not an action for them.
"""

from __future__ import annotations

from annotation.systems.carebench.split_checks import word_lists as v
from annotation.systems.carebench.split_checks.tagging import Sentence, Word
from backends.text.lemmas import lemma
from backends.text.words import word_set

LIGHT = v.verbs(
    """light sunlight daylight moonlight lamplight candlelight sunshine lighting glow gleam shadow shade
    ray beam lamp lantern candle bulb spotlight floodlight streetlight chandelier sun moon reflection
    silhouette brightness darkness sunbeam"""
)
_LIGHT_FALLS = v.verbs(
    """cast enter pour spill fall stream filter stretch come shine flood bounce dapple cut slant pass play
    creep seep reach drift throw bring paint leave slip break land dance hit touch strike wash filtering
    penetrate bath linger pool give"""
)
WAYS = v.verbs(
    """road path lane street alley track trail corridor hallway aisle stair staircase step stairway river
    stream creek canal pipe cable wire rope fence wall hedge rail railing line bridge tunnel ramp driveway
    pavement sidewalk highway motorway coast coastline beach shore valley ridge slope hill mountain cliff
    route passage footpath walkway railway course gutter ivy vine branch root crack seam"""
)
_WAYS_GO = v.verbs(
    """turn disappear vanish drop weave swing sweep dive plunge fade narrow widen emerge slide slip climb
    enter leave exit approach zigzag fork join cut bring"""
)
CROWDS = v.verbs(
    """crowd spectator audience people guest fan onlooker viewer passenger visitor shopper diner passer
    pedestrian traffic vehicle car boat child student"""
)
_CROWDS_FILL = v.verbs("fill line pack throng crowd ring")
EVENTS = v.verbs(
    """scene action event competition match race game everything video clip shot view footage story
    performance show party ceremony lesson interview tutorial"""
)
_EVENTS_ARE = v.verbs("happen occur unfold open play")
CLOTHS = v.verbs(
    """flag banner pennant bunting cloth dress train skirt hair braid scarf curtain cloak cape robe veil
    sleeve trouser hem ribbon strap belt coat sari sheet tablecloth"""
)
_CLOTHS_HANG = v.verbs("wave trail flutter end flare fall reach drop come flow cling swing stop billow flare")
DEPICTIONS = v.verbs(
    """poster print statue mural painting picture photo photograph drawing sculpture screen television tv
    billboard sticker logo tattoo figurine mosaic relief tapestry illustration cartoon fresco portrait
    advertisement label graffiti storyboard emblem frieze engraving etching statuette doodle"""
)
CARRIED = v.verbs(
    """bag handbag shoulderbag briefcase backpack rucksack satchel purse suitcase umbrella parasol rifle
    sling baby lantern staff bouquet folder clipboard tote knapsack holster quiver"""
)
_LIMBS = v.verbs("arm hand head chin elbow foot leg paw cheek palm knee back weight shoulder muzzle snout")
_LEAN = v.verbs("rest lean hang prop keep")
_COVERED = v.verbs(
    """splash spatter splatter dust smear sprinkle litter stain streak speckle cake coat flush smudge
    splotch dot fleck soak drench crowd fill pack stuff load line edge tie bind secure fasten"""
)
"""Participles before "with", "by" or "in" that describe looks."""
_AREAS = v.verbs("frame screen view shot picture foreground background up middle centre center half")
_FILLS = v.verbs("fill occupy dominate cover")
_BEHIND = ("with", "by", "in")
_NOUN_BEFORE = ("NN", "NNS", "NNP", "NNPS", "PRP$")


def is_scenery(sentence: Sentence, index: int, doer: Word | None) -> bool:
    """Whether this verb of motion describes a state when its subject is that noun."""
    verb = sentence.words[index].lemma
    things = {sentence.words[i].lemma for i in sentence.children(index, "dobj")}
    if verb in _LEAN and things & _LIMBS:
        return True
    if verb == _CARRY and (things & CARRIED or sentence.words[index].dep == "acl" or _held(sentence, index)):
        return True
    if verb in _HUGS and things and _is_toy(sentence, index):
        return True
    if verb in _FILLS and things & _AREAS:
        return True
    if doer is None or (sentence.children(index, "prt") and doer.lemma not in LIGHT | CLOTHS | WAYS):
        return False
    if doer.lemma in _VIEWS and verb in _FILLS:
        return True
    return (
        (doer.lemma in EVENTS and verb in _EVENTS_ARE and not things)
        or (doer.lemma in CLOTHS and verb in _CLOTHS_HANG and not things)
        or (doer.lemma in LIGHT and verb in _LIGHT_FALLS)
        or (doer.lemma in WAYS and verb in _WAYS_GO)
        or (doer.lemma in CROWDS and verb in _CROWDS_FILL and bool(things))
    )


_VIEWS = v.verbs("view camera shot")
_CARRY = lemma("carry")
_HUGS = v.verbs("hug cuddle embrace press")
_TOYS = v.verbs("plush stuff toy teddy doll pillow cushion knee")
_WHERE_TO = frozenset(
    (
        "to",
        "into",
        "onto",
        "across",
        "towards",
        "toward",
        "up",
        "down",
        "through",
        "along",
        "over",
        "out",
        "from",
        "past",
        "away",
        "off",
    )
)


def _held(sentence: Sentence, index: int) -> bool:
    """ "carries a sword": held, unless a destination is given."""
    after = {w.low for w in sentence.words[index + 1 :]}
    simple = sentence.words[index].tag in ("VBZ", "VBP", "VBG") and not sentence.children(index, "aux")
    return simple and bool(sentence.children(index, "dobj")) and after.isdisjoint(_WHERE_TO)


def _is_toy(sentence: Sentence, index: int) -> bool:
    near = {w.lemma for w in sentence.words[index + 1 : index + 5]}
    return bool(near & _TOYS)


def is_changing(sentence: Sentence, index: int) -> bool:
    """ "begins to boil", "the lights go out": a change, also of things."""
    words = sentence.words
    word = words[index]
    if any(words[i].low in _AT_A_PACE for i in sentence.children(index, "advmod")):
        return True
    if word.lemma in _BECOMES and any(words[i].tag == "JJR" for i in sentence.children(index, "acomp")):
        return True
    if word.lemma in _BEGIN:
        return any(
            words[i].tag in ("VB", "VBG") and words[i].lemma not in v.STATES
            for i in sentence.children(index, "xcomp")
        )
    return word.lemma == "go" and any(
        words[i].low in ("out", "off", "on") for i in sentence.children(index, "prt")
    )


_BEGIN = v.verbs("begin start")
_BECOMES = v.verbs("get grow become")
_AT_A_PACE = word_set("slowly suddenly quickly briefly steadily rapidly instantly")
"""Adverbs of events only: they do not modify states."""


def is_describing(sentence: Sentence, index: int) -> bool:
    """Participles that describe a state: "Filmed from above, ...", "with his arms crossed",
    ", its wheel turned aside", "smeared with ink"."""
    word, words = sentence.words[index], sentence.words
    if index == 0:
        return word.tag in ("VBD", "VBN", "VB")  # captions contain no commands
    if word.tag not in ("VBD", "VBN"):
        return False
    after = words[index + 1].low if index + 1 < len(words) else ""
    before = words[index - 1]
    if word.lemma in _COVERED and after in _BEHIND and (before.low == "," or before.tag in _NOUN_BEFORE):
        return True
    return _absolute(sentence, index)


def _absolute(sentence: Sentence, index: int) -> bool:
    """A noun and its participle after "with", or after a comma and "its", "her": not a sentence."""
    words = sentence.words
    first = index - 1
    if words[first].tag not in ("NN", "NNS") and words[first].low not in ("slightly", "partly", "half"):
        return False
    while first > 0 and words[first - 1].tag in ("NN", "NNS", "JJ", "DT", "PRP$", "CD", "RB", "CC"):
        first -= 1
    own = words[first].tag == "PRP$"
    before = words[first - 1].low if first else ""
    if before == "with":
        return True
    finite = any(w.tag in ("VBZ", "VBP", "VBD") for w in words[: max(first - 1, 0)])
    if own and before == "and" and words[index].tag == "VBN":
        return True  # ", its jaws gaping and its claws sunk into the stone"
    return before == "," and (own or (finite and words[first].tag in ("NN", "NNS")))


_NOUN_FOLLOWS = frozenset(
    ("of", "in", "with", "on", "at", "from", "under", "among", "behind", "beside", "near", "between", "like")
)


def is_before_noun(sentence: Sentence, index: int) -> bool:
    """A form where only a noun or an adjective is possible: "in oilskins", "has damp hair", "of icing"."""
    word, words = sentence.words[index], sentence.words
    if not index:
        return False
    before, after = words[index - 1], words[index + 1] if index + 1 < len(words) else None
    noun = after is not None and after.tag in ("NN", "NNS", "NNP", "JJ")
    if word.tag == "VBG" and before.tag == "DT" and not noun:  # "the plastering"
        return after is None or after.tag != "DT"
    if word.tag == "VBG" and before.lemma == "have" and noun:  # "has punching bags"
        return True
    if word.tag == "VBG" and noun and before.low == ",":
        return in_list(sentence, index)
    if word.tag == "VBG" and before.low in _NOUN_FOLLOWS:
        return after is None or after.tag in ("NN", "NNS", "NNP", "JJ", ",", ".", "CC")
    if word.tag in ("VBZ", "VBP", "VBD", "VB") and before.low in _NOUN_FOLLOWS:
        return True
    plain = not word.low.endswith(("ed", "en", "ing", "s"))
    return plain and noun and before.lemma == "have" and word.tag in ("VB", "VBP", "VBD", "VBN", "NN")


def in_list(sentence: Sentence, index: int) -> bool:
    """ "Baking trays, measuring cups": a sentence without a verb that lists things."""
    words = sentence.words
    finite = any(w.tag in ("VBZ", "VBP", "VBD", "MD") and i > 1 for i, w in enumerate(words))
    return not finite and not any(v.animate(w.low, w.lemma) for w in words[:index])


def opens_list(sentence: Sentence, index: int) -> bool:
    """ "Cooking utensils, a pan": if a mark follows the first two words, neither of them is a verb."""
    words = sentence.words
    if index > 1 or len(words) < 3 or words[0].tag not in ("VBG", "VBN", "NN", "JJ"):
        return False
    return (
        words[1].low.endswith("s")
        and words[1].tag in ("NNS", "VBZ")
        and words[2].low in (",", ";", ".", "and")
    )


def is_purpose(sentence: Sentence, index: int) -> bool:
    """ "A brush for cleaning bottles", "is about to start": it does not happen here, or not yet."""
    word, words = sentence.words[index], sentence.words
    head = words[word.head]
    at = index  # "hammers for shaping, cutting and punching iron"
    while words[at].dep == "conj" and words[at].head < at:
        at = words[at].head
    if word.tag == "VBG" and words[at].dep in ("pcomp", "pobj"):
        return words[words[at].head].low == "for"
    if word.tag == "VB" and word.dep == "xcomp":
        return head.low in ("ready", "about", "prepared", "set", "supposed", "meant", "used", "designed")
    if index == 0 and word.tag == "VBG":
        titled = len(words) > 1 and words[1].low == ":"
        things = [words[i] for i in sentence.children(word.head, "attr", "nsubj")]
        inverted = word.dep == "csubj" and head.lemma == "be" and bool(things)
        return titled or (inverted and not any(v.animate(w.low, w.lemma) for w in things))
    return False


def is_depicted(sentence: Sentence, index: int) -> bool:
    """ "A statue of a man raising his sword": drawn, printed or carved things do not move."""
    words, at = sentence.words, index
    if words[index].tag == "VBG" and any(w.lemma in _DEPICT for w in words[:index]):
        return True
    for _ in range(6):
        if words[at].dep not in _WITHIN:
            return False
        at = words[at].head
        named = [words[i] for i in sentence.children(at, "nsubj")] if words[at].lemma in v.STATES else []
        if words[at].lemma in DEPICTIONS | _DEPICT or any(w.lemma in DEPICTIONS for w in named):
            return True
        if any(words[i].low in _MADE for i in sentence.children(at, "amod")):
            return True
    return False


_WITHIN = ("acl", "relcl", "ccomp", "pcomp", "advcl", "conj", "dobj", "pobj", "prep", "appos")
_DEPICT = v.verbs("depict illustrate portray")
_MADE = word_set(
    "drawn painted sculpted carved printed embroidered engraved embossed stitched tattooed woven"
)
"""Things made in these ways do not move: "four sculpted tritons blowing conches"."""


def is_inverted(sentence: Sentence, index: int) -> bool:
    """ "In the corner hangs a lamp": the place comes first, and the subject follows the verb."""
    words, word = sentence.words, sentence.words[index]
    if words[0].low not in _PLACES or word.tag not in ("VBZ", "VBP", "VBD"):
        return False
    between = words[1:index]
    if any(w.tag in ("VBZ", "VBP", "VBD", "MD") or w.low == "," for w in between) or not between:
        return False
    if any(w.dep in ("nsubj", "nsubjpass") and w is not words[0] for w in between):
        return False
    after = [words[i] for i in sentence.children(index, "dobj", "nsubj", "attr") if i > index]
    if word.lemma in v.POSTURES:
        return bool(after)
    return word.lemma in v.EXTENTS and bool(after) and not any(v.animate(w.low, w.lemma) for w in after)


_PLACES = word_set(
    """in on at near under behind beside above below inside outside between against across along around over
    opposite beyond beneath next past through down up before atop among amid left right"""
)
