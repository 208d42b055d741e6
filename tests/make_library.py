"""Adds pages to the documentation site while it is built: the rule library, the benchmarks, the changes.

The site needs one page for each rule set, with its sheet as the program prints it, so that none can be out of date.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from farkel.rules import LANGUAGES, Rules, entry, families, named, sheet, variations

ROOT = Path(__file__).parent.parent
MOVED = {"benchmarks.md": ROOT / "benchmarks" / "README.md", "changelog.md": ROOT / "CHANGELOG.md"}
"""Pages that lie outside of the documentation's folder."""
CATALOGUE = ROOT / "src" / "farkel" / "rules" / "catalogue"
HEAD = """# Rule library

Every rule set that comes with Farkel, by family. The command line finds them by name, language or rule:
`farkel rules --search lives`. A page has the sheet to read aloud, its named variations and its file, to start your
own from; [House rules](../guides/house-rules.md) shows how.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Return the path and the text of each page of the rule library."""
    yield "library/index.md", "\n".join(_index())
    for names in families().values():
        for name in names:
            yield f"library/{name}.md", "\n".join(_page(name, named(name)))


def _index() -> Iterator[str]:
    yield HEAD
    for family, names in families().items():
        yield f"\n## {family}\n\n| rule set | what is special | language |\n| --- | --- | --- |"
        for name in names:
            rules = named(name)
            yield f"| [`{name}`]({name}.md) {rules.title} | {rules.about} | {LANGUAGES[entry(name).language]} |"


def _page(name: str, rules: Rules) -> Iterator[str]:
    """Leave sheet and file out of the search: every page has their words."""
    yield f"# {rules.title}\n\n`farkel play --rules {name}`\n{{: data-search-exclude }}\n"
    yield f"{rules.about}\n" if rules.about else ""
    if named_variations := variations(name):
        yield "| variation | what changes |\n| --- | --- |"
        yield from (f"| `{name}:{one.name}` | {one.about} |" for one in named_variations)
    yield f"\n## The sheet {{ data-search-exclude }}\n\n```text\n{sheet(rules).text()}\n```\n"
    yield f"## As a file {{ data-search-exclude }}\n\n```toml\n{(CATALOGUE / f'{name}.toml').read_text('utf-8')}```"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those that lie in the folder."""
    for path, text in pages():
        files.append(File.generated(config, path, content=text))
    for source in (ROOT / "examples").glob("*.service"):
        files.append(File.generated(config, f"examples/{source.name}", content=source.read_text("utf-8")))
    for path, source in MOVED.items():
        files.append(File.generated(config, path, content=source.read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, **context: object) -> str:
    """Lead links to files outside of the folder to their pages on the site."""
    return markdown.replace("](../benchmarks/README.md", "](benchmarks.md").replace("](../examples/", "](examples/")
