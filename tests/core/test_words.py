"""Numbers, lists and sentences as people write them."""

from farkel.support.words import counted, listed, percent, sentence, signed_percent


def test_a_count_has_its_noun_and_from_1000_on_a_comma() -> None:
    assert [counted(count, "die", "dice") for count in (0, 1, 2, 10_000)] == [
        "0 dice",
        "1 die",
        "2 dice",
        "10,000 dice",
    ]


def test_a_chance_has_one_decimal_and_a_change_of_it_a_sign_unless_it_rounds_to_nothing() -> None:
    assert [percent(0.2777), signed_percent(0.0231), signed_percent(-0.0004)] == ["27.8%", "+2.3%", "0.0%"]


def test_a_list_has_a_word_before_its_last_part() -> None:
    assert [listed(["a", "b", "c"][:parts], "or") for parts in (1, 2, 3)] == ["a", "a or b", "a, b or c"]


def test_a_sentence_begins_with_a_capital_and_ends_with_one_stop() -> None:
    assert [sentence(text) for text in ("no", "Why not?", "")] == ["No.", "Why not?", "."]
