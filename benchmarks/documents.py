"""Invented business documents by grammar: incident logs, contracts, orders, mail threads and more.

Every document is a pure function of a random generator and a length, so a workload is a seed.
Entries are added whole until the length is reached: nothing is cut in the middle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import TypeAlias, TypeVar

Entries: TypeAlias = Iterator[str]
Item = TypeVar("Item")


def words(text: str) -> tuple[str, ...]:
    """A short way to write a list of names."""
    return tuple(text.split("|"))


FIRST = words(
    "Amara|Bruno|Chiara|Dmitri|Elena|Farid|Greta|Hiro|Ines|Jonas|Kofi|Lena|Mateo|Nadia|Omar"
)
LAST = words(
    "Adler|Banerjee|Costa|Dubois|Eriksen|Fischer|Garcia|Haddad|Ivanov|Jensen|Kovacs|Lindgren"
)
COMPANY_A = words(
    "Northgate|Bluewater|Alder|Copperfield|Harbour|Meridian|Oakline|Summit|Tallow|Verity"
)
COMPANY_B = words(
    "Logistics|Foods|Textiles|Robotics|Energy|Pharma|Instruments|Papers|Analytics|Marine"
)
CITY = words("Rotterdam|Leeds|Porto|Gdansk|Turin|Aarhus|Lyon|Ghent|Malmo|Bilbao|Graz|Cork")
MONTH = words("January|March|April|June|July|September|October|November")
PRODUCT = words(
    "pressure valve|filter cartridge|control board|drive belt|sensor housing|steel bracket|"
    "pump seal|display panel|cable harness|cooling fan|bearing kit|safety switch|hydraulic hose|"
    "power supply|mounting rail|inspection lamp"
)
SERVICE = words(
    "payment gateway|order database|search index|login service|report exporter|mail relay|"
    "image store|billing worker|partner interface|warehouse scanner feed"
)


def document(kind: str, random: Random, num_characters: int) -> str:
    """A document of one of KINDS, at least `num_characters` long, over by less than one entry."""
    entries = KINDS[kind](random)
    text = next(entries)
    while len(text) < num_characters:
        text += "\n" + next(entries)
    return text


def incident_log(random: Random) -> Entries:
    service, events = random.choice(SERVICE), _deck(random, INCIDENT_EVENTS)
    yield (
        f"INCIDENT {random.randint(1000, 9999)}: {service} degraded\n"
        f"Commander: {_person(random)}. Severity {random.randint(1, 4)}. "
        f"Site: {random.choice(CITY)}.\n"
    )
    minute = random.randint(0, 300)
    while True:
        minute += random.randint(2, 19)
        event = next(events).format(**_values(random, service=service))
        yield f"{minute // 60 % 24:02d}:{minute % 60:02d} UTC  {_person(random)}: {event}"


def contract(random: Random) -> Entries:
    supplier, client = _company(random), _company(random)
    clauses = _deck(random, CONTRACT_CLAUSES)
    yield (
        f"SERVICE AGREEMENT between {supplier} (the Supplier) and {client} (the Client), "
        f"made in {random.choice(CITY)} on {_date(random)}.\n"
    )
    clause = 0
    while True:
        clause += 1
        title, text = next(clauses)
        yield f"{clause}. {title}. {text.format(**_values(random))}.\n"


def purchase_order(random: Random) -> Entries:
    notes = _deck(random, ORDER_NOTES)
    yield (
        f"PURCHASE ORDER {random.randint(100000, 999999)}\nBuyer: {_company(random)}, "
        f"{random.choice(CITY)}\nSeller: {_company(random)}, {random.choice(CITY)}\n"
        f"Requested delivery: {_date(random)}\n"
    )
    line = 0
    while True:
        line += 1
        note = next(notes).format(**_values(random))
        yield (
            f"Line {line}: {random.randint(1, 60)} x {random.choice(PRODUCT)}, "
            f"{random.randint(4, 900)}.{random.randint(0, 99):02d} EUR each. {note}"
        )


def mail_thread(random: Random) -> Entries:
    sentences = _deck(random, MAIL_SENTENCES)
    yield f"Subject: {random.choice(MAIL_SUBJECTS).format(**_values(random))}\n"
    people = random.sample([f"{first} {last}" for first, last in zip(FIRST, LAST, strict=False)], 3)
    while True:
        writer = random.choice(people)
        reader = random.choice([name for name in people if name != writer])
        body = " ".join(
            next(sentences).format(**_values(random)) for _ in range(random.randint(3, 6))
        )
        yield (
            f"From: {writer}\nTo: {reader}\nDate: {_date(random)}\n\n"
            f"Dear {reader.split()[0]},\n{body}\nRegards, {writer.split()[0]}\n"
        )


def minutes(random: Random) -> Entries:
    sentences = _deck(random, MINUTES_SENTENCES)
    yield (
        f"MINUTES of the {random.choice(('weekly', 'monthly', 'extraordinary'))} meeting, "
        f"{random.choice(CITY)}, {_date(random)}. Chair: {_person(random)}.\n"
    )
    item = 0
    while True:
        item += 1
        talk = " ".join(
            next(sentences).format(**_values(random)) for _ in range(random.randint(2, 4))
        )
        yield f"Item {item}. {talk}"


def inspection(random: Random) -> Entries:
    findings = _deck(random, INSPECTION_FINDINGS)
    yield (
        f"INSPECTION REPORT no. {random.randint(10, 999)}/{random.randint(20, 29)}\n"
        f"Plant: {_company(random)}, {random.choice(CITY)}. Inspector: {_person(random)}.\n"
    )
    point = 0
    while True:
        point += 1
        finding = next(findings).format(**_values(random))
        verdict = random.choice(("passed", "passed with remarks", "failed", "not inspected"))
        yield f"Point {point} ({verdict}): {finding}"


KINDS: Mapping[str, Callable[[Random], Entries]] = {
    "incident log": incident_log,
    "contract": contract,
    "purchase order": purchase_order,
    "mail thread": mail_thread,
    "minutes": minutes,
    "inspection": inspection,
}


def _deck(random: Random, items: Sequence[Item]) -> Iterator[Item]:
    """The items in random order, again and again: none returns before all have been used."""
    while True:
        yield from random.sample(items, len(items))


def _person(random: Random) -> str:
    return f"{random.choice(FIRST)} {random.choice(LAST)}"


def _company(random: Random) -> str:
    return f"{random.choice(COMPANY_A)} {random.choice(COMPANY_B)}"


def _date(random: Random) -> str:
    return f"{random.randint(1, 28)} {random.choice(MONTH)} {random.randint(2023, 2027)}"


def _values(random: Random, **fixed: str) -> dict[str, str]:
    """A value for every placeholder of the templates."""
    return {
        "person": _person(random),
        "company": _company(random),
        "city": random.choice(CITY),
        "date": _date(random),
        "product": random.choice(PRODUCT),
        "service": random.choice(SERVICE),
        "few": str(random.randint(2, 9)),
        "many": str(random.randint(12, 480)),
        "percent": str(random.randint(3, 85)),
        "money": f"{random.randint(2, 98)},{random.randint(100, 999)} EUR",
    } | fixed


INCIDENT_EVENTS = (
    "the error rate of the {service} rose to {percent} percent and the on-call engineer was paged",
    "restarted {few} of the nodes behind the {service}; latency fell but did not return to normal",
    "{company} called and asked when their {many} queued orders would be processed",
    "found that the certificate of the {service} had been renewed on {date} with the wrong name",
    "rolled back the release of {date}; the first health checks are green again",
    "the disk of the replica in {city} is {percent} percent full and still growing",
    "asked {person} to confirm whether customer data had left the network; no sign of it so far",
    "posted a status update and promised the next one within {many} minutes",
    "the vendor opened a case and wants {few} more log files before they look at it",
    "turned off the nightly export so that the {service} has room to recover",
    "measured {many} failed logins a minute, nearly all of them from one address range",
    "{person} took over as commander at the end of the shift",
    "a manual check in {city} shows {few} duplicate invoices, worth {money} in total",
    "agreed with {person} to keep the read-only mode until the replica has caught up",
    "the alarm for the {service} cleared by itself and nobody knows why",
    "retried the failed batch with {many} records; {few} of them were refused again",
)

CONTRACT_CLAUSES = (
    (
        "Fees",
        "The Client pays {money} per quarter within {many} days of receiving an invoice. Late "
        "amounts bear interest of {few} percent a year from the due date",
    ),
    (
        "Service level",
        "The Supplier keeps the {service} available for {percent} percent of each "
        "calendar month, planned maintenance of up to {few} hours excluded",
    ),
    (
        "Term",
        "This agreement starts on {date} and runs for {few} years. It renews for one year "
        "unless a party gives notice {many} days before its end",
    ),
    (
        "Liability",
        "Neither party is liable for lost profit. The total liability of the Supplier is "
        "limited to {money} in any period of twelve months",
    ),
    (
        "Confidentiality",
        "Each party keeps the other's documents secret for {few} years and shows "
        "them only to staff and advisers who need them, among them {person}",
    ),
    (
        "Data",
        "Personal data is processed in {city} only. The Supplier reports a breach within {many} "
        "hours of learning of it and deletes all copies {many} days after the end of the term",
    ),
    (
        "Audit",
        "Once a year the Client, or {company} on its behalf, may inspect the records of the "
        "Supplier in {city} after giving {few} weeks of written notice",
    ),
    (
        "Delivery",
        "The Supplier delivers {many} units of the {product} to {city} no later than {date} "
        "and bears the risk until they are unloaded",
    ),
    (
        "Changes",
        "A change of scope is valid only when {person} has signed it for the Client. The "
        "Supplier quotes within {few} working days of a request",
    ),
    (
        "Termination",
        "Either party may terminate at once if the other is insolvent, or if a material "
        "breach is not remedied within {many} days of a written warning",
    ),
    (
        "Warranty",
        "The {product} is free of defects for {few} years. Faulty items are repaired or "
        "replaced at the choice of the Supplier, who pays for transport to {city}",
    ),
    (
        "Subcontractors",
        "The Supplier may use {company} as a subcontractor and remains responsible "
        "for its work. Others need the Client's prior written consent",
    ),
    (
        "Penalty",
        "For every full day of delay the Supplier owes {few} percent of the price of the "
        "late {product}, up to {percent} percent of it in all",
    ),
    (
        "Law",
        "The law of the country in which {city} lies applies. The courts of {city} decide "
        "disputes that {few} meetings of the parties have not settled",
    ),
)

ORDER_NOTES = (
    "Pack in boxes of {few}; every box carries the batch number and the date of manufacture.",
    "Replaces the {product} of the order of {date}, which arrived damaged in {city}.",
    "Price agreed with {person} by telephone; the list price is {money} for the lot.",
    "Please confirm by {date}, otherwise we buy these from {company}.",
    "Partial delivery is fine, as long as {few} pieces reach {city} in the first week.",
    "Certificate of conformity required; the last lot of the {product} came without one.",
    "Ship by air to {city}, the line there has stopped and waits for it.",
    "Discount of {few} percent from {many} pieces, as in your offer of {date}.",
    "Out of stock at your depot in {city}; expected again on {date}.",
    "For the attention of {person}, goods inward, gate {few}.",
    "Do not substitute: {percent} percent of the substitutes failed our incoming test.",
    "Invoice this line separately and quote the project of {company}.",
)

MAIL_SUBJECTS = (
    "Delay of the {product} for {city}",
    "Invoice over {money} from {company}",
    "Access to the {service} for our team",
    "Complaint about the delivery of {date}",
    "Offer for {many} pieces of the {product}",
)

MAIL_SENTENCES = (
    "The {product} that we ordered on {date} has still not arrived in {city}.",
    "I have attached the {few} photographs you asked for and the signed delivery note.",
    "Our accounts team sees no payment of {money} and will have to stop the next shipment.",
    "Could you tell me by {date} whether {person} has approved the new price?",
    "Frankly, I am disappointed: this is the third time that the {service} fails on a Monday.",
    "Thank you for the quick answer, that solved the problem for {percent} percent of our users.",
    "I spoke to {person} from {company}, who says that the parcel left their depot on {date}.",
    "If we cannot agree this week, I will ask legal to look at the penalty clause.",
    "We would like to return {few} of them and keep the rest, if you credit {money}.",
    "Please do not forward this outside the team until the announcement on {date}.",
    "The test in {city} went well, and we now plan to order {many} more.",
    "I am on leave until {date}; {person} looks after the account in the meantime.",
    "Nothing has changed on our side, so I suspect the last update of the {service}.",
    "Let us have a call about it, any time after ten suits me.",
    "You are right that the label was wrong, and I apologise for the {few} days this cost you.",
    "Is there a way to export the {many} records without asking support each time?",
)

MINUTES_SENTENCES = (
    "{person} reported that sales in {city} are {percent} percent below the plan.",
    "It was agreed to move the release of the {service} to {date}.",
    "{person} will ask {company} for a second offer on the {product} before the next meeting.",
    "The committee approved a budget of {money} for repairs in {city}, with {few} votes against.",
    "No decision was taken on the vacancy; {person} will write a description of the post.",
    "{person} objected that the figures for the {service} are {few} months old.",
    "The auditors raised {few} points, all of which are to be closed by {date}.",
    "Staff in {city} asked for clearer rules on travel; a draft will be circulated.",
    "The contract with {company} ends on {date}, and the chair proposed not to renew it.",
    "{many} complaints about the {product} were received since the last meeting.",
    "{person} thanked the night shift for its work during the outage of the {service}.",
    "The risk that {company} cannot deliver was raised from low to medium.",
    "Training for the new scanner starts on {date} and is compulsory for goods inward.",
    "A proposal to sell the site in {city} for {money} was withdrawn.",
)

INSPECTION_FINDINGS = (
    "the {product} on line {few} shows wear beyond the limit and has to be replaced by {date}.",
    "escape route in hall {few} blocked by {many} empty pallets; removed during the visit.",
    "calibration of the scale expired on {date}, and {person} could not show a newer certificate.",
    "temperature log of the cold store complete, with {few} readings above the limit.",
    "{percent} percent of the sampled labels carry no batch number.",
    "guard of the press closes properly and the emergency stop works within {few} seconds.",
    "oil leak under the {product}, already reported by {person} on {date} and not repaired.",
    "training records of {many} workers checked, {few} of them without a signature.",
    "noise at the cutting table measured; hearing protection is worn by everyone present.",
    "contractor {company} works without a permit, and was sent away until one is issued.",
    "fire extinguishers serviced on {date}; the one near the {product} is missing.",
    "waste is separated and collected by {company} every {few} weeks, invoices were shown.",
    "drawing of the {product} on the wall is older than the part in use.",
    "first-aid box complete; the list of helpers still names {person}, who left the plant.",
)
