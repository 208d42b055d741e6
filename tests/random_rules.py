"""Random rules, as Hypothesis draws them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, get_args

from annotated_types import Le
from hypothesis import reject, settings
from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from farkel.errors import RulesError
from farkel.rules import PatternError, Rules, pattern_of, validated
from farkel.rules.model import MOST_POINTS

LABEL = st.characters(exclude_categories=("Cc", "Cs"))
"""Letters of titles: no control characters, and no halves of characters."""


def examples(number: int) -> int:
    """This many examples under the default profile of Hypothesis, more under a thorough one."""
    return -(-number * settings().max_examples // 50)


def _multiples(most: int) -> st.SearchStrategy[int]:
    """A number of points in steps of 50, or nothing."""
    return st.one_of(st.just(0), st.integers(1, most // 50).map(lambda steps: steps * 50))


@st.composite
def losses(draw: st.DrawFn, in_row: bool) -> dict[str, dict[str, Any]]:
    """What few rules have: fines of whole scores and of first rolls, turn totals that count, and catching up."""
    fine = st.sampled_from([0, 0, 50, 200, "all"])
    penalties = {
        "farkle": draw(fine),
        "farkle_all_dice": draw(fine),
        "farkle_first_roll": draw(fine),
        "turn_total": draw(st.sampled_from(["lost", "lost", "subtracted", "kept"])),
    }
    return {
        "penalties": penalties | ({"farkles_in_row_points": draw(st.sampled_from([50, "all"]))} if in_row else {}),
        "catching_up": {
            "landed_on": draw(st.sampled_from(["stays", "to_zero", "back", "swap"])),
            "overtaken": draw(st.sampled_from([0, 0, 50, 100])),
        },
    }


def patterns(dice: int) -> st.SearchStrategy[str]:
    """Any pattern of two dice up to this many, in its one form; common ones more often."""
    known = ["aa", "aaa", "aaaa", "aaaaa", "aaaabb", "aaabb", "aaabbb", "aabbcc", "aabb", "111", "333", "12345"]
    known += ["123456", "1123456", "aaaaaaa", "aaaabbb"]
    short = [text for text in known if len(text) <= dice]
    texts = st.one_of(st.sampled_from(short), st.text("123456aaabbc", min_size=2, max_size=dice))
    return texts.filter(lambda text: len(text) <= dice and is_pattern(text)).map(lambda text: pattern_of(text).text)


def is_pattern(text: str) -> bool:
    try:
        return bool(pattern_of(text))
    except PatternError:
        return False


@st.composite
def scoring_tables(draw: st.DrawFn, dice: int) -> dict[str, Any]:
    """What combinations pay: single 1s and 5s, three of a kind, and any others."""
    table: dict[str, Any] = {"1": draw(_multiples(200)), "5": draw(_multiples(200))}
    if dice >= 3:
        table["aaa"] = draw(_multiples(1_000))
    for pattern in draw(st.lists(patterns(dice), max_size=8, unique=True)) if dice > 1 else ():
        letters = sorted({sign for sign in pattern if sign.isalpha()})
        points: st.SearchStrategy[int | str] = _multiples(2_500)
        if letters:
            times = st.integers(1, 8).map(lambda steps: steps * 50)
            points = st.one_of(
                points, st.builds(lambda each, letter: f"{each}{letter}", times, st.sampled_from(letters))
            )
        entry: dict[str, Any] = {"points": draw(points)}
        rarely = st.sampled_from([False] * 5 + [True])
        if draw(rarely):
            entry["name"] = draw(st.text("ab c", max_size=6))
        if draw(rarely):
            entry["when"] = draw(st.sampled_from(["first_roll", "all_dice", "after_set"]))
        if entry["points"] and draw(rarely):
            follows = draw(FOLLOWS)
            if "missing" not in follows or (len(pattern) > 1 and "when" not in entry):
                entry |= follows
        if len(pattern) > 2 and draw(st.sampled_from([False] * 19 + [True])):
            entry = {"then": "win"} | {key: value for key, value in entry.items() if key in ("name", "when")}
        table[pattern] = entry if len(entry) > 1 or "points" not in entry else entry["points"]
    return table


FOLLOWS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"then": "roll"}, {"confirm": 50}, {"confirm": 350}, {"then": "bank"}, {"missing": 1}, {"missing": 1}]
)
"""What combinations ask for."""


@st.composite
def rolled_tables(draw: st.DrawFn, dice: int) -> dict[str, Any]:
    """What rolls do: mostly little, so that games go on."""
    nothing: dict[str, Any] = {"points": draw(_multiples(500))}
    rarely = st.sampled_from([False] * 5 + [True])
    if draw(rarely):
        nothing["when"] = "first_roll"
    if nothing["points"] and draw(rarely):
        nothing["then"] = "bank"
    table: dict[str, Any] = {"nothing": nothing if len(nothing) > 1 else nothing["points"]}
    if draw(st.sampled_from([False] * 19 + [True])):
        table["nothing"] = draw(st.sampled_from(["win", "lose", "zero", "again"]))
    if dice >= 3 and draw(st.booleans()):
        table["aaa"] = "bank"
    if dice >= 4 and draw(st.booleans()):
        table["2222"] = "farkle"
    fine = st.sampled_from([-300, -50])
    effect = st.one_of(
        fine, st.sampled_from(["farkle", "bank", 0]), st.fixed_dictionaries({"points": fine, "then": st.just("bank")})
    )
    for pattern in draw(st.lists(patterns(dice), max_size=3, unique=True)) if dice > 2 else ():
        if len(pattern) > 2:
            table[pattern] = draw(effect)
            if draw(rarely):
                table[pattern] = draw(st.sampled_from([100, "zero", {"points": 50, "then": "bank"}]))
            if len(pattern) > 3 and draw(rarely):
                table[pattern] = draw(st.sampled_from(["win", "lose", "again"]))
            if draw(rarely):
                said = table[pattern]
                whole = (
                    {"then": said} if isinstance(said, str) else said if isinstance(said, dict) else {"points": said}
                )
                table[pattern] = whole | {"when": draw(st.sampled_from(["first_roll", "all_dice", "after_set"]))}
    return table


@st.composite
def take_overs(draw: st.DrawFn, price: str, entry: int, target: int, minimum: int) -> dict[str, Any]:
    """What may be taken over, by whom and what it counts for."""
    if price == "none":
        return {}
    found = {field: draw(st.booleans()) for field in ("choose_dice", "after_farkle")}
    seldom = st.sampled_from([False, False, False, True])
    after = draw(st.sampled_from(["nothing", "hot dice", "heavy"]))
    return {
        **found,
        "after_hot_dice": after == "hot dice",
        "heavy": after == "heavy",
        "on_board": entry > 0 and draw(seldom),
        "from_score": min(target or 1_000, draw(st.sampled_from([0, 0, 50, 150]))),
        "toward_entry": not (0 < entry >= minimum and draw(st.booleans())),
        "points": not draw(seldom),
        "bonus": draw(_multiples(300)) if draw(seldom) else 0,
    }


@st.composite
def banks(draw: st.DrawFn, price: str, entry: int) -> dict[str, Any]:
    """What may be banked besides a minimum and an entry score: mostly anything."""
    least = draw(st.sampled_from([0] * 6 + [2, 3]))
    return {
        "bank_left": draw(st.sampled_from([9] * 6 + [0, 1, 3])),
        "beat_previous": draw(st.sampled_from([False] * 5 + [True])),
        "least_rolls": least,
        "most_rolls": draw(st.sampled_from([0] * 6 + [max(1 if price == "none" else 2, least), 3, 5])),
        "entry_by": draw(st.sampled_from(["turn"] * 4 + ["roll", "triple"])) if entry else "turn",
    }


@st.composite
def zones(draw: st.DrawFn, target: int) -> str:
    """Scores where no player may rest: mostly none."""
    parts = list[str]()
    score = draw(st.sampled_from([target or 1_000] * 4 + [50]))
    while score < (target or 1_000) - 50 and len(parts) < 4:
        last = draw(st.integers(score // 50, (target or 1_000) // 50 - 1)) * 50 + draw(st.sampled_from([0, 0, 49]))
        first = draw(st.sampled_from([score, last]))
        kind = draw(st.sampled_from(["leave", "never", "zero", "barrel"]))
        barrel = f" tries {draw(st.integers(1, 3))} fine {draw(st.integers(1, 4)) * 50}"
        times = draw(st.sampled_from(["", " times 1", " times 2"]))
        parts.append(f"{first}-{last} {kind}{barrel + times if kind == 'barrel' else ''}")
        score = last // 50 * 50 + 100
    return ", ".join(parts)


def any_value(field: FieldInfo) -> st.SearchStrategy[Any]:
    """What a field of the rules may say: a word, a truth, a few or some points; mostly its default."""
    points = any(isinstance(limit, Le) and limit.le == MOST_POINTS for limit in field.metadata)
    numbers = range(0, 400, 50) if points else range(4)
    values = get_args(field.annotation) or ((False, True) if field.annotation is bool else numbers)
    return st.sampled_from([field.default] * 3 * len(values) + [*values])


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    """Any rules without a contradiction, small enough that their games end."""
    dice_in_turn = draw(st.sampled_from([6, 6, 6, 6, 5, 5, 4, 3, 2, 1, 7]))
    scoring = draw(scoring_tables(dice_in_turn))
    rolled = draw(rolled_tables(dice_in_turn))

    extend = draw(st.sampled_from(["no"] * 4 + ["each", "higher", "double", "again"])) if dice_in_turn > 3 else "no"
    completes = "missing" in str(scoring)
    if completes and (extend != "no" or "after_set" in f"{scoring} {rolled}"):
        for entry in scoring.values():
            if isinstance(entry, dict):
                entry.pop("missing", None)
    finish = draw(st.sampled_from(["at_once", "last_turns", "equal_turns", "exact", "welfare"]))
    if finish in ("exact", "welfare") or not scoring["1"]:
        # Scores that move in steps of 50 hit any target that is a multiple of 50.
        scoring["5"] = 50
    has_target = finish in ("exact", "welfare") or draw(st.integers(0, 4)) > 0
    target = draw(st.integers(4, 60)) * 50 if has_target else 0
    most = target or 1_000
    partners = draw(st.booleans())
    entry = min(most, draw(_multiples(500)))
    minimum = min(most, draw(_multiples(400)))
    price = draw(st.sampled_from(["none", "free", "stake", "lives"]))
    each = draw(st.integers(1, 12)) if price == "lives" else draw(st.sampled_from([0, 0, 3]))
    in_row = draw(st.sampled_from([0, 0, 2, 3]))
    bank = draw(banks(price, entry))
    if completes and bank["entry_by"] == "triple":
        bank["entry_by"] = "turn"
    tree: dict[str, Any] = {
        "name": draw(st.from_regex(r"[a-z0-9][a-z0-9-]{0,39}", fullmatch=True)),
        "title": draw(st.text(LABEL, max_size=12)),
        "source": draw(st.text(LABEL, max_size=12)),
        "about": draw(st.text(LABEL, max_size=12)),
        "dice": dice_in_turn,
        "target": target,
        "finish": finish,
        "rounds": draw(st.sampled_from([0, 0, 1, 3, 10])) if target else draw(st.integers(1, 10)),
        "fallen": draw(st.sampled_from(["again", "again", "farkle"])),
        "start": draw(
            st.sampled_from(["first_seat", "highest_die", "first_six", "lowest_die", "highest_total", "youngest"])
        ),
        "entry": entry,
        "entry_each": partners and entry > 0 and draw(st.booleans()),
        "minimum": minimum,
        **bank,
        "zones": draw(zones(target)),
        "bank_multiple": min(most, draw(st.sampled_from([0] * 9 + [100, 150, 500]))),
        "hot_dice": draw(st.sampled_from(["optional", "forced"] if dice_in_turn > 1 else ["optional"])),
        "last_die_tries": draw(st.sampled_from([1, 1, 1, 2, 3])),
        "hot_dice_multiplier": draw(st.booleans()),
        "hot_dice_bonus": (bonus := draw(st.sampled_from([0, 0, 0, 50, 500]))),
        "hot_dice_bonus_to": draw(st.sampled_from(["turn", "score"])) if bonus else "turn",
        "keep": draw(st.sampled_from(["any", "any", "all", "all_to_win"] if target else ["any", "any", "all"])),
        "extend": extend,
        "extend_points": draw(st.sampled_from([50, 100])) if extend == "each" else 0,
        "teams": "partners" if partners else "together",
        "team_size": draw(st.integers(1, 8)),
        "most_seats": draw(st.one_of(st.integers(1, 8), st.integers(9, 20))),
        "scoring": scoring,
        "rolled": rolled,
        "take_over": {
            "price": price,
            "stake": draw(st.integers(1, 10)) * 50 if price == "stake" else 0,
            **draw(take_overs(price, entry, target, minimum)),
            **({"toward_entry": True} if extend == "double" else {}),
        },
        "lives": {
            "each": each,
            "farkle": draw(st.integers(1, 2)) if each else 0,
            "farkle_all_dice": draw(st.integers(0, 3)) if each else 0,
            "last_standing": draw(st.sampled_from(["rounds", "wins"])) if target else "wins",
            "round_points": draw(st.integers(1, 20)) * 50,
        },
        "penalties": {
            "farkles_in_row": in_row,
            "farkles_in_row_points": draw(st.integers(1, 10)) * 50 if in_row else 0,
            "farkle_all_dice": draw(_multiples(300)),
            "farkle": draw(st.sampled_from([0, 0, 0, 50, 100])),
            "fines_from": draw(st.sampled_from(["score", "turn"])) if "-" in str(rolled) else "score",
            "below_zero": draw(st.booleans()),
            "not_beaten": draw(st.sampled_from([50, 200, "all"])) if bank["beat_previous"] else 0,
        },
        "catching_up": {},
        "cancel_win": False,
        "missed_target": 0,
        "last_turns": "turn",
        "last_turns_again": "no",
        "ties": "shared",
    }
    if finish == "last_turns" and target:
        tree["last_turns_again"] = draw(st.sampled_from(["no"] * 6 + ["passed", "beaten", "tied"]))
        tree["last_turns"] = draw(st.sampled_from(["turn", "turn", "roll"])) if tree["least_rolls"] < 2 else "turn"
    if finish == "exact" and not tree["rounds"] and draw(st.booleans()):
        tree["cancel_win"] = True
    if finish == "exact":
        tree["missed_target"] = draw(st.sampled_from([0, 0, target + 50, target + 400]))
    if tree["hot_dice"] == "forced" and not tree["most_rolls"]:
        tree["bank_left"] = tree["bank_left"] or 1
    # Random players hardly ever hit a target with hot dice.
    plain = price == "none" and extend == "no" and tree["bank_left"] == 9
    plain = plain and not completes and not tree["cancel_win"] and "after_set" not in f"{scoring} {rolled}"
    tree["next_roll"] = draw(st.sampled_from(["rest"] * 5 + ["all"])) if plain else "rest"
    tree["hot_dice_to_win"] = (
        target > 0 and finish not in ("exact", "welfare") and draw(st.sampled_from([False] * 6 + [True]))
    )
    if draw(st.sampled_from([False] * 5 + [True])):
        if target and draw(st.sampled_from([False] * 3 + [True])):
            tree |= {"finish": "fewest_rounds", "last_turns": "turn", "last_turns_again": "no", "missed_target": 0}
            tree["cancel_win"] = False
        elif tree["rounds"] or finish == "equal_turns" or tree["last_turns_again"] == "tied":
            first = ["first"] if finish == "equal_turns" and target else []
            tree["ties"] = draw(st.sampled_from(["shared", "play_off", *first]))
        lost = draw(losses(in_row > 0))
        tree |= {"penalties": tree["penalties"] | lost["penalties"], "catching_up": lost["catching_up"]}
    others = {name: draw(any_value(field)) for name, field in Rules.model_fields.items() if name not in tree}
    if tree["finish"] == "exact" and draw(st.booleans()):  # which contradicts most of the others
        others = {"exact_hit": "round"}
    # They contradict others, no roll is worth so much, there is no triple, or no turn is worth so much.
    for mended in (others, {}, {"entry_by": "turn"}, {"entry_by": "turn", "most_rolls": 0}):
        with suppress(RulesError):
            return validated(tree | mended, "drawn by a test")
    return reject()


@st.composite
def tables(draw: st.DrawFn, rules: Rules) -> tuple[int, ...]:
    """People at the table: as many seats and people in a team as the rules allow."""
    return tuple(draw(st.lists(st.integers(1, rules.team_size), min_size=1, max_size=rules.most_seats)))
