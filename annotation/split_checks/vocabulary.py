"""Lists of words that the checks of a split go by.

An action is any verb that is not known to tell of a state: so the lists of states are closed, and
a verb that nobody thought of is an action.
"""

from __future__ import annotations

import re
from functools import lru_cache

from backends.chat.rules.language import word_key
from backends.chat.rules.words import COLOURS as NAMED_COLOURS

_IRREGULAR = {
    "stood": "stand", "sat": "sit", "lay": "lie", "lying": "lie", "lain": "lie", "hung": "hang", "held":
    "hold", "wore": "wear", "worn": "wear", "led": "lead", "ran": "run", "took": "take", "taken": "take",
    "bore": "bear", "kept": "keep", "slept": "sleep", "rose": "rise", "risen": "rise", "made": "make",
    "seen": "see", "saw": "see", "shown": "show", "built": "build", "lit": "light", "felt": "feel", "set":
    "set", "drawn": "draw", "drew": "draw", "spread": "spread", "laid": "lay", "leant": "lean", "clung":
    "cling", "swung": "swing", "shot": "shoot", "strewn": "strew", "had": "have", "has": "have", "having":
    "have", "was": "be", "were": "be", "is": "be", "are": "be", "been": "be", "being": "be", "am": "be",
    "'s": "be", "went": "go", "goes": "go", "gone": "go", "became": "become", "came": "come", "grew":
    "grow", "grown": "grow", "left": "leave", "began": "begin", "begun": "begin", "strung": "string",
    "panelled": "panel", "bent": "bend", "wound": "wind", "woven": "weave", "clad": "clothe", "read":
    "read", "said": "say", "says": "say",
}  # fmt: skip

_PAST = """
blew blown blow;threw thrown throw;drove driven drive;rode ridden ride;wrote written write;fed feed;
caught catch;bought buy;brought bring;taught teach;fought fight;thought think;ate eaten eat;drank drunk
drink;swam swum swim;sang sung sing;rang rung ring;sank sunk sink;spun spin;flung fling;slung sling;struck
strike;stuck stick;dug dig;flew flown fly;shook shaken shake;broke broken break;spoke spoken speak;froze
frozen freeze;chose chosen choose;stole stolen steal;tore torn tear;swept sweep;slid slide;knelt kneel;leapt
leap;crept creep;fell fallen fall;told tell;sold sell;gave given give;got gotten get;did done do;met meet;
shone shine;spilt spill;burnt burn;dealt deal;sewn sew;mown mow;sown sow;won win;lost lose;sent send;bit
bitten bite;hid hidden hide;beaten beat;sprang sprung spring;tied tying tie;died dying die;shrank shrunk
shrink
"""
PAST = {form: row.split()[-1] for row in _PAST.split(";") for form in row.split()[:-1]}
"""The plain form of each irregular one."""
_IRREGULAR |= PAST


_ALONE = """mane cube pine robe cape stripe pane kite cane vane tube pipe dune tune cone bone wine fir
shin mat
    hat star scar huge ripe cute bare"""
_APART = {form: f"{noun}." for noun in _ALONE.split() for form in (noun, noun + "s")}
"""Nouns and adjectives whose stem is that of another word: "mane" is no "man", "firs" do not "fire"."""


@lru_cache(maxsize=20_000)
def lemma(word: str) -> str:
    """One form for the forms of a verb or noun, rough: the same on both sides of a comparison."""
    base = _IRREGULAR.get(word, word)
    return base if base in _KEEP else _APART.get(base) or word_key(base)


_KEEP = frozenset(("be", "have", "lie", "lead", "leave", "see"))


def verbs(words: str) -> frozenset[str]:
    """Words as lemmas."""
    return frozenset(lemma(word) for word in words.split())


def plain(words: str) -> frozenset[str]:
    """Words as they stand."""
    return frozenset(words.split())


COPULA = frozenset(("be",))
LIGHT_VERBS = verbs("have do can could may might will would shall should must let")

STATES = verbs(
    """have contain include hold feature show display depict present portray capture document record
    resemble look appear seem remain stay belong consist comprise boast exhibit depend wear sport
    don dress clothe suit read say bear spell state face overlook border adjoin surround enclose
    flank grip clutch grasp cradle own possess see view hear want know think believe concern involve
    equal total vary exist live dwell constitute represent gleam glisten glint sparkle glimmer
    shimmer glow shine share concentrate enjoy protrude jut slope taper occupy dominate adorn decorate
    contrast suspend span
    star dot strew litter populate inhabit fringe"""
)
"""Verbs that tell how something is, looks or where it has its place, whoever does it."""

