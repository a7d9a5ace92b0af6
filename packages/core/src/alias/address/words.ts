/**
 * The words of generated addresses, in alphabetical order. Chosen to be dictated over the telephone: common English
 * words of 3 to 7 letters, pleasant or neutral, with the same spelling in all variants of English. The list avoids
 * numbers, words used in dictating an address (dot, dash, capital), homophones, brands, people's names, and anything
 * rude, violent, sexual, religious, political or medical, including by combination: any word can appear next to any
 * other.
 *
 * No two begin with the same four letters, and no two differ in only one letter, so mishearing or mistyping a word is
 * unlikely to produce another one. Words can be added or removed at any time: existing addresses do not change.
 */
export const WORDS: readonly string[] = `
  abound accord acorn acrobat actor admire afloat agenda agile airport airship album alcove algebra alloy
  almanac almond alpine amazed ambient amiable amplify anagram anchor ancient animal ankle annual answer
  antenna anthem antique antler anvil apex applaud apricot apron aquatic arbor arcade arch arctic ardent
  arena aroma arrange arrival artist artwork ascot ashore aspire astral athlete atlas atom atrium attic
  attract auburn audio avenue aviator avid avocado awesome awning azure badge bagel bagpipe baker balance
  balcony balloon bamboo banjo banner banquet barley barn barrel basin basket bathtub bayou beacon beam
  beanbag beauty bedrock beehive beige beluga bench benefit bicycle biology birch blanket blender blimp
  blink bloom blossom blotter blouse boat bobcat bodega bonfire bonnet bonus boost botany bottle bowling
  boxcar brave breezy bridge brief bright brisk broad bronze brunch bubble bucket buddy buffalo bugle
  builder burger burrito bushel busy button buzzer cabin cactus cadence cake calico calypso camera campus
  candle canoe canteen canyon caravan carbon cargo caribou carpet cartoon carve cascade castle casual catch
  catfish catnip cavern cedar celery century ceramic chair chalk chapter charm cheddar cheese chef cherish
  chimney chipper chirp chisel chorus cinema circle citrus city clarity clasp clean clever climate clock
  closet cloth cloud coast cobalt cobbler cocoon coffee coin cola collect comb comedy comic compose conga
  cookie cooler cordial cosmos cottage country couple courage coyote cradle craft crayon cricket crimson
  crown crumb cube culture cupcake curious curly curtain cushion custard dainty dairy dance dapper daring
  daytime dazzle decade decimal decor delight deluxe denim depot depth design detail devote diagram diamond
  digital dignity dinner disco distant ditto dolphin domain domino donate doorway dozen dragon drama dream
  drift drizzle drummer duet dugout dune dusk dynamic eager eagle earring earth echo eclipse ecology edge
  edible educate elastic elbow element elk embark emblem embrace emerald emotion empower enamel enchant
  encore endless energy engine engrave enhance enjoy epic equator errand essay eureka evening exhibit exotic
  expand explore express eyelash fabric factory fairway falcon family famous fancy fanfare fashion feast
  feature fence festive fetch fiction fiddler field fiesta figment figure filter finale finch firefly
  fitness flag flannel flask fleece flight flipper flora fluffy flutter focus foggy folder foliage follow
  fondue footage forest forge formula fortune fox fragile frame freckle fresh friend fritter frog frolic
  frost frozen fudge furnish furry future gable gala gallery game gander garden garlic garment garnet
  gateway gather gazelle genius gentle genuine giant gift giggle giraffe glacier glad glance glaze gleam
  glider glimpse glitter global glossy glove glow goblet golden gondola gopher grammar granite grape grass
  gravity green grid grocery groove grotto ground growth guide guitar gumbo gusto gymnast habitat hairpin
  halibut hallway hammer hamster handy happy harp harvest haven hayride hazy healthy helium helmet hermit
  hickory hidden hike hilly history hockey hoist holiday honey hopeful horizon hornet house hover hub hula
  humid hydrant icebox icing icon idea igloo ignite iguana imagine imprint indigo indoor inkling inlet
  insect inspire instep invent invite island jacket jargon jaunt jazz jigsaw jolly journey joyful joyous
  jubilee judo juice jukebox jumper jungle karate kayak kelp ketchup keyhole keynote kickoff kimono kindly
  kiosk kitchen kiwi lace ladle lagoon lamp landing lantern lapel laptop laser laugh laundry lava lavish
  leafy league learn leather lecture legacy legend lemon leopard lettuce level library lilac linden linger
  lion liquid listen lobster locate lodge loft lovely loyal lucid lucky luggage lullaby lumber lunar lunch
  luxury lyric madcap magenta magic magma magnet magpie mailbox majesty mallard mammal maple marble margin
  market maroon marsh medley mellow memento memory mentor menu message meteor metro midway mindful mineral
  mingle mint mirror mitten mixture mocha modest monitor moonlit moss motif motor movie muffin mulch mural
  museum music napkin nature nearby nebula nectar neon nest nickel nifty nimbus noble noisy nomad noodle
  nook notable novel nugget nursery nutmeg oak oasis oatmeal oboe observe ocean octopus okra omega onion
  onward onyx opera orange orbit orchid oregano organic origin ostrich otter outdoor outfit outlet oval
  ovation oven overlap owl oxygen oyster palace palm pancake panda panel pantry papaya paper paprika parade
  parcel park parrot parsley passage pasta pathway patio pattern peanut pebble pecan pelican pencil pendant
  penguin perfect perky petunia photo physics piano piccolo picnic picture pigeon pillow pinball pinto
  pioneer pivot pixie pizza planet platter playful plaza plot plush plywood podium poem poetic pogo polite
  polka pollen poncho pony popcorn porch portal poster potato potluck pottery prairie prelude pretty prime
  prism prosper prune pudding pumpkin puppy purple puzzle pyramid python quaint quartet quench query quest
  quiet quince quirky quiver quiz rabbit radio ragtime railway rainbow raisin ranch random rapid rattle
  ravine realm recipe recycle redwood refresh regatta rejoice relax remote replica reptile restful reunion
  revive rhino ribbon riddle river rocket roller roof rooster rosebud rotunda roundup routine rowboat rudder
  ruffle rumble rustic saddle safari safety saffron saga salad salmon salt samba sandbox sardine saucer
  sauna savvy sawdust scarf scenery school science scooter scrub seal season sedan sequel serene sesame
  settle shade shallow shampoo shawl shelter shine ship shout shuttle sidecar silk silver simmer simple
  sincere skate sketch skillet skipper skyline sleep slide slogan smart smile smooth smudge snack snail
  snapper sneaker snorkel snow snug soccer soda solo sonar sonic soprano sound soup spaniel sparrow speech
  sphere spice spider spinach spiral splash sponge spoon sport spotted spray spring sprout spruce square
  squeak stable stadium starry station steamer stellar stereo sticker stitch stone stork stream strong
  strudel study sugar summit sunbeam sundown sunrise sunset superb supper sushi swan sweater swift swim
  swivel syrup tabby tactful tadpole taffeta talent tango taste teach teapot teatime tennis tent terrier
  textile thorn thread thrill thumb tiara ticket tidal tidy tiger tile tiller timber tinsel tiptoe today
  token tomato toolbox topaz tourist town toy tractor train travel tree trilogy trinket tripod triumph
  trivia trolley trophy trout trove truck trumpet tugboat tulip tuna tunic tunnel turf turnip turtle tutu
  twin twirl twist typist umpire unicorn uniform unique unison unity unpack unwind upbeat uphill upright
  uptown upward urban valiant valley vanilla varnish velvet vibrant victory video view village vinegar
  vintage vinyl violin visit visor vista visual vivid vocal voice volcano volume vortex vowel voyage waffle
  wagon wallet waltz warm water wavy weaver weekend welcome welder wheat whimsy whistle wicker wildcat
  window winter wisdom wish wizard wombat wonder wooden world yam yard year yummy zebra zenith zigzag zinc
  zone zoology
`
  .trim()
  .split(/\s+/);
