"""Write the table of certificates of `comitia.bounds.table` into docs/certificates.md. Run it after changes there."""

from pathlib import Path

from comitia.bounds.row import CHOSEN_ON, VOTES, Bound
from comitia.bounds.table import BOUNDS

PAGE = Path(__file__).parent / "certificates.md"
BEGIN, END = "<!-- from comitia.bounds.table -->\n", "<!-- end of table -->\n"
HEAD = (
    "certificate",
    "what it is",
    "weights chosen on",
    "votes",
    "classes",
    "per-member hold-outs",
    "groups",
    "abstentions",
    "event",
    "source",
)


def table() -> str:
    """Return the table in Markdown, one row per certificate."""
    rows = [HEAD, ("---",) * len(HEAD), *map(_cells, BOUNDS.values())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cells(row: Bound) -> tuple[str, ...]:
    chosen_on = [choice for choice in CHOSEN_ON if choice not in row.refused]
    within = [choice for choice in chosen_on if choice != "apart"]
    return (
        f"`{row.name}`" + (" (designated)" if row.designated else ""),
        row.meaning,
        "any samples" if len(chosen_on) == len(CHOSEN_ON) else f"{' or '.join(within)} of the samples",
        "both" if row.votes == VOTES else row.votes[0],
        "two" if row.binary else "any",
        "no" if row.joint else "yes",
        "only" if row.grouped else "no" if row.independent else "yes",
        "no" if row.answers else "yes",
        row.event,
        row.source,
    )


def updated(page: str) -> str:
    """Return the page with the table as it is now."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