THING_STATES = verbs(
    """make give lend add suggest create form provide allow serve act function house store fill light
    line cover coat mark litter support secure join connect divide separate frame offer reveal
    advertise match fit number range differ imply evoke convey indicate emphasise emphasize
    highlight complement accentuate grace dot strew illuminate bathe reflect burn carry keep need
    smell accommodate embellish curve project poke peek measure mark hide block hold shade protect
    bloom grow peel flake crumble wrap mirror blur leave list colour color tint blend end name tell
    describe explain warn announce conceal expose obscure catch dwarf crack wilt rust wither dry cool simmer
    echo request promise contribute enhance remain guard bar block screen drape fringe skirt hug
    point sell store seal strap lace tile crown ice frost stuff preserve retain host seat cast shelter
    illustrate showcase chronicle narrate symbolise symbolize recall commemorate honour celebrate identify
    specify inform remind bisect intersect traverse punctuate interrupt outline silhouette demarcate anchor
    unify soften warm brighten enliven tint mottle catch"""
)
"""The same of things; of people they are actions."""

POSTURES = verbs(
    """stand sit lie lean rest hang perch kneel crouch squat recline lounge slouch huddle nestle dangle
    hover float droop sprawl curl stoop pose wait sleep doze snooze nap gaze stare look watch
    listen observe smile grin frown beam squint lurk loom tower rise balance tilt park moor dock line
    stack heap pile gather cluster bunch crowd scatter spread face straddle bask idle slump idle"""
)
"""States of a body or a thing; with an object that a person handles, or with "down" or "up", actions."""

EXTENTS = verbs(
    """run lead stretch extend reach wind snake meander cross climb rise drop fall descend ascend loop
    circle thread coil twist trickle veil span ring bound arch spill tumble plunge jostle compete go
    come pass continue begin start end open close curve bend branch fan trail flow roll cascade
    overhang hang border stand cut point zigzag encircle divide meet follow"""
)
"""What a road, a wall or a stair does without moving."""

SET_DOWN = verbs("stand sit lie lean hang rest balance stack pile heap spread tilt point park gather scatter")
"""Postures that are actions when somebody does them to a thing."""

UPRIGHT = frozenset(("up", "down", "back", "over", "around", "round", "forward", "away", "off", "out"))

PLACED = verbs(
    """surround make arrange light tile cover decorate line mount strew adorn locate situate position
    furnish flank stack pile spot set pave place enclose border seat dress clothe drape build
    construct carpet panel cushion paint furnish equip fit crowd pack fill frame hang attach fix
    divide separate dot litter mark edge trim print pattern scatter spread position crown top cap
    divide illuminate see string wrap ring label stock upholster thatch glaze inlay engrave carve
    embroider shade shelter"""
) - verbs("paint fill attach fix set place pack top cap fit mark hang crown divide separate spread")
"""Participles that, with "is" or "are", tell how something is and not what is done to it."""

