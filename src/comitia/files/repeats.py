"""Columns that were left out and say that samples belong together: nobody may have noticed."""

from collections.abc import Iterator, Sequence

from comitia.files.columns import Table, Vocabulary
from comitia.files.roles import names_groups


def notes_on_groups(table: Table, ignored: Sequence[str], unit: str | None = None) -> Iterator[str]:
    """Yield a note per ignored column that is named as groups are and has the same value in several samples.

    `unit` is the column of the items of a long table, where a sample has several rows.
    """
    for name in ignored:
        if not names_groups(name):
            continue
        values, units, rows = Vocabulary(), Vocabulary(), 0
        for batch in table.batches([name] if unit is None else [name, unit]):
            values.codes(batch[name])
            rows += len(batch[name].values)
            if unit is not None:
                units.codes(batch[unit])
        samples = rows if unit is None else len(units)
        if 1 < len(values) < samples:
            yield (
                f"column '{name}' is ignored and has {len(values):,} values in {samples:,} samples: if those of one "
                f"value belong together, group='{name}' says so, else every certificate is too tight"
            )
