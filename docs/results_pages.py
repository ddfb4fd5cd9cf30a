"""Write the pages of results from their records: one per folder of docs/results, docs/results.md and docs/bayes.md.

Run it after a row or a comparison was reproduced (`make results`). The results that come with the package follow from
the same records.
"""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

from comitia.evaluation import Evaluation
from comitia.evaluation.comparison import Comparison, comparison_table, with_spreads
from comitia.evaluation.findings import HELD, MARGIN, NOT_HELD, UNDECIDED, Finding
from comitia.evaluation.table_formats import Column, Table, markdown
from comitia.pages.chain_temperatures import TEMPERATURES, read_temperatures
from comitia.paper.chains import ChainResult, chain_table, is_chain, layer_table
from comitia.paper.cost import needs
from comitia.paper.outputs import page_text, row_texts
from comitia.paper.results import RECORD, Result, Status, read_results, results_json, status
from comitia.paper.row_page import PAGE, heading
from comitia.paper.tables import headline
from comitia.paper.verdicts import verdicts
from comitia.recipes import recipe_from_dict

DOCS = Path(__file__).parent
RESULTS = DOCS / "results"
SHIPPED = DOCS.parent / "src" / "comitia" / "paper" / "paper" / "results.json"
WIDTH = 118  # of lines of prose
BEGIN, END = "<!-- {}: from the records -->\n", "<!-- end of {} -->\n"


def folders() -> list[Path]:
    """Return the folders of reproduced rows."""
    return sorted(path.parent for path in RESULTS.glob(f"*/{RECORD}"))


def read(folder: Path) -> Evaluation:
    """Return the record of a folder."""
    return Evaluation.from_json((folder / RECORD).read_text(encoding="utf-8"), source=str(folder))


def facts_of(folder: Path) -> dict[str, Any]:
    """Return the facts of the run that a folder comes from."""
    return dict(json.loads((folder / "run.json").read_text(encoding="utf-8")))


def texts(folder: Path) -> dict[str, str]:
    """Return every text of a folder that follows from its record, by the name of its file."""
    found = read(folder)
    return {**row_texts(found), PAGE: page_text(found, folder, facts_of(folder))}


def rows_table() -> str:
    """Return the table of all rows of the paper, with links to the pages of those that were reproduced."""
    columns = (
        Column("row"),
        Column("paper", 3),
        Column("ours", 4),
        Column("difference", 4),
        Column("source"),
        Column("scale"),
        Column("training it takes"),
    )
    cells = [line for one in status(read_results(RESULTS)) for line in _lines(one)]
    return markdown(Table("rows", columns, tuple(cells)))


def _lines(one: Status) -> list[tuple[str | float | None, ...]]:
    paper = one.row.cells[headline(one)]
    if not one.results:
        return [(one.row.title, paper, None, None, None, None, needs(one.row))]
    return [_line(one, result) for result in one.results]


def _line(one: Status, result: Result) -> tuple[str | float | None, ...]:
    column = headline(Status(one.row, (result,)))
    paper, ours = one.row.cells[column], result.cells[column]
    link = f"[{one.row.title}](results/{result.folder}/{PAGE})"
    scale = result.scale if result.as_paper else f"*not as the paper*: {result.scale}"
    return (link, paper, ours, ours - paper, result.source, scale, needs(one.row))


def claims_text() -> str:
    """Return the paragraphs on the three claims."""
    named: dict[str, Evaluation] = {}
    for folder in folders():
        found = read(folder)
        if found.provenance and found.provenance.row:
            title = heading(found, facts_of(folder))
            named[f"{title} ({folder.name})" if title in named else title] = found
    return "\n\n".join(fill(text, WIDTH, break_on_hyphens=False) for text in verdicts(named).values()) + "\n"


def page() -> str:
    """Return docs/results.md with its generated parts made anew."""
    return filled("results.md", {"rows": rows_table(), "claims": claims_text()})


def filled(name: str, parts: Mapping[str, str]) -> str:
    """Return a page of docs with those parts between their markers."""
    text = (DOCS / name).read_text(encoding="utf-8")
    for part, made in parts.items():
        begin, end = BEGIN.format(part), END.format(part)
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"docs/{name}: must have the lines {begin.strip()} and {end.strip()} once")
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{made}\n{end}{rest.split(end)[1]}"
    return text


PAIR = re.compile(r"(\S+), (\S+) weights against (\S+), uniform weights: (not worse|better)")


def comparisons() -> dict[str, Comparison]:
    """Return the stored comparisons by the names of their folders."""
    paths = sorted(RESULTS.glob("*/comparison.json"))
    return {
        path.parent.name: Comparison.from_json(path.read_text(encoding="utf-8"), str(path)) for path in paths
    }


def bayes_page() -> str:
    """Return docs/bayes.md with its generated parts made anew."""
    found = comparisons()
    parts = {"summary": summary_text(found), "chains": chains_text(chains())}
    for name, comparison in found.items():
        parts[f"{name} table"] = scores_text(comparison, RESULTS / name)
        parts[f"{name} findings"] = findings_text(comparison)
    return filled("bayes.md", parts)


def chains() -> list[ChainResult]:
    """Return the reproduced chains, the coldest first, under links to their pages."""
    found = []
    for folder in folders():
        recipe, kept = facts_of(folder)["settings"]["recipe"], folder / TEMPERATURES
        if isinstance(recipe, str) or not is_chain(made := recipe_from_dict(recipe)):
            continue
        text = kept.read_text(encoding="utf-8") if kept.exists() else ""
        heat = read_temperatures(text, folder.name, source=str(kept)) if text else None
        link = f"[{folder.name}](results/{folder.name}/{PAGE})"
        found.append(ChainResult(link, made, read(folder), heat))
    return sorted(found, key=lambda one: one.temperature)


