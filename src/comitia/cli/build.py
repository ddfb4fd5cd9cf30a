"""`comitia build`: checkpoints of any origin → predictions, weights, certificates, one folder to deploy."""

from typing import Any

import click

from comitia.cli.member_options import member_options, teller
from comitia.cli.output import TableCommand, common_options, console, require_absent, write_json


@click.command(
    "build",
    cls=TableCommand,
    epilog="""\b
Examples:
  comitia build ckpts --model mine:network --data mine:holdout --out bundle
  comitia build run1/*.ckpt run2/*.ckpt --model mine:Net --data holdout.npz --out bundle --onnx
  comitia build bert-a bert-b --data mine:holdout --out bundle     Hugging Face folders need no --model
  comitia build a.onnx forest.skops --data holdout.npz --out bundle
  comitia build ckpts --model mine:network --data mine:holdout --out bundle --entry state_dict_ema --skip-bad
""",
)
@click.argument("checkpoints", nargs=-1, required=True, metavar="CHECKPOINT...")
@click.option(
    "--data",
    required=True,
    metavar="FILE.npz|MODULE:FUNCTION",
    help="The hold-out: samples x and classes y, or a function that gives a DataLoader, a dataset or arrays.",
)
@click.option("--out", required=True, metavar="BUNDLE", help="The folder to write.")
@click.option("--method", default=None, help="How weights are chosen [default: blend].")
@click.option("--vote", default=None, help="majority or average [default: average].")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Probability of failure.")
@click.option(
    "--certify-fraction",
    type=float,
    default=None,
    help="Share kept for certifying [default: all but .7 n^(3/4) of n samples].",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the split.")
@click.option("--onnx", is_flag=True, help="Also write the whole vote as model.onnx.")
@member_options
@click.option("--force", is_flag=True, help="Replace a bundle that lies there.")
@common_options
def command(
    checkpoints: tuple[str, ...],
    data: str,
    out: str,
    json_path: str | None,
    force: bool,
    **options: Any,
) -> None:
    """Make one certified folder of checkpoints of any origin.

    CHECKPOINT is a .pt, .pth, .ckpt, .safetensors, .onnx, .skops or .pt2 file, a Hugging Face folder, or a folder of
    these. Their predictions on the hold-out choose weights and certify the vote. BUNDLE then holds the members that
    vote, ensemble.json, a model card and a page. The hold-out must be samples that no member was trained on or chosen
    by. The same command again resumes: what is done lies in BUNDLE.rows.

    Methods: {methods}.
    """
    require_absent(json_path, force, (*checkpoints, data))
    from comitia import build
    from comitia.cli.tables import show_ensemble

    screen = console(json_path)
    ensemble = build(checkpoints, data, out, force=force, tell=teller(screen), **options)
    write_json(json_path, ensemble.to_json())
    show_ensemble(screen, ensemble)
    screen.print(f"bundle written to {out}; {out}.rows may be removed", markup=False, soft_wrap=True)
