"""Write the pages of results from their records: one per folder of docs/results, and the tables of docs/results.md.

Run it after a row was reproduced (`make results`). The results that come with the package follow from the same records.
"""

import json
from pathlib import Path
from textwrap import fill

from comitia.evaluation import Evaluation
from comitia.evaluation.table_formats import Column, Table, markdown
from comitia.paper.cost import needs
from comitia.paper.outputs import page_text, row_texts
from comitia.paper.results import RECORD, Result, Status, read_results, results_json, status
from comitia.paper.row_page import PAGE, heading
from comitia.paper.tables import headline
from comitia.paper.verdicts import verdicts

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


def texts(folder: Path) -> dict[str, str]:
    """Return every text of a folder that follows from its record, by the name of its file."""
    found, facts = read(folder), json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return {**row_texts(found), PAGE: page_text(found, folder, facts)}


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
            title = heading(found)
            named[f"{title} ({folder.name})" if title in named else title] = found
    return "\n\n".join(fill(text, WIDTH, break_on_hyphens=False) for text in verdicts(named).values()) + "\n"


def page() -> str:
    """Return docs/results.md with its generated parts made anew."""
    text = (DOCS / "results.md").read_text(encoding="utf-8")
    for name, part in (("rows", rows_table()), ("claims", claims_text())):
        begin, end = BEGIN.format(name), END.format(name)
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{part}\n{end}{rest.partition(end)[2]}"
    return text


def shipped() -> str:
    """Return the results that come with the package."""
    return json.dumps(results_json(read_results(RESULTS)), indent=1) + "\n"


def write() -> None:
    """Write all of it."""
    for folder in folders():
        for name, text in texts(folder).items():
            (folder / name).write_text(text, encoding="utf-8")
    (DOCS / "results.md").write_text(page(), encoding="utf-8")
    SHIPPED.write_text(shipped(), encoding="utf-8")


if __name__ == "__main__":
    write()
