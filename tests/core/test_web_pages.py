"""The pages without a browser: forms, refusals, and owners of seats."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from browser_helpers import serving
from farkel.dice import MOST_DICE
from farkel.rules import names, variations
from farkel.web.game.pages.forms import Unclear, points_of
from farkel.web.http.security import POLICY
from written_numbers import UNCLEAR, WHOLE

SEATS = {"rules": "minimal(target=1000)", "name-0": "Ann", "name-1": "Ben"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("pages")) as found:
        yield found


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, follow_redirects=True, timeout=120) as found:
        yield found


@pytest.fixture
def stranger(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, follow_redirects=True, timeout=120) as found:
        yield found


def opened(client: httpx.Client, **form: str) -> str:
    """The path of a game opened with the form."""
    answer = client.post("/", data=SEATS | form)
    assert answer.status_code == 200, answer.text
    return answer.url.path


def acted(client: httpx.Client, path: str, do: str, **form: Any) -> httpx.Response:
    """Post what the form of the page would."""
    return client.post(f"{path}/move", data={"do": do, **form})


def plain(answer: httpx.Response) -> str:
    """The text of a page as people read it."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


def test_E12_variations_that_are_ticked_are_played(client: httpx.Client) -> None:
    page = client.get("/new", params={"rules": "renaissance:five-dice,exact"}).text
    assert 'id="rules-renaissance" value="renaissance" checked' in page
    assert 'name="renaissance:five-dice" value="on" checked' in page
    assert 'name="renaissance:minimum" value="on">' in page
    ticked = {"rules": "renaissance", "renaissance:exact": "on", "renaissance:five-dice": "on", "kcd:exact": "on"}
    path = opened(client, **ticked)
    game = client.get(f"/api/v1{path.replace('/g/', '/games/')}").json()
    assert "renaissance:five-dice,exact" in str(game)
    editor = client.get("/rules/edit", params={"rules": "renaissance", "with": ["exact", "minimum"]}).text
    assert 'name="with" value="exact" checked' in editor
    assert 'name="with" value="five-dice">' in editor


@pytest.mark.parametrize("name", [name for name in names() if variations(name)])
def test_every_variation_can_be_ticked_on_the_start_page_and_in_the_editor(client: httpx.Client, name: str) -> None:
    start, editor = (client.get(path, params={"rules": name}).text for path in ("/new", "/rules/edit"))
    for one in variations(name):
        assert f'name="{name}:{one.name}" value="on"> {html.escape(one.about)}' in start
        assert f'name="with" value="{one.name}"> {html.escape(one.about)}' in editor


def test_one_die_is_not_called_1_dice(client: httpx.Client) -> None:
    path = opened(client, rules="build-on(dice=1, take_over.after_hot_dice=true)")
    for address in ("/rules/edit", "/rules/sheet"):
        assert "1 dice" not in plain(client.get(address, params={"rules": "standard(dice=1)"}))
    assert "1 dice" not in plain(client.get(path))


@pytest.mark.parametrize("text", WHOLE)
def test_points_are_read_with_what_people_group_thousands_with(text: str) -> None:
    assert points_of(text) == WHOLE[text]


@pytest.mark.parametrize("text", UNCLEAR)
def test_points_that_are_unclear_are_asked_for_once_more(text: str) -> None:
    with pytest.raises(Unclear, match="is unclear: type the points with digits alone") as refused:
        points_of(text)
    assert refused.value.code == "unclear_points"


def test_rule_sets_are_found_by_their_text(client: httpx.Client) -> None:
    assert "Original Farkel" in plain(client.get("/rules", params={"search": "lives"}))
    assert "Zilch" not in plain(client.get("/rules", params={"search": "lives"}))
    nothing = client.get("/rules", params={"search": "zlich"})
    assert 'no rule set fits "zlich"; did you mean "zilch"?' in plain(nothing)
    found = client.get("/api/v1/rules", params={"search": "lives"}).json()
    assert [one["name"] for one in found] == ["original"]
    assert found[0]["family"] == "Farkle"
    refused = client.get("/api/v1/rules", params={"search": "qqq"})
    assert (refused.status_code, refused.json()["code"]) == (404, "nothing_found")
    assert client.get("/api/v1/rules", params={"search": " "}).json()[0]["name"] == "original"


