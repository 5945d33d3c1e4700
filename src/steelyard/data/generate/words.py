"""Names and idle sentences for all generators."""

from __future__ import annotations

from random import Random

_PEOPLE = """
    Ada Amir Anja Aroha Bao Beatriz Bruno Carys Chidi Dalia Davor Dilys Edda Elif Emeka Esme
    Farid Freya Gita Goran Hana Hugo Idris Ilse Imran Ines Ivo Jarek Jonas Kaia Kemal Kofi Lars
    Leila Linh Lotte Malik Mara Mateo Mina Nadia Niko Noor Odile Omar Oren Paloma Petra Quentin
    Rafa Renske Rosa Ruben Saskia Selma Soren Tariq Tess Thabo Ulla Vera Viktor Wanda Xiu Yara
    Yusuf Zane Zofia
"""
PEOPLE = _PEOPLE.split()
_SURNAMES = """
    Abara Bakker Castell Dvorak Eklund Ferreira Gallo Haddad Ibsen Jansen Kaur Lindqvist Moreau
    Nakamura Okafor Petrov Quist Rossi Sato Tanaka Urban Varga Wolff Yilmaz Zeller
"""
SURNAMES = _SURNAMES.split()
COMPANIES = (
    "Alder & Finch", "Basalt Works", "Copperline", "Dunmore Mills", "Eastquay", "Fennel Labs",
    "Greyheron", "Hollow Oak", "Inkwell Press", "Juniper Freight", "Kestrel Foods", "Larkspur",
    "Marram Textiles", "Northlight", "Osprey Tools", "Pinecrest", "Quarry Road", "Redwater",
    "Saltmarsh", "Tidewell", "Umber Studio", "Vantage Tile", "Wrenfield", "Yellowgate",
)  # fmt: skip
_CITIES = """
    Aarhus Bergen Brno Cork Dakar Enschede Faro Ghent Graz Haifa Izmir Jaffa Kaunas Leeds Lome
    Malmo Nantes Osaka Perth Quito Riga Split Tampere Turin Utrecht Varna Windhoek Xiamen Zadar
"""
CITIES = _CITIES.split()
_COLOURS = """
    amber black blue brown cream crimson gold green grey indigo ivory lilac maroon navy ochre
    olive orange pink purple red silver tan teal turquoise violet white yellow
"""
COLOURS = _COLOURS.split()
_OBJECTS = """
    bead brick bulb button candle card coin cork crayon cup disc fork jar key kite ladle lantern
    marble mug needle nut peg pin plate ribbon ring rope shell spool stamp stone tile
    token vase whistle
"""
OBJECTS = _OBJECTS.split()

_WHO = (
    "The caretaker",
    "A colleague",
    "Somebody",
    "The intern",
    "The night shift",
    "Our neighbour",
    "A former employee",
    "The postman",
    "The man from the kiosk",
    "A student on placement",
    "The piano tuner",
    "Our trainee",
    "The woman from upstairs",
    "One of the drivers",
)
_DID = (
    "mentioned that the coffee machine is being descaled",
    "left a note about the parking spaces",
    "asked for a new stapler",
    "said that the stairs have been swept",
    "brought in a box of plums",
    "moved the noticeboard to the other wall",
    "complained about the draught in the corridor",
    "wants to repaint the fence in spring",
    "put the spare keys in the blue drawer",
    "is planning a picnic for the team",
    "found an umbrella by the door",
    "asked who is watering the plants",
    "hung up a postcard from a holiday",
    "could not find the long ruler",
    "borrowed the ladder",
    "sorted the old magazines by title",
    "told a story about a train journey",
    "looked for a missing glove",
    "brought the wrong cable",
    "tried out the new chair",
    "turned the clock on the wall back by an hour",
    "emptied the shredder",
    "wrote a birthday card for someone in accounts",
    "whistled on the stairs",
    "asked whether anybody plays chess",
    "left the window on the landing open",
    "ordered more envelopes",
    "had soup from a flask",
    "labelled all the light switches",
    "showed photographs of a sailing boat",
)
_WHEN = ("", " earlier", " before lunch", " again", " in passing", " as usual", " last week")
_PLAIN = (
    "The tram was crowded this morning.",
    "A street musician played the accordion.",
    "The biscuits are all gone.",
    "Somewhere a door kept banging.",
    "The first swallows are back.",
    "The pencil sharpener is full.",
    "There was fog over the river at dawn.",
    "The bakery on the corner has changed hands.",
    "Last year's almanac is still on the windowsill.",
    "The carpet in the hall has been shampooed.",
    "It rained for most of the day.", "The canteen served soup.", "The street is being resurfaced.",
    "The radio was on in the background.", "There is a concert in the square this weekend.",
    "The printer on the second floor has been replaced.", "The windows were cleaned.",
    "The old calendar is still on the wall.", "The heating was switched on early this year.",
    "The receptionist has a new haircut.", "A delivery van blocked the gate for a moment.",
)  # fmt: skip


PADDING = (0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 5, 8, 14, 30, 55)
"""How many idle sentences a state gets, each number as likely as it stands here."""


def asides(count: int, rng: Random) -> list[str]:
    """Different sentences that have no bearing on anything."""
    made: dict[str, None] = {}
    while len(made) < count:
        if rng.random() < 0.3:
            made[rng.choice(_PLAIN)] = None
        else:
            made[f"{rng.choice(_WHO)} {rng.choice(_DID)}{rng.choice(_WHEN)}."] = None
    return list(made)
