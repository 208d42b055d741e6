"""The faults of a request, in words: the findings of pydantic for readers who have never heard of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from farkel.game.story import SENTENCES, Kind
from farkel.support.bounds import MOST_QUOTED, clipped

MOST_SAID = 5
"""Findings that one answer tells."""
FORMS = {
    "^[!-~]{8,64}$": "must be 8 to 64 letters, digits and signs, without spaces",
    "^[a-z0-9]{12}$": "must be the name of a game, 12 letters and digits",
    "^[A-Za-z0-9_-]{16,64}$": "must be the token of a link",
}
"""What regular expressions ask for."""
WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is unknown; leave it out",
    "string_type": "must be text",
    "string_unicode": "must be text in UTF-8",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have {min_length} or more characters",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a whole number of a few digits",
    "int_from_float": "must be a whole number",
    "finite_number": "must be a whole number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have {min_length} or more entries",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "literal_error": "must be {expected}",
    "union_tag_invalid": "must have as {discriminator} one of {expected_tags}",
    "union_tag_not_found": "must say what it is in {discriminator}",
    "json_invalid": "must be JSON",
    "json_type": "must be JSON",
}
"""By pydantic's type of a finding; other findings are in pydantic's own words."""


def said(findings: Iterable[Mapping[str, Any]], whole: str = "the request") -> str:
    """Return a sentence for each of the first findings, without a final stop; ``whole`` names those without a field."""
    return "; ".join(_said(finding, whole) for finding, _ in zip(findings, range(MOST_SAID), strict=False))


def _said(finding: Mapping[str, Any], whole: str) -> str:
    where = clipped(".".join(str(step) for step in finding["loc"] if step not in ("body", "query", "path", "header")))
    name = f'"{where}"' if where else whole
    context: Mapping[str, Any] = finding.get("ctx", {})
    kind = finding["type"]
    if kind == "value_error":
        return f"{name}: {context['error']}"
    if kind == "string_pattern_mismatch":
        return f"{name} {FORMS.get(context['pattern'], 'is not written as it must be')}"
    words = WORDS.get(kind)
    if words is None:
        return f"{name}: {clipped(finding['msg'], 2 * MOST_QUOTED)}"
    return f"{name} {words.format_map(context)}"


BRIEF = {
    "below_entry": "first bank needs {needs}",
    "below_minimum": "needs {needs}",
    "not_a_multiple": "only multiples of {multiple}",
    "must_confirm": "score once more",
    "combination_must_bank": "this ends the turn",
    "wins_the_game": "this wins: bank it",
    "not_more_than_previous": "needs {needs}",
    "too_many_dice_left": "too many dice left",
    "too_few_rolls": "too few rolls",
    "needs_hot_dice": "needs hot dice to win",
    "no_roll_left": "no roll left",
    "entry_in_one_roll": "one roll must be worth {needs}",
    "entry_by_triple": "needs three of a kind",
    "forbidden_score": "may not end there",
    "must_leave": "too few to leave",
    "must_roll_hot_dice": "hot dice must be rolled",
    "triple_must_bank": "this roll ends the turn",
    "bought_must_bank": "all of them are kept",
    "too_few_lives": "you must keep 1 life",
    "too_few_points": "not enough points",
    "not_on_board": "get on the board first",
    "below_take_over_score": "score too low",
}
"""Refusals in as few words as a button has room for, by their codes."""
NEWS: Mapping[Kind, str] = {
    **SENTENCES,
    "lives_paid": "{lives} paid; {points} left.",
    "out": "{who} is out.",
    "penalty": "Penalty: {who} loses {points}.",
    "tries": "The next roll must complete {faces}.",
    "banked": "{who} banks {points}.",
    "sent_back": "{who} drops to {score}.",
    "overtaken": "{who} loses {points}.",
    "went_over": "{who} overshoots by {points}: no score.",
    "target_moved": "The target is now {points}.",
    "win_waits": "{who} hits {points}. A score with the {dice} cancels it.",
    "took_over": "{who} takes over {points} with {dice}.",
    "staked": "The stake: {points}.",
    "offer": "On offer: {points} with {dice}.",
    "last_turns": "Last turn for everyone else.",
    "last_round": "This is the last round.",
    "another_turn": "{who} has another turn.",
    "turns_again": "Another turn for everyone else.",
    "turns_off": "The game goes on to {target}.",
    "play_off": "A play-off of {players}, one turn each.",
    "standing": "Last player standing: {who}, {rounds}.",
}
"""Facts in as few words as the news line has room for: two lines of a phone. Scores are in the strip."""
