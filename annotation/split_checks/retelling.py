"""Words that a split may use without a source in the full caption: they name kinds, places in the picture,
actions, or what goes without saying."""

from __future__ import annotations

from annotation.split_checks.wording import stems

GENERIC = stems(
    """man woman person people boy girl child someone individual figure thing object item area place
    scene background foreground side top front back middle centre left right view shot camera video
    clip footage setting room part one ones other another several some visible located next close far
    nearby there position way time moment wide general main whole such certain various different
    same above below kind type small large big shown seen first second last third next former latter
    colour color look male female opponent rival protagonist subject participant character performer
    guy lady gentleman owner partner counterpart animal pet someone somebody else beginning end
    year age final order turn move result effort picture frame image presence appearance action activity
    process event task whole rest number amount set group pair couple work job something anything
    everything nothing anyone everybody everyone nobody somewhere somehow step pause break stop start
    movement motion gesture manner fashion style speed pace rhythm direction distance length height
    width angle degree quarter half third bottom edge corner end point spot line row surface level
    layer piece bit pile stack heap bunch lot plenty mix mixture combination variety array range
    series collection selection sort form shape size pattern design detail feature element aspect
    component content material substance liquid product ingredient tool device
    equipment gear instrument machine structure clothing clothes garment
    outfit attire environment surroundings location spot site space atmosphere mood weather air
    light lighting daylight darkness shadow sound noise silence voice word text letter sign
    name title message label sequence stage phase round attempt try success failure win victory
    mistake error problem trouble help support care attention focus interest fun joy excitement
    surprise shock fear anger force power strength energy effect impact contact touch feel taste smell
    reaction response answer question conversation talk speech story lesson class tutorial
    demonstration performance show routine exercise practice training session game match race contest
    competition round play team side
    viewer
    staff member adult teenager youngster kid baby toddler day night morning evening
    afternoon second minute hour while instant today meanwhile tip ease grip hold pose posture stance
    stand place order procedure technique method trick skill style use purpose reason goal aim target
    ground floor interior exterior inside outside indoor outdoor indoors outdoors distance
    sort overall entire complete full empty ready able alone together available
    simple plain clear new old young same similar possible careful gentle slow quick high low deep
    close near beautiful calm quiet craft art trade smooth thin thick visible wide narrow long short soft hard
    bright dark dim clean dirty"""
)
"""Words that a split may need and that tell nothing new."""

PEOPLE = stems(
    """man woman person people boy girl child kid individual figure guy lady gentleman adult one other player
    side thing item object male female"""
)
"""Words for somebody or something, whoever they are: that there are two of them may be counted."""

PARTS_OF_BODY = stems(
    """hand finger thumb palm fist arm elbow shoulder wrist head face eye ear nose mouth lip cheek chin
    neck back chest waist hip leg knee foot feet toe heel body skin hair fur tail paw wing beak muzzle
    tongue tooth teeth upper lower"""
)
"""Somebody who is told of has them."""

_IMPLIED = """
kitchen: stove oven sink fridge cooker cook chef countertop hob bake saucepan cupboard
classroom: teacher pupil student whiteboard blackboard chalkboard lesson
bathroom: bath shower washbasin toilet toothbrush bathtub sink
bedroom: bed pillow mattress wardrobe
gym: barbell dumbbell treadmill weight workout
stadium: athlete track pitch football spectator match race
arena: bull boxer match hockey concert
rink: skate skater ice hockey
ice: skate skater rink hockey
court: tennis basketball badminton volleyball squash
pitch: football rugby cricket soccer hockey
field: football soccer baseball rugby farm tractor crop wheat grass meadow
ring: boxer wrestler circus
salon: hairdresser barber stylist manicure nail haircut
workshop: carpenter mechanic blacksmith lathe workbench shoemaker tool
garage: mechanic car workshop
studio: artist painter potter microphone easel recording
stage: band singer drummer concert musician play dancer theatre curtain
pool: swimmer swim diver lane
beach: sand sea surfer wave shore
shore: sea lake beach wave
water: sea lake river pool pond ocean stream wave swim bath boat
sea: wave surfer beach ship harbor harbour
ball: football basketball volleyball tennis snooker pool billiard pot golf bowling table
racket: tennis badminton squash serve
goal: football goalkeeper keeper score hockey
net: tennis volleyball badminton goal
snow: ski skier snowboard snowman sledge sled snowball winter
road: car lorry truck bus drive driver traffic cyclist motorcycle street
street: car pedestrian traffic shop pavement road bus city
traffic: car bus lorry crossroads junction street
farm: cow goat pig hen tractor barn farmer
stable: horse rider groom
restaurant: waiter chef diner guest menu
cafe: barista waiter coffee cappuccino
shop: shopkeeper customer counter till shelf
office: desk computer colleague
lab: scientist beaker flask pipette microscope
hospital: nurse doctor patient surgeon
forest: tree pine trunk hiker
garden: lawn flower gardener hedge shrub
yard: lawn grass hens backyard
stairs: step staircase
instrument: guitar piano violin drum trumpet accordion
singing: sing choir
stand: spectator stadium
horse: rider jockey saddle gallop
bike: cyclist ride cycle pedal
boat: row rower paddle canoe ferry sail
food: cook dish meal eat
dough: knead bread pizza dumpling pastry
paint: painter brush canvas
"""
IMPLIED = {
    word: stems(source)
    for row in _IMPLIED.strip().split("\n")
    for name, source in [row.split(": ")]
    for word in stems(name)
}
"""What goes without saying where one of these is told of: a kitchen where somebody stands at a stove."""
