"""The rules in the browser: catalogue, sheets, and the editor, over HTTP and in a real browser."""

from __future__ import annotations

import json
import re
import threading
import tomllib
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import uvicorn
from hypothesis import given

from farkel.rules import Rules, fields, from_toml, named, names, parse, to_json, to_toml
from farkel.support.bounds import quoted
from farkel.web.app import make_app
from farkel.web.coaching import calculations
from farkel.web.game.service import GameService
from farkel.web.pages.rendering import page
from farkel.web.rules.draft import FIELDS, RulesDraft, draft_of_form
from farkel.web.rules.pages import MOST_LINK
from farkel.web.rules.pattern_rows import TABLES, Rows
from farkel.web.serve import bound
from farkel.web.settings import Settings
from random_rules import rule_sets

NASTY = '<script>alert("x")</script>'


# Drafts: typed texts as values -- -------------------------------------------------------------------------------------


def form_of(rows: Rows) -> dict[str, str]:
    """Return the fields of a form with these rows."""
    return {
        f"{table}.{number}.{field}": text
        for table, several in rows.items()
        for number, row in enumerate(several)
        for field, text in row._asdict().items()
    }


def typed(rules: Rules | str, **changes: str) -> dict[str, str]:
    """What the editor's form sends for rules, with some fields typed over."""
    draft = RulesDraft.of(parse(rules) if isinstance(rules, str) else rules)
    form = {"base": draft.base.name, **draft.typed, **form_of(draft.tables)}
    form |= {name.replace("__", "."): text for name, text in changes.items()}
    switches = {entry.field for part in draft.parts for entry in part.entries if entry.kind == "switch"}
    return {name: text for name, text in form.items() if text or name not in switches}


def defects(**changes: str) -> tuple[tuple[str, str], ...]:
    return draft_of_form(typed("extended", **changes)).defects


@pytest.mark.parametrize("name", names())
def test_every_set_of_the_catalogue_goes_through_the_form_unchanged(name: str) -> None:
    assert draft_of_form(typed(name)).rules == named(name)


@given(rule_sets())
def test_all_rules_go_through_the_form_unchanged(rules: Rules) -> None:
    found = draft_of_form(typed(rules)).rules
    assert found is not None
    assert (found.digest, found.name) == (rules.digest, rules.name)


def test_every_field_is_in_the_editor_once_and_explained() -> None:
    entries = [entry for part in RulesDraft.of(named("original")).parts for entry in part.entries]
    assert sorted(entry.field for entry in entries) == sorted(set(fields()) - set(TABLES))
    for entry in entries:
        assert len(entry.explained) > 8
        assert not re.search(r"\([A-Z]\d*[),]", entry.explained), entry
        assert "_" not in entry.explained


@pytest.mark.parametrize("text", ["10000", "10 000", "10,000", "10.000", " 10'000 "])
def test_numbers_as_people_type_them(text: str) -> None:
    rules = draft_of_form(typed("extended", target=text)).rules
    assert rules is not None
    assert rules.target == 10_000


@pytest.mark.parametrize("text", ["", "many", "1.5", "1,2", "--5", "9" * 5_000, "1e3"])
def test_an_invalid_number_is_reported_beside_its_field(text: str) -> None:
    ((field, defect),) = defects(target=text)
    assert field == "target"
    assert defect == f"“Target” can’t be {quoted(text)}: enter a whole number from 0 to 10,000,000."


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"dice": "0"}, "“Dice” can’t be 0: enter at least 1."),
        ({"lives__each": "5000"}, "Lives, “Each” can’t be 5,000: enter at most 1,000."),
        ({"target": "400"}, "“Entry” 500 is above “Target” 400; an entry score is at most the target."),
        ({"take_over__after_farkle": "true"}, "Taking over, “After farkle” on needs a take-over;"),
    ],
)
def test_faults_are_told_in_the_words_of_the_editor(changes: dict[str, str], said: str) -> None:
    found = [defect for _, defect in defects(**changes)]
    assert any(defect.startswith(said) for defect in found), found
    assert not any("_" in defect or " = " in defect for defect in found), found


def test_each_field_has_one_part_and_what_differs_is_open() -> None:
    parts = draft_of_form(typed("standard", rounds="5", penalties__farkle="x")).parts
    inside = [entry.field for part in parts for entry in part.entries]
    assert sorted(inside) == sorted(FIELDS)
    assert [part.id for part in parts if part.plain] == ["game"]
    assert [part.id for part in parts if part.differs] == ["game", "penalties"]
    assert [part.id for part in parts if part.faulty] == ["penalties"]


