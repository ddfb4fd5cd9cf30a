"""`comitia count`: exact counts of a shard of predictions as a small file that `weigh` adds up."""

from typing import TYPE_CHECKING, Any

import click

from comitia._errors import InputError
from comitia.cli.output import (
    common_options,
    console,
    require_absent,
    require_distinct,
    show_place,
    write_json,
)
from comitia.cli.table_options import ReadingCommand, Told, read_holdout, table_options

if TYPE_CHECKING:
    from comitia.statistics.counted import Counted


@click.command(
    "count",
    cls=ReadingCommand,
    epilog="""\b
Examples:
  comitia count part1.npz --out part1.counts               one shard, where it lies
  comitia count part1.csv part2.csv --out some.counts      two shards at once
  comitia count a.counts b.counts --out ab.counts          the sum of counts
  comitia count s3://bucket/part1.npz --out s3://bucket/part1.counts
  comitia weigh part*.counts --certify untouched.npz       what they are for
""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--labels", metavar="FILE", help="True classes, in place of those in the files.")
@click.option("--out", required=True, metavar="FILE", help="Where the counts go: .counts.")
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@table_options
@common_options
def command(
    files: tuple[str, ...],
    labels: str | None,
    out: str,
    force: bool,
    json_path: str | None,
    **columns: Any,
) -> None:
    """Count a shard of hold-out predictions where it lies; weigh adds the counts of all shards.

    FILE is as in comitia weigh, or a .counts file: several are added. Counts hold the errors of members and pairs, not
    what was said on a sample. Weights and certificates from the counts of all shards are those of one machine by the
    same method, to the last digit. The default method is tandem.

    A part that was counted before is refused. Parts that overlap otherwise cannot be noticed: count each sample once.
    Grouped samples cannot be counted.
    """
    require_distinct(out, json_path)
    for path in (out, json_path):
        require_absent(path, force, (*files, labels))
    from comitia._count import count
    from comitia.files.atomic import together
    from comitia.files.counts import require_ending, write_counts
    from comitia.statistics.counted import Counted

    if out == "-":
        raise InputError("--out: the name of a file is required; --json - writes to standard output")
    require_ending(out)
    told = Told()
    holdout = read_holdout(files, labels, columns, told, ())
    found = holdout if isinstance(holdout, Counted) else count(holdout)
    with together():
        write_counts(out, found)
        write_json(json_path, _record(found, out))
    terminal = console(json_path)
    told.show(terminal)
    terminal.print(_headline(found), highlight=False)
    terminal.print(f"counts written to {show_place(out)}", markup=False)


def _record(found: "Counted", out: str) -> dict[str, Any]:
    """Return what was counted, as plain data."""
    return {
        "counts": show_place(out),
        "members": found.members,
        "samples": found.samples,
        "classes": found.classes,
        "class_names": list(found.class_names),
        "names": list(found.names),
        "errors": found.counts.errors.tolist(),
        "member_samples": found.counts.samples.tolist(),
        "abstained": int(found.counts.silences.sum()),
        "folds": None if found.folds is None else list(found.folds),
        "parts": list(found.parts),
        "sha256": found.fingerprint(),
    }


def _headline(found: "Counted") -> str:
    kind = "hold-out" if found.folds is None else "out-of-fold"
    parts = f" in {len(found.parts)} parts" if len(found.parts) > 1 else ""
    own = "" if found.shared else ", each member on its own"
    silent = int(found.counts.silences.sum())
    return (
        f"[bold]{found.members:,} member{'s' if found.members > 1 else ''} · {found.samples:,} {kind} "
        f"sample{'s' if found.samples > 1 else ''}{parts}{own} · {found.classes} classes"
        f"{f' · {silent:,} abstentions' if silent else ''}[/bold]"
    )
