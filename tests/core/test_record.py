"""The record of a game: it reads back, damage of every kind is found, and a killed program loses nothing."""

from __future__ import annotations

import hashlib
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkel.dice import commitment, derive
from farkel.errors import CannotUndo, RecordError
from farkel.game import Keep, Throw
from farkel.game.scoring import score_table
from farkel.play.match import Match, Setup, _keep_secret, secret_path
from farkel.records import (
    DiceKind,
    DiceSpec,
    Header,
    RecordWriter,
    Seating,
    parse_record,
    read,
    verify,
)
from farkel.rules import load, named
from farkel.support import system
from named_rules import SPAN
from seeded import program

NOON = datetime(2026, 1, 1, 12, 0)


def person(name: str) -> Seating:
    return Seating(name, (name,))


def machine(name: str, kind: str) -> Seating:
    return Seating(name, (name,), f"bot:{kind}")


def bots(rules: str, dice: DiceKind, path: Path, seed: str = "1") -> Match:
    seats = (machine("Cora", "cautious"), machine("Bo", "bold"), machine("Tess", "threshold:600"))
    return Match.start(Setup(named(rules), seats, dice, seed), path, NOON)


def play_out(match: Match, most: int = 100_000) -> None:
    """Play on with bots, or with the first legal action for people, for this many events or to the end."""
    for _ in range(most):
        if match.state.over:
            break
        if match.state.dice_due:
            match.throw()
        else:
            action = match.decide()
            assert action is not None
            match.act(action)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A whole game with committed dice, lives and take-overs."""
    path = tmp_path_factory.mktemp("finished") / "game.farkel"
    match = bots("original", "committed", path)
    play_out(match)
    match.close()
    return path.read_bytes()


@pytest.mark.parametrize("rules", SPAN)
@pytest.mark.parametrize("dice", ["system", "seeded", "committed"])
def test_a_record_reads_back_to_the_same_game(rules: str, dice: DiceKind, tmp_path: Path) -> None:
    path = tmp_path / "game.farkel"
    match = bots(rules, dice, path)
    play_out(match)
    match.close()
    record = read(path)
    assert record.problem is None
    assert record.state == match.state
    assert [move.event for move in record.moves] == [move.event for move in match.moves]
    assert record.header.rules == match.rules
    assert verify(record)


def test_a_record_holds_custom_rules_teams_and_words(tmp_path: Path) -> None:
    rules = load("high-stakes", ["name=ours", "title=Ours, with \"quotes\" and ünicode", "take_over.price=stake",
                                 "take_over.stake=1000", "penalties.farkle_all_dice=500"])  # fmt: skip
    seats = (Seating("Reds", ("Ann", "Ben")), machine("Bo", "bold"))
    match = Match.start(Setup(rules, seats, "committed", words=("  hop   hop ", "über")), tmp_path / "game.farkel")
    match.throw()
    match.close()
    header = read(tmp_path / "game.farkel").header
    assert header.rules == rules
    assert header.seats == seats
    assert header.dice.words == ("hop hop", "über")


def test_seeded_games_are_the_same_whether_interrupted_or_not(tmp_path: Path) -> None:
    seats = (machine("Ann", "random"), machine("Ben", "random"))
    whole, parts = (Setup(named("build-on"), seats, "seeded", "9") for _ in range(2))
    match = Match.start(whole, tmp_path / "whole.farkel", NOON)
    play_out(match)
    match.close()
    match = Match.start(parts, tmp_path / "parts.farkel", NOON)
    while not match.state.over:
        play_out(match, 7)
        match.close()
        match = Match.resume(tmp_path / "parts.farkel")
    match.close()
    assert (tmp_path / "parts.farkel").read_text() == (tmp_path / "whole.farkel").read_text()


# Damage --------------------------------------------------------------------------------------------------------------


def first_event(data: bytes) -> int:
    return data.index(b"events:") + len(b"events: ~01234567\n")


@given(st.data())
def test_whatever_is_cut_off_the_rest_is_intact(finished: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(first_event(finished), len(finished) - 1))
    record = parse_record(finished[:cut])
    whole = finished[:cut].count(b"\n") == finished[: cut + 1].count(b"\n") and finished[cut - 1 : cut] == b"\n"
    assert (record.problem is None) == whole
    if record.problem is not None:
        assert record.problem.code == "cut_off"
        assert record.problem.line == finished[:cut].count(b"\n") + 1
    events = finished[first_event(finished) : cut].count(b"\n")
    assert record.number == events
    assert record.size == finished[:cut].rindex(b"\n") + 1


@given(st.data())
def test_any_changed_byte_is_found_in_its_line(finished: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(first_event(finished), len(finished) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != finished[place]))
    damaged = finished[:place] + bytes([byte]) + finished[place + 1 :]
    record = parse_record(damaged)
    line = finished[:place].count(b"\n") + 1
    if record.problem is None:  # only changes without meaning may pass: the spaces before its check
        assert finished[place : place + 1] in (b" ", b"\n")
        assert [move.event for move in record.moves] == [move.event for move in parse_record(finished).moves]
    else:
        assert record.problem.line == line
        assert record.size == finished[:place].rindex(b"\n") + 1


@given(st.data())
def test_a_changed_header_is_refused(finished: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, finished.index(b"\n\nevents:")))
    byte = data.draw(st.integers(32, 126).filter(lambda byte: byte != finished[place]))
    with pytest.raises(RecordError):
        parse_record(finished[:place] + bytes([byte]) + finished[place + 1 :])


def recheck(text: str) -> str:
    """Forge the checks of an edited record, as a forger would who knows the format."""
    head, _, events = text.partition("\nevents: ~")
    lines = events.splitlines()[1:]
    chain = hashlib.sha256(("\n" + head.rstrip("\n")).encode()).hexdigest()
    forged = [f"{head}\nevents: ~{chain[:8]}"]
    for line in lines:
        body = re.sub(r" *~[0-9a-f]{8}$", "", line)
        chain = hashlib.sha256(f"{chain}\n{body}".encode()).hexdigest()
        forged.append(f"{body:<62} ~{chain[:8]}")
    return "\n".join(forged) + "\n"


def test_the_forger_forges_well(finished: bytes) -> None:
    assert recheck(finished.decode()) == finished.decode()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda text: re.sub(r"keeps [1-6 ]+,", "keeps 6 6 6 6 6 6,", text, count=1), "illegal"),
        (lambda text: re.sub(r"banks ; \+([\d,]+) = [\d,]+", r"banks ; +\1 = 99,000", text, count=1), "wrong_note"),
        (lambda text: re.sub(r"\n *40  .*", "", text), "malformed"),
        (lambda text: re.sub(r"(\n +30  )\w+:", r"\1Nobody:", text), "malformed"),
        (lambda text: re.sub(r"rolls on", "sings on", text, count=1), "malformed"),
    ],
)
def test_an_edit_with_forged_checks_is_against_the_rules(
    finished: bytes, change: Callable[[str], str], code: str
) -> None:
    edited = change(finished.decode())
    assert edited != finished.decode()
    problem = parse_record(recheck(edited).encode()).problem
    assert problem is not None
    assert problem.code == code
    assert problem.line is not None


def test_another_roll_with_forged_checks_does_not_follow_from_the_secret(finished: bytes) -> None:
    """Every throw in turn is changed to another one; whatever the rules still allow, the secret gives away."""
    text = finished.decode()
    found_by_dice = 0
    for roll in re.finditer(r"rolls ([1-6 ]+[1-6])", text):
        faces = roll[1].split()
        faces[-1] = "2" if faces[-1] != "2" else "3"
        other = f"rolls {' '.join(sorted(faces))}"
        record = parse_record(recheck(text[: roll.start()] + other + text[roll.end() :]).encode())
        if record.problem is None:
            with pytest.raises(RecordError, match="does not follow from the secret"):
                verify(record)
            found_by_dice += 1
    assert found_by_dice > 10


def test_a_fallen_roll_that_is_taken_back_is_found(finished: bytes) -> None:
    """A player who rolled a farkle cannot pretend to have banked before it."""
    lines = finished.decode().splitlines()
    farkle = next(number for number, line in enumerate(lines) if " ; farkle" in line)
    number = int(lines[farkle].split()[0])
    forged = recheck("\n".join([*lines[: farkle + 1], f"{number + 1:4}  back to {number - 2}", ""]))
    problem = parse_record(forged.encode()).problem
    assert problem is not None
    assert (problem.code, problem.line) == ("illegal", farkle + 2)


def test_a_secret_before_the_end_is_refused(finished: bytes) -> None:
    lines = finished.decode().splitlines()
    events = lines.index("", 1) + 1
    early = f"   3  {lines[-1].split('  ', 1)[1].strip().rsplit(' ~')[0].strip()}"
    forged = recheck("\n".join([*lines[: events + 3], early, ""]))
    problem = parse_record(forged.encode()).problem
    assert problem is not None
    assert problem.code == "illegal"


def test_a_wrong_secret_is_found(finished: bytes) -> None:
    text = re.sub(r"secret [0-9a-f]{64}", "secret " + "ab" * 32, finished.decode())
    record = parse_record(recheck(text).encode())
    with pytest.raises(RecordError) as caught:
        verify(record)
    assert caught.value.code == "wrong_secret"


def test_committed_dice_follow_from_the_secret_and_the_words(finished: bytes) -> None:
    record = parse_record(finished)
    assert record.secret is not None
    assert commitment(record.secret) == record.header.dice.value
    throws = [move.event.faces for move in record.moves if isinstance(move.event, Throw)]
    assert throws == [derive(record.secret, (), index, len(faces)) for index, faces in enumerate(throws)]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "not_a_record"),
        (b"hello\n", "not_a_record"),
        (b"farkel record 99\n", "version"),
        (b"farkel record 1\ndate: x\n", "cut_off_header"),
        (b"\xff\xfd\n", "not_a_record"),
        ("farkel record 1\n".encode("utf-16"), "unreadable"),
        (b"farkel record 1\ndate: \x1b[2J\nevents: ~00000000\n", "malformed"),
    ],
)
def test_a_file_that_is_not_a_record_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(data)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    target = 100000", "    goal = 100000"),
        ("    target = 100000", "    target = 5"),
        ("    target = 100000", "    target = 200000"),
        ("    Bo: bot:bold", "    Cora: bot:bold"),
        ("    Bo: bot:bold", "    Bo"),
        ("dice: committed", "dice: loaded"),
    ],
)
def test_an_unplayable_header_is_refused_even_with_forged_checks(finished: bytes, old: str, new: str) -> None:
    text = finished.decode()
    assert text.count(old) == 1
    with pytest.raises(RecordError):
        parse_record(recheck(text.replace(old, new)).encode())


# Writing -------------------------------------------------------------------------------------------------------------


def test_a_record_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "game.farkel"
    bots("minimal", "system", path).close()
    before = path.read_bytes()
    with pytest.raises(RecordError) as caught:
        bots("minimal", "system", path)
    assert caught.value.code == "exists"
    assert path.read_bytes() == before


def test_an_unwritable_folder_is_refused_before_the_game(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="is a file, not a folder") as caught:
        bots("minimal", "system", tmp_path / "file" / "game.farkel")
    assert caught.value.code == "unwritable"


def test_two_programs_cannot_play_the_same_game(tmp_path: Path) -> None:
    match = bots("minimal", "system", tmp_path / "game.farkel")
    with pytest.raises(RecordError, match="being played by another program"):
        Match.resume(tmp_path / "game.farkel")
    match.close()
    Match.resume(tmp_path / "game.farkel").close()


def test_resume_drops_a_cut_off_line_and_continues(tmp_path: Path) -> None:
    path = tmp_path / "game.farkel"
    match = bots("minimal", "seeded", path)
    play_out(match, 20)
    match.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    torn = whole[:-30].splitlines()[-1].decode().strip()[:60]
    with pytest.raises(RecordError, match=f'is incomplete: "{re.escape(torn)}"; everything above it is intact'):
        verify(read(path))
    match = Match.resume(path)
    assert len(match.moves) == 19
    assert match.record.dropped == torn
    play_out(match, 1)
    match.close()
    assert path.read_bytes() == whole


def test_resume_refuses_a_record_that_was_edited(tmp_path: Path) -> None:
    path = tmp_path / "game.farkel"
    match = bots("minimal", "seeded", path)
    play_out(match, 20)
    match.close()
    damaged = path.read_text().replace("rolls on", "banks", 1)
    path.write_text(damaged)
    with pytest.raises(RecordError, match="line"):
        Match.resume(path)
    assert path.read_text() == damaged


def test_committed_dice_need_their_secret_to_resume(tmp_path: Path) -> None:
    path = tmp_path / "game.farkel"
    match = bots("minimal", "committed", path)
    play_out(match, 20)
    match.close()
    kept = secret_path(path)
    assert kept.stat().st_mode & 0o077 == 0
    assert kept.read_text().strip() not in path.read_text()
    hidden = kept.rename(tmp_path / "elsewhere")
    with pytest.raises(RecordError, match="secret"):
        Match.resume(path)
    kept.write_text("ab" * 32)
    with pytest.raises(RecordError, match="does not hold the secret"):
        Match.resume(path)
    hidden.rename(kept)
    match = Match.resume(path)
    play_out(match)
    match.close()
    assert not kept.exists()
    assert verify(read(path))[-1].endswith("follow from the secret committed to before the game")


def test_an_unstored_event_has_not_happened(tmp_path: Path) -> None:
    """A real limit on the size of files, as a full disk: the match stays where it was, and the record is intact."""
    import resource  # pages have none

    path = tmp_path / "game.farkel"
    match = bots("minimal", "seeded", path)
    play_out(match, 10)
    before = match.state
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, hard))
        with pytest.raises(RecordError, match="cannot be written"):
            play_out(match, 1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert match.state == before
    play_out(match, 5)
    match.close()
    assert read(path).problem is None
    assert len(read(path).moves) == 15


@pytest.mark.parametrize("dice", ["system", "committed"])
def test_killed_at_any_moment_nothing_that_was_shown_is_lost(dice: str, tmp_path: Path) -> None:
    """SIGKILL after every few lines of output: shown lines are in the record, and the game continues to its end."""
    import pexpect  # pages have none

    path = tmp_path / "game.farkel"
    start = [
        "play",
        "--plain",
        "--rules",
        "minimal",
        "--players",
        "Ann,bot:bold",
        "--dice",
        dice,
        "--record",
        str(path),
    ]
    resume = ["play", "--plain", "--resume", str(path)]
    farkel = program()
    shown = 0
    for answers in (3, 5, 9, 14):
        child = pexpect.spawn(sys.executable, [*farkel, *(resume if shown else start)], encoding="utf-8", timeout=60)
        for _ in range(answers):
            child.expect([r"Enter to roll", r"takes the most points\)"])
            child.sendline("r")
        child.expect(r"(rolls|keeps) [\d-]+")
        seen = re.findall(r"\w+ (?:rolls|keeps) [1-6-]+", f"{child.before}{child.after}")
        child.kill(signal.SIGKILL)
        child.wait()
        child.close()
        record = read(path)
        assert record.problem is None
        shown += len(seen)
        assert len(record.moves) >= shown
    done = subprocess.run(
        [sys.executable, *farkel, *resume],
        input="r\nb\n" * 2000,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert read(path).state.over
    assert verify(read(path))


def test_partial_lines_of_a_full_disk_are_removed(
    tmp_path: Path, disk: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line is written, cannot be synced, and for a while cannot be removed either."""
    path = tmp_path / "game.farkel"
    match = bots("minimal", "seeded", path)
    play_out(match, 3)
    stored = path.read_bytes()
    disk["full"] = True
    with monkeypatch.context() as patch:
        patch.setattr(RecordWriter, "_cut", lambda writer: None)
        with pytest.raises(RecordError, match="No space left"):
            play_out(match, 1)
    assert len(path.read_bytes()) > len(stored)
    with pytest.raises(RecordError, match="No space left"):
        play_out(match, 1)
    assert path.read_bytes() == stored
    disk["full"] = False
    play_out(match, 2)
    match.close()
    assert read(path).problem is None
    assert len(read(path).moves) == 5


