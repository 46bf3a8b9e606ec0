"""What the generated flat tables are about: made-up places and things, and figures that one keeps of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of whole numbers.

    Attributes:
        header: the column's header.
        phrase: what a question calls it, e.g. ``number of crossings a week``; fits after "the" and "a
            higher".
        low: the smallest plausible value.
        high: the largest.
        adds: whether a sum or a mean over rows says something (it does not for a year).
    """

    header: str
    phrase: str
    low: int
    high: int
    adds: bool = True


@dataclass(frozen=True, slots=True)
class Topic:
    """A kind of table: a row is one ``noun``, named in the column ``label`` and of one of the ``kinds``.

    Attributes:
        title: the table's title.
        label: header of the first column.
        noun: what a row is, singular.
        plural: what the rows are.
        names: names of rows to draw from.
        kind: header of the column of words.
        kinds: its values.
        kind_phrase: a clause for rows of one kind, after "that", with ``{}`` for it: ``run from {} quay``.
        measures: the columns of numbers to draw from.
    """

    title: str
    label: str
    noun: str
    plural: str
    names: tuple[str, ...]
    kind: str
    kinds: tuple[str, ...]
    kind_phrase: str
    measures: tuple[Measure, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


TOPICS: tuple[Topic, ...] = (
    Topic(
        "Ferries of the Lower Sound",
        "Ferry",
        "ferry",
        "ferries",
        _words(
            "Grey Heron, Marigold, North Star, Old Bess, Saltwind, Kittiwake, Lady Ashdown, "
            "Perseverance, Driftwood, Sea Thistle, Tidewater, Lantern, Morning Tern, Harbour Rose, "
            "Curlew, Blue Anchor"
        ),
        "Home quay",
        ("East", "West", "Mill"),
        "sail from the {} quay",
        (
            Measure("Seats", "number of seats", 40, 480),
            Measure("Cars carried", "number of cars carried", 4, 95),
            Measure("Crossings a week", "number of crossings a week", 12, 140),
            Measure("Crew", "crew size", 3, 24),
            Measure("Built", "year of building", 1948, 2019, adds=False),
            Measure("Length (m)", "length in metres", 18, 96),
        ),
    ),
    Topic(
        "Orchards of the Vale",
        "Orchard",
        "orchard",
        "orchards",
        _words(
            "Applegarth, Brook End, Cobbler's Field, Damson Hill, Elder Bank, Foxlease, Greenacre, "
            "Honeycombe, Ivy Croft, Kestrel Rise, Long Meadow, Mistle Wood, Nightingale, Orpington, "
            "Pound Farm, Quince Lane"
        ),
        "Soil",
        ("clay", "loam", "chalk"),
        "grow on {}",
        (
            Measure("Apple trees", "number of apple trees", 60, 900),
            Measure("Pear trees", "number of pear trees", 10, 400),
            Measure("Pickers", "number of pickers", 4, 60),
            Measure("Beehives", "number of beehives", 2, 45),
            Measure("Harvest (crates)", "harvest in crates", 150, 4200),
            Measure("Planted", "year of planting", 1921, 2012, adds=False),
        ),
    ),
    Topic(
        "Mountain huts on the Ridge Trail",
        "Hut",
        "hut",
        "huts",
        _words(
            "Eagle's Rest, Stone Kettle, Upper Saddle, Snowdrop, Last Larch, Marmot, Two Springs, "
            "Windgap, Juniper, Ember, High Pasture, Shepherd's Lamp, Cloudbreak, Iron Spoon, Glacier "
            "View, Goat Ledge"
        ),
        "Fuel",
        ("gas", "wood", "solar"),
        "cook with {}",
        (
            Measure("Beds", "number of beds", 8, 120),
            Measure("Altitude (m)", "altitude in metres", 1150, 3180, adds=False),
            Measure("Guests in July", "number of guests in July", 90, 2100),
            Measure("Guests in August", "number of guests in August", 110, 2400),
            Measure("Staff", "number of staff", 1, 14),
            Measure("Rescue calls", "number of rescue calls", 1, 38),
        ),
    ),
    Topic(
        "Choirs at the spring festival",
        "Choir",
        "choir",
        "choirs",
        _words(
            "Alder Voices, Bell Street Singers, Cantilena, Dockside Chorus, Evensong Seven, First "
            "Light, Garland, Hillfoot Choir, Inkwell Ensemble, Jubilate, Kiln Lane Voices, Lark and "
            "Linnet, Meridian, Northgate, Open Score, Parish Round"
        ),
        "Hall",
        ("Assembly", "Garden", "Station"),
        "sing in the {} hall",
        (
            Measure("Sopranos", "number of sopranos", 5, 34),
            Measure("Altos", "number of altos", 5, 30),
            Measure("Tenors", "number of tenors", 2, 22),
            Measure("Basses", "number of basses", 2, 24),
            Measure("Songs", "number of songs", 3, 21),
            Measure("Tickets sold", "number of tickets sold", 45, 780),
        ),
    ),
    Topic(
        "Bakeries of the old town",
        "Bakery",
        "bakery",
        "bakeries",
        _words(
            "Amber Crust, Bright Oven, Crumb and Co, Daily Rise, Early Bird, Flour Pot, Golden Sheaf, "
            "Hearthside, Iris and Rye, Jolly Miller, Kneaded, Little Loaf, Market Cross, New Moon, "
            "Oat and Honey, Poppyseed"
        ),
        "Oven",
        ("electric", "brick", "steam"),
        "bake in an oven of the type {}",
        (
            Measure("Loaves a day", "number of loaves a day", 60, 950),
            Measure("Rolls a day", "number of rolls a day", 120, 2600),
            Measure("Cakes a week", "number of cakes a week", 15, 310),
            Measure("Bakers", "number of bakers", 2, 17),
            Measure("Flour (kg)", "amount of flour in kilograms", 80, 1900),
            Measure("Opened", "year of opening", 1908, 2021, adds=False),
        ),
    ),
    Topic(
        "Reading rooms and their visitors",
        "Reading room",
        "reading room",
        "reading rooms",
        _words(
            "Aspen Court, Birchfield, Canal Corner, Dovecote, Elm Arcade, Fountain Square, Granary, "
            "Hopgarden, Inner Yard, Kingfisher, Lock House, Mulberry, Nettle Close, Old Mint, Paper "
            "Mill, Quarry Top"
        ),
        "Quarter",
        ("north", "south", "river"),
        "belong to the {} quarter",
        (
            Measure("Seats", "number of seats", 12, 220),
            Measure("Books", "number of books", 800, 46000),
            Measure("Maps", "number of maps", 20, 1500),
            Measure("Visitors", "number of visitors", 300, 9800),
            Measure("Loans", "number of loans", 150, 7400),
            Measure("Open hours a week", "number of opening hours a week", 10, 72),
        ),
    ),
    Topic(
        "Entries in the soapbox derby",
        "Team",
        "team",
        "teams",
        _words(
            "Axle Foxes, Barrel Riders, Crate Racers, Dusty Wheels, Elbow Grease, Flat Tyres, Gravity "
            "Nine, Hammer and Nail, Inclined, Jumble Sale, Kerbside, Loose Bolts, Mudguard, "
            "Nutcrackers, Old Pram, Plank Five"
        ),
        "Class",
        ("junior", "open", "veteran"),
        "start in the {} class",
        (
            Measure("Weight (kg)", "weight in kilograms", 38, 118),
            Measure("First run (s)", "time of the first run in seconds", 52, 131),
            Measure("Second run (s)", "time of the second run in seconds", 50, 127),
            Measure("Style points", "number of style points", 11, 99),
            Measure("Hours of work", "number of hours of work", 14, 260),
            Measure("Start number", "start number", 101, 398, adds=False),
        ),
    ),
    Topic(
        "Wind pumps on the marsh",
        "Pump",
        "pump",
        "pumps",
        _words(
            "Ash Sluice, Bittern Dyke, Cold Reach, Duck Corner, Eel Gate, Far Level, Goose Fen, "
            "Hundred Acre, Jack's Drain, Kate's Mill, Low Bank, Moorhen, Nine Locks, Osier Bed, Peat "
            "End, Reedham Cut"
        ),
        "Sails",
        ("canvas", "shuttered", "steel"),
        "have sails of the type {}",
        (
            Measure("Height (m)", "height in metres", 6, 31),
            Measure("Days in use", "number of days in use", 25, 340),
            Measure("Water lifted (m3)", "amount of water lifted in cubic metres", 900, 38000),
            Measure("Repairs", "number of repairs", 1, 29),
            Measure("Visitors", "number of visitors", 40, 5200),
            Measure("Restored", "year of restoration", 1951, 2022, adds=False),
        ),
    ),
)