def test_the_start_offers_every_rule_set_and_takes_one_from_its_address(client: httpx.Client) -> None:
    page = client.get("/new").text
    assert page.count('name="rules"') == len(names())
    page = client.get("/new", params={"rules": "standard(target=5000)"}).text
    assert 'value="standard(target=5000)" checked' in page
    page = client.get("/", params={"rules": "standard(target=5000)"}).text
    assert 'name="rules" value="standard(target=5000)"' in page
    assert "Standard Farkle to 5,000" in page
    for where in ("/", "/new"):
        wrong = client.get(where, params={"rules": "standrad"})
        assert wrong.status_code == 200
        assert "standard" in plain(wrong)
        assert 'class="wrong" id="wrong-rules"' in wrong.text


@pytest.mark.parametrize("start", ["first_seat", "highest_die", "first_six"])
def test_playing_immediately_leads_to_the_first_roll(client: httpx.Client, start: str) -> None:
    form = {"now": "on", "word": "hop", "who-1": "bot:cautious", "rules": f"minimal(start={start})"}
    path = client.post("/", data=form).url.path
    game = client.get(f"/api/v1{path.replace('/g/', '/games/')}").json()
    assert game["started"]
    assert [seat["name"] for seat in game["seats"]] == ["Player", "Cora"]
    assert game["seats"][0]["word"] == "hop"
    assert game["phase"] != "start"
    assert any("Player rolls" in said for said in game["last"]) or game["sheet"] or game["seat"] == 1


@pytest.mark.parametrize(
    ("form", "place", "said"),
    [
        ({"name-1": "Ann"}, "seats", "used twice"),
        ({"name-0": "A\u2800B"}, "seats", "is not a valid name: its character 2 (U+2800) shows nothing"),
        ({"name-1": "ann"}, "seats", "look alike"),
        ({"name-0": "A" * 21}, "seat0", "at most 20 characters"),
        ({"who-1": "bot:nobody"}, "seats", "nobody"),
        ({"who-1": "somebody"}, "seat1", "is no player"),
        ({"name-0": "", "name-1": ""}, "seats", "no players"),
        ({"rules": "nonsense"}, "rules", "nonsense"),
        ({"patience": "1"}, "options", "patience"),
        ({"dice": "loaded"}, "options", "committed"),
    ],
)
def test_a_wrong_form_comes_back_with_the_words_beside_it(
    client: httpx.Client, form: dict[str, str], place: str, said: str
) -> None:
    answer = client.post("/", data=SEATS | {"people-0": "Ann, Amy"} | form)
    assert answer.status_code == 422
    match = re.search(rf'<p class="wrong" id="wrong-{place}"[^>]*>(.*?)</p>', answer.text)
    assert match is not None, plain(answer)
    assert said.casefold() in html.unescape(match[1]).casefold()
    assert 'value="Ann, Amy"' in answer.text


def test_the_speed_of_bots_is_chosen_before_the_game_and_in_it(client: httpx.Client) -> None:
    path = opened(client, speed="fast")
    assert client.get(f"/api/v1{path.replace('/g/', '/games/')}").json()["allowed"]["speed"] == "fast"
    assert "<option selected>fast</option>" in client.get(path).text
    answer = acted(client, path, "allow", speed="slow")
    assert "<option selected>slow</option>" in answer.text
    assert "speed" in plain(acted(client, path, "allow", speed="at once"))


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(client: httpx.Client) -> None:
    answer = client.post("/", data=SEATS, follow_redirects=False)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "max-age=31536000" in cookie
    assert "secure" not in cookie


def test_links_have_a_preview(client: httpx.Client) -> None:
    page = client.get("/").text
    assert re.search(r'<meta name="description" content="Play the dice game Farkle[^"]{50,}">', page)
    path = opened(client)
    page = client.get(path).text
    assert re.search(rf'<meta property="og:url" content="http://[^"]+{path}">', page)
    assert 'property="og:description" content="A game of Farkle: Ann, Ben' in page
    image = re.search(r'property="og:image" content="([^"]+)"', page)
    assert image is not None
    assert client.get(image[1]).headers["content-type"] == "image/png"