def test_all_defects_are_found_each_with_its_field() -> None:
    found = defects(target="-1", scoring__0__worth="x", finish="never", name="Not A Name")
    assert {field for field, _ in found} == {"target", "scoring.0", "finish", "name"}
    found = defects(entry="20000", take_over__stake="500")
    assert [field for field, _ in found] == ["entry", "take_over.stake"]
    ((field, defect),) = defects(**{f"scoring__{number}__worth": "0" for number in range(4)})
    assert (field, defect.startswith("Scoring: nothing scores of one")) == ("scoring.0", True)


def test_tables_that_are_not_sent_are_as_in_the_base() -> None:
    found = draft_of_form({"base": "zilch"}).rules
    assert found is not None
    assert (found.scoring, found.rolled) == (named("zilch").scoring, named("zilch").rolled)
    alone = draft_of_form({"base": "zilch", "target": "5000"}).rules
    assert alone == parse("zilch(target=5000)")
    emptied = {**typed("zilch"), "rolled.0.pattern": "", "rolled.0.worth": ""}
    assert draft_of_form(emptied).rules == parse("zilch(rolled.nothing=0)")


def test_patterns_as_people_type_them() -> None:
    form = typed("standard", scoring__4__pattern=" 1-2-3-4-5 ", scoring__4__worth="1 000", scoring__4__called="run")
    form |= {"scoring.9.pattern": "B B A A A", "scoring.9.worth": "100 A", "rolled.0.pattern": "66"}
    form |= {"rolled.0.worth": "Farkle", "rolled.3.pattern": "Nothing", "rolled.3.worth": "500"}
    form |= {"rolled.1.pattern": "aaa", "rolled.1.worth": "-50 bank", "rolled.2.pattern": "", "rolled.2.worth": ""}
    assert draft_of_form(form).rules == parse(
        'standard(scoring.12345={points=1000, name="run"}, scoring.aaabb="100a", rolled.66=farkle, rolled.nothing=500, '
        'rolled.aaa={points=-50, then="bank"})'
    )


def test_conditions_and_effects_as_people_type_them() -> None:
    spec = (
        'standard(scoring.aabb={points=300, when="first_roll"}, scoring.aaabb={points="100a", confirm=1350}, '
        'scoring.aabbcc={points=1000, then="roll", when="all_dice", name="pairs"}, scoring.111111=win, '
        'rolled.66=100, rolled.6666=zero, rolled.nothing={points=500, then="bank", when="first_roll"})'
    )
    form = typed("standard")
    said = [("aabb", "300, first roll only", ""), ("aaabb", "100 a confirm 1,350", ""), ("111111", "Win", "")]
    for number, (pattern, worth, called) in enumerate([*said, ("aabbcc", "1 000 roll all dice", "pairs")], 4):
        form |= {f"scoring.{number}.pattern": pattern, f"scoring.{number}.worth": worth}
        form |= {f"scoring.{number}.called": called}
    rolled = [("66", "100"), ("6666", "zero"), ("nothing", "500; bank; first roll")]
    for number, (pattern, worth) in enumerate(rolled):
        form |= {f"rolled.{number}.pattern": pattern, f"rolled.{number}.worth": worth}
    assert draft_of_form(form).rules == parse(spec)
    assert draft_of_form(typed(spec)).rules == parse(spec)


def test_conditions_are_chosen_from_lists() -> None:
    spec = (
        'standard(scoring.aabb={points=300, when="first_roll"}, scoring.aaabb={points="100a", confirm=1350}, '
        "scoring.123456={points=1500, missing=1}, scoring.111111=win, rolled.66=lose, "
        'rolled.aaa={points=-50, then="bank", when="all_dice"})'
    )
    form = typed("standard")
    chosen = [
        ("aabb", "300", {"when": "first_roll"}),
        ("aaabb", "100a", {"confirm": "1,350"}),
        ("123456", "1500", {"missing": "1"}),
        ("111111", "", {"then": "win"}),
    ]
    for number, (pattern, worth, said) in enumerate(chosen, 4):
        form |= {f"scoring.{number}.pattern": pattern, f"scoring.{number}.worth": worth}
        form |= {f"scoring.{number}.{key}": value for key, value in said.items()}
    form |= {"rolled.0.pattern": "66", "rolled.0.then": "lose", "rolled.1.pattern": "aaa", "rolled.1.worth": "-50"}
    form |= {"rolled.1.then": "bank", "rolled.1.when": "all_dice"}
    assert draft_of_form(form).rules == parse(spec)
    assert draft_of_form(typed(spec)).rules == parse(spec)
    sent = typed(spec)
    assert {"first_roll", "all_dice", "1350", "win", "lose"} <= set(sent.values())


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("confirm", "many", "confirm is a whole number"),
        ("missing", "9", "leaves none of its"),
        ("when", "later", "when is"),
    ],
)
def test_a_wrong_condition_is_said_in_its_row(key: str, value: str, said: str) -> None:
    form = typed("standard", scoring__4__pattern="aabb", scoring__4__worth="300") | {f"scoring.4.{key}": value}
    (row,) = [line for part in draft_of_form(form).parts for line in part.lines if line.defects]
    assert row.id == "scoring-4"
    assert said.lower() in row.defects[0].lower()


