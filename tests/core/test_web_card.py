"""The card to play by as a page: the numbers that score most at once, and the words of the terminal's card."""

from __future__ import annotations

import html
import re
from collections import OrderedDict
from collections.abc import AsyncIterator

import pytest
from click.testing import CliRunner

from farkel.coach.card import Guide, Sentence, bank_rows, texts
from farkel.errors import SolveError
from farkel.players.card_numbers import Numbers
from farkel.rules import Rules, named, parse
from farkel.rules.sheets.scoring_table import scoring_rows
from farkel.support.progress import Progress
from farkel.terminal.cli import main
from farkel.terminal.coach_text import guide_text
from farkel.web.coaching import questions
from farkel.web.game.given import Inline
from web_helpers import Site, sited

NUMBERS = Numbers((250, 350, 1_000), 150, 250, 1_500, 100, 400, 1_400, 1)


@pytest.fixture
async def site(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """A site that calculates in place, and knows no card yet."""
    monkeypatch.setattr(questions, "_cards", OrderedDict())
    async with sited(sqlite) as found:
        monkeypatch.setattr(found.service, "calculator", Inline())
        yield found


def made(rules: Rules, progress: Progress) -> Guide:
    """A card that nobody has searched for."""
    sentences = tuple(Sentence(text, 0.012 if name else None) for name, text in texts(rules, NUMBERS))
    return Guide(rules, NUMBERS, bank_rows(rules, NUMBERS), sentences, scoring_rows(rules), 0.4932, 0.4931)


async def card(site: Site, rules: str, **more: str) -> str:
    """The text of the page as people read it."""
    answer = await site.client.get("/rules/card", params={"rules": rules, **more})
    assert answer.status_code == 200, answer.text
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


async def test_the_numbers_that_score_most_are_there_at_once_in_the_words_of_the_terminal(site: Site) -> None:
    page = await card(site, "zonk-family")
    heads, cells, _, *sentences = CliRunner().invoke(main, ["turn", "--rules", "zonk-family"]).output.splitlines()[2:]
    for dice, total in zip(heads.split()[2:], cells.split()[2:], strict=True):
        assert f" {dice} {total} " in page
    for sentence in sentences:
        assert sentence in page
    for row in scoring_rows(named("zonk-family")):
        assert " ".join(row) in page


async def test_the_whole_card_has_the_words_of_the_terminal_and_is_kept(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("farkel.coach.card.guide", made)
    rules = "minimal(target=600)"
    before = await card(site, rules)
    assert "Find the card" in before
    monkeypatch.setattr(
        "farkel.web.coaching.calculations.knowledge.quick_chances", lambda rules, people, progress: None
    )
    page = await card(site, rules, whole="1")
    told = " ".join(guide_text(made(parse(rules), lambda done, of: None)).split()).replace("dice left", "Dice left")
    for part in re.split(r"(?: \d\. )|(?:What dice are worth )|How to play \S+ |bank from |(?=Of games)", told):
        assert part.strip() in page.replace("Bank from", ""), part
    assert "Find the card" not in page
    assert await card(site, rules) == page
    part = await site.client.get("/rules/card", params={"rules": rules}, headers={"hx-request": "true"})
    assert "<html" not in part.text
    assert "What dice are worth" in part.text


async def test_rules_without_a_card_say_so_beside_the_numbers_that_score_most(site: Site) -> None:
    page = await card(site, "original")
    assert "There is no card for original" in page
    assert "Bank once your turn total reaches this number" in page
    assert "Find the card" not in page


async def test_a_card_that_takes_too_long_says_so_without_a_command(site: Site) -> None:
    page = await card(site, "minimal(target=10000000)", whole="1")
    assert "take many minutes to calculate" in page
    assert "farkel solve" not in page
    assert "Bank once your turn total reaches this number" in page


async def test_the_card_is_found_from_the_rules(site: Site) -> None:
    for path in ("/rules/sheet", "/rules/edit"):
        assert 'href="/rules/card?rules=minimal"' in (await site.client.get(path, params={"rules": "minimal"})).text


async def test_a_stopped_search_can_be_begun_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stopped(*_: object) -> None:
        raise SolveError("stopped", "the calculation was stopped; ask again to start it anew")

    monkeypatch.setattr(questions, "card", stopped)
    page = await card(site, "zonk-family", whole="1")
    assert "The calculation was stopped" in page
    assert "Find the card" in page
