"""`comitia weigh`: hold-out predictions → weights and certificates."""

from typing import TYPE_CHECKING, Any

import click

from comitia._errors import InputError
from comitia.cli.output import (
    TableCommand,
    common_options,
    console,
    require_absent,
    require_distinct,
    show_place,
    write_json,
)
from comitia.cli.real import asks_real, real_options, refuse_real, weigh_real
from comitia.cli.table_options import (
    ReadingCommand,
    Told,
    read_further,
    read_holdout,
    read_unlabelled,
    table_options,
)

if TYPE_CHECKING:
    from comitia import Ensemble
    from comitia.statistics.counted import Holdout


class WeighCommand(TableCommand, ReadingCommand):
    """The one command whose help names methods and certificates, and lists options for tables."""


@click.command(
    "weigh",
    cls=WeighCommand,
    epilog="""\b
Examples:
  comitia weigh holdout.npz                                weights, vote and split by default
  comitia weigh holdout.npz --method auto --vote average --out ensemble.json
  comitia weigh a.npy b.npy c.npy --labels labels.npy      one file per member
  comitia weigh holdout.csv --delta .01                    one column per member, column 'label'
  comitia weigh judges.csv --rounds agree --abstain tie    long: one row per item, judge and round
  comitia weigh scans.csv --group patient                  samples of one patient are not independent
  comitia weigh oof.csv --fold fold --certify untouched.csv    out-of-fold predictions choose, others certify
  comitia weigh holdout.npz --unlabelled new.npz           ten times as many new samples: a tighter promise
  comitia weigh holdout.npz --certify-fraction 0           all samples choose the weights
  comitia weigh scans.csv --per class --per site           an error rate per class and per site
  comitia weigh scans.csv --threshold cost=5:1             two classes: a miss costs five false alarms
  comitia weigh scans.csv --target-risk .01                decline until at most 1 % of the answers is wrong
  comitia weigh holdout.npz --at-most 8                    at most eight members vote
  comitia weigh holdout.npz --budget seconds=.5 --member-costs costs.csv    or as many as half a second pays for
  comitia weigh part1.counts part2.counts --certify untouched.npz    counts of shards choose (comitia count)
  comitia weigh prices.csv --target price --quantile .9    real numbers: a weighted mean, promises of its errors
  comitia weigh s3://bucket/holdout.npz --out s3://bucket/ensemble.json
""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--labels", metavar="FILE", help="True classes, in place of those in the files.")
@click.option(
    "--method",
    default=None,
    help="How weights are chosen [default: blend; tandem from counts, or if members have hold-outs of their own].",
)
@click.option(
    "--vote", default=None, help="majority or average [default: average of probabilities, majority of votes]."
)
@click.option("--delta", type=float, default=0.05, show_default=True, help="Probability of failure.")
@click.option(
    "--certify-fraction",
    type=float,
    default=None,
    help="Share kept for certifying [default: all but .7 n^(3/4) of n samples: .88 of 1,000, .93 of 10,000].",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the split.")
@click.option("--prior", metavar="FILE", help="JSON list: one prior weight per member, fixed beforehand.")
@click.option(
    "--weights",
    metavar="FILE",
    help="JSON list: weights to certify; you state that no sample here chose them.",
)
@click.option("--resolution", type=int, help="Round weights to multiples of 1/K (occam can certify those).")
@click.option(
    "--unlabelled",
    multiple=True,
    metavar="FILE",
    help="The members on further samples, without labels: with many of them the promise is tighter.",
)
@click.option(
    "--certify",
    multiple=True,
    metavar="FILE",
    help="The members on samples that nothing has touched: these certify, all of the others choose the weights.",
)
@click.option(
    "--per",
    multiple=True,
    metavar="NAME",
    help="Promise an error rate per class, per predicted class, or per value of that column; may be repeated.",
)
@click.option(
    "--threshold",
    metavar="RULE",
    help="Two classes: the share above which the second is answered: a number, cost=MISS:ALARM, sensitivity=S, "
    "specificity=S.",
)
@click.option(
    "--target-risk", type=float, help="Decline samples so that at most this share of answers is wrong."
)
@click.option("--costs", metavar="FILE", help="JSON or CSV: cost by true class (rows) and answer (columns).")
@click.option("--at-most", type=int, metavar="K", help="At most this many members vote.")
@click.option(
    "--budget",
    metavar="B",
    help="The members that vote cost at most this together: a number, or COLUMN=NUMBER of --member-costs.",
)
@click.option(
    "--member-costs",
    metavar="FILE",
    help="JSON or CSV: what each member costs, by name (seconds, parameters, multiply-adds, ...).",
)
@click.option("--bound", "bounds", multiple=True, metavar="MODULE:NAME", help="A further bound of your own.")
@click.option("--out", metavar="FILE", help="Write the ensemble (JSON) for predict, verify and report.")
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@table_options
@real_options("target", "largest_error", "clip", "quantile")
@common_options
def command(
    files: tuple[str, ...],
    labels: str | None,
    method: str | None,
    vote: str | None,
    delta: float,
    certify_fraction: float | None,
    seed: int,
    prior: str | None,
    weights: str | None,
    resolution: int | None,
    unlabelled: tuple[str, ...],
    certify: tuple[str, ...],
    per: tuple[str, ...],
    threshold: str | None,
    target_risk: float | None,
    costs: str | None,
    at_most: int | None,
    budget: str | None,
    member_costs: str | None,
    bounds: tuple[str, ...],
    out: str | None,
    force: bool,
    json_path: str | None,
    target: str | None,
    largest_error: float | None,
    clip: float | None,
    quantile: tuple[float, ...],
    **columns: Any,
) -> None:
    """Choose weights for the members of an ensemble and certify its vote.

    FILE is an .npz with probs (M, n, C) or votes (M, n) and labels (n,); or one .npy per member with --labels;
    or a table (CSV, JSON lines, Parquet, Arrow; - is standard input), wide with a column per member or long with a row
    per answer. Several files of one kind are shards of the samples (.npy: members). Or .counts files (comitia count):
    the majority vote by methods that need no single samples, and --certify for a promise that counts its errors.

    With --target COL, or a pack with values (M, n) and targets (n,), members predict real numbers: a weighted mean.

    Out-of-fold tables (--fold) choose weights and get an estimate: their rows trained the models of other folds, so
    only --certify FILE, with samples that no fold has seen, gives a promise.

    Methods: {methods}; or module:function for your own.

    Certificates: {certificates}.
    """
    if out == "-":
        raise InputError("--out: the name of a file is required; --json - writes to standard output")
    require_distinct(out, json_path)
    for path in (out, json_path):
        require_absent(
            path, force, (*files, labels, prior, weights, costs, member_costs, *unlabelled, *certify)
        )
    from comitia.files.texts import read_numbers

    given = None if weights is None else read_numbers(weights)
    fixed = None if prior is None else read_numbers(prior)
    real: dict[str, Any] = {"largest_error": largest_error, "clip": clip, "quantile": quantile}
    if asks_real(files, target):
        real |= {"method": method, "delta": delta, "certify_fraction": certify_fraction, "seed": seed}
        real |= {"prior": fixed, "weights": given}
        weigh_real(files, target, certify, columns, out, json_path, **real)
        return
    refuse_real(real)
    from comitia import weigh
    from comitia.cli.tables import show_ensemble
    from comitia.files.atomic import together
    from comitia.files.cost_files import read_costs, read_member_costs

    told, columns = Told(), {**columns, "per": per}
    holdout = read_holdout(files, labels, columns, told, (*unlabelled, *certify))
    ensemble = weigh(
        holdout,
        method=method,
        vote=vote,
        delta=delta,
        certify_fraction=certify_fraction,
        seed=seed,
        prior=fixed,
        resolution=resolution,
        weights=given,
        unlabelled=read_unlabelled(unlabelled, columns, holdout),
        certify=read_further(certify, columns, holdout),
        bounds=bounds,
        per=per,
        threshold=threshold,
        target_risk=target_risk,
        costs=None if costs is None else read_costs(costs),
        at_most=at_most,
        budget=budget,
        member_costs=None if member_costs is None else read_member_costs(member_costs),
    )
    record = ensemble.to_json()
    # files first: what is printed may go to a pipe that closes early
    with together():
        write_json(out, record)
        write_json(json_path, record)
    told.show(console(json_path))
    show_ensemble(console(json_path), ensemble)
    for line in _taken(holdout, ensemble, method, vote):
        console(json_path).print(line)
    if certify_fraction and ensemble.chosen_on == "nothing":
        console(json_path).print(
            f"--certify-fraction {certify_fraction:g} has no effect: no sample chooses {ensemble.weighting.method} "
            "weights, so all samples certify"
        )
    if out is not None:
        console(json_path).print(f"ensemble written to {show_place(out)}", markup=False)


def _taken(holdout: "Holdout", ensemble: "Ensemble", method: str | None, vote: str | None) -> list[str]:
    """What was taken where nothing was asked for, and why."""
    from comitia.statistics import Counted

    lines = []
    if method is None and ensemble.weighting.method == "tandem":
        why = (
            "counts hold no samples"
            if isinstance(holdout, Counted)
            else "each member has its own hold-out samples"
        )
        lines.append(f"method: tandem, because {why} (else blend)")
    if vote is None:
        gave = "probabilities" if ensemble.vote == "average" else "votes"
        lines.append(f"vote: {ensemble.vote}, because the members gave {gave}; --vote says otherwise")
    return lines
