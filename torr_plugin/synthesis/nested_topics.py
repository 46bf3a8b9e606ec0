"""What the generated tables with nested headers are about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NestedTopic:
    """A kind of table with two levels of headers on both axes.

    Attributes:
        title: the table's title.
        group: header above the groups of rows.
        row: header above the rows.
        rows: for each group the names of its rows; no name is in two groups.
        outer: labels of merged column headers.
        inner: labels below each of them.
        question: asks for one cell; ``{group}``, ``{row}``, ``{outer}``, ``{inner}`` stand for its headers.
        low: the smallest plausible value.
        high: the largest.
    """

    title: str
    group: str
    row: str
    rows: dict[str, tuple[str, ...]]
    outer: tuple[str, ...]
    inner: tuple[str, ...]
    question: str
    low: int
    high: int


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


NESTED_TOPICS: tuple[NestedTopic, ...] = (
    NestedTopic(
        "Visits to the libraries, by district and season",
        "District",
        "Branch",
        {
            "Harbourside": _words("Pier Street, Ropewalk, Customs House, Signal Tower"),
            "Uplands": _words("Chapel Hill, Larch Grove, Top Field, Windmill Lane"),
            "Old Town": _words("Guildhall, Market Place, St Anne's, Tanner's Yard"),
        },
        _words("2019, 2020, 2021, 2022, 2023"),
        _words("Spring, Summer, Autumn, Winter"),
        "How many visits did the {row} branch in {group} have in {inner} {outer}?",
        420,
        18600,
    ),
    NestedTopic(
        "Parcels delivered, by depot and size",
        "Region",
        "Depot",
        {
            "Coast": _words("Gull Point, Sandbank, Shingle End, Seaholme"),
            "Plain": _words("Barleyford, Crossways, Flaxton, Millbrook"),
            "Hills": _words("Brackenside, Cairn Foot, Heathergill, Sheepfold"),
        },
        _words("January, April, July, October"),
        _words("Small, Medium, Large"),
        "How many parcels of the size {inner} did the depot {row} ({group}) deliver in {outer}?",
        35,
        7400,
    ),
    NestedTopic(
        "Trees planted, by ward and kind of tree",
        "Ward",
        "Park",
        {
            "Eastgate": _words("Bandstand Green, Cricket Field, Duck Pond"),
            "Millside": _words("Sluice Park, Weir Gardens, Wheel Meadow"),
            "Northfold": _words("Beacon Common, Cherry Walk, Ridge Park"),
            "Southbank": _words("Boat Lawn, Ferry Green, Willow Walk"),
        },
        _words("Under mayor Aldous, Under mayor Brand, Under mayor Castell"),
        _words("Lime, Oak, Rowan"),
        "How many trees of the kind {inner} were planted in {row} ({group}) {outer}?",
        4,
        690,
    ),
    NestedTopic(
        "Meals served in the canteens, by faculty and dish",
        "Faculty",
        "Canteen",
        {
            "Sciences": _words("Bunsen, Orbit, Prism, Quartz"),
            "Arts": _words("Canvas, Folio, Octave, Stanza"),
            "Engineering": _words("Derrick, Gantry, Lathe, Rivet"),
        },
        _words("Monday, Tuesday, Wednesday, Thursday, Friday"),
        _words("Soup, Pasta, Salad"),
        "How many servings of {inner} did the canteen {row} ({group}) sell on {outer}?",
        12,
        840,
    ),
    NestedTopic(
        "Tickets sold by the small theatres, by quarter of the town and price",
        "Quarter",
        "Theatre",
        {
            "Lantern Quarter": _words("Candlelight, Footlight, Gaslight, Limelight"),
            "Weavers' Quarter": _words("Bobbin, Loom, Shuttle, Spindle"),
            "River Quarter": _words("Barge, Lock Gate, Millrace, Towpath"),
        },
        _words("2016, 2018, 2020, 2022, 2024"),
        _words("Full price, Reduced, Free"),
        "How many tickets of the category {inner} did the theatre {row} ({group}) give out in {outer}?",
        60,
        9700,
    ),
    NestedTopic(
        "Birds counted at the reserves, by estuary and species",
        "Estuary",
        "Hide",
        {
            "River Arl": _words("Breakwater, Causeway, Mudflat, Samphire"),
            "River Brent": _words("Culvert, Osier, Reedmace, Sandbar"),
            "River Cole": _words("Alder Carr, Kiln Pool, Otter Holt, Saltern"),
        },
        _words("Week 10, Week 20, Week 30, Week 40"),
        _words("Dunlin, Plover, Redshank, Teal"),
        "How many birds of the species {inner} were counted from the hide {row} ({group}) in {outer}?",
        3,
        2900,
    ),
    NestedTopic(
        "Kilometres ridden by the members, by club and surface",
        "Club",
        "Rider",
        {
            "Chain Gang": _words("Ada Birch, Ben Oduya, Cleo Marsh, Dev Raman"),
            "Spoke and Hub": _words("Esme Lind, Fadi Noor, Gus Petrov, Hana Sato"),
            "Slow Pedals": _words("Ines Roca, Jon Vik, Kofi Mensah, Lia Novak"),
        },
        _words("First quarter, Second quarter, Third quarter, Fourth quarter"),
        _words("Road, Gravel, Track"),
        "How many kilometres did {row} of {group} ride on the surface {inner} in the {outer}?",
        20,
        3100,
    ),
)