MOVES = verbs(
    """walk run jog sprint dash race rush hurry march stroll stride wander roam trot gallop canter hop
    skip jump leap bounce bound dive plunge swim paddle row surf ski skate glide slide slip drift
    float fly soar hover flutter crawl climb scramble clamber descend ascend rise sink tumble topple
    fall stumble trip stagger wobble waddle swing sway spin twirl whirl rotate revolve pivot turn
    weave dodge duck lunge thrust kneel crouch bow nod wave clap cheer applaud shout yell scream
    laugh giggle chuckle cry sob sing hum whistle chant talk speak chat whisper arrive depart leave
    enter exit approach retreat return proceed advance continue stop pause hesitate wait hurtle
    speed accelerate brake swerve veer crash collide explode erupt burst splash drip trickle pour
    flow gush spill billow swirl puff flash flicker blink wink yawn sneeze cough breathe sniff bark
    meow growl roar hiss graze peck nibble chew swallow nuzzle pounce prowl dart zoom pan unfold
    happen occur emerge appear disappear vanish fade dissolve shake shiver tremble quiver wiggle
    wriggle juggle rattle rumble cruise sail land unload rehearse cycle pedal ride spit whizz twitch
    flap stamp stomp tiptoe shuffle trudge hike wade float slump escape dart scurry scuttle scamper
    slither skitter lope gambol frolic romp saunter amble limp hobble lumber plod parade migrate hatch
    strut sashay swagger prance traipse tramp wiggle surface emerge crouch plummet nosedive careen skid
    backflip cartwheel somersault pirouette vault sidestep jostle
    shimmy bop headbang moonwalk hiccup snore pant growl snarl howl yelp neigh whinny moo bleat cluck
    crow quack chirp tweet squawk squeal squeak purr chatter mumble mutter whimper weep sniffle wail
    gasp sigh groan moan grunt shriek grimace scowl pout wince flinch recoil cringe shrug gesticulate
    kneel genuflect salaam curtsy cower duel brawl scuffle bicker quarrel argue chatter gossip haggle
    toil labour labor exercise meditate practise practice rehearse improvise perform busk twinge
    rustle sizzle bubble fizz foam froth boil simmer melt thaw evaporate ooze dribble seep spurt squirt
    jet sputter splutter clatter clang clink jingle ping buzz click chime toll thud bang pop crackle
    flare smoulder whir whirr idle rev chug taxi hover loiter wiggle jiggle bob rock teeter lurch
    flick pace darken redden reverse undulate pulsate pulse throb vibrate oscillate swish swoosh flit soar
    dip bolt"""
)
"""Verbs that need no object: "sprinted" is no passive. Their forms in -s are seldom nouns."""
ALSO_NOUNS = verbs(
    """turn cut plant step drill saw hammer brush comb pet bow point wave drop fall drink swing race
    row ski skate slide slip trip duck bark land sail pan spin jump leap hop dive climb rise return
    stop pause zoom flash puff cry cough talk chat shout scream cheer whistle chant roar burst
    splash spill exit approach sign parade exercise practice labour labor rock jet bolt vault hatch
    crow bubble dip pop bang ping click chime gossip rustle pulse dart sigh groan shrug foam flare
    taxi cartwheel crackle flick"""
)
"""Of these the forms in -s often are."""
HANDLES = verbs(
    """jerk jolt lurch refuel escort open close push pull throw grab lift carry pour stir fold tie wipe
    chop knead add remove attach adjust apply insert place put take bring give catch hit kick strike
    haul drag shove toss hurl fling raise lower hoist heave fasten unfold unwrap trim snip shave dab
    smear rub scrub rinse wash dry sweep mop dig pick pluck gather collect sort arrange assemble
    dismantle repair fix screw sew knit weave paint write type strum hug kiss greet feed ride drive
    steer overtake chase parry serve shoot aim score tackle dribble pass tap press squeeze twist
    peel slice grate roast fry bake spread sprinkle season taste sip eat drink bite lick chew crack
    beat whisk mix blend mash mince roll cut tear rip break smash crush grind polish dust vacuum
    iron hang pin clip staple glue tape wrap unpack pack load unload stack lay set drop release grip
    grasp clench scatter shoulder winch hoist unlock lock unbuckle buckle zip unzip button comb
    brush braid curl dye style cradle rock swaddle pat stroke scratch tickle poke prod nudge punch
    slap block deflect attack defend salute signal beckon gesture blow inhale exhale light ignite
    extinguish snuff ladle scoop fill empty drain water spray sprinkle hose mow rake prune harvest
    sow plant saddle mount dismount lasso rein hook cast reel net spear sail anchor coil unroll
    unfurl shuffle deal stamp sign hand pass offer receive present return exchange count weigh
    measure mark trace sketch draw carve chisel saw drill hammer nail sand weld solder bend hollow
    drum bang ring toll play pluck conduct creak lurch grapple somersault munch surface circle plump
    unveil hurry inspect examine check select choose label stab change ladle knock tidy straighten smooth
    flatten crumple crease unwind untie undress tuck button buff wax varnish plane whittle forge mould
    mold sculpt carve glaze embroider stitch mend patch darn crochet spool thread lace strap harness
    tether tow jack crank pump inflate deflate plug unplug dial text scroll swipe drag highlight delete
    scan swab inject bandage stretcher examine dissect pipette filter distil strain sieve sift drizzle
    baste marinate stuff skewer barbecue simmer boil poach steam saute toast butter ice frost garnish
    decant uncork guzzle gulp slurp munch devour gobble gnaw lap swig swallow vomit spoon fork
    lob volley smash spike dunk bat bowl pitch punt head juke tee putt hurdle spear joust wrestle pin
    choke throttle slam thump pound whack swat flick tweak pinch grope fumble clasp clutch hug cuddle
    caress massage tickle groom lather shampoo rinse blow-dry exfoliate pluck tweeze shade doodle
    scribble sketch scrawl erase rub photograph film snap record interview question address announce
    applaud greet escort usher guide herd corral milk shear shoe tame train coax lure trap snare hunt
    stalk ambush pursue capture arrest handcuff frisk rescue revive bless baptise anoint crown swap
    barter sell buy pay tip bribe rob steal snatch pocket unload stow store hoard deliver post mail
    distribute scatter strew sow till plough plow weed hoe dig bury excavate drill bore blast demolish
    dismantle plaster tile grout lay pave tar caulk seal spray sanding clamp wedge lever prise pry"""
)
"""Verbs of doing, beside those of moving."""
DOING = MOVES | HANDLES
SURELY_MOVES, SURELY_DOING = MOVES - ALSO_NOUNS, DOING - ALSO_NOUNS
"""Those whose forms in -s are hardly ever nouns."""
WITH = verbs(
    "play work struggle dance fight collide begin start continue finish end help deal wrestle spar chat"
)
"""Verbs that "with" may follow."""
GERUNDS = plain(
    """landing hanging running cutting climbing sliding swimming parking shopping dining loading
    cooking sewing rolling folding rocking washing weaving living waiting changing sleeping baking
    frying mixing chopping ironing fishing sailing hiking walking riding skiing skating training
    boxing wrestling dancing playing serving starting finishing diving rowing racing building racing
    reading writing dressing fitting operating lighting recording wedding cycling surfing swinging
    revolving floating flowing steering measuring punching watering knitting cleaning proving
    starting overlapping carving drawing spinning dyeing sorting docking loading welding grinding
    polishing drying mounting setting opening"""
)
"""Before a noun without an article they say what a thing is for: "landing mats"."""
PREPOSITIONS = plain("round past near like opposite beside across along around over under")
RISING = verbs(
    "steam smoke dust flame fire spark sun moon dough curtain balloon bubble fog mist water tide lift"
)
"""Things of which "rises" tells an action."""
BODY = plain(
    "hands thumbs knees arms legs eyes shoulders feet elbows palms fingers eyebrows lips cheeks ankles wrists"
)

