"""What the monkey does next: mostly plausible work, sometimes noise.

A step is a list of words, so that it can be printed, kept and done again. Every choice depends on the seed,
the number of the step and the names of what can be chosen, not on how many things there are: where a page
looks a little different the second time, the other steps stay as they were.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.monkey.naming import ROWS, keys_of, promised
from benchmarks.monkey.page import Look
from ui.pages.page_list import PAGES, path_of

Step = list[Any]
REFUSED_KEYS = {
    "library.run",
    "verdicts.rerun",
    "script.detect",
    "keyframes.export",
    "player.save_picture",
    "player.copy_picture",
    "player.copy_link",
}
"""They start models or leave the page."""
REFUSED = re.compile(
    r"run|again|whole video|detect|download|export|log out|compare the words|password|people|choose files|"
    r"measure|stop|remove|csv|json|save picture|files|skip to the content|log in$|dailies$|copy|url|propose|"
    r"you are",
    re.I,
)
"""Buttons and links that do so too."""
ENDING = re.compile(
    r"^(save|done|cancel|close|replace in|flag|exclude|return|assign|give|dismiss|dismiss|take both|"
    r"keep mine|keep theirs)",
    re.I,
)
SAVING = re.compile(r"^(save|done)", re.I)
UNTRACKED = re.compile(
    r"search|find|category|frame numbers|urls|parameters|name|most sequences|go to|replace", re.I
)
"""Fields whose words are asked for, not kept."""
PHRASES = (
    ("a man makes some soup", "keys"),
    ("six red boats sail by", "keys"),
    ("she exits, slow zoom", "keys"),
    ("next: the kettle", "keys"),
    ("dark rain, jazz", "keys"),
    ("bamboo 1234 50", "keys"),
    ("лодка плывёт", "keys"),
    ("紙の船が流れる", "method"),
    ("قارب من ورق", "paste"),
    ("une forêt d’été", "paste"),
    ("boat 🚤 and 👩‍🚀", "paste"),
    ("배가 떠간다", "method"),
    ("smooth pan west", "keys"),
)
NOISE = (
    "a man makes soup",
    "exits",
    "she sums",
    "x",
    "dr",
    "12",
    "fox",
    "ArrowDown",
    "ArrowRight",
    "ArrowUp",
    "ArrowLeft",
    "Tab",
    "Shift+Tab",
    "Enter",
    " ",
    "Escape",
    "Home",
)
FORM = ("y", "n", "0", "1", "2", "3", "4", "5", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", " ", "Tab")
ON = (
    "Ctrl+Enter",
    "Ctrl+Enter",
    "ArrowDown",
    "ArrowUp",
    "j",
    "k",
    "n",
    "Shift+n",
    "1",
    "2",
    "3",
    "4",
    "7",
    "w",
    "ArrowRight",
)
SHARED = ("verdicts", "keyframes")
SAYING = ("1", "2", "3", "4", "5")
"""Keys with which people say what they think of what is open."""
CHOICES = ("y", "n", "2", "4")
"""Keys that choose in the form of a verdict."""
NEXT = ("j", "k", "ArrowRight", "ArrowLeft", "ArrowDown", "Ctrl+Enter")
LATE = "late"
"""On a walk: the answer to the save before it comes late."""
WALK = ("ArrowDown", "ArrowDown", "ArrowUp", "pause")
"""From scene to scene, at times slowly enough for a reply to come."""
PRESSED = ("button", "option", "tab", "radio", "checkbox")
LABELS = {path_of(page).removeprefix("/"): page.label for page in PAGES}
"""Of the links to the pages, by path."""
TABS = {
    "script": (
        "tab",
        ("", "", "", "", "", "camera", "short", "background", "main_object", "detailed", "speech", "speech"),
    ),
    "split": ("tab", ("split", "write", "merge", "progress")),
    "keyframes": ("view", ("", "label", "study", "pairs")),
}
ITEMS = ("hal", "rr", "ero", "capst")


class Chooser:
    """Chooses steps. `people` are names; `videos` are ids."""

    def __init__(self, seed: int, people: Sequence[str], videos: Sequence[str], *, passwords: bool) -> None:
        self.seed, self.people, self.videos, self.passwords = seed, people, videos, passwords
        self.n = 0
        self.rng = random.Random()  # nothing is kept secret with it
        self.quiet_at = 0
        self.planned: list[Step] = []
        """Steps that belong together, those that come next."""

    def pick(self, things: Iterable[Any]) -> Any:
        """One of them, by their names: the same one when others are added that lose."""
        return min(
            things,
            key=lambda one: hashlib.blake2b(f"{self.seed}/{self.n}/{one}".encode(), digest_size=8).digest(),
        )

    def step(self, n: int, look: Look, *, runs: bool, moving: bool) -> Step:
        """The next step. `runs`: the server does; `moving`: the page goes on to something else."""
        self.n = n
        self.rng = random.Random(f"{self.seed}/{n}")
        if forced := self._forced(look, runs=runs):
            return forced
        coming = runs and not look.dialog and not (look.ready and look.person)
        if moving or n >= self.quiet_at or coming:
            self.quiet_at = n + 6
            return ["quiet"]
        if self.rng.random() < 0.035:
            return self._machine(runs)
        if look.dialog:
            return self._dialog(look)
        if look.page in ("library", "scores") and self.rng.random() < 0.4:
            return self._page(look)
        if _on_scenes(look) and self.rng.random() < 0.2:
            return self._hop(look)
        return self._in_field(look) if look.held else self._on_page(look)

    def _forced(self, look: Look, *, runs: bool) -> Step | None:
        """What has to come first: a server, a page, a login, what belongs to the step before."""
        if look.gone:
            return ["goto", "/"] if runs else ["start"]
        if look.login and not (look.held and not look.held["secret"] and self.rng.random() < 0.6):
            return ["login", self.pick(self.people)] if runs else ["start"]
        if not runs and self.rng.random() < 0.4:
            return ["start"]
        if runs and not look.ready and any(one["name"] == "Try again" for one in look.controls):
            return ["click", "button", "Try again"]
        if self.planned and runs:
            return self.planned.pop(0)
        self.planned = []
        return None

    def _weighted(self, **weights: float) -> str:
        return self.rng.choices(list(weights), list(weights.values()))[0]

    # --- machines and people ----------------------------------------------------------------

    def _machine(self, runs: bool) -> Step:
        what = self._weighted(kill=3, person=4, reload=2, back=1)
        if what == "kill":
            return ["kill"] if runs else ["start"]
        if what == "person":
            return ["expire"] if self.passwords else ["person", self.pick(self.people)]
        return [what]

    # --- in a field -------------------------------------------------------------------------

    def _in_field(self, look: Look) -> Step:
        what = self._weighted(
            type=34,
            on=14,
            leave=9,
            tab=5,
            done=3,
            button=7,
            undo=4,
            replace=4,
            arrow=3,
            go=8,
            enter=4,
            away=4,
            gone=2,
            lost=5,
        )
        if what == "type":
            return ["type", *self._phrase(look)]
        if what == "replace":
            return ["replace", *self._phrase(look)]
        if what == "button":
            return self._click(look, ENDING) or ["press", "Escape"]
        if what == "go":
            return self._go(look)
        if what == "gone":
            return ["gone", *self._phrase(look)]
        if what == "lost":
            return ["lost", self._phrase(look), self._phrase(look, "y")]
        if what == "away":  # in the middle of a word, before it is saved
            return ["reload"] if self.rng.random() < 0.5 else self._page(look)
        keys = {
            "on": "Ctrl+Enter",
            "leave": "Escape",
            "tab": self.pick(["Tab", "Shift+Tab"]),
            "done": "Ctrl+Shift+Enter",
            "undo": "Ctrl+z",
            "enter": "Enter",
            "arrow": self.pick(["ArrowLeft", "ArrowUp", "Home"]),
        }
        return ["press", keys[what]]

    def _hop(self, look: Look) -> Step:
        walk = [self.rng.choice(WALK) for _ in range(self.rng.randint(1, 5))]
        if self.rng.random() < 0.3:  # back in the same text before the answer to its save
            walk = [LATE, "ArrowDown", "pause", "ArrowUp"]
        return ["hop", walk, self._phrase(look), self._phrase(look, "y")]

    def _phrase(self, look: Look, kind: str = "z") -> Step:
        """Words to type. Those of one step differ by their `kind`."""
        words, how = self.pick(PHRASES)
        name = look.name if look.name in self.people else "ana"
        mark = f"{name}{self.n:03d}{kind}{'abcdefgh'[self.seed % 8]}"
        return [f"{words} {mark}", how, mark]

    # --- on the page ------------------------------------------------------------------------

    def _on_page(self, look: Look) -> Step:
        what = self._weighted(
            write=26, ahead=22, go=16, key=8, noise=6, click=8, undo=6, page=7, form=4, both=3, hurry=5
        )
        if what == "write":
            fields = [one for one in _writable(look) if not UNTRACKED.search(one[1])]
            if fields:
                return ["write", *self.pick(fields), *self._phrase(look)]
            what = "ahead"
        if what == "ahead" and (keys := self._promises(look)):
            return ["ahead", *self.pick(keys), *self._phrase(look)]
        if what == "form" and look.page == "verdicts":
            return self._form(look)
        if what in ("both", "hurry"):
            return self._both(look) if what == "both" else self._hurry(look)
        if what in ("undo", "noise"):
            undo = ["press", self.pick(["Ctrl+z", "Ctrl+z", "Ctrl+Shift+z"])]
            return undo if what == "undo" else ["noise", self.rng.choice(NOISE)]
        if what == "page":
            return self._page(look)
        if what == "key" and (keys := self._keys(look)):
            return ["press", self.pick(keys)[1]]
        if what == "click":
            return self._click(look) or ["press", "Tab"]
        return self._go(look)

    def _both(self, look: Look) -> Step:
        """One after the other, two people say something of the same thing."""
        if look.page not in SHARED or self.passwords:
            return self._go(look)
        first, second = (["press", self.rng.choice(SAYING)] for _ in range(2))
        self.planned = [["quiet"], ["person", self.pick(self.people)], ["quiet"], second, ["quiet"]]
        return first

    def _form(self, look: Look) -> Step:
        if self.rng.random() < 0.5:
            return ["reason", self.pick(CHOICES), *self._phrase(look)]
        keys = (self.rng.choice(FORM) for _ in range(self.rng.randint(1, 3)))
        return ["form", "e", *keys, self.pick(["Ctrl+Enter", "Enter", "Escape", "Escape"])]

    def _hurry(self, look: Look) -> Step:
        """Something is said of what is open, and the next thing done before it can be saved."""
        if look.page not in SHARED:
            return self._go(look)
        said = self.rng.choice(SAYING)
        self.planned = [["press", self.rng.choice(NEXT)] for _ in range(self.rng.randint(0, 2))]
        promises = self._promises(look)
        if look.page == "verdicts" and self.rng.random() < 0.5:
            self.planned.append(["reason", self.pick(CHOICES), *self._phrase(look)])
        elif promises and self.rng.random() < 0.5:
            self.planned.append(["ahead", *self.pick(promises), *self._phrase(look)])
        self.planned.append(["quiet"])
        return ["press", said]

    def _keys(self, look: Look) -> list[tuple[str, str]]:
        return [(row, key) for row in ROWS if row not in REFUSED_KEYS for key in keys_of(row, look.page)[:1]]

    def _promises(self, look: Look) -> list[tuple[str, str]]:
        return [(row, key) for row, key in self._keys(look) if promised(row, look)]

    def _go(self, look: Look) -> Step:
        tabs = [
            (c["role"], c["name"])
            for c in look.controls
            if c["role"] in ("tab", "option", "row")
            or re.match(r"^\d+ .*·|Next video|Previous video", c["name"])
        ]
        if tabs and self.rng.random() < 0.4:
            return ["click", *self.pick(tabs)]
        return ["press", self.rng.choice(ON)]

    def _click(self, look: Look, wanted: re.Pattern[str] | None = None) -> Step | None:
        found = [
            (c["role"], c["name"])
            for c in look.controls
            if c["role"] in PRESSED
            and not REFUSED.search(c["name"])
            and (not wanted or wanted.search(c["name"]))
        ]
        return ["click", *self.pick(found)] if found else None

    def _page(self, look: Look) -> Step:
        page = "script" if self.rng.random() < 0.15 else self.pick(LABELS)
        if self.rng.random() < 0.3 and not look.dialog:
            return ["click", "link", LABELS[page]]
        video = self.pick(self.videos)
        if page == "verdicts" and self.rng.random() < 0.4:
            return ["goto", f"/verdicts?of={self.pick(ITEMS)}"]
        if page in TABS:
            name, tabs = TABS[page]
            scene = f"&scene={self.rng.randint(1, 3)}" if page == "script" else ""
            return ["goto", f"/{page}?video={video}&{name}={self.rng.choice(tabs)}{scene}"]
        return ["goto", f"/{page}"]

    # --- in a dialog ------------------------------------------------------------------------

    def _dialog(self, look: Look) -> Step:
        what = self._weighted(type=40, button=25, leave=20, enter=8, tab=7)
        writable = _writable(look)
        if what == "type" and look.held:
            return ["type", *self._phrase(look)]
        if what == "type" and writable:
            return ["write", *self.pick(writable), *self._phrase(look)]
        if what == "button":
            return self._click(look) or ["press", "Escape"]
        return ["press", {"enter": "Enter", "tab": "Tab"}.get(what, "Escape")]


def _on_scenes(look: Look) -> bool:
    """Whether the scenes of a script are shown, with their texts."""
    there = any(one["name"].endswith("content") for one in look.fields)
    return there and look.page == "script" and not look.part("tab")


def _writable(look: Look) -> list[tuple[str, str, int]]:
    """Role, name and number among those of the same name of the fields in sight."""
    names = [(one["role"], one["name"]) for one in look.fields]
    return [
        (*name, names[:n].count(name))
        for n, (name, one) in enumerate(zip(names, look.fields, strict=True))
        if one["at"] and not one["closed"] and not one["secret"]
    ]
