"""Settings: a file of defaults, the environment before it, options before both; and where everything is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import farkel, printed, refused

from farkel.errors import FarkelError
from farkel.terminal.settings import MOST_BYTES, SETTINGS, read_settings, settings_file, template

pytestmark = pytest.mark.usefixtures("_home")


@pytest.fixture
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


def written(text: str) -> Path:
    path = settings_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_nothing_is_set_at_first() -> None:
    assert read_settings()[:-1] == (None,) * len(SETTINGS)


def test_an_option_goes_before_the_environment_and_that_before_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    written('rules = "kcd"\n')
    assert printed("score", "1").startswith("1 under kcd")
    monkeypatch.setenv("FARKEL_RULES", "minimal")
    assert printed("score", "1").startswith("1 under minimal")
    assert printed("score", "1", "--rules", "extended").startswith("1 under extended")
    assert json.loads(printed("settings", "--json"))["origins"] == {"rules": "FARKEL_RULES"}


def test_a_game_begins_with_the_players_that_are_set(tmp_path: Path) -> None:
    written('rules = "minimal(target=1000)"\nplayers = "bot:bold,bot:cautious"\nplain = true\ndice = "manual"\n')
    record = str(tmp_path / "game.farkel")
    told = printed("play", "--seed", "1", "--record", record)  # a seed needs the dice of the program
    assert "Minimal Farkle" in told
    assert "Bold" in told
    assert "Cautious" in told
    resumed = printed("play", "--resume", record)  # its rules and players are in the record
    assert "win" in resumed


def test_the_file_that_is_made_has_every_setting_and_sets_nothing() -> None:
    path = Path(printed("settings", "make").splitlines()[-1])
    assert path == settings_file()
    assert path.read_text("utf-8") == template()
    assert read_settings()[:-1] == (None,) * len(SETTINGS)
    written("\n".join(line.removeprefix("#") for line in template().splitlines() if not line.startswith("# ")))
    assert read_settings()[:-1] == tuple(one.example for one in SETTINGS)
    written("bell = true\n")
    printed("settings", "make")  # what is there stays
    assert path.read_text("utf-8") == "bell = true\n"


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ('rules = "kcd"\nrulez = "kcd"\n', 2, 'there is no setting "rulez": write rules, players, dice, plain, speed,'),
        ('\n\nrules = "kdc"\n', 3, 'rules: there is no rule set "kdc"'),
        ("rules = kcd\n", 1, 'this is not TOML; write a line such as rules = "kcd"'),
        ("plain = true\nplayers = 2\n", 2, "players is text in quotation marks, such as players ="),
        ('bell = "loud"\n', 1, "bell is true or false, such as bell = true"),
        ('dice = "real"\n', 1, 'dice: "real" is not one of them: write system, committed or manual'),
        ('speed = "quick"\n', 1, '"quick" is not one of them: write slow, normal, fast or still'),
        ('colours = "pink"\n', 1, '"pink" is not one of them: write textual-dark'),
        ('players = "bot:clever"\n', 1, "players: "),
        ("[rules]\ntarget = 5000\n", 1, "rules is text in quotation marks"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_remedy(text: str, line: int, told: str) -> None:
    path = written(text)
    with pytest.raises(FarkelError) as caught:
        read_settings()
    assert caught.value.code == "bad_settings"
    assert caught.value.message.startswith(f"{path}, line {line}: ")
    assert told in caught.value.message
    assert str(path) in refused("settings")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"#" * (MOST_BYTES + 1), "too long"),
        (b'rules = "\xff"', "UTF-8"),
        (b"a = " + b"[" * 40, "nested too deeply"),
    ],
)
def test_the_file_is_bounded(data: bytes, told: str) -> None:
    path = written("")
    path.write_bytes(data)
    with pytest.raises(FarkelError, match=told):
        read_settings()


def test_a_mistake_in_the_environment_names_the_variable() -> None:
    with pytest.raises(FarkelError, match=r"^FARKEL_PLAIN: plain is true or false"):
        read_settings(environment={"FARKEL_PLAIN": "ja"})
    found = read_settings(environment={"FARKEL_PLAIN": "Yes", "FARKEL_BELL": "0", "FARKEL_SPEED": ""})
    assert (found.plain, found.bell, found.speed) == (True, False, None)


def test_places_are_named_with_their_sizes_and_the_cache_is_emptied(tmp_path: Path) -> None:
    solutions = tmp_path / "cache" / "farkel" / "solutions"
    solutions.mkdir(parents=True)
    (solutions / "a.solution").write_bytes(bytes(1_234_567))
    games = tmp_path / "data" / "farkel" / "games"
    games.mkdir(parents=True)
    (games / "game.farkel").write_bytes(bytes(812))
    lines = printed("settings").splitlines()
    for path, told in ((games, "  games: 812 bytes"), (solutions, "  solved games (cache): 1.2 MB")):
        assert lines[lines.index(told) + 1] == str(path)  # on a line of its own, to be copied or opened
    assert "Clear 1.2 MB?" in farkel("settings", "clear", said="n\n").output
    assert solutions.exists()
    assert printed("settings", "clear", "--yes") == "Cleared 1.2 MB.\n"
    assert not solutions.exists()
    assert games.exists()
    assert printed("settings", "clear") == "The cache is empty.\n"