PASSING = verbs(
    """knead stir whisk throw kick toss push pull drag chase blow wash rinse scrub wipe pour hit strike
    squeeze feed stroke fling hurl whip punch tackle sweep shovel tow haul shake pump sieve ladle"""
)
"""Passives of these tell what is done, not how something is: "the dough is kneaded"."""

ORDER = re.compile(
    r"\b(?:at (?:first|last)|after that|after this|in the end|lastly|later on)\b"
    r"|^(?:first|next|later)(?=,|\s+(?:there|we|it|he|she|they|an?|the)\b)",
    re.IGNORECASE,
)
"""The same in more words."""

SEQUENCE = plain("then afterwards afterward subsequently suddenly eventually thereupon meanwhile finally")

COLOURS = NAMED_COLOURS | plain(
    """amber aqua auburn azure blond blonde bluish brunette charcoal chestnut chocolate coral ginger
    emerald scarlet sapphire vermilion greenish greyish ivory lilac lime mauve mint mustard ochre peach
    pinkish reddish rose ruby rust
    sepia terracotta ultramarine yellowish multicolored multicoloured colorful colourful"""
) - plain("rose rust lime mint peach chocolate ginger")
SHADES = plain("light dark pale deep bright")
MATERIALS = plain(
    """wooden wood marble leather steel metal metallic plastic rubber glass granite brick stone
    concrete velvet silk silken cotton woollen woolen wool linen denim lace satin wicker bamboo
    ceramic porcelain bronze brass copper aluminium aluminum iron nylon straw paper cardboard
    concrete clay oak pine birch mahogany tin lycra fleece suede canvas corduroy felt fur bone
    enamel slate walnut teak ebony cedar maple cast-iron mesh tweed flannel satin taffeta muslin chiffon
    cashmere burlap rattan fibreglass chrome pewter jade amber pearl"""
)
PATTERNS = plain(
    """striped checked checkered chequered plaid dotted spotted floral flowered tabby patterned tartan
    herringbone gingham houndstooth pinstriped pinstripe chevron mottled
    sequinned sequined embroidered camouflage paisley polka-dot plain-coloured speckled marbled
    ornate tasselled beaded quilted pleated"""
)
LOOKS = plain(
    """long short curly straight wavy bald bearded tall high low wide narrow broad large small big huge
    tiny round square rectangular oval clear foggy rainy snowy bright dim dark sunny cloudy overcast sandy
    grassy rocky
    wooden spacious cramped modern old new ancient young elderly slim muscular clean tidy messy
    dirty dusty rusty shiny glossy matte transparent empty full crowded bare plain smooth rough soft
    visible calm cosy cozy thick thin rustic elegant simple beautiful dry wet steep flat shallow deep
    leafy lush hilly curved uneven sloping paved tiled muddy snowy icy stony barren bleak colourless
    spotless shabby worn ragged tattered stained faded dented cracked peeling plump stout chubby stocky
    lanky wrinkled weathered slender skinny fat fluffy furry hairy woolly spiky pointed blunt hollow
    domed vaulted arched see-through fancy luxurious bleached pale"""
)
GARMENTS = verbs(
    """poncho shawl turban blazer singlet headscarf tunic toga loincloth coat raincoat overcoat jacket
    shirt blouse sweater jumper pullover hoodie cardigan vest waistcoat top tank-top t-shirt tee
    dress gown skirt trousers pants jeans shorts leggings tights suit tuxedo uniform overalls apron
    robe kimono sari cape cloak wetsuit swimsuit bikini trunks tracksuit jersey kit costume hat cap
    helmet beanie beret hood headband bandana scarf tie bow-tie glove mitten shoe boot sneaker
    trainer sandal slipper heel sock stocking belt glasses sunglasses goggles mask outfit attire
    clothes clothing garment leotard pyjamas oilskins"""
)
APPEARANCE = (
    verbs(
        """beard moustache mustache hair haircut ponytail plait braid bun fringe bang curl dreadlock
    freckle tattoo glasses spectacles sunglasses goggles helmet hat cap beanie ear earring necklace
    bracelet ring eye skin complexion paw tail fur blaze mane stripe spot feather"""
    )
    | GARMENTS
)
"""What somebody or an animal has about them."""

