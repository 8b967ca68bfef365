"""English words of a few kinds, as they are written or as keys."""

from __future__ import annotations

from backends.text.words import word_key, word_set

COLOURS = word_set(
    """red orange yellow green blue purple violet pink brown black white gray grey beige teal turquoise
    cyan magenta maroon navy olive gold golden silver tan cream crimson scarlet indigo amber
    bronze khaki lavender"""
)
SHADES = word_set("light dark pale deep bright")
NUMBERS = word_set(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty"
)
MOTIONS = frozenset(
    word_key(word)
    for word in word_set(
        """walk run jump move turn pan tilt zoom shake swing throw catch kick hit push pull lift drop raise
    lower pick put place take give hold grab reach bend lean kneel crouch rise climb crawl roll
    slide spin rotate fly swim dive ride drive row dance sing speak say talk laugh smile wave nod
    point clap eat drink cook cut slice chop pour stir mix wash wipe clean open close enter leave
    exit approach follow chase pass cross stop start begin continue finish return shift transition
    appear disappear fade cut attack block deflect fight parry defend play perform practice
    demonstrate write draw paint type read press touch tap shoot aim score win fall land
    float flow drift look glance gaze watch step march stride hop skip stretch shave brush comb
    tie wrap fold pack load carry drag travel sway twist squeeze peel grate roast fry bake spread
    sprinkle gesture adjust attach remove assemble hammer drill saw sew knit dig plant water feed
    pet stroke hug kiss shake greet bow sprint accelerate slow decelerate happen change"""
    )
)
"""Keys of verbs that tell of an action or of a change."""
