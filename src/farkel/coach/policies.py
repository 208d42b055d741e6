"""The players whose choices are known for every position, as policies that are evaluated without playing."""

from __future__ import annotations

from collections.abc import Sequence

from farkel.errors import PlayerError
from farkel.kernels.arrays import array, full
from farkel.players import knowledge
from farkel.players.best_play import Best, Exact
from farkel.players.card import Card
from farkel.players.protocol import Player, make_player
from farkel.players.rules_of_thumb import Thumb
from farkel.players.tuning import CardPolicy
from farkel.rules import Rules
from farkel.solve.evaluation import FollowedPolicy, Perfect, Policy, PolicyLanding, PolicyRules, TurnPlan
from farkel.solve.policy_turns import Style
from farkel.support.progress import Progress, Steps, silent


class ThumbPolicy:
    """A rule of thumb: see `Thumb`."""

    def __init__(self, player: Thumb) -> None:
        self.player, self.name = player, player.name

    def styles(self, table: PolicyRules) -> Sequence[Style]:
        rules = table.rules

        def bank(total: int, landing: PolicyLanding) -> bool:
            return total * rules.unit >= self.player.enough(rules, landing.left)

        return [table.style(bank)]

    def plan(self, table: PolicyRules, stage: int, score: int, other: int) -> TurnPlan:
        return TurnPlan(0, table.need(score), max(table.n - score, table.need(score)))

    def last(self, table: PolicyRules, score: int, lead: int) -> TurnPlan:
        goal = max(lead if table.board.shares else lead + 1, table.need(score))
        return TurnPlan(0, goal, goal)


class TurnPolicy:
    """The play for the most points: see `Best`."""

    name = "turn"

    def styles(self, table: PolicyRules) -> Sequence[Style]:
        turn = knowledge.turn(table.rules)
        found, last = list[Style](), list[Style]()
        for on_board, needs in ((True, table.board.need[0]), (False, table.board.need[1])):
            order = [turn.program.place[each] for each in table.program.rollings]
            known = turn.values[on_board][0].tolist()[: table.rows]
            steps = [last - before for last, before in zip(known[-1], known[-2], strict=True)]
            while len(known) < table.rows:
                known.append([value + step for value, step in zip(known[-1], steps, strict=True)])
            values = array([row[rolling] for rolling in order] for row in known)
            banks = array(float(total) if total >= needs else -1.0 for total in range(table.rows))
            found.append(table.best_style(values, banks))
            # In a last turn what does not win is not banked, whatever it brings.
            rolls = table.best_style(values, full(table.rows, -1.0))
            last.append(rolls._replace(bank=rolls.roll))
        return found + last

    def plan(self, table: PolicyRules, stage: int, score: int, other: int) -> TurnPlan:
        need = table.need(score)
        style = 1 if table.entering(score) else 0
        return TurnPlan(style, need, max(table.n - score, need)) if table.ends_game(stage) else TurnPlan(style, need)

    def last(self, table: PolicyRules, score: int, lead: int) -> TurnPlan:
        goal = max(lead + 1, table.need(score))
        return TurnPlan(3 if table.entering(score) else 2, goal, goal)


def is_policy(player: Player) -> bool:
    """Return whether the choices of the player are known for every position."""
    return isinstance(player, Thumb | Best | Card)


def followed(table: PolicyRules, player: str | Player, progress: Progress) -> FollowedPolicy | Perfect:
    """Return the turns of a player, or of perfect play, which is solved first.

    Raises `PlayerError` ``not_a_policy``, and as `make_player`.
    """
    player = make_player(player)
    if isinstance(player, Exact):
        steps = Steps(progress, {"Solving the game": 1.0, "Following best play": 4.0})
        solved = knowledge.solution(table.rules, steps.begin("Solving the game"))
        return Perfect(table, solved, steps.begin("Following best play"))
    return FollowedPolicy(table, policy_of(player, table.rules, progress))


def policy_of(player: Player, rules: Rules, progress: Progress = silent) -> Policy:
    """Return the player as a policy under the rules. Raises `PlayerError` ``not_a_policy`` for one that only plays."""
    if isinstance(player, Thumb):
        return ThumbPolicy(player)
    if isinstance(player, Best):
        return TurnPolicy()
    if isinstance(player, Card):
        return CardPolicy(player.numbers_of(rules, progress))
    raise PlayerError(
        "not_a_policy",
        f"{player.name} cannot be evaluated without playing: take card, turn, cautious, bold or threshold:N",
    )