@pytest.mark.parametrize(
    ("pattern", "worth", "said"),
    [
        ("777", "50", "is no pattern"),
        ("aabb", "500 win", "need no points; write"),
        ("aabb", "500 bank confirm 5", "leave out confirm = 5"),
        ("aabb", "0 roll", "pay 0 cannot be kept"),
        ("aabb", "500 lose", "then is one of"),
        ("aabb", "500 twice", "points are a whole number"),
        ("", "50", "is no pattern"),
        ("aabb", "100c", "the pattern has a, b"),
        ("aabb", "", "points are a whole number"),
        ("111", "50", "“111” is there twice"),
        ("aaaaaaaa", "50", "needs eight dice, but “Dice” 6"),
        ("x" * 40, "9" * 40, "is no pattern"),
    ],
)
def test_faults_of_a_pattern_show_in_its_row(pattern: str, worth: str, said: str) -> None:
    draft = draft_of_form(typed("standard", scoring__4__pattern=pattern, scoring__4__worth=worth))
    (row,) = [line for part in draft.parts for line in part.lines if line.defects]
    assert row.id == "scoring-4"
    assert said.lower() in row.defects[0].lower()
    assert len(draft.defects) == 1


def test_a_pattern_is_set_back_put_back_or_taken_out() -> None:
    rules = parse("kcd(scoring.111=300, scoring.12345=0, scoring.aabb=50)")
    draft = RulesDraft.of(rules)
    assert draft.differs == 3
    scoring = next(part for part in draft.parts if part.id == "scoring")
    assert [line.base for line in scoring.lines if line.base is not None] == ["1,000", "nothing for it"]
    assert [gone.said for gone in scoring.gone] == ["low straight 500"]
    assert draft.reset("scoring.111").rules == parse("kcd(scoring.12345=0, scoring.aabb=50)")
    assert draft.reset("scoring.12345").rules == parse("kcd(scoring.111=300, scoring.aabb=50)")
    assert draft.reset("scoring.aabb").rules == parse("kcd(scoring.111=300, scoring.12345=0)")
    assert draft.reset("scoring.") is draft


def test_a_row_shows_the_name_and_chance_of_its_dice() -> None:
    scoring = next(part for part in RulesDraft.of(named("extended")).parts if part.id == "scoring")
    names = {line.row.pattern: line.name for line in scoring.lines}
    assert names["aabbcc"] == "three pairs, in 1 of 25.9 rolls of 6 dice"
    assert names["123456"] == "straight, in 1 of 64.8 rolls of 6 dice"
    assert names[""] == ""


def test_a_field_is_set_back_to_the_base() -> None:
    draft = draft_of_form(typed("kcd", target="7000", scoring__0__worth="x"))
    assert draft.differs == 2
    assert draft.rules is None
    back = draft.reset("scoring.1")
    assert back.rules == parse("kcd(target=7000)")
    assert back.reset("target").rules == named("kcd")
    assert back.reset("no.such") is back


def test_the_base_stays_when_the_rules_get_a_name_of_their_own() -> None:
    draft = draft_of_form({**typed("kcd"), "name": "ours"})
    assert (draft.base.name, draft.differs) == ("kcd", 1)


@pytest.mark.parametrize(
    ("rules", "row"),
    [
        ("standard", ("1", "66.67%", "2/3", "1 in 1.5")),
        ("original(rolled.nothing=500)", ("6", "0.00%", "0", "never")),
    ],
)
def test_odds_are_exact(rules: str, row: tuple[str, ...]) -> None:
    shown = bytes(page("rules/_odds.html", odds=calculations.farkles(parse(rules))).body).decode()
    assert "<tr><td>" + '</td><td class="number">'.join(row) + "</td></tr>" in shown


