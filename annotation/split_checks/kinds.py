"""Kinds and what belongs to them: a split may call a poodle a dog, and a dog a poodle.

Two of one kind are not the same: salmon is no tuna, though both are fish.
"""

from __future__ import annotations

from backends.chat.rules.language import word_key

_KINDS = """
animal: dog cat horse cow sheep goat pig bird fish rabbit mouse monkey elephant lion tiger bear creature beast
dog: puppy poodle labrador retriever terrier collie husky dachshund bulldog spaniel beagle corgi dalmatian
cat: kitten tabby
horse: pony mare stallion foal gelding colt steed
cow: calf bull cattle ox heifer
cattle: cow bull calf
sheep: lamb ewe ram flock
goat: kid
pig: piglet sow boar
bird: parrot pigeon crow sparrow gull seagull eagle owl hawk falcon heron swan duck goose hen chicken rooster
bird: cockerel penguin pelican flamingo blackbird kingfisher
bird: robin magpie peacock ostrich stork parakeet cockatoo
chicken: hen rooster cockerel chick
fish: salmon tuna trout carp goldfish squid koi
insect: bee butterfly ant beetle wasp dragonfly fly ladybird ladybug moth
reptile: lizard gecko chameleon snake turtle tortoise crocodile
tree: pine oak birch fir willow palm maple poplar spruce cypress acacia elm beech
plant: cactus fern ivy bush shrub flower tree herb succulent bulb seedling
flower: rose tulip lily daisy sunflower orchid blossom geranium carnation petal
fruit: apple pear banana orange lemon melon strawberry grape mango peach cherry berry watermelon
vegetable: carrot onion potato tomato cucumber pepper cabbage lettuce broccoli leek celery courgette zucchini
herb: parsley basil coriander cilantro thyme rosemary mint
meat: beef pork chicken lamb steak sausage bacon ham mince
bread: loaf baguette bun roll toast bagel
cake: muffin cupcake sponge gateau pastry
drink: tea coffee juice water beer wine milk cocktail lemonade soda cola beverage
noodle: ramen spaghetti pasta udon
pasta: spaghetti noodle macaroni
seafood: fish squid shrimp prawn crab
spice: pepper cinnamon paprika cumin
cutlery: knife fork spoon
utensil: whisk spatula ladle spoon tongs
spoon: teaspoon tablespoon ladle
pot: saucepan casserole cauldron
pan: wok skillet
knife: blade cleaver scalpel dagger
container: box jar bottle tin can bowl bucket tub basket jug vase
bucket: pail
jug: pitcher carafe
bottle: flask vial
glass: goblet tumbler flute
dish: plate platter saucer
car: saloon sedan hatchback estate coupe convertible taxi cab jeep suv limousine wagon
truck: lorry pickup van tanker
bus: coach minibus
vehicle: car truck lorry van bus motorcycle scooter bike tractor jeep taxi tram
motorcycle: motorbike scooter moped bike
boat: canoe kayak dinghy raft rowboat yacht ferry trawler ship barge
plane: jet airliner aircraft glider
aircraft: plane helicopter jet glider
train: tram locomotive carriage
digger: excavator
house: cottage villa bungalow farmhouse cabin hut chalet mansion
building: house tower skyscraper church barn shed warehouse block school factory castle
church: chapel cathedral
hut: cabin shed shack
shop: bakery supermarket boutique store florist butcher grocery
restaurant: cafe diner bistro canteen pub
seat: chair stool bench armchair sofa
chair: armchair stool
sofa: couch settee
table: desk counter workbench bench worktop
bed: mattress bunk cot crib
cupboard: cabinet wardrobe closet locker
light: lamp lantern bulb spotlight candle torch headlight
clothe: shirt jacket coat dress skirt trouser jean sweater
coat: raincoat overcoat parka anorak jacket
jacket: blazer anorak windbreaker waistcoat
shirt: blouse polo tshirt tee singlet vest
sweater: jumper pullover cardigan hoodie
trouser: jean legging chino pant slack
dress: gown frock
hat: cap beanie beret bonnet fedora helmet bowler sombrero
shoe: boot sneaker trainer sandal slipper loafer heel
jewellery: earring necklace bracelet ring
spectacle: glasses goggle sunglass
ball: football basketball volleyball baseball
stick: branch twig baton cane
wood: log timber plank board
rock: cliff boulder crag
hill: slope dune mound
mountain: peak ridge summit
water: sea lake river pond stream ocean pool puddle
rain: drizzle downpour shower
instrument: guitar piano violin drum trumpet accordion flute cello
string: violin guitar cello harp
drum: snare bongo
tool: hammer saw drill screwdriver spanner wrench plier chisel shovel spade
spade: shovel trowel
wrench: spanner
cloth: towel rag duster
paper: sheet page card newspaper
book: notebook novel paperback album diary
phone: smartphone mobile handset
computer: laptop tablet pc monitor
weapon: sword gun rifle spear
sword: sabre foil epee
toy: doll teddy puppet block
bag: backpack rucksack handbag suitcase sack satchel pouch tote purse
athlete: runner sprinter swimmer gymnast jumper skier skater
athlete: boxer wrestler fencer rower cyclist surfer diver climber
player: striker goalkeeper footballer batsman
fighter: boxer wrestler fencer
musician: guitarist drummer pianist violinist singer bassist trumpeter accordionist
performer: juggler dancer magician acrobat clown singer
worker: builder mechanic carpenter welder labourer plumber miner
officer: policeman policewoman cop guard
artist: painter sculptor potter
doctor: surgeon physician
craftsman: potter carpenter blacksmith shoemaker weaver glassblower
rider: jockey cyclist motorcyclist biker
drive: car vehicle
trick: ollie flip
cut: chop slice dice mince trim snip saw slit carve shave
cook: fry boil roast bake grill simmer saute steam
move: glide slide roll drift creep crawl slither shuffle
hit: punch slap kick smash whack knock hammer
say: call shout whisper mutter announce tell ask reply
look: glance stare gaze peer peek squint
put: place lay drop stick set arrange
hold: grip grasp clutch
make: prepare build create produce cook brew bake shape
remove: peel strip scrape unscrew detach
clean: wipe scrub wash rinse polish mop sweep dust
fasten: tie screw nail clip pin glue tighten bolt
jump: hop leap bounce vault bound
fall: drop tumble topple collapse slip
fly: soar glide flutter hover
"""


def kinds() -> dict[str, frozenset[str]]:
    """For each word the kinds it belongs to and the ones that are of its kind, as keys."""
    found: dict[str, frozenset[str]] = {}
    for row in _KINDS.strip().split("\n"):
        kind, members = row.split(": ")
        general = word_key(kind)
        special = frozenset(word_key(word) for word in members.split())
        found[general] = found.get(general, frozenset()) | special
        for key in special:
            found[key] = found.get(key, frozenset()) | {general}
    return found