def test_half_a_secret_does_not_stay_in_the_way(tmp_path: Path, disk: dict[str, bool]) -> None:
    path = tmp_path / "game.farkel"
    disk["full"] = True
    with pytest.raises(RecordError, match="No space left"):
        _keep_secret(secret_path(path), bytes(32))
    disk["full"] = False
    _keep_secret(secret_path(path), bytes(32))


def test_a_line_written_by_another_program_while_resuming_is_not_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock is taken before the record is read: the other program plays on until the moment it lets go."""
    path = tmp_path / "game.farkel"
    other = bots("minimal", "seeded", path)
    play_out(other, 3)

    def lock(handle: int, *, wait: bool) -> bool:
        play_out(other, 1)
        other.close()
        return system.lock(handle, wait=wait)

    monkeypatch.setattr("farkel.records.writing.lock", lock)
    match = Match.resume(path)
    assert len(match.moves) == 4
    assert not match.record.dropped
    match.close()


# Undo and dice that fell ---------------------------------------------------------------------------------------------


def manual(path: Path) -> Match:
    return Match.start(Setup(named("minimal"), (person("Ann"), person("Ben")), "manual"), path, NOON)


def test_with_manual_dice_everything_can_be_taken_back(tmp_path: Path) -> None:
    match = manual(tmp_path / "game.farkel")
    match.act(Throw((1, 2, 2, 3, 3, 5)))
    match.act(Keep((1, 5), "bank"))
    assert match.state.seats[0].score == 150
    match.undo()
    match.undo()
    assert not match.moves
    match.act(Throw((1, 1, 2, 3, 3, 5)))
    match.close()
    record = read(tmp_path / "game.farkel")
    assert record.problem is None
    assert [move.event for move in record.moves] == [Throw((1, 1, 2, 3, 3, 5))]
    assert "back to 0" in (tmp_path / "game.farkel").read_text()


def test_undo_is_refused_once_dice_have_fallen(tmp_path: Path) -> None:
    seats = (person("Ann"), person("Ben"))
    match = Match.start(Setup(named("minimal"), seats, "seeded", "4"), tmp_path / "game.farkel")
    with pytest.raises(CannotUndo) as caught:
        match.undo()
    assert caught.value.code == "nothing_played"
    match.throw()
    with pytest.raises(CannotUndo):
        match.undo()
    best = next(iter(match_keeps(match)))
    match.act(Keep(best, "bank"))
    before = match.moves[-1].before
    assert [move.event for move in match.undo()] == [Keep(best, "bank")]
    assert match.state == before
    match.act(Keep(best, "roll"))
    match.throw()
    with pytest.raises(CannotUndo) as caught:
        match.undo()
    assert caught.value.code == "dice_have_fallen"
    match.close()


def match_keeps(match: Match) -> list[tuple[int, ...]]:
    return list(score_table(match.rules)[match.state.roll].keeps)


def test_undo_includes_later_moves_of_bots(tmp_path: Path) -> None:
    seats = (person("Ann"), machine("Bo", "bold"))
    rules = load("renaissance", ["start=first_seat"])
    match = Match.start(Setup(rules, seats, "manual"), tmp_path / "game.farkel")
    match.act(Throw((1, 1, 1, 2, 3, 4)))
    match.act(Keep((1, 1, 1), "bank"))
    action = match.decide()
    assert action is not None
    match.act(action)
    assert len(match.undo()) == 2
    assert match.state.roll == (1, 1, 1, 2, 3, 4)
    match.close()


def test_C9_dice_that_fell_are_recorded_and_thrown_again(tmp_path: Path) -> None:
    match = manual(tmp_path / "game.farkel")
    before = match.state
    match.dice_fell()
    assert match.state == before
    match.act(Throw((1, 2, 2, 3, 3, 5)))
    match.close()
    record = read(tmp_path / "game.farkel")
    assert record.fallen == 1
    assert any("1 time dice fell" in said for said in verify(record))


def test_F6_a_die_that_fell_is_a_farkle(tmp_path: Path) -> None:
    rules = load("minimal(fallen=farkle, start=highest_die, penalties.turn_total=subtracted)")
    match = Match.start(Setup(rules, (person("Ann"), person("Ben")), "manual"), tmp_path / "game.farkel")
    assert match.dice_fell() == ()  # for the start the die is rolled again
    for throw in ((6,), (1,), (1, 1, 1, 2, 3, 4)):
        match.act(Throw(throw))
    match.act(Keep((1, 1, 1), "roll"))
    assert [fact.kind for fact in match.dice_fell()] == ["farkle", "penalty"]
    assert (match.state.seat, match.state.seats[0].score) == (1, -1_000)
    match.undo()
    assert (match.state.points, match.state.dice) == (1_000, 3)
    match.dice_fell()
    match.close()
    assert read(tmp_path / "game.farkel").state.seats[0].score == -1_000


@given(st.lists(st.sampled_from(["roll", "keep", "fell", "undo", "resume"]), max_size=25))
def test_undo_takes_back_the_last_thing_and_nothing_else(wanted: list[str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.farkel"
        match, done = manual(path), list[tuple[list[object], int]]()
        for what in wanted:
            events: list[object] = [move.event for move in match.moves]
            before = events, match.record.fallen
            if what == "undo" and done:
                match.undo()
                events = [move.event for move in match.moves]
                assert (events, match.record.fallen) == done.pop()
            elif what == "undo":
                with pytest.raises(CannotUndo):
                    match.undo()
            elif what == "resume":
                match.close()
                match = Match.resume(path)
                assert ([move.event for move in match.moves], match.record.fallen) == before
            elif what == "keep" and not match.state.dice_due:
                match.act(Keep(match_keeps(match)[0], "bank" if len(done) % 2 else "roll"))
                done.append(before)
            elif match.state.dice_due:
                match.dice_fell() if what == "fell" else match.act(Throw((1, 1, 2, 3, 4, 6)[: match.state.dice_due]))
                done.append(before)
        match.close()


def test_a_header_is_checked_like_a_setup(tmp_path: Path) -> None:
    header = Header(named("minimal"), (person("Ann"), person("Ben")), DiceSpec(), "2026-01-01 12:00")
    RecordWriter.create(tmp_path / "game.farkel", header).close()
    assert read(tmp_path / "game.farkel").header == header