def test_no_page_has_script_or_style_within(client: httpx.Client) -> None:
    path = opened(client, way="own")
    for where in ("/", "/new", path, f"{path}/screen", "/g/nothinghere2"):
        answer = client.get(where)
        assert answer.headers["content-security-policy"] == POLICY
        assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|https?://(?!127)", answer.text)


def test_a_seat_belongs_to_its_link_and_watchers_have_no_controls(client: httpx.Client, stranger: httpx.Client) -> None:
    path = opened(client, way="own", dice="system")
    link = html.unescape(re.findall(r'value="(http://[^"]*/s/[^"]*)"', client.get(path).text)[0])
    assert "You are watching" in plain(stranger.get(path))
    assert "It is for" not in plain(stranger.get(path))
    refused = acted(stranger, path, "start")
    assert refused.status_code == 422
    assert "Only the host" in plain(refused)
    assert "A seat for Ben" in plain(stranger.get(link))
    assert "You are watching" in plain(stranger.get(path))
    assert "You have your seat" in plain(stranger.post(link))
    assert "Start the game" not in plain(stranger.get(path))
    acted(client, path, "start")
    renewed = client.post(f"{path}/link", data={"seat": "1"})
    assert "A new link for Ben" in plain(renewed)
    assert re.search(r'value="http://[^"]*/s/[^"]*"', renewed.text)
    assert link not in renewed.text
    assert "You are watching" in plain(stranger.get(path))
    assert stranger.get(link).status_code == 404


def test_the_host_continues_elsewhere_by_a_link_and_wrong_links_say_so(
    client: httpx.Client, stranger: httpx.Client
) -> None:
    path = opened(client, dice="system")
    link = html.unescape(re.findall(r'value="(http://[^"]*/h/[^"]*)"', client.get(path).text)[0])
    assert "For the host" in plain(stranger.get(link))
    wrong = stranger.get(link[:-3] + "xyz")
    assert wrong.status_code == 404
    assert "does not make you the host" in plain(wrong)
    assert stranger.get("/s/" + "x" * 32).status_code == 404
    missing = stranger.get("/g/nothinghere2")
    assert missing.status_code == 404
    assert "there is no game" in plain(missing).lower()


def test_refusals_show_beside_the_board(client: httpx.Client) -> None:
    path = opened(client, dice="system")
    assert acted(client, path, "roll", seen="2").status_code == 200
    stale = acted(client, path, "roll", seen="1")
    assert stale.status_code == 409
    assert "The game has moved on" in plain(stale)
    assert 'id="board"' in stale.text
    for do, form, said in (
        ("dance", {}, "do"),
        ("keep", {"then": "bank"}, "Choose the dice"),
        ("keep", {"then": "dance", "dice": "1"}, "then"),
        ("take_over", {"dice": str(MOST_DICE + 1)}, "dice"),
        ("throw", {"faces": "178"}, "a die shows 1 to 6"),
        ("throw", {"faces": "111"}, "server rolls the dice"),
        ("note", {"points": "", "dice": "1"}, "Enter the points"),
        ("leave", {"seat": "7"}, "no seat 8"),
        ("allow", {"patience": "0"}, "must be 5 or more"),
    ):
        answer = acted(client, path, do, **form)
        assert answer.status_code == 422, do
        match = re.search(r'role="alert" id="refusal[^>]*>\s*<p>(.*?)</p>', answer.text)
        assert match is not None, do
        assert said.casefold() in html.unescape(match[1]).casefold()


def test_the_sheet_of_real_dice_and_the_big_screen_say_the_news_and_what_holds(client: httpx.Client) -> None:
    path = opened(client, dice="manual", rules="build-on(target=1000,start=first_seat,entry=500,minimum=300)")
    assert "first bank needs 500" in plain(client.get(path))
    noted = plain(acted(client, path, "note", points="1600", dice="2", seen="1"))
    assert "On offer: 1,600 with 2 dice. Last turn for everyone else." in noted
    assert "Ben’s turn. Last turn: 1,600 to beat" in noted
    assert "Last turn: 1,600 to beat. Ann banks 1,600. On offer" in plain(client.get(f"{path}/screen"))


