"""How far long work is: steps that never go back, and estimates that rest on what was measured."""

from __future__ import annotations

import pytest

from farkel.support.progress import Reckoning, Steps


class Heard:
    """A progress that keeps what it hears."""

    def __init__(self) -> None:
        self.far: list[float] = []
        self.named: list[str] = []

    def __call__(self, done: float, of: float) -> None:
        self.far.append(done / of)

    def doing(self, what: str, until: float) -> None:
        self.named.append(what)


class Watch:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def watch() -> Watch:
    return Watch()


def test_steps_within_steps_never_go_back() -> None:
    heard = Heard()
    steps = Steps(heard, {"search": 3, "answer": 1, "weigh": 1})
    inner = Steps(steps.begin("search"), {"solve": 1, "try": 2})
    solving = inner.begin("solve")
    for done in (1, 2, 1, 2):  # work that is done twice
        solving(done, 2)
    inner.begin("try")(89, 100)
    steps.begin("answer")(1, 2)
    steps.begin("weigh")(0, 0)  # nothing to do
    steps.begin("weigh")(1, 1)
    assert heard.far == sorted(heard.far)
    assert heard.far[0] == 0
    assert heard.far[-1] == 1
    assert heard.named == ["search", "solve", "try", "answer", "weigh", "weigh"]


def test_a_step_that_is_left_out_counts_as_done_and_one_that_comes_late_takes_nothing_back() -> None:
    heard = Heard()
    steps = Steps(heard, {"solve": 1, "follow": 1, "judge": 2})
    steps.begin("judge")(1, 2)
    steps.begin("follow")(1, 2)
    assert heard.far == [0.5, 0.75, 0.75, 0.75]


def test_steps_report_to_a_progress_that_hears_no_names() -> None:
    far: list[float] = []
    Steps(lambda done, of: far.append(done / of), {"solve": 1}).begin("solve")(1, 2)
    assert far == [0, 0.5]


def test_an_estimate_appears_only_after_measured_work(watch: Watch) -> None:
    reckoning = Reckoning("Solving", watch)
    watch.now += 88  # loading, before anything is reported
    reckoning(0, 100)
    assert str(reckoning) == "Solving: 0%"
    watch.now += 0.5
    reckoning(10, 100)
    assert str(reckoning) == "Solving: 10%"  # too short to say
    watch.now += 1.5
    reckoning(40, 100)
    assert str(reckoning) == "Solving: 40%, about 3 s left"
    watch.now += 1
    assert str(reckoning) == "Solving: 40%, about 2 s left"
    watch.now += 5  # it takes longer than it should: nothing is claimed
    assert str(reckoning) == "Solving: 40%"


def test_little_work_makes_no_estimate(watch: Watch) -> None:
    reckoning = Reckoning("Solving", watch)
    reckoning(0, 1000)
    watch.now += 60
    reckoning(49, 1000)
    assert reckoning.left is None


def test_an_early_estimate_is_the_least_that_is_left(watch: Watch) -> None:
    """Solving is uneven: its later parts take longer than the early ones."""
    reckoning = Reckoning("Solving", watch)
    steps = Steps(reckoning, {"Solving": 1, "Trying": 1})
    solving = steps.begin("Solving")
    watch.now += 10
    solving(10, 100)
    assert reckoning.rest == "90 s or more for this step"
    watch.now += 10
    solving(20, 100)
    assert reckoning.rest == "about 80 s for this step"
    trying = steps.begin("Trying")
    watch.now += 4
    trying(19, 100)
    assert reckoning.rest == "20 s or more left"


def test_time_in_which_the_clock_stands_is_not_counted(watch: Watch) -> None:
    """Compiling stops the clock of work: 2 s of work were once said to take 4,681 s."""
    reckoning = Reckoning("Solving", watch)
    reckoning(0, 100)
    watch.now += 2  # and a minute of compiling, in which it stood
    reckoning(50, 100)
    assert reckoning.rest == "about 2 s left"


def test_what_is_done_never_goes_back(watch: Watch) -> None:
    reckoning = Reckoning("Solving", watch)
    shares = []
    for done in (0.0, 0.5, 0.34, 0.99, 0.2, 0.999, 1.0):
        reckoning(done, 1)
        shares.append(int(reckoning.share.rstrip("%")))
    assert shares == [0, 50, 50, 99, 99, 99, 100]


def test_a_step_is_measured_by_itself(watch: Watch) -> None:
    reckoning = Reckoning("Working", watch)
    steps = Steps(reckoning, {"Solving": 1, "Trying": 9})
    solving = steps.begin("Solving")
    watch.now += 100
    solving(1, 4)
    assert str(reckoning) == "Solving: 2%, about 5 min for this step"
    trying = steps.begin("Trying")  # a step that was left out has measured nothing
    assert str(reckoning) == "Trying: 10%"
    watch.now += 5
    trying(1, 3)
    assert str(reckoning) == "Trying: 40%, about 10 s left"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 s"), (9.1, "10 s"), (41, "45 s"), (61, "65 s"), (101, "2 min"), (1800, "30 min"), (7201, "3 h")],
)
def test_estimates_are_rough(watch: Watch, seconds: float, said: str) -> None:
    reckoning = Reckoning("Solving", watch)
    reckoning(0, 2)
    watch.now += seconds
    reckoning(1, 2)
    expected = f"about {said} left" if seconds >= 1 else ""
    assert reckoning.rest == expected


def test_nothing_is_said_before_anything_is_reported(watch: Watch) -> None:
    assert str(Reckoning("Solving", watch)) == "Solving"
    assert str(Reckoning(now=watch)) == ""


def test_what_is_left_at_the_end_has_a_word(watch: Watch) -> None:
    """Storing a long solution takes seconds in which nothing is reported."""
    reckoning = Reckoning("Solving", watch)
    reckoning(1, 1)
    assert str(reckoning) == "Solving: 100%, finishing"