def chains_text(found: list[ChainResult]) -> str:
    """Return the section on chains that were trained by themselves; empty if there are none."""
    if not found:
        return ""
    tables = [table for table in (chain_table(found), layer_table(found)) if table is not None]
    parts = [f"{markdown(Table('', t.columns, t.rows))}\n{_wrapped(' '.join(t.notes))}" for t in tables]
    return "\n".join(["## Long chains\n", *parts])


def asked(finding: Finding) -> tuple[str, str]:
    """Return the question that a finding of a comparison answers, and for which ensembles."""
    match = PAIR.fullmatch(finding.text)
    if match is None:
        raise ValueError(f"a finding of a kind that docs/bayes.md has no question for: {finding.text}")
    one, weights, other, kind = match.groups()
    if one == other:
        return f"Are {weights} weights {kind} than uniform ones?", one
    if weights != "uniform":
        return (
            f"Is an ensemble with {weights} weights {kind} than the uniform deep ensemble?",
            f"{one} against {other}",
        )
    kinds = {
        "not worse": "Is a uniform deep ensemble not worse than a Bayes ensemble?",
        "better": "Is a colder chain better than a warmer one?",
    }
    return kinds[kind], f"{one} against {other}"


def by_question(comparison: Comparison) -> dict[str, list[Finding]]:
    """Return the findings of a comparison, grouped by the questions that they answer."""
    groups: dict[str, list[Finding]] = {}
    for finding in comparison.findings:
        groups.setdefault(asked(finding)[0], []).append(finding)
    return groups


def summary_text(found: Mapping[str, Comparison]) -> str:
    """Return how often each verdict was found, per question and comparison."""
    groups = {name: by_question(comparison) for name, comparison in found.items()}
    questions = dict.fromkeys(question for group in groups.values() for question in group)
    rows = tuple((q, *(_counts(group.get(q, [])) for group in groups.values())) for q in questions)
    rule = ", ".join(f"[{name}](results/{name}/findings.md)" for name in found)
    about = (
        f"How many comparisons had which verdict. A difference in accuracy below {MARGIN} is taken not to matter. "
        f"The rule, and all numbers: {rule}."
    )
    return f"{markdown(Table('', (Column('question'), *map(Column, found)), rows))}\n{_wrapped(about)}"


def _counts(findings: list[Finding]) -> str | None:
    counts = Counter(finding.verdict for finding in findings)
    kinds = [verdict for verdict in (HELD, NOT_HELD, UNDECIDED) if counts[verdict]]
    return ", ".join(f"{counts[verdict]} {_short(verdict)}" for verdict in kinds) or None


def _short(verdict: str) -> str:
    return verdict.removesuffix(" at this scale")


def findings_text(comparison: Comparison) -> str:
    """Return the differences and verdicts of a comparison, below the questions that they answer."""
    rows: list[tuple[str | float | None, ...]] = []
    for question, findings in by_question(comparison).items():
        rows.append((f"**{question}**", "", ""))
        rows += [(asked(f)[1], _difference(f), _short(f.verdict)) for f in findings]
    columns = (Column("comparison"), Column("difference ± 95%"), Column("verdict"))
    return markdown(Table("", columns, tuple(rows)))


def _difference(finding: Finding) -> str:
    return " ± ".join(cell for cell in finding.cells()[3:5] if cell != "–")


def scores_text(comparison: Comparison, folder: Path) -> str:
    """Return the table of a comparison with its notes, the figures of its chains, and what training took."""
    table = with_spreads(comparison_table(comparison))
    last = [
        f"`{name}` are the last states of `{e.last_of}`."
        for name, e in comparison.ensembles.items()
        if e.last_of
    ]
    plain = markdown(
        Table("", table.columns, tuple(tuple(cell or "–" for cell in row) for row in table.rows))
    )
    texts = (" ".join((*table.notes, *last)), _figures(comparison, folder), _training(folder))
    return "\n".join([plain, *(_wrapped(text) for text in texts if text)])


def _figures(comparison: Comparison, folder: Path) -> str:
    places = {name: f"figures/temperatures-{name}.svg" for name in comparison.ensembles}
    links = [f"[{n}](results/{folder.name}/{p})" for n, p in places.items() if (folder / p).exists()]
    return f"Temperatures of the chains: {', '.join(links)}." if links else ""


def _training(folder: Path) -> str:
    facts = facts_of(folder)
    taken = sum(seconds for what, seconds in facts["seconds"].items() if what.startswith("epochs, "))
    where = f"{facts['machine']['processor']}, torch {facts['versions']['torch']}"
    return f"All training epochs together took {taken:,.0f} s ({where})."


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 118, break_on_hyphens=False, break_long_words=False) + "\n"


def shipped() -> str:
    """Return the results that come with the package."""
    return json.dumps(results_json(read_results(RESULTS)), indent=1) + "\n"


def write() -> None:
    """Write all of it."""
    for folder in folders():
        for name, text in texts(folder).items():
            (folder / name).write_text(text, encoding="utf-8")
    (DOCS / "results.md").write_text(page(), encoding="utf-8")
    (DOCS / "bayes.md").write_text(bayes_page(), encoding="utf-8")
    SHIPPED.write_text(shipped(), encoding="utf-8")


if __name__ == "__main__":
    write()