def test_the_same_submission_twice_counts_once(client: httpx.Client) -> None:
    path = opened(client, dice="system", rules="minimal(start=first_seat)")
    for _ in range(2):
        assert acted(client, path, "roll", seen="1", request="just-this-once").status_code == 200
    assert client.get(f"/api/v1{path.replace('/g/', '/games/')}").json()["number"] == 2


def test_a_part_of_the_page_is_all_that_a_script_gets(client: httpx.Client) -> None:
    path = opened(client, dice="system")
    asked = {"hx-request": "true"}
    assert client.get(f"{path}/board").text.lstrip().startswith('<div id="board"')
    refused = client.post(f"{path}/react", data={"what": "dance", "seat": "0"}, headers=asked)
    assert refused.status_code == 422
    assert refused.headers["hx-retarget"] == "#notice"
    assert "<html" not in refused.text
    for part in ("hint", "chances", "review"):
        assert "<html" not in client.get(f"{path}/{part}", headers=asked).text
        assert "<html" in client.get(f"{path}/{part}").text
    assert "does not allow hints" in plain(client.get(f"{path}/hint"))


def test_leaving_is_asked_about_and_ends_a_game_of_two(client: httpx.Client) -> None:
    path = opened(client, dice="system", rules="minimal(start=first_seat)")
    assert "Yes, Ben leaves" in plain(client.get(path))
    over = acted(client, path, "leave", seat="1")
    assert "The game is over" in plain(over)
    again = client.post(f"{path}/again")
    assert again.url.path != path
    assert "whose turn it is" in plain(again)
    assert client.post(f"{path}/again").url.path == again.url.path


def test_players_move_to_the_next_game_without_a_new_link(address: str, client: httpx.Client) -> None:
    path = opened(client, way="own", dice="system")
    link = html.unescape(re.findall(r'value="(http://[^"]*/s/[^"]*)"', client.get(path).text)[0])
    with (
        httpx.Client(base_url=address, follow_redirects=True, timeout=120) as ben,
        httpx.Client(base_url=address, follow_redirects=True, timeout=120) as eve,
    ):
        ben.post(link)
        acted(client, path, "start")
        assert client.post(f"{path}/again").status_code == 422
        acted(ben, path, "leave", seat="1")
        for visitor in (ben, eve):
            early = visitor.post(f"{path}/again")
            assert early.status_code == 422
            assert "The host has not started another game" in plain(early)
        assert "If the host starts another game" in plain(ben.get(path))
        again = client.post(f"{path}/again")
        following = again.url.path
        assert "Start the game" in plain(again)
        new = html.unescape(re.findall(r'value="(http://[^"]*/s/[^"]*)"', again.text)[0])
        assert "Ann has opened another game of the same seats" in plain(ben.get(path))
        sat = ben.post(f"{path}/again")
        assert sat.url.path == following
        assert "You have your seat" in plain(sat)
        assert "Ben" in plain(ben.post(new))
        assert new in html.unescape(sat.text)  # the link that the host has is that of the seat
        assert f'href="{following}"' in eve.get(path).text
        assert "You are watching" in plain(eve.post(f"{path}/again"))
        assert f'href="{following}/screen"' in eve.get(f"{path}/screen").text
        assert eve.get(f"{path}/screen/board").headers["hx-redirect"] == f"{following}/screen"


def test_refused_keeps_give_reasons(client: httpx.Client) -> None:
    path = opened(client, way="real", rules="minimal(start=first_seat)")
    acted(client, path, "throw", faces="112346")
    assert client.get(f"{path}/why", params={"dice": "2"}).text.endswith(".")
    assert client.get(f"{path}/why", params={"dice": "1"}).text == ""
    assert client.get(f"{path}/why", params={"dice": "9"}).status_code == 422


def test_every_vendored_library_names_its_source() -> None:
    vendor = Path(__file__).parents[2] / "src/farkel/web/static/vendor"
    listed = (Path(__file__).parents[2] / "docs/install.md").read_text("utf-8")
    for folder in vendor.iterdir():
        assert (folder / "LICENSE").is_file()
        title = re.search(r"# ([a-z-]+ \d+\.\d+\.\d+)", (folder / "README.md").read_text(encoding="utf-8"))
        assert title
        assert f"| {title[1]} | `src/farkel/web/static/vendor/{folder.name}` |" in listed
