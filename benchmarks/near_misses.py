"""Texts that are much alike and not the same: what must not be merged. All are invented.

Each kind is a family of pages that share what such pages share in the wild (a template's sentences, a legal notice, a quotation) and
differ in what a reader comes for. No two texts of a family are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

_WORDS = (
    "harbour ferry island morning market oyster basket captain lantern winter council garden bridge river letter window street kitchen "
    "singer painter engine weather signal anchor rope tower clock museum library ticket bicycle baker bread cheese apple cider storm "
    "light wave stone path meadow horse wagon miller village mayor teacher doctor sailor open sell repair count lose close buy remember "
    "paint move plan measure show give test carry build follow answer borrow hide wide narrow early late quiet loud green heavy bright "
    "hollow bitter honest stubborn careful seldom often never always almost together elsewhere again under behind between without against "
    "during beyond and or but the a of to in"
).split()
_PLACES = "Arnmouth Belder Corvin Dunlee Eskay Fallow Garth Hollin Inver Jarrow Kestle Lorne Marrick Nessa Orrin Pell Quarley Rusk".split()
_QUOTATION = (
    "“When I came here, there was nothing but a jetty and a shed, and people told me that no ship would ever call. We built the first "
    "quay with our own hands, in the winter, because in the summer there was the fishing. My wife kept the accounts on the kitchen table, "
    "and the bank sent them back twice, since they could not believe that a harbour could be so small and still be paid for. Then came "
    "the war, and after it the road, and everybody said that the road would be the end of us. It was the other way round. The lorries "
    "needed somewhere to go, and the ships needed somebody to wait for them. I have never had a plan in my life that was longer than a "
    "season, and I do not trust those who have. If there is one thing that I would tell the young, it is to look at the water each "
    "morning before they look at anything else.”"
)
_TERMS = (
    "The goods remain our property until they have been paid for in full. The buyer is obliged to examine the goods on receipt and to "
    "report visible defects within fourteen days. Claims for defects become statute-barred two years after delivery. We are liable "
    "without limit for intent and gross negligence; in the case of slight negligence we are liable only for the breach of essential "
    "obligations, and then only for damage that is typical and foreseeable. The right of withdrawal ends when the goods have been made to "
    "measure or unsealed. Personal data are used to carry out the contract and are given to third parties only where that is needed for "
    "delivery. The law of the seller's country applies, with the exception of the rules on international sales. Should a clause be void, "
    "the others remain in force. Changes to these terms are in writing."
)
_ABOUT = (
    "About Lindqvist Marine: founded in 1952 as a workshop for outboard engines, Lindqvist Marine today makes pumps, winches and steering "
    "gear for small vessels. The company employs four hundred people in three countries and belongs to the family of its founder. "
    "Pictures for the press are found on our site and may be printed free of charge if the source is named. Please direct your questions "
    "to our press office."
)


def _sentence(dice: Random) -> str:
    """Words at random: what two texts have in common is their template."""
    return f"{' '.join(dice.choices(_WORDS, k=dice.randrange(9, 18))).capitalize()}."


def _article(dice: Random, paragraphs: int) -> str:
    return "\n".join(" ".join(_sentence(dice) for _ in range(4)) for _ in range(paragraphs))


def _product_number(dice: Random) -> str:
    return (
        f"Oilskin jacket, article {dice.randrange(10000, 99999)}, size {dice.randrange(36, 60)}\n"
        "The jacket that the pilots of the bay have worn for three generations. Cotton, woven close and soaked in linseed oil, keeps wind "
        "and water out and lets the air through. The hood can be taken off and rolls into the collar. Two deep pockets with flaps, one "
        "inside for papers, cuffs that close with a button, seams sewn twice. Wash it by hand in cold water, never with soap, and oil it "
        "again every spring.\n"
        f"Price: {dice.randrange(80, 400)}.{dice.randrange(10, 99)} euros with tax, without delivery. In stock: {dice.randrange(2, 99)}."
    )


def _product_price(dice: Random) -> str:
    return (
        "Storm lantern with a brass burner\nIt burns lamp oil for twenty hours and stays alight in any wind. The glass is lifted by a "
        "lever, the wick is turned by a wheel that can be worked with gloves. Tinned steel, painted by hand, with a hook for the mast. "
        "Every lantern is lit and left to burn for an hour before it is packed. Glasses and wicks are kept in stock for all models that "
        "we have made.\n"
        f"Article {dice.randrange(10000, 99999)}, price {dice.randrange(20, 400)} euros with tax. Delivery takes a week."
    )


def _person(dice: Random) -> str:
    name = f"{dice.choice(_PLACES)[:3].capitalize()}{dice.choice(_WORDS)} {dice.choice(_PLACES)}"
    return (
        f"{name}\n{name} is a member of the harbour council for {dice.choice(_PLACES)}. The office of {name} is on the second floor, at "
        f"the end of the corridor, and open on all working days. To make an appointment, write to {name} or call the switchboard and ask "
        f"for extension {dice.randrange(100, 999)}. Members answer questions on berths, dues and dredging. They do not give advice on "
        "taxes. Letters are answered within two weeks. Please name the ship, its length, and the port where it is registered."
    )


def _product_table(dice: Random) -> str:
    numbers = [dice.randrange(100, 9999) for _ in range(10)]
    return (
        f"Pump {dice.choice('ABCDEFGH')}{numbers[0]}\nA self-priming bilge pump with a bronze housing and a ceramic seal, for boats with a "
        "mains supply on board. It may run dry for ten minutes, is fitted with a thermal switch, and can be mounted in any position. The "
        "strainer is taken out without tools. Delivered with hose tails and a spare impeller.\n"
        f"Flow: {numbers[1]} litres an hour\nHead: {numbers[2]} centimetres\nCurrent: {numbers[3]} milliamperes\nWeight: {numbers[4]} "
        "grams\n"
        f"Length: {numbers[5]} millimetres\nWidth: {numbers[6]} millimetres\nHeight: {numbers[7]} millimetres\nNoise: {numbers[8]} "
        "millipascal\n"
        f"Order number: {numbers[9]}\nPrices on request. We repair every pump that we have made, whatever its age, and keep parts for "
        "thirty years."
    )


def _weather(dice: Random) -> str:
    day = [f"{dice.randrange(-9, 35)} degrees" for _ in range(4)]
    return (
        f"Weather at {dice.choice(_PLACES)} on day {dice.randrange(1, 366)}\n"
        f"In the morning the air had a temperature of {day[0]}, at noon of {day[1]}, in the evening of {day[2]}. The water of the bay had "
        f"{day[3]}. The wind came from the {dice.choice(('north', 'east', 'south', 'west'))} with {dice.randrange(1, 90)} kilometres an "
        f"hour, in gusts with {dice.randrange(91, 140)}. There fell {dice.randrange(0, 60)} millimetres of rain, and the sun shone for "
        f"{dice.randrange(0, 900)} minutes. The air pressure was {dice.randrange(960, 1050)} hectopascal and "
        f"{dice.choice(('rising', 'falling', 'steady'))}. High water is at {dice.randrange(10, 23)}:{dice.randrange(10, 59)}. All values "
        "were measured by the station on the mole and were not corrected by hand."
    )


def _sport(dice: Random) -> str:
    home, guest = dice.sample(_PLACES, 2)
    scores = [dice.randrange(0, 40) for _ in range(6)]
    return (
        f"{home} against {guest}\nThe match between {home} and {guest} ended {scores[0]} to {scores[1]}. At half time it stood {scores[2]} "
        f"to {scores[3]}. {dice.randrange(200, 9000)} people came to see it. The best player on the side of {home} was number {scores[4]}, "
        f"on the side of {guest} number {scores[5]}. The next match takes place on the same ground in two weeks. Tickets can be had at the "
        "office of the club and, on the day, at the gates. Children under ten years need no ticket. Dogs, bottles and fireworks have to "
        "stay outside."
    )


def _notice(dice: Random) -> str:
    return f"Terms of trade of {dice.choice(_PLACES)} {dice.choice(_PLACES)}\n{_article(dice, 2)}\n{_TERMS}"


def _press_release(dice: Random) -> str:
    return f"Lindqvist Marine, press release {dice.randrange(100, 999)}\n{_article(dice, 1)}\n{_sentence(dice)} {_sentence(dice)}\n{_ABOUT}"


def _quotation(dice: Random) -> str:
    return f"{_article(dice, 1)}\n{_sentence(dice)} {_sentence(dice)}\n{_QUOTATION}\n{_article(dice, 1)}"


def _first_paragraph(dice: Random) -> str:
    return f"{' '.join(_QUOTATION.split('. ')[:2])}.\n{_article(dice, 2)}"


def _reference(dice: Random) -> str:
    name, kind = "".join(dice.choices("abdeglmnoprstu", k=7)), dice.choice(("list", "table", "file", "socket", "matrix", "queue"))
    return (
        f"{name}({kind})\nCalls {name} for each element of the {kind} and returns the results in the order of the elements. "
        f"{_sentence(dice)}\n"
        f"Parameters\n{kind}: the {kind} to be read. It must not be changed while {name} is running. If the {kind} is empty, {name} "
        "returns nothing.\n"
        f"Returns\nWhat {name} has returned for each element. Errors in {name} end the call at once, and what was done before is not "
        "undone.\n"
        f"Example\nThe following program opens a {kind}, calls {name}, and prints what it returned, one result a line."
    )


def _empty(dice: Random) -> str:
    return f"Page not found\nThere is no page {dice.randrange(1000, 9999)}. Go back, or to the start page."


def _chinese_weather(dice: Random) -> str:
    day = [dice.randrange(-9, 36) for _ in range(4)]
    return (
        f"{dice.choice('东西南北')}{dice.choice('山湖海河')}{dice.choice('县市镇乡')}第{dice.randrange(1, 366)}天天气\n"
        f"早晨气温为{day[0]}度，中午气温为{day[1]}度，傍晚气温为{day[2]}度，海湾的水温为{day[3]}度。"
        f"风速为每小时{dice.randrange(1, 90)}公里，阵风达到{dice.randrange(91, 140)}公里。降雨量为{dice.randrange(0, 60)}毫米，"
        f"日照时间为{dice.randrange(0, 900)}分钟。气压为{dice.randrange(960, 1050)}百帕。以上数据均由防波堤上的观测站测得，未经人工修正。"
        "如需历史数据，请与港务办公室联系。"
    )


def _chinese_product(dice: Random) -> str:
    return (
        f"油布外套，货号{dice.randrange(10000, 99999)}，尺码{dice.randrange(36, 60)}\n"
        "海湾的引水员已经穿了三代人的外套。紧密织成的棉布浸透亚麻籽油，挡住风雨，又能透气。帽子可以取下，也可以卷进领子里。"
        "两个带盖的深口袋，里面还有一个放证件的口袋，袖口有纽扣，所有接缝都缝了两道。请用冷水手洗，不要用肥皂，每年春天重新上油。\n"
        f"价格：{dice.randrange(80, 4000)}元，含税，不含运费。库存：{dice.randrange(2, 99)}件。"
    )


FAMILIES: dict[str, Callable[[Random], str]] = {
    "product, 5 numbers differ": _product_number,
    "product, 2 numbers differ": _product_price,
    "product, a table differs": _product_table,
    "weather reports": _weather,
    "match reports": _sport,
    "own text, same legal notice": _notice,
    "series of press releases": _press_release,
    "articles with one quotation": _quotation,
    "same first paragraph": _first_paragraph,
    "reference pages": _reference,
    "pages of persons": _person,
    "empty pages": _empty,
    "weather reports, Chinese": _chinese_weather,
    "product, Chinese": _chinese_product,
}
"""Families, and how one text of each is made."""


def family(name: str, count: int, seed: int = 0) -> list[str]:
    """Texts of a family, all different.

    >>> texts = family("weather reports", 3)
    >>> len(set(texts)), texts == family("weather reports", 3)
    (3, True)
    """
    texts: dict[str, None] = {}
    number = 0
    while len(texts) < count:
        texts.setdefault(FAMILIES[name](Random(f"{seed} {name} {number}")))
        number += 1
    return list(texts)