ANIMATE = verbs(
    """he she they we i you who someone somebody everyone everybody one both another man woman boy girl
    child kid baby toddler infant person people individual figure adult teenager youth lady
    gentleman guy couple friend family mother father parent brother sister son daughter grandmother
    grandfather crowd audience spectator guest group team pair athlete chef cook coach nurse doctor
    teacher student clown bride groom vendor client customer cyclist guitarist pianist artist potter
    referee passer-by cat kitten dog puppy horse pony bird hen rooster duck goose cow sheep goat pig
    fish robot rabbit hamster monkey elephant lion tiger bear seal dolphin camera drone car van lorry
    truck bus train tram bicycle bike motorcycle boat ship plane helicopter ball hand finger arm leg
    foot head shot view video footage clip lens forearm thumb toe knee elbow wrist tongue palm fist
    nail paw wing beak tail heron swan gull pigeon parrot owl eagle crow sparrow penguin flamingo
    llama camel donkey deer fox wolf squirrel mouse rat frog snake turtle crab bee butterfly insect
    ant spider whale shark jeep taxi tractor forklift tanker lorry scooter skateboard wheelchair
    balloon rocket digger excavator pilot clerk guard monk nun priest porter ranger archer steward
    sheriff thief captain sailor crew knight smith chief boss employee staff tourist pedestrian
    commuter resident native villager pupil graduate scout acrobat diver violinist orchestra choir
    band couple quartet trio duo squad troupe herd flock pack opponent contestant competitor judge
    owner host hostess deckhand king queen soldier police foal calf lamb piglet chick cub duckling gosling
    fawn kangaroo koala panda gorilla chimpanzee ape leopard cheetah jaguar giraffe zebra hippo rhino
    crocodile alligator lizard gecko iguana chameleon tortoise octopus squid jellyfish lobster shrimp
    salmon shoal swarm beetle moth dragonfly wasp ladybird ladybug caterpillar worm snail slug raccoon
    badger hedgehog otter beaver bat hare mole ferret poodle terrier labrador retriever shepherd dachshund
    bulldog collie husky stallion gelding bull ox buffalo yak ram ewe kid turkey peacock ostrich stork
    falcon hawk kingfisher blackbird robin magpie raven seagull cockatoo parakeet canary hummingbird
    cartoon avatar mascot puppet dinosaur dragon monster alien superhero wizard witch fairy elf dwarf
    princess prince snowman ghost zombie newborn infantry twin sibling uncle aunt nephew niece cousin
    husband wife fiance bridesmaid spouse newlywed colleague mate neighbour neighbor stranger passenger
    civilian protester activist cop constable detective agent butcher blacksmith locksmith carpenter
    goalie goalkeeper striker winger quarterback pitcher catcher batsman bowler fielder umpire linesman
    caddie jockey gymnast ballerina cheerleader model celebrity star diva maestro conductor soprano
    surgeon medic patient dentist vet scientist chemist astronaut cosmonaut pope bishop imam rabbi
    elder senior granny grandma grandpa mum mom dad mummy daddy laborer craftsman seamstress tailor
    sherpa cowboy cowgirl gaucho lifeguard bodyguard bouncer usher valet maid butler nanny au-pair
    snowboarder kayak canoe raft dinghy yacht ferry tug hovercraft submarine ambulance minivan sedan
    hatchback pickup convertible coupe limousine moped tricycle rickshaw go-kart sledge sled locomotive
    bulldozer crane plough harvester mower glider airliner biplane jet rover quadcopter"""
)
_AGENT = ("er", "or", "ist", "man", "woman", "men", "women", "ant", "ian")
_THINGS = verbs(
    """container counter roller mirror drawer door floor river water tower corner border paper cover
    banner poster number flower ladder computer monitor printer heater cooler burner mixer blender
    toaster hammer screwdriver letter butter pepper sugar trailer carrier barrier railing plant
    restaurant pillar radiator elevator escalator refrigerator amplifier speaker projector
    holder planter gutter shutter center centre color colour interior exterior mortar altar calendar
    chandelier layer feather leather timber lumber shelter filter meter motor sensor cylinder
    corridor winter summer weather order paver boulder shoulder finger timer starter hanger planner
    folder binder cluster sticker marker display list wrist twist mist fist waist chest trawler
    tanker glacier crater pier freezer dishwasher washer dryer drier cutter grater peeler lighter
    recorder register wallpaper newspaper sandpaper sweater jumper blazer bumper locker zipper slipper
    sneaker wrapper rubber silver copper amber burger stroller fender dresser stretcher strainer colander
    saucer platter pitcher skewer shaker dispenser propeller wiper ember lever fiber chamber quarter powder
    cinder vapor anchor rotor generator razor manor parlor harbor pendant croissant hydrant ottoman
    editor cursor browser header footer slider router server adapter charger pointer
    chapter matter collector retractor windbreaker skyscraper coaster
    tier antechamber theater amphitheater shower coaster duster halter hopper plaster rafter reactor
    streamer tether thermometer barometer speedometer trigger trimmer tumbler veneer vinegar wafer crater
    sunflower underwater lighter cucumber hamburger zucchini blister boiler collar cedar"""
)


