"""`comitia plan`: how many hold-out samples a certificate needs, or what a number of them can certify."""

from typing import Any

import click

from comitia.cli.output import TableCommand, common_options, console, require_absent, write_json


@click.command(
    "plan",
    cls=TableCommand,
    epilog="""\b
Examples:
  comitia plan --error .07 --risk .08                       samples needed to promise 8 %
  comitia plan --error .07 --samples 5000                   what 5,000 samples can promise
  comitia plan --error .07 --risk .1 --share .1 --at-once 10     per class, the rarest having a tenth
  comitia plan --error .007 --risk .01 --share .75          of the answers, three quarters being answered
  comitia plan --certificate tandem-kl --tandem .05 --kl 2 --samples 5000
""",
)
@click.option("--risk", type=float, help="The risk you want to promise.")
@click.option("--samples", type=click.IntRange(min=1), help="The hold-out samples you have.")
@click.option("--error", type=float, help="The vote's error that you expect.")
@click.option("--certificate", default="split", show_default=True, help="Which certificate.")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Probability of failure.")
@click.option("--certify-fraction", type=float, help="Share of the samples kept for certifying (split).")
@click.option("--members", type=int, help="How many members (best-member).")
@click.option("--gibbs", type=float, help="Expected Gibbs risk (first-order-kl).")
@click.option("--tandem", type=float, help="Expected tandem risk (tandem-kl).")
@click.option("--kl", type=float, default=0.0, show_default=True, help="Expected KL of weights to prior.")
@click.option(
    "--share",
    type=float,
    default=1.0,
    show_default=True,
    help="Of the samples that the promise is about: of the rarest class, or those answered. --error and --risk are "
    "among them.",
)
@click.option(
    "--at-once",
    type=int,
    default=1,
    show_default=True,
    help="How many such promises hold together, such as one per class.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@common_options
def command(force: bool, json_path: str | None, **wanted: Any) -> None:
    """Say how many hold-out samples a wanted certificate needs, or what a given number can certify.

    Certificates: {planned}. Give --risk or --samples.
    """
    require_absent(json_path, force)
    from comitia import plan
    from comitia._records import to_plain

    found = plan(**wanted)
    record = to_plain(found)
    record["expected"] = {key: value for key, value in record["expected"].items() if value is not None}
    write_json(json_path, record)
    console(json_path).print(
        found.sentence if wanted["risk"] is None else f"from {found.sentence.replace(':', ' on:', 1)}"
    )
