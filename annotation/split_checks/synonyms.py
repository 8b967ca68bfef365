"""Words that a split may use for one another: what people, places and things are called, and common verbs.

Only words that say the same of a scene stand together; those that would contradict it do not.
"""

from __future__ import annotations

from backends.chat.rules.language import word_key

_GROUPS = """
bicycle bike cycle
couch sofa settee
carpet rug
cat kitten kitty feline
dog puppy hound canine pup
horse pony mare
child kid boy girl toddler youngster infant
baby infant toddler
man guy male gentleman
woman lady female
boy male
girl female
father dad daddy papa
mother mum mom mama
grandmother grandma granny
grandfather grandpa granddad
people person individual human
crowd spectator audience onlooker viewer
passer pedestrian
worker workman employee labourer laborer
chef cook
waiter server waitress
seller vendor stallholder trader
shopper customer client buyer
teacher instructor trainer coach tutor
pupil student
athlete player sportsman competitor contestant
racer rider driver
opponent rival adversary
house home building cottage
flat apartment
shop store
gym gymnasium hall
lounge living
workshop garage
kitchen cookery
street road
path trail track footpath lane
pavement sidewalk
wood forest woodland
hill slope mountainside hillside
sea ocean water
shore beach seaside coast
stream river brook
field meadow pasture
lawn grass
soil earth dirt ground
tree trunk
stone rock boulder
picture photo photograph image
poster placard
car vehicle automobile
lorry truck
boat vessel ship
plane aeroplane airplane aircraft
bus coach
table desk
workbench bench workbench workstation
counter countertop worktop
cupboard cabinet closet
chest trunk
rack shelf
seat chair stool
cup mug
pot pan saucepan
bowl dish basin
bag sack
box crate carton
bin trash garbage rubbish
tap faucet
cooker stove hob
fridge refrigerator
lamp light lantern
torch flashlight
screen monitor display
phone smartphone mobile telephone
laptop computer
curtain drape
cushion pillow
jumper sweater pullover
coat jacket
shirt top tshirt t tee blouse
trousers trouser pants pant
trainer sneaker shoe
glasses spectacles glass
hat cap
outfit clothe clothing garment clothes attire uniform
rope cord
wool yarn
fabric cloth textile
ball football
beginning start begin initial initially commence
end finish conclude
first initial
little small tiny compact
big large huge
old elderly
quick fast quickly rapid rapidly swift swiftly
slow slowly gentle gently gradual gradually
static fixed still stationary steady unmoving
shape form
piece bit part chunk
slice cut chop carve
take grab pick get fetch grasp seize
put place set lay position
remove detach take strip
attach fasten fix fit mount secure
fix repair mend
assemble build construct
pull tug drag haul draw
push shove press
throw toss hurl fling lob
kick strike hit
hit strike punch knock
jump leap hop bounce pounce spring
run sprint dash rush race
jog run
fall tumble crash topple
wobble sway totter stagger
show demonstrate explain
break burst split
mistake error wrong
melody tune song
walk stroll stride step
go move
come enter arrive
leave exit depart
turn rotate spin swivel revolve
pan turn sweep
zoom move
approach near close
follow track
raise lift hoist hold
lower drop
rise climb
open unfold
close shut
look gaze stare watch glance observe peer
watch observe view
smile grin beam
laugh giggle chuckle
shout yell call
talk speak chat converse conversation
say tell
applaud clap
hug embrace
greet welcome
pass give
show display demonstrate present
stir mix blend
pour tip empty
fry cook saute
rinse wash clean
wipe dry clean
scrub clean
wrap pack
fill load
knead work
tie bind knot
cover coat
glue stick paste
inflate pump
immerse dip submerge dunk plunge
drink sip
eat bite chew
begin start
stop halt pause
continue proceed resume
repeat again
try attempt
win victory winner
celebrate cheer
dance perform
swap exchange change switch
wait pause
stand upright
lean rest
hang suspend dangle
near next beside close
behind rear
around round
picnic meal
rally game match
match game contest
race competition
background backdrop
edge border rim side
middle centre
blade knife
"""


def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _GROUPS.split("\n"):
        same = frozenset(word_key(word) for word in line.split())
        for key in same:
            found[key] = found.get(key, frozenset()) | same
    return found


SAME = _groups()
"""The keys that may stand for a key."""