def animate(word: str, key: str) -> bool:
    """Whether a noun names a person, an animal, or a thing that moves by itself (a rough guess)."""
    if word.endswith("ing") and word != "king":  # "training" is no train
        return False
    if key in ANIMATE:
        return True
    return key not in _THINGS and word.removesuffix("s").endswith(_AGENT) and len(word) > 4


OVERVIEW = (
    r"^(?:overall,?\s+|in (?:this|the|short,?)\s+)?(?:this|the|a|an)?\s*"
    r"(?:is\s+|short\s+|brief\s+|whole\s+|entire\s+)*"
    r"(?:video|clip|footage|film|recording|movie|vlog|excerpt)\b"
    r"|^(?:this|the|an?)\s+(?:[\w-]+,?\s+){0,3}(?:video|clip|footage|film|recording|sequence|episode|programme|program"
    r"|documentary|tutorial|scene|short|animation|montage|report|vlog|advert|commercial|trailer|time-lapse)\s+"
    r"(?:show|captur|depict|present|record|follow|featur|document|portray|demonstrat|trac|explain|introduc|chronicl"
    r"|condens|cover|teach|tell)\w*"
    r"|^(?:this|it|here)\s+(?:is|shows)\s+(?:a|an|the)?\s*(?:[\w-]+\s+){0,2}(?:video|clip|footage|film|recording)\b"
    r"|^[^,.;]+\b(?:is|are)\s+(?:the\s+(?:subject|topic|theme|focus|content)\s+of|(?:what|shown|seen|captured|recorded|filmed)\b"
    r"[^,.;]*\bin)\s+(?:this|the)\s+(?:\w+\s+)?(?:video|clip|footage|film|recording)\b"
)
"""How a sentence that sums the video up begins."""