# Over HTTP ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A server in a thread of this process, and who asks it."""
    path = tmp_path_factory.mktemp("web") / "games.sqlite"
    settings = Settings(f"sqlite:///{path}", public_url="https://farkle.example", work_a_minute=10**6)
    server = uvicorn.Server(uvicorn.Config(make_app(settings), log_level="warning"))
    with bound("127.0.0.1", 0) as sock:
        thread = threading.Thread(target=server.run, args=([sock],))
        thread.start()
        with httpx.Client(base_url=f"http://127.0.0.1:{sock.getsockname()[1]}", timeout=120) as client:
            yield client
        server.should_exit = True
        thread.join()


def shown(text: str) -> str:
    """What a page says, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_the_catalogue_shows_every_set(web: httpx.Client) -> None:
    page = web.get("/rules")
    assert page.status_code == 200
    for name in names():
        rules = named(name)
        assert rules.about in shown(page.text)
        assert rules.source in shown(page.text)
        for link in (f"/?rules={name}", f"/rules/sheet?rules={name}", f"/rules/edit?rules={name}"):
            assert f'href="{link}"' in page.text


def test_a_sheet_has_everything(web: httpx.Client) -> None:
    page = web.get("/rules/sheet", params={"rules": "original(target=50000)"})
    said = shown(page.text)
    assert "Be the first to bank 50,000 points, with six dice." in said
    assert "6 2.31% 5/216 1 in 43.2" in said
    assert "Rules: original(target=50000)" in said
    assert 'value="https://farkle.example/rules/sheet?rules=original%28target%3D50000%29"' in page.text
    assert 'src="data:image/svg+xml' in page.text


def test_a_sheet_as_a_file_reads_back_equal(web: httpx.Client) -> None:
    rules = parse('kcd(name="ours", title="Für uns", target=5000)')
    file = web.get("/rules/file", params={"rules": str(rules)})
    assert file.headers["content-disposition"] == 'attachment; filename="ours.toml"'
    assert from_toml(file.text) == rules


@pytest.mark.parametrize("path", ["/rules/sheet", "/rules/edit", "/rules/file"])
@pytest.mark.parametrize(
    ("rules", "status", "said"),
    [
        ("no-such-set", 404, 'here is no rule set "no-such-set"'),
        ("standard(target=-1)", 422, "target = -1 is not allowed"),
        ("/etc/passwd", 422, "is not a rule set"),
        ("./ours.toml", 422, "is not a rule set"),
        (f"standard({NASTY})", 422, "changes nothing"),
    ],
)
def test_rules_that_are_none_are_refused_and_no_file_is_read(
    web: httpx.Client, path: str, rules: str, status: int, said: str
) -> None:
    page = web.get(path, params={"rules": rules})
    assert page.status_code == status
    assert said in shown(page.text)
    assert "<script>alert" not in page.text


def test_typed_text_is_escaped_everywhere(web: httpx.Client) -> None:
    given = typed("extended", title=NASTY, source=f"</textarea>{NASTY}", about=NASTY, target=f'"{NASTY}')
    for answer in (
        web.post("/rules/edit", data=given),
        web.post("/rules/edit", data={**given, "target": "5000"}),
        web.get("/rules/sheet", params={"rules": f"standard(title={json.dumps(NASTY)})"}),
        web.post("/rules/file", files={"file": (f"{NASTY}.toml", b"\xff")}),
        web.post("/rules/edit", data={**given, "base": NASTY, "do": NASTY, "reset": NASTY}),
    ):
        assert "alert(" in answer.text
        assert "<script>alert" not in answer.text
        assert "</textarea><script" not in answer.text


def test_the_editor_works_without_script(web: httpx.Client) -> None:
    page = web.get("/rules/edit", params={"rules": "kcd"})
    assert page.status_code == 200
    assert "They are Kingdom Come as it is." in shown(page.text)
    wrong = web.post("/rules/edit", data=typed("kcd", target="-5", entry="x"))
    assert wrong.status_code == 422
    said = shown(wrong.text)
    assert "These rules cannot be played yet: 2 things to fix." in said
    for field in ("target", "entry"):
        beside = re.search(rf'id="wrong-{field}"><p class="wrong">([^<]*)', wrong.text)
        assert beside is not None
        assert beside[1].startswith(f"“{field.capitalize()}” can’t be ")
    assert 'value="-5"' in wrong.text
    back = web.post("/rules/edit", data={**typed("kcd", target="-5"), "reset": "target"})
    assert back.status_code == 200
    assert "They are Kingdom Come as it is." in shown(back.text)
    assert re.search(r'id="target"[^>]*autofocus', back.text)
    file = web.post("/rules/edit", data={**typed("kcd", target="7000"), "do": "file"})
    assert from_toml(file.text) == parse("kcd(target=7000)")


def test_a_script_gets_only_the_draft(web: httpx.Client) -> None:
    part = web.post("/rules/edit", data=typed("kcd", target="-5"), headers={"hx-request": "true"})
    assert part.status_code == 200
    assert part.text.startswith('<div id="draft">')
    assert "<html" not in part.text


def test_a_post_from_another_site_is_refused(web: httpx.Client) -> None:
    answer = web.post("/rules/edit", data=typed("kcd"), headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_a_file_goes_into_the_editor(web: httpx.Client, suffix: str) -> None:
    rules = parse("kcd(target=7000)")
    text = to_toml(rules) if suffix == "toml" else to_json(rules)
    answer = web.post("/rules/file", files={"file": (f"ours.{suffix}", text.encode())}, follow_redirects=False)
    assert answer.status_code == 303
    address = urlsplit(answer.headers["location"])
    assert (address.path, parse_qs(address.query)) == ("/rules/edit", {"rules": [str(rules)]})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"target = -1\nentyr = 5\n", ("target = -1 is not allowed", 'did you mean "entry"?')),
        (b"target = = 5", ("ours.toml is not TOML", "line 1")),
        (b"{", ("ours.toml is not JSON",)),
        (b"\xfe\x00", ("is not UTF-8 text",)),
        (b"\xff\xfe", ("is UTF-16 text; save it as UTF-8",)),
    ],
)
def test_a_file_that_holds_no_rules_is_refused_with_all_reasons(
    web: httpx.Client, content: bytes, said: tuple[str, ...]
) -> None:
    answer = web.post("/rules/file", files={"file": ("ours.toml", content)})
    assert answer.status_code == 422
    for part in said:
        assert part in shown(answer.text)


def test_a_file_that_is_too_long_is_refused(web: httpx.Client) -> None:
    assert web.post("/rules/file", files={"file": ("ours.toml", b"#" * 100_000)}).status_code == 413


def test_rules_too_long_for_a_link_are_shared_without_descriptions(web: httpx.Client) -> None:
    long = parse(f'standard(target=5000, about="{"é" * 900}")')
    page = web.post("/rules/edit", data=typed(long))
    assert page.status_code == 200
    link = re.search(r'id="link" readonly value="([^"]*)"', page.text)
    assert link is not None
    assert "This link leaves out" in page.text
    assert len(link[1]) <= MOST_LINK
    passed_on = parse(parse_qs(urlsplit(unescape(link[1])).query)["rules"][0])
    assert (passed_on.digest, passed_on.about) == (long.digest, "")
    file = web.post("/rules/edit", data={**typed(long), "do": "file"})
    assert tomllib.loads(file.text)["about"] == long.about


def test_the_value_of_the_game(web: httpx.Client) -> None:
    notation = "extended(target=2000)"
    data = {**typed(notation), "do": "value"}
    part = web.post("/rules/edit", data=data, headers={"hx-request": "true"})
    exact = web.post("/api/v1/rules/value", json={"rules": notation}).json()
    first = f"{100 * exact['first_player_wins']:.3f}%"
    assert f"the player who starts wins <strong>{first}</strong>" in part.text
    assert f"{exact['expected_points']:,.1f}" in part.text
    whole = web.post("/rules/edit", data=data)
    assert first in whole.text
    assert "<html" in whole.text


def test_the_page_mentions_games_without_a_winner(web: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    async def value(service: GameService, rules: Rules) -> dict[str, Any]:
        return {"first_player_wins": 0.5, "nobody_wins": 0.25, "expected_points": 543.21}

    monkeypatch.setattr("farkel.web.coaching.questions.value", value)
    part = web.post("/rules/edit", data={**typed("kcd"), "do": "value"}, headers={"hx-request": "true"})
    assert "the other 25.000%, and nobody 25.000%." in part.text


def test_a_value_that_takes_too_long_says_so_without_a_command(web: httpx.Client) -> None:
    part = web.post("/rules/edit", data={**typed("original"), "do": "value"}, headers={"hx-request": "true"})
    assert part.status_code == 200
    assert "take many minutes to calculate" in shown(part.text)
    assert "farkel solve" not in part.text
