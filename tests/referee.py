"""A referee of whole games: slow and naive, written from ``docs/rules.md`` and the descriptions of the fields alone.

It says who has the dice, what may be decided, what every event does and who wins, and shares nothing with
`farkel.game` but the names of what can happen. Clause numbers are those of the rules.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Literal, NamedTuple

from farkel.dice import Roll
from farkel.game import (
    Action,
    Event,
    Fresh,
    Keep,
    Leave,
    Note,
    Offer,
    Phase,
    Result,
    State,
    TakeOver,
    Throw,
    apply,
    legal_actions,
    new_game,
)
from farkel.game.state import Reason
from farkel.rules import Rules
from games_in_words import words
from naive_scorer import NO_WORTH, Naive, NaiveScorer, Sets
from random_play import random_event


@cache
def scorer_of(rules: Rules) -> tuple[NaiveScorer, Callable[[Roll, bool, Sets, Roll], Naive]]:
    """What a roll scores, remembered."""
    scorer = NaiveScorer(rules)
    return scorer, cache(scorer.score)


@cache
def lone_worth(rules: Rules) -> Callable[[Roll], bool]:
    """Whether dice score as one combination in any roll, remembered."""
    scorer = NaiveScorer(rules)
    moments = ((False, False), (False, True), (True, True))
    return cache(lambda dice: any(scorer.alone(dice, *moment) != NO_WORTH for moment in moments))


@dataclass
class Player:
    """One column of the score sheet."""

    people: int
    lives: int
    score: int = 0
    status: str = "in"
    person: int = 0
    """Whose turn it is, of partners."""
    entered: set[int] = field(default_factory=set)
    """People who have made the entry score."""
    farkles: int = 0
    """In a row."""
    turns: int = 0
    """Turns that it has ended, or in which it was passed over."""
    tries: int = 0
    """Turns that have failed on a barrel (Z5)."""
    falls: int = 0
    """Times it was thrown off a barrel (Z5)."""
    last: int = 0
    """Those of them after a player reached the target."""
    before: int = 0
    """The score before the last bank."""


def zone_of(text: str) -> tuple[int, int, str, int, int, int]:
    """First and last score of a zone, what it does, and of a barrel the tries, the fine and how often it may throw."""
    scores, kind, *barrel = text.split()
    first, _, last = scores.partition("-")
    said = dict(zip(barrel[::2], map(int, barrel[1::2]), strict=True))
    return int(first), int(last or first), kind, said.get("tries", 0), said.get("fine", 0), said.get("times", 0)


class Referee:
    """A game as followed by a referee who has read the rules, and sees every event."""

    def __init__(self, rules: Rules, people: tuple[int, ...]) -> None:
        self.rules = rules
        self.scorer, self.score_of = scorer_of(rules)
        self.alone = lone_worth(rules)
        self.zones = [zone_of(part) for part in rules.zones.split("; ") if part]
        self.players = [Player(size, rules.lives.each) for size in people]
        self.phase = Phase.START
        self.now = 0
        """Who has the dice."""
        self.turns_ended = 0
        self.closer = -1
        """Who was first to bank the target, if the others play on."""
        self.owed: list[int] = []
        """The players who still have a turn, if only some have: passed ones (F10), and those of a play-off (F14)."""
        self.tied: list[int] = []
        """Who plays off."""
        self.standing = 0
        """Rounds that the last team standing may still play (O20)."""
        self.result: Result | None = None
        self.thrown: dict[int, int] = {}
        """For the start: the rolls of the players still in it."""
        self.throwing = list(range(len(people)))
        """Who is still to throw for the start."""
        self.tracks_sets = rules.extend != "no" or "after_set" in f"{rules.scoring.plain} {rules.rolled.plain}"
        self.goal = rules.target
        """The score to reach, or hit: it may move on (F22)."""
        self.waiting = -1
        """Whose winning bank is lost if the next roll scores (F23)."""
        self.to_beat = 0
        """What the player before has just banked (M2)."""
        self.row = 0
        """Turns that the player has ended since the dice came (F29)."""
        self.rounds_begun = 0
        """How often the dice have come back to the seat that had the first turn, or gone past it."""
        self.begin_game()
        if rules.start in ("highest_die", "lowest_die", "first_six", "highest_total") and len(people) > 1:
            self.phase = Phase.START

    # Questions -----------------------------------------------------------------------------------------------------

    @property
    def player(self) -> Player:
        return self.players[self.now]

    @property
    def playing(self) -> list[int]:
        return [seat for seat, player in enumerate(self.players) if player.status == "in"]

    @property
    def on_board(self) -> bool:
        """S6, L5."""
        return self.rules.entry == 0 or self.player.person in self.player.entered

    def legal(self) -> set[Action]:
        """Everything that the player may decide now."""
        if self.phase is Phase.OFFER:
            assert self.offer is not None
            return {Fresh(), *(TakeOver(dice) for dice in range(1, self.offer.dice + 1) if self.may_take(dice))}
        if self.phase is not Phase.KEEP:
            return set()
        banks = (Keep(dice, "bank") for dice in self.rolled.keeps if self.may_bank(dice))
        rolls = (Keep(dice, "roll") for dice in self.rolled.keeps if self.may_roll(dice))
        return {*banks, *rolls}

    def may_take(self, dice: int) -> bool:
        """Whether this many dice of the offer may be taken over."""
        assert self.offer is not None
        take = self.rules.take_over
        if dice < self.offer.dice and not take.choose_dice:
            return False
        if (take.on_board and not self.on_board) or (take.from_score and self.player.score < take.from_score):  # T2
            return False
        if take.price == "lives":
            return self.player.lives - dice >= 1  # O14
        return take.price != "stake" or self.player.score >= take.stake  # L7

    def total_with(self, dice: Roll) -> int:
        hot = self.all_used(dice) and self.idle == 0
        bonus = self.rules.hot_dice_bonus if hot and self.rules.hot_dice_bonus_to == "turn" else 0
        total = self.total
        for _ in range(self.rolled.keeps[dice].doubles):  # K8
            total += total if total < 10_000_000 else 0
        return total + self.rolled.keeps[dice].points * self.times + bonus

    def wins(self, dice: Roll) -> bool:
        """P16."""
        return self.rolled.keeps[dice].wins > 0

    def owing_after(self, dice: Roll) -> int:
        """Points that must still be set aside before the bank after a keep of these dice (P16)."""
        set_aside = self.total_with(dice) - self.total
        return max(0, self.owing - set_aside, -self.rolled.keeps[dice].confirm)

    def enough(self, dice: Roll) -> bool:
        """Whether the turn total with these dice may be banked at all."""
        return self.enough_points(self.total_with(dice), self.opened or self.opens(dice))

    def enough_points(self, total: int, opened: bool) -> bool:
        """Whether that turn total may be banked at all (D3, D11, D25, M2, M5, T3)."""
        rules = self.rules
        if rules.finish in ("exact", "welfare") and self.player.score + total == self.goal:
            return True
        if rules.bank_multiple and total % rules.bank_multiple:
            return False
        if self.rests(total):
            return False
        if rules.beat_previous and total <= self.to_beat:
            return False
        return total >= rules.minimum and (self.on_board or (opened and self.enters(total)))

    def rests(self, total: int) -> bool:
        """Whether a bank of this many points would end where no player may rest (Z1, Z2, Z4)."""
        here, there = self.player.score, self.player.score + total
        for first, last, kind, *_ in self.zones:
            inside = first <= there <= last
            if inside and (kind == "never" or (kind != "zero" and first <= here <= last)):
                return True
        return False

    def arrive(self) -> None:
        """Z3, Z4."""
        self.player.tries = 0
        for first, last, kind, *_ in self.zones:
            if first <= self.player.score <= last and kind in ("zero", "barrel"):
                self.player.score = 0 if kind == "zero" else first
                return

    def fail(self) -> None:
        """A turn that has brought nothing (Z5)."""
        player = self.player
        for first, last, kind, tries, fine, times in self.zones:
            if kind == "barrel" and first <= player.score <= last:
                player.tries += 1
                if player.tries >= tries:
                    player.tries = 0
                    player.falls += times > 0
                    self.fine(fine)
                    if times and player.falls >= times:
                        player.score = player.falls = 0
                return
        player.tries = 0

    def enters(self, total: int) -> bool:
        """Whether the turn total makes the entry score."""
        return total - (0 if self.rules.take_over.toward_entry else self.not_rolled) >= self.rules.entry

    def opens(self, dice: Roll) -> bool:
        """M5."""
        if self.rules.entry_by == "roll":
            return self.rolled.keeps[dice].points >= self.rules.entry
        if self.rules.entry_by == "triple":
            parts = (part for size in range(3, len(dice) + 1) for part in combinations(dice, size))
            return any(self.alone(part) for part in parts)
        return True

    def may_leave(self, dice: Roll) -> bool:
        """Whether few enough dice are left, after enough rolls, to bank (M1, M3)."""
        lying = self.hand - len(dice) + self.idle
        lying = 0 if self.rules.next_roll == "all" else lying
        return lying <= self.rules.bank_left and self.rolls >= self.rules.least_rolls

    @property
    def last_roll(self) -> bool:
        """M4."""
        last_turn = self.rules.last_turns == "roll" and self.closer >= 0
        most = self.rules.most_rolls if self.on_board or not self.rules.entry_rolls else self.rules.entry_rolls  # M8
        return last_turn or 0 < most <= self.rolls

    def last_hot(self, dice: Roll) -> bool:
        """M6."""
        hot = self.all_used(dice) and self.idle == 0
        return hot and self.rules.most_hot_dice > 0 and self.hots + 1 >= self.rules.most_hot_dice

    def all_used(self, dice: Roll) -> bool:
        """Whether no die is left in hand. With none idle either, those are hot dice."""
        return len(dice) == self.hand

    def bound(self) -> bool:
        """Whether the roll has to be banked: it ends the turn, and some keep of it may be (R7, D5)."""
        keeps = self.rolled.keeps
        return self.rolled.binds and any(self.wins(dice) or self.proved(dice) for dice in keeps)

    def proved(self, dice: Roll) -> bool:
        """Whether the turn total with these dice may be banked, but for forced hot dice."""
        proved = self.owing_after(dice) == 0
        may_end = self.may_leave(dice) and self.may_win(dice) and self.keeps_all(dice)
        return proved and self.enough(dice) and may_end

    def may_bank(self, dice: Roll) -> bool:
        hot = self.all_used(dice) and self.idle == 0
        last = self.last_roll or self.last_hot(dice)
        again = hot and self.rules.hot_dice == "forced" and not self.rolled.binds and not last
        return self.wins(dice) or (self.proved(dice) and not again)

    def may_win(self, dice: Roll) -> bool:
        """F16."""
        reached = self.player.score + self.total_with(dice)
        exactly = self.rules.finish in ("exact", "welfare")
        if not self.rules.hot_dice_to_win or (reached != self.goal if exactly else reached < self.goal):
            return True
        return self.heavy or (self.all_used(dice) and self.idle == 0)

    def keeps_all(self, dice: Roll) -> bool:
        """K7."""
        reached = self.player.score + self.total_with(dice)
        exactly = self.rules.finish in ("exact", "welfare")
        if self.rules.keep != "all_to_win" or (reached != self.goal if exactly else reached < self.goal):
            return True
        return not any(len(other) > len(dice) and not Counter(dice) - Counter(other) for other in self.rolled.keeps)

    def may_roll(self, dice: Roll) -> bool:
        only_idle_left = self.all_used(dice) and self.idle > 0
        if self.last_roll or self.bound() or self.wins(dice):
            return False
        must_bank = self.rolled.keeps[dice].must_bank or only_idle_left or self.last_hot(dice)  # P16; O17, D12
        must_bank |= self.total_with(dice) < self.rules.roll_from  # M7
        return not (must_bank and self.may_bank(dice))

    # What happens ----------------------------------------------------------------------------------------------------

    def happens(self, event: Event) -> None:
        """Follow an event that may happen now."""
        match event:
            case Leave(seat):
                self.leave(seat)
            case Note(points, dice, farkle):
                self.told(points, dice, farkle)
            case Fresh():
                self.begin_turn()
            case TakeOver(dice):
                self.take_over(dice)
            case Throw(faces) if self.phase is Phase.START:
                self.throw_for_start(sum(faces))
            case Throw(faces):
                self.throw(faces)
            case Keep(faces, "roll"):
                self.roll_on(faces)
            case Keep(faces, _) if self.wins(faces):
                self.end([self.now], "dice")
            case Keep(faces, _):
                if self.pays_hot_dice(faces):
                    return
                left = self.hand - len(faces) + self.idle
                self.bank(self.total_with(faces), left)

    def throw_for_start(self, die: int) -> None:
        """O12: the first six; S5, F20, F25: the highest or lowest die, or total of all, and ties throw again."""
        if self.rules.start == "first_six":
            if die == 6:
                self.begin_game()
            else:
                self.now = self.next_seat()
            return
        self.thrown[self.throwing.pop(0)] = die
        self.settle_start()

    def settle_start(self) -> None:
        if not self.throwing:
            wanted = min if self.rules.start == "lowest_die" else max
            best = wanted(self.thrown.values(), default=0)
            self.throwing = [seat for seat, die in self.thrown.items() if die == best] or self.playing
            self.thrown = {}
            if len(self.throwing) == 1:
                self.now = self.throwing[0]
                self.begin_game()
                return
        self.now = self.throwing[0]

    def begin_game(self) -> None:
        self.first = self.now
        """Who has the first turn."""
        self.begin_turn()

    def begin_turn(self, offer: Offer | None = None) -> None:
        self.offer = offer
        self.phase = Phase.OFFER if offer else Phase.ROLL
        self.total, self.times, self.owing = 0, 1, 0
        self.hand, self.idle = self.rules.dice, 0
        self.taking = False
        """The next roll is the first of a take-over."""
        self.sets: Sets = ()
        """What later dice extend."""
        self.held: Roll = ()
        """What the next roll must complete (P19)."""
        self.not_rolled = 0
        """Points of the turn total that were taken over (T3)."""
        self.heavy = False
        """All dice have been set aside in this turn (T1)."""
        self.hots = 0
        """Hot dice of the turn."""
        self.rolls = 0
        """Rolls of the turn."""
        self.failed = 0
        """Tries of the last die that did not score (K10)."""
        self.opened = False
        """What the entry score is made with was set aside before (M5)."""
        self.started = False
        """The first roll of the turn is over."""
        self.faces: Roll = ()

    def take_over(self, dice: int) -> None:
        """O13, L7, B4."""
        assert self.offer is not None
        points, offered = self.offer
        if self.rules.take_over.price == "lives":
            self.player.lives -= dice
        self.player.score -= self.rules.take_over.stake
        self.begin_turn()
        self.total = self.not_rolled = points if self.rules.take_over.points else 0  # T4
        self.hand, self.idle, self.taking = dice, offered - dice, True

    def cancel(self, scores: bool) -> None:
        """F23."""
        winner, self.waiting = self.waiting, -1
        if scores:
            self.begin_turn()
        else:
            self.players[winner].score = self.goal
            self.end([winner], "exact")

    def throw(self, faces: Roll) -> None:
        if self.waiting >= 0:
            self.cancel(bool(self.score_of(faces, False, (), ()).keeps))
            return
        first, self.started = not self.started, True
        self.faces = faces
        self.rolled = self.score_of(faces, self.total == 0 and not (self.taking or self.held), self.sets, self.held)
        self.rolls += 1
        if self.rolled.fine < 0:  # P17
            if self.reward(-self.rolled.fine):
                return
        elif self.rules.penalties.fines_from == "turn":  # F28
            self.total -= min(self.total, self.rolled.fine)
        else:
            self.fine(self.rolled.fine)  # D6
        match self.rolled.ends:
            case "win":
                self.end([self.now], "dice")
                return
            case "lose":
                self.player.status = "out"
                self.end_turn()
                return
            case "again":  # P18: as if the dice had not fallen
                self.started, self.faces = not first, ()
                self.rolls -= 1
                return
            case "zero":
                self.player.score = min(self.player.score, 0)
        self.failed = 0 if self.rolled.keeps else self.failed + 1
        if not self.rolled.keeps:
            if self.hand == 1 and self.failed < self.rules.last_die_tries and self.rolled.ends != "zero":
                self.started, self.faces = not first, ()  # K10: nothing has happened yet
                self.rolls -= 1
            else:
                self.farkle(self.hand, self.total, first)
            return
        self.phase = Phase.KEEP
        self.taken_over()
        if self.last_roll and not any(map(self.may_bank, self.rolled.keeps)):  # M4
            self.farkle(self.hand, self.total, first)

    def taken_over(self) -> None:
        """The first roll of a take-over has scored (L7, T5)."""
        if self.taking:
            self.player.score += self.rules.take_over.stake
            self.total += self.rules.take_over.bonus
            self.not_rolled += self.rules.take_over.bonus
        self.taking = False

    def fine(self, points: int, whose: Player | None = None) -> None:
        """Points taken from the banked score, which stays at zero or falls below it."""
        player = whose or self.player
        if self.rules.penalties.below_zero:
            player.score -= points
        elif player.score > 0:
            player.score = max(0, player.score - points)

    def reward(self, points: int) -> bool:
        """Points for the banked score at once (P17, K5). Returns whether that ends the game."""
        rules, player = self.rules, self.player
        hits = rules.finish in ("exact", "welfare")
        if hits and player.score + points > self.goal:
            return False
        player.score += points
        if not self.goal or player.score < self.goal or self.closer >= 0:
            return False
        if hits or rules.finish == "at_once" or len(self.players) == 1:
            self.end([self.now], "exact" if hits else "target")
            return True
        if not self.tied:
            self.closer = self.now
            player.last = -1  # the turn under way is none of its last ones
            if rules.last_turns_again == "passed":
                self.owed = [seat for seat in self.playing if seat != self.now]
        return False

    def pays_hot_dice(self, dice: Roll) -> bool:
        """The bonus for all dice that goes to the score (K5). Returns whether that ends the game."""
        hot = self.all_used(dice) and self.idle == 0
        return hot and self.rules.hot_dice_bonus_to == "score" and self.reward(self.rules.hot_dice_bonus)

    def roll_on(self, dice: Roll) -> None:
        if self.pays_hot_dice(dice):
            return
        self.owing = self.owing_after(dice)
        self.held = () if self.rolled.keeps[dice].points or self.rolled.keeps[dice].doubles else dice
        self.opened |= self.opens(dice)
        self.total = self.total_with(dice)
        self.hand -= len(dice)
        if self.hand and self.rules.next_roll == "all":  # K6
            self.hand = self.rules.dice
        if self.tracks_sets:
            self.sets = self.scorer.sets_after(self.sets, dice)  # K1
        if self.hand == 0:
            self.sets = ()
            self.heavy |= self.idle == 0
            self.hots += self.idle == 0
            self.times += self.rules.hot_dice_multiplier and self.idle == 0  # D16, D12
            self.hand, self.idle = self.rules.dice, 0
        self.phase, self.faces = Phase.ROLL, ()

    def bank(self, total: int, left: int) -> None:
        rules, player = self.rules, self.player
        player.farkles = 0
        if rules.target < player.score + total <= rules.missed_target:
            self.goal = rules.missed_target  # F22
        over = player.score + total - self.goal
        if rules.finish in ("exact", "welfare") and over > 0:
            self.fail()
            self.end_turn(gift=over if rules.finish == "welfare" else 0)  # D4, D13
            return
        if rules.cancel_win and over == 0 and left and self.next_seat() != self.now:
            winner = self.now
            self.end_turn()
            self.waiting, self.hand = winner, left
            return
        self.catch_up(player.score, player.score + total)
        player.before = player.score
        player.score += total
        self.arrive()
        player.entered |= {player.person} if rules.entry_each else set(range(player.people))
        stands = rules.exact_hit == "round" and over == 0 and not self.tied and len(self.playing) > 1
        if stands:
            self.stand()
        elif rules.target and over >= 0 and self.closer < 0:
            if rules.finish in ("exact", "welfare"):
                self.end([self.now], "exact")
                return
            if rules.finish == "at_once" or len(self.players) == 1:  # O2, D22
                self.end([self.now], "target")
                return
        left = left or (rules.dice if rules.take_over.after_hot_dice else 0)  # O19, X
        heavy = rules.take_over.heavy and self.heavy  # T1
        offer = Offer(total, left) if left and not heavy else None
        self.end_turn(offer, closes=rules.target > 0 and over >= 0, banked=total)

    def stand(self) -> None:
        """F27."""
        if self.closer >= 0:
            self.players[self.closer].score = self.players[self.closer].before
        else:
            self.owed = [seat for seat in self.playing if seat != self.now]
        self.closer = self.now

    def catch_up(self, score: int, reached: int) -> None:
        """F7 to F9: what a bank from one score to another does to the others who are still playing."""
        rules = self.rules.catching_up
        for seat in self.playing:
            other = self.players[seat]
            if seat == self.now:
                continue
            if other.score == reached and rules.landed_on == "to_zero":
                other.score = min(other.score, 0)
            elif other.score == reached and rules.landed_on == "back":
                other.score = min(other.score, other.before)
            elif other.score == reached and rules.landed_on == "swap":  # F26
                other.score = min(other.score, score)
            elif score < other.score < reached:
                self.fine(rules.overtaken, other)

    def farkle(self, dice: int, lost: int, first: bool) -> None:
        """A farkle of this many dice, the turn total it loses, and whether it was on the first roll of the turn."""
        rules, player = self.rules, self.player
        lives, fines = rules.lives, rules.penalties
        all_dice = dice == rules.dice
        mine = 0 if self.taking else lost
        if (
            fines.turn_total == "kept"
            and mine
            and self.owing == 0
            and self.enough_points(mine, self.opened or self.rules.entry_by == "turn")
        ):  # F5
            self.bank(mine, dice + self.idle)
            return
        self.fail()
        if lives.each:
            player.lives -= (lives.farkle_all_dice if all_dice else 0) or lives.farkle
            player.lives = max(0, player.lives)
            if player.lives == 0:
                player.status = "out"
        costs: list[int | Literal["all"]] = [fines.farkle]
        costs += [fines.farkle_all_dice] if all_dice else []
        costs += [fines.farkle_first_roll] if first else []
        costs += [fines.not_beaten] if self.rules.beat_previous and self.to_beat else []
        costs += [mine] if fines.turn_total == "subtracted" else []
        if fines.farkles_in_row:
            player.farkles += 1
            if player.farkles == fines.farkles_in_row:
                costs.append(fines.farkles_in_row_points)
                player.farkles = 0
        if "all" in costs:
            player.score = min(player.score, 0)  # F1
        else:
            self.fine(sum(points for points in costs if points != "all"))
        lying = dice + self.idle
        heavy = rules.take_over.heavy and self.heavy  # T1
        offered = rules.take_over.after_farkle and lost and dice and not self.taking and not heavy  # D15
        self.end_turn(Offer(lost, lying) if offered else None)

    def told(self, points: int, dice: int, farkle: bool) -> None:
        """A turn as people tell it (D24)."""
        if self.waiting >= 0:
            told = bool(points or dice or farkle)
            self.cancel(scores=told and not farkle)
            if farkle or not told:
                return
        if not (points or dice or farkle):
            self.end_turn()
            return
        if self.taking and points > (self.total if farkle else 0):
            self.taken_over()
        if not farkle:
            self.bank(points, dice)
            return
        if dice > self.hand:
            self.idle = 0
        unkept = self.total == 0 and not self.held
        first = dice == self.hand and (self.taking or (unkept and not points))
        self.heavy |= points > 0 and dice == self.rules.dice and not self.taking  # T1: all of them were kept before
        self.farkle(dice, points, first)

    def leave(self, seat: int) -> None:
        """D17."""
        if self.waiting == seat:
            self.cancel(scores=True)
        elif self.waiting >= 0 and seat == self.now:
            self.players[seat].status = "left"
            self.cancel(scores=False)
            return
        self.players[seat].status = "left"
        there = any(self.players[other].score >= self.goal for other in self.playing)
        if self.closer >= 0 and self.players[self.closer].status == "left" and not there:
            self.reopen()
        if len(self.playing) <= 1 and not (self.playing and self.plays_last_rounds()):
            self.end(self.playing, "left" if self.playing else "nobody")
        elif self.phase is Phase.START:
            self.leave_start(seat)
        elif seat == self.now:
            self.end_turn()
        else:
            self.begin_last_rounds()

    def reopen(self) -> None:
        """D26: the last turns are off."""
        self.closer, self.owed, self.tied = -1, [], []
        seats = len(self.players)
        done = (self.now - self.first) % seats
        for seat, player in enumerate(self.players):
            player.last, player.turns = 0, self.rounds_begun + ((seat - self.first) % seats < done)

    def leave_start(self, seat: int) -> None:
        if len(self.playing) == 1:
            self.now = self.playing[0]
            self.begin_game()
            self.begin_last_rounds()
        elif self.rules.start == "first_six":
            self.now = self.next_seat() if seat == self.now else self.now
        else:
            self.throwing = [other for other in self.throwing if other != seat]
            self.thrown.pop(seat, None)
            self.settle_start()

    # How turns and games end -----------------------------------------------------------------------------------------

    def next_seat(self) -> int:
        seats = len(self.players)
        following = [(self.now + step) % seats for step in range(1, seats + 1)]
        return next(seat for seat in following if self.players[seat].status == "in")

    def end_turn(self, offer: Offer | None = None, *, closes: bool = False, gift: int = 0, banked: int = 0) -> None:
        player = self.player
        self.turns_ended += 1
        self.row += 1
        if self.closer >= 0:
            player.last += self.row == 1
            if banked and not self.tied:
                self.begin_again()
        elif closes and not self.tied:
            self.closer = self.now
            if self.rules.last_turns_again == "passed":
                self.owed = [seat for seat in self.playing if seat != self.now]
        self.give(gift)
        self.fall()
        if self.result is None and self.takes_another():
            self.to_beat = 0
            self.begin_turn()
            return
        self.row = 0
        player.turns += 1
        self.owed = [seat for seat in self.owed if seat != self.now]
        if self.rules.teams == "partners":
            player.person = (player.person + 1) % player.people  # D23, D24
        self.settle()
        if self.result is None:
            before, self.now = self.now, self.next_seat()
            while self.limited and self.now not in self.owed:
                self.now = self.next_seat()
            seats = len(self.players)
            self.rounds_begun += (self.first - before - 1) % seats <= (self.now - before - 1) % seats
            self.to_beat = banked if self.now != before else 0
            for_sale = self.rules.take_over.price != "none" and self.now != before  # D14
            self.begin_turn(offer if for_sale else None)

    def takes_another(self) -> bool:
        """F29."""
        ended = self.closer == self.now and self.rules.finish != "equal_turns"
        return self.row < self.rules.turns_in_row and self.player.status == "in" and not ended

    @property
    def limited(self) -> bool:
        """Whether only some of the players still have turns."""
        some = self.rules.last_turns_again == "passed" or self.rules.exact_hit == "round"
        return bool(self.tied) or (self.closer >= 0 and some)

    def begin_again(self) -> None:
        """F10 to F12: a player has banked in the last turns, and may have passed the leader."""
        again = self.rules.last_turns_again
        others = [self.players[seat].score for seat in self.playing if seat != self.now]
        best = max(others, default=self.player.score - 1)
        if again == "no" or self.player.score < best or (self.player.score == best and again != "tied"):
            return
        if again == "passed":
            self.owed.append(self.closer)
        else:
            for other in self.players:
                other.last = 0
        self.closer = self.now

    def decide_game(self, reason: Reason) -> None:
        """All turns are played: the highest score wins, or tied players play off (F14)."""
        best = self.leaders()
        if self.rules.ties == "first" and self.closer >= 0:  # F24
            best = best[:1]
        if self.rules.ties == "play_off" and len(best) > 1:
            self.tied, self.owed = best, list(best)
            return
        self.end(best, reason)

    def give(self, points: int) -> None:
        """D13."""
        seats = len(self.players)
        others = [(self.now + step) % seats for step in range(1, seats)]
        others = [seat for seat in others if self.players[seat].status == "in"]
        if points and others:
            lowest = min(others, key=lambda seat: self.players[seat].score)
            if self.players[lowest].score + points <= self.rules.target:
                self.players[lowest].score += points
            if self.players[lowest].score == self.rules.target:
                self.end([lowest], "exact")

    def fall(self) -> None:
        """M9."""
        least = {"no": None, "at_zero": 1, "below_entry": self.rules.entry}[self.rules.entry_again]
        for player in self.players:
            if least is not None and player.score < least:
                player.entered.clear()

    def settle(self) -> None:
        """After a turn: whether the game is over."""
        rules = self.rules
        playing = [self.players[seat] for seat in self.playing]
        same_turns = len({player.turns for player in playing}) == 1
        others = [self.players[seat] for seat in self.playing if seat != self.closer]
        if self.result is not None:
            return
        if not playing:
            self.end([], "nobody")
        elif self.limited:
            if not any(seat in self.playing for seat in self.owed):
                reason: Reason = "play_off" if self.tied else "last_turns"
                if not any(seat in self.playing for seat in self.tied):
                    self.tied = []
                if reason == "play_off":
                    self.decide_game(reason)
                else:
                    self.end(self.leaders()[:1], "exact" if rules.exact_hit == "round" else reason)
        elif self.closer >= 0 and rules.finish == "last_turns" and all(player.last for player in others):
            if rules.last_turns_again == "tied":
                self.decide_game("last_turns")
            else:
                self.end(self.leaders()[:1], "last_turns")
        elif self.closer >= 0 and rules.finish == "equal_turns" and same_turns:
            self.decide_game("equal_turns")
        elif self.closer >= 0 and rules.finish == "fewest_rounds" and same_turns:
            self.end([seat for seat in self.playing if self.players[seat].score >= rules.target], "fewest_rounds")
        elif len(playing) == 1 and len(self.players) > 1 and not self.plays_last_rounds():
            self.end(self.playing, "standing")
        elif self.standing == 1:
            self.end([], "nobody")
        elif self.closer < 0 and rules.rounds and same_turns and playing[0].turns >= rules.rounds:
            self.decide_game("rounds")
        elif self.standing:
            self.standing -= 1
        else:
            self.begin_last_rounds()

    def plays_last_rounds(self) -> bool:
        return self.rules.lives.each > 0 and self.rules.lives.last_standing == "rounds"

    def begin_last_rounds(self) -> None:
        """One round for every 10,000 points or part of them that the last team is short of the target (O20)."""
        if len(self.playing) == 1 and len(self.players) > 1 and self.closer < 0 and self.plays_last_rounds():
            short, each = self.goal - self.players[self.playing[0]].score, self.rules.lives.round_points
            self.standing = short // each + (short % each > 0)

    def leaders(self) -> list[int]:
        """Those with the highest score, the one who closed first, then the others as they had their turns (D1)."""
        seats = len(self.players)
        order = [(max(0, self.closer) + step) % seats for step in range(seats)]
        among = [seat for seat in order if seat in self.playing and (seat in self.tied or not self.tied)]
        highest = max(self.players[seat].score for seat in among)
        return [seat for seat in among if self.players[seat].score == highest]

    def end(self, winners: list[int], reason: Reason) -> None:
        self.phase, self.offer = Phase.OVER, None
        self.result = Result(tuple(sorted(winners)), reason)


# Both at once --------------------------------------------------------------------------------------------------------


def difference(state: State, referee: Referee) -> str | None:
    """The first thing in which the state and the referee differ."""
    for seat, (mine, player) in enumerate(zip(state.seats, referee.players, strict=True)):
        for name in ("score", "lives", "status", "people", "farkles", "tries", "falls", "person"):
            if name == "person" and state.over:
                continue  # no player is next
            if getattr(mine, name) != getattr(player, name):
                return f"{name} of seat {seat}: {getattr(mine, name)}, by the rules {getattr(player, name)}"
    pairs: dict[str, tuple[object, object]] = {
        "phase": (state.phase, referee.phase),
        "result": (state.result, referee.result),
        "legal": (set(legal_actions(state)), referee.legal()),
    }
    if state.phase is Phase.START:
        pairs["due"] = state.dice_due, referee.rules.dice if referee.rules.start == "highest_total" else 1
    if state.phase is not Phase.OVER:
        pairs["seat"] = state.seat, referee.now
        pairs["standing"] = state.standing, referee.standing
    if state.phase not in (Phase.START, Phase.OVER):
        pairs["more"] = state.more, referee.rules.turns_in_row - 1 - referee.row
    if state.phase not in (Phase.START, Phase.OVER):
        pairs["offer"] = state.offer, referee.offer
        pairs["on_board"] = state.mine.on_board, referee.on_board
    if state.phase in (Phase.ROLL, Phase.KEEP):
        on_table = referee.total, referee.hand, referee.idle, referee.taking, referee.faces, referee.owing
        pairs["table"] = (state.points, state.dice, state.idle, state.taking, state.roll, state.owing), on_table
        pairs["tries"] = state.tried, referee.failed
    for name, (ours, theirs) in pairs.items():
        if ours != theirs:
            return f"{name}: {ours}, by the rules {theirs}"
    return None


class Disagreement(AssertionError):
    """The engine and the referee differ."""


class Step(NamedTuple):
    """An event of a game that both have followed."""

    before: State
    event: Event
    after: State


def followed(
    rules: Rules, people: tuple[int, ...], chance: random.Random, bound: int
) -> Iterator[tuple[Step, Referee]]:
    """A game of random events, and the referee after each of them; raises where the two differ."""
    state = before = new_game(rules, people)
    referee, events = Referee(rules, people), list[Event]()
    for _ in range(bound):
        found = difference(state, referee)
        if found:
            raise Disagreement(f"{found}\n{rules} with {people}, after {', '.join(map(words, events))}")
        if events:
            yield Step(before, events[-1], state), referee
        if state.over:
            return
        before, event = state, any_event(state, chance)
        events.append(event)
        state = apply(before, event)
        referee.happens(event)


def any_event(state: State, chance: random.Random) -> Event:
    """A roll or a decision; now and then a seat leaves, is passed over, or a turn is only told (D24)."""
    dice = state.rules.dice
    if chance.random() < 0.01:
        playing = [seat for seat, one in enumerate(state.seats) if one.status == "in"]
        return Leave(chance.choice(playing))
    if state.phase is not Phase.START and chance.random() < 0.04:
        points = chance.randrange(0, 1_000, 50)
        return chance.choice(
            [
                Note(0, 0),
                Note(points + 50, chance.randrange(dice)),
                Note(points, chance.randint(0, dice), farkle=True),
            ]
        )
    return random_event(state, chance)
