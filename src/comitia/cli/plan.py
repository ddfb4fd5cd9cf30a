"""`comitia plan`: how many hold-out samples a certificate needs, or what a number of them can certify."""

from typing import Any

import click

from comitia._errors import InputError
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
  comitia plan --gain .01 --discordant .03                  samples to certify that A beats B by something
  comitia plan --risk .08 --true-risk .1                    labels until monitor raises the alarm
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
@click.option("--gain", type=float, help="compare: the difference of two error rates that you expect.")
@click.option("--discordant", type=float, help="compare: the share of samples on which one of two errs.")
@click.option("--at-least", type=float, help="compare: the gain to certify [default: more than 0].")
@click.option("--true-risk", type=float, help="monitor: the risk that is to raise the alarm at --risk.")
@click.option("--alpha", type=float, help="monitor: probability of a false alarm [default: .05].")
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@common_options
def command(force: bool, json_path: str | None, **wanted: Any) -> None:
    """Say how many hold-out samples a wanted certificate needs, or what a given number can certify.

    Certificates: {planned}. Give --risk or --samples. With --gain: how many samples compare needs. With --true-risk:
    how many labels monitor needs until the alarm.
    """
    require_absent(json_path, force)
    from comitia import plan
    from comitia._records import to_plain

    if (later := _later(wanted)) is not None:
        write_json(json_path, to_plain(later))
        console(json_path).print(later.sentence)
        return
    found = plan(**wanted)
    record = to_plain(found)
    record["expected"] = {key: value for key, value in record["expected"].items() if value is not None}
    write_json(json_path, record)
    console(json_path).print(
        found.sentence if wanted["risk"] is None else f"from {found.sentence.replace(':', ' on:', 1)}"
    )


def _later(wanted: dict[str, Any]) -> Any:
    """The plan of a comparison or of an alarm; None where neither is asked for. Their options are taken out."""
    from comitia._plan_after import plan_alarm, plan_gain

    gain, discordant, at_least, true_risk, alpha = (
        wanted.pop(name) for name in ("gain", "discordant", "at_least", "true_risk", "alpha")
    )
    if gain is not None and true_risk is not None:
        raise InputError("--gain: is about compare, --true-risk about monitor; ask one at a time")
    if gain is not None:
        _require_only(wanted, "--gain", ("error", "samples", "delta"))
        more = {} if at_least is None else {"at_least": at_least}
        known = {name: wanted[name] for name in ("error", "samples", "delta")}
        return plan_gain(gain, discordant=discordant, **known, **more)
    if true_risk is not None:
        _require_only(wanted, "--true-risk", ("risk",))
        if wanted["risk"] is None:
            raise InputError("--risk: required with --true-risk; give the risk that was promised")
        return plan_alarm(wanted["risk"], true_risk, alpha=0.05 if alpha is None else alpha)
    for name, value, needed in (
        ("--discordant", discordant, "--gain"),
        ("--at-least", at_least, "--gain"),
        ("--alpha", alpha, "--true-risk"),
    ):
        if value is not None:
            raise InputError(f"{name}: has no effect without {needed}; give {needed} or leave it out")
    return None


def _require_only(wanted: dict[str, Any], what: str, used: tuple[str, ...]) -> None:
    """Raise where something is asked for that has no effect there; defaults are no question."""
    defaults = {"certificate": "split", "delta": 0.05, "kl": 0.0, "share": 1.0, "at_once": 1}
    for name, value in wanted.items():
        if name not in used and value != defaults.get(name):
            raise InputError(f"--{name.replace('_', '-')}: has no effect with {what}; leave it out")
