"""Words that a split may use for one another: what people, places and things are called, and common verbs.

Only words that say the same of a scene stand together; those that would contradict it do not.
"""

from __future__ import annotations

from annotation.split_checks.kinds import kinds
from backends.chat.rules.language import word_key

_GROUPS = """
bicycle bike cycle; couch sofa settee; carpet rug; cat kitten kitty feline; dog puppy hound canine pup;
horse pony mare; child kid boy girl toddler youngster infant; baby infant toddler; man guy male gentleman;
woman lady female; boy male; girl female; father dad daddy papa; mother mum mom mama;
grandmother grandma granny; grandfather grandpa granddad; people person individual human;
crowd spectator audience onlooker viewer; passer pedestrian; worker workman employee labourer laborer;
chef cook; waiter server waitress; seller vendor stallholder trader; shopper customer client buyer;
teacher instructor trainer coach tutor; pupil student; athlete player sportsman competitor contestant;
racer rider driver; opponent rival adversary; house home building cottage; flat apartment; shop store;
gym gymnasium hall; lounge living; workshop garage; kitchen cookery; street road;
path trail track footpath lane; pavement sidewalk; wood forest woodland; hill slope mountainside hillside;
sea ocean water; shore beach seaside coast; stream river brook; field meadow pasture; lawn grass;
soil earth dirt ground; tree trunk; stone rock boulder; picture photo photograph image; poster placard;
car vehicle automobile; lorry truck; boat vessel ship; plane aeroplane airplane aircraft; bus coach;
table desk; workbench bench workbench workstation; counter countertop worktop; cupboard cabinet closet;
chest trunk; rack shelf; seat chair stool; cup mug; pot pan saucepan; bowl dish basin; bag sack;
box crate carton; bin trash garbage rubbish; tap faucet; cooker stove hob; fridge refrigerator;
lamp light lantern; torch flashlight; screen monitor display; phone smartphone mobile telephone;
laptop computer; curtain drape; cushion pillow; jumper sweater pullover; coat jacket;
shirt top tshirt t tee blouse; trousers trouser pants pant; trainer sneaker shoe; glasses spectacles glass;
hat cap; outfit clothe clothing garment clothes attire uniform; rope cord; wool yarn; fabric cloth textile;
ball football; beginning start begin initial initially commence; end finish conclude; first initial;
little small tiny compact; big large huge; old elderly; quick fast quickly rapid rapidly swift swiftly;
slow slowly gentle gently gradual gradually; static fixed still stationary steady unmoving; shape form;
piece bit part chunk; slice cut chop carve; take grab pick get fetch grasp seize;
put place set lay position; remove detach take strip; attach fasten fix fit mount secure; fix repair mend;
assemble build construct; pull tug drag haul draw; push shove press; throw toss hurl fling lob;
kick strike hit; hit strike punch knock; jump leap hop bounce pounce spring; run sprint dash rush race;
jog run; fall tumble crash topple; wobble sway totter stagger; show demonstrate explain; break burst split;
mistake error wrong; melody tune song; walk stroll stride step; go move; come enter arrive;
leave exit depart; turn rotate spin swivel revolve; pan turn sweep; zoom move; approach near close;
follow track; raise lift hoist hold; lower drop; rise climb; open unfold; close shut;
look gaze stare watch glance observe peer; watch observe view; smile grin beam; laugh giggle chuckle;
shout yell call; talk speak chat converse conversation; say tell; applaud clap; hug embrace; greet welcome;
pass give; show display demonstrate present; stir mix blend; pour tip empty; fry cook saute;
rinse wash clean; wipe dry clean; scrub clean; wrap pack; fill load; knead work; tie bind knot; cover coat;
glue stick paste; inflate pump; immerse dip submerge dunk plunge; drink sip; eat bite chew; begin start;
stop halt pause; continue proceed resume; repeat again; try attempt; win victory winner; celebrate cheer;
dance perform; swap exchange change switch; wait pause; stand upright; lean rest; hang suspend dangle;
near next beside close; behind rear; around round; picnic meal; rally game match; match game contest;
race competition; background backdrop; edge border rim side; middle centre; blade knife;
curve bend turn corner; route course; campsite camp pitch; bathe bath wash; rim edge brim; beat flap;
beam ray; spray splash splatter; splash drench soak; shiny glossy gleaming polished; fuzzy furry fluffy;
torn ripped; filthy dirty grubby muddy; tidy neat; crowded busy packed full; empty deserted;
cloudy overcast grey; sunny bright; slim thin lean lanky slender skinny;
stout plump chubby fat heavy stocky; young youthful; pretty beautiful; narrow slim; curly wavy;
bald shaven; moustache mustache; ponytail plait braid pigtail; fringe bang; smart elegant; ocean sea;
shape form mould; quarrel fight argue bicker; fight struggle wrestle; halt stop; shoot race speed;
rush hurry dash; shove push; pot sink; sink pocket; drape lay; tug pull; brush sweep; scrub rub;
massage rub; tap pat; stroke pet caress pat; hand give pass; present offer; ask request;
reply answer respond; nod agree; wave beckon; point gesture signal indicate; clap applaud cheer;
shout scream yell roar; cry weep sob; sing chant hum; whistle blow; bow bend; bend lean stoop;
crouch squat kneel duck; stretch extend reach spread; reach arrive; touch tap feel press;
press push squeeze; squeeze squash crush; fold crease bend; unfold open spread; unroll spread;
roll flatten; flatten press; flip turn toss; twist turn screw; tighten fasten screw; loosen unscrew undo;
untie undo unfasten; scatter sprinkle strew spread; sprinkle dust season; add put pour drop sprinkle mix;
dip plunge immerse; drain strain; peel skin; grate shred; whisk beat stir; serve plate;
taste try sip sample; smell sniff; swallow gulp; lick lap; nibble gnaw chew bite peck; graze eat feed;
feed nourish; pounce jump leap spring; chase run pursue follow hunt; catch grab seize snatch;
release drop free; escape flee run; hide conceal disappear; appear emerge come show; vanish disappear;
gleam shine glow sparkle; flash blink flicker; burn flame glow; ignite light kindle; boil bubble simmer;
melt thaw; freeze stop; drip trickle fall run; flow run stream pour; sink drop fall set; float drift glide;
row paddle; sail cruise; steer guide direct drive; ride drive travel; overtake pass; brake slow stop;
accelerate speed; swerve veer dodge avoid; crash collide hit; skid slide slip; park stop; load fill pack;
unload unpack empty; carry bring bear transport lug haul; fetch bring get retrieve; bring take carry;
lead guide; aim target; score shoot net; save block stop catch; tackle challenge; dribble run;
smash hit slam; volley hit; lunge attack thrust; parry block deflect; salute greet bow;
rehearse practise practice train; warm stretch; practise practice train exercise;
teach instruct train explain; learn study practise practice; read study; write note scribble jot;
draw sketch trace; paint colour color draw; sew stitch hem; knit crochet; carve whittle cut;
hammer pound beat strike; drill bore; sand smooth polish; saw cut; mow cut; dig shovel; plant pot sow;
water sprinkle spray; pick harvest gather collect pluck; gather collect assemble meet; queue line wait;
bustle hurry; stumble trip; limp hobble; tiptoe sneak creep; march parade walk; stride walk pace;
wander stroll roam; crawl creep; climb scale ascend mount scramble; descend climb drop; dismount alight;
board enter mount; rotate turn circle; circle orbit loop circuit; spin whirl twirl pirouette rotate;
sway swing rock; shake tremble shiver quiver; shrug gesture; wipe mop dab; comb brush; trim cut clip snip;
shave cut; apply put spread rub smear; dab pat apply; blend spread mix; smear spread; hoist lift raise
pull; hiss rise escape; ladder step stair;
photograph film picture shoot photo snap; film record; type write; click tap press; scroll swipe move;
select choose pick; type enter; delete erase remove; drag move pull; announce call; interview question;
discuss talk; argue quarrel; joke laugh; win beat; lose fail; crown award; medal prize trophy cup;
staircase stair step; doorway door entrance; corridor hallway passage hall; yard courtyard garden backyard;
porch veranda terrace balcony; square plaza; harbor harbour port dock; jetty pier dock;
crossroads junction intersection crossing; roundabout circle; motorway highway freeway road;
lay-by roadside; tyre tire; bonnet hood; boot trunk; windscreen windshield; torch lamp;
rubbish trash litter; nappy diaper; pram stroller buggy; pavement path; lift elevator; flat apartment home;
garden yard lawn; holiday vacation; film movie clip video; telly tv television; mum mother;
policeman policewoman officer cop police; fireman firefighter; barman bartender barista;
hairdresser stylist barber; shopkeeper vendor seller; fisherman angler; sailor crew; audience viewer crowd;
fan supporter spectator; youth teenager teen adolescent youngster; senior elderly pensioner; bride woman;
groom man; cockerel rooster; bunny rabbit; kitty kitten; foal colt; stalk stem; twig branch; seed grain;
petal flower; dirt mud; dust powder; smoke steam vapour vapor mist; mist fog haze; flame fire blaze;
bonfire campfire fire; spark ember; rope lead leash; lead leash; string thread cord twine; ribbon bow band;
rag cloth; towel cloth; apron smock pinafore; waistcoat vest; singlet vest tank;
overall dungarees jumpsuit boilersuit; spectacles glasses; sneaker trainers shoe; handbag purse;
purse wallet; rucksack backpack bag; umbrella parasol; mixture batter dough; batter dough;
filling stuffing; sauce gravy dressing; sweet candy; biscuit cookie; crisp chip; chip fry;
aubergine eggplant; courgette zucchini; prawn shrimp; slice piece; lump chunk clump;
drop water droplet bead; ledge shelf edge; hold grip; bank shore; summit peak top; cliff rock;
wall barrier; fence barrier railing; barrier railing rail; gate door; hall room; stand tribune terrace;
sport game; bout fight match; rally exchange; serve service; puck disc; racket racquet bat; goal net;
strip piste; mat floor; lid cover top; handle grip; button knob; knob dial; switch button;
screen display slide; keyboard key; mouse cursor pointer; window pane glass; blind shutter; rug mat;
duvet quilt blanket; cloth tablecloth; cutlery knife; basin sink washbasin; oven stove cooker;
grill barbecue; plate dish; jar pot; tin can; carton box packet; packet pack bag; parcel package box;
present gift parcel; letter envelope; map chart; diagram chart graph; list menu; banner flag; sign board;
poster sign; statue sculpture figure; drawing sketch picture; painting picture artwork; mirror glass;
clock watch; coin money; note money bill; card paper
"""


def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _GROUPS.split(";"):
        same = frozenset(word_key(word) for word in line.split())
        for key in same:
            found[key] = found.get(key, frozenset()) | same
    for key, others in kinds().items():
        found[key] = found.get(key, frozenset()) | others
    return found


SAME = _groups()
"""The keys that may stand for a key: other words for the same, its kind, and what is of its kind."""
