"""The rule sheet as a whole: its sections in their order, as text and in notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from farkel.rules.as_text import AnyRules, as_rules, named, variations
from farkel.rules.catalogue_files import entry, names
from farkel.rules.model import Rules
from farkel.rules.sheets.aim_and_end import aim, end
from farkel.rules.sheets.banking import when_to_bank
from farkel.rules.sheets.losing import catching_up, lives, penalties
from farkel.rules.sheets.scoring_table import hint_rows, scoring_rows
from farkel.rules.sheets.starting import who_starts
from farkel.rules.sheets.taking_over import taking_over
from farkel.rules.sheets.turns import turn
from farkel.support.notebooks import listing, page, table


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, with sentences or with rows of a table (dice, points) below it."""

    heading: str
    sentences: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return "\n".join(self.lines(78))

    def _repr_html_(self) -> str:
        shown = f"<h4>{escape(self.heading)}</h4>"
        if self.sentences:
            shown += listing(self.sentences)
        if self.rows:
            shown += table(self.heading, ({"dice": dice, "points": points} for dice, points in self.rows))
        return shown

    def lines(self, width: int) -> list[str]:
        """Return the section as plain lines of at most ``width`` columns."""
        import textwrap

        lines = [self.heading, "-" * len(self.heading)]
        for sentence in self.sentences:
            lines += textwrap.wrap(sentence, width, initial_indent="* ", subsequent_indent="  ")
        return [*lines, *_columns(self.rows, width)]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole rule sheet."""

    title: str
    notation: str
    """The rules by name, with what differs from the set of that name: ``standard(target=5000)``."""
    source: str
    sections: tuple[Section, ...]

    def _repr_html_(self) -> str:
        notation = f"<p><code>{escape(self.notation)}</code></p>"
        return page(self.title, notation, *(section._repr_html_() for section in self.sections))

    def __str__(self) -> str:
        return self.text().rstrip()

    def text(self, width: int = 78) -> str:
        """Return the sheet as plain lines of at most ``width`` columns."""
        import textwrap

        lines = textwrap.wrap(self.title, width)
        lines.append("=" * max(map(len, lines)))
        lines += textwrap.wrap(f"Rules: {self.notation}", width, break_on_hyphens=False)
        if self.source:
            lines += textwrap.wrap(f"From: {self.source}", width)
        for section in self.sections:
            lines += ["", *section.lines(width)]
        return "\n".join(lines) + "\n"


def _columns(rows: tuple[tuple[str, str], ...], width: int) -> list[str]:
    """Return rows as lines in two columns; a text too long for the first continues in lines of its own."""
    import textwrap

    numbers = max(7, *(len(points) for _, points in rows), 0)
    widest = min(max((len(dice) for dice, _ in rows), default=0), max(12, width - numbers - 4))
    lines = []
    for dice, points in rows:
        *before, last = textwrap.wrap(dice, widest, break_on_hyphens=False) or [""]
        lines += [*(f"  {line}" for line in before), f"  {last:<{widest}}  {points:>7}"]
    return lines


def sheet(rules: AnyRules, file: str = "") -> Sheet:
    """Return the rule sheet of the rules; ``file`` is the name of the file that they are from, if they are from one."""
    rules = as_rules(rules)
    sections = (
        Section("The aim", aim(rules)),
        Section("What dice are worth", rows=scoring_rows(rules)),
        Section("Hint card", rows=hint_rows(rules) if entry(rules.name).hint_card else ()),
        Section("Your turn", turn(rules)),
        Section("When you may bank", when_to_bank(rules)),
        Section("Taking over", taking_over(rules)),
        Section("Lives", lives(rules)),
        Section("Penalties", penalties(rules)),
        Section("Catching up", catching_up(rules)),
        Section("Who starts, and teams" if rules.team_size > 1 else "Who starts", who_starts(rules)),
        Section("The end", end(rules)),
        Section("Variations", _variations(rules)),
    )
    kept = tuple(section for section in sections if section.sentences or section.rows)
    return Sheet(" ".join(rules.title.split()) or rules.name, str(rules), _source(rules, file), kept)


def _source(rules: Rules, file: str) -> str:
    """Return where the rules come from: not from the source of a set of the catalogue, if they differ from it."""
    source = rules.source
    if source and "(" in str(rules):
        known = rules.name if rules.name in names() else next((n for n in names() if named(n).source == source), "")
        if known and named(known).source == source and named(known).digest != rules.digest:
            source += ", with changes"
    return ": ".join(filter(None, (file, source)))


def _variations(rules: Rules) -> tuple[str, ...]:
    """Return the variations of a catalogue set, as they are asked for by name; none of rules that differ from it."""
    if str(rules) != rules.name:
        return ()
    return tuple(f"{rules.name}:{variation}." for variation in variations(rules.name))
