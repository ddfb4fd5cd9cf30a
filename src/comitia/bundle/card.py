"""The model card of a bundle: what is promised, on what assumptions, of which members, and how to check it."""

import re
from collections.abc import Iterator

from comitia._certificate import percent_up
from comitia._ensemble import Ensemble
from comitia._words import counted, legible
from comitia.bundle.config import ANSWERS, ONNX, PROGRAM, Config, Exported

# Whatever could be read as markup in Markdown or HTML; each is written as a reference to its character.
_MARKUP = re.compile(r"[^\w\s.,:;/=+()%-]|_")
#: Members that a card lists; all are in ensemble.json.
LISTED = 50
VOID = (
    "new samples are drawn from another distribution than the hold-out (another site, another year)",
    "a hold-out sample was used to train a member, to stop its training, to choose a checkpoint or to calibrate",
    "members, weights, the vote, its threshold or the preparation of inputs are changed",
    "this promise was picked after looking at several ensembles certified on the same samples",
)


def card(ensemble: Ensemble, config: Config, answers: bool) -> str:
    """Return the text of `README.md`; `answers` says whether the certified answers lie in the folder."""
    return "\n".join(
        [*_head(ensemble), *_promise(ensemble), *_data(ensemble, config), *_members(ensemble)]
    ) + ("\n".join(["", *_files(config, answers), *_use(ensemble, config)]) + "\n")


def safe(text: str) -> str:
    """Return a text from outside so that it is only text: on one line, printable, no markup.

    >>> safe("run3/epoch=12.ckpt"), safe("<b>|x")
    ('run3/epoch=12.ckpt', '&#60;b&#62;&#124;x')
    """
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", legible(text))


def _head(ensemble: Ensemble) -> Iterator[str]:
    yield from ("---", "library_name: comitia", "tags: [ensemble, PAC-Bayes, certified]", "---", "")
    yield f"# A weighed ensemble of {counted(len(ensemble.active), 'member')}"
    yield ""
    names = ", ".join(safe(name) for name in ensemble.class_names[:20])
    more = f" and {ensemble.classes - 20} more" if ensemble.classes > 20 else ""
    yield f"It answers one of {ensemble.classes} classes ({names}{more}) by the {ensemble.vote} vote of its members."
    if ensemble.decision.threshold is not None:
        second = safe(ensemble.class_names[1])
        yield f"It answers '{second}' where its share is above {ensemble.decision.threshold:.6g}."
    if ensemble.decision.least_share is not None:
        yield f"It declines where the share behind its answer is below {ensemble.decision.least_share:.6g}."
    yield ""


def _promise(ensemble: Ensemble) -> Iterator[str]:
    yield from ("## Promise", "")
    best = ensemble.best
    if best is None:
        yield f"None. By cross-validation the vote errs on {ensemble.estimate or 0:.2%}: an estimate, not a promise."
        yield ""
        return
    yield f"**{safe(_sentence(best.promise))}.** (`{safe(best.name)}`, at most {percent_up(best.risk)})"
    for one in ensemble.promises:
        yield from ("", f"{safe(_sentence(one.promise))}.")
    yield from ("", "It holds provided that:", "")
    yield from (f"- {safe(part)}" for part in ensemble.assumption(best).split(", and "))
    yield from ("", "It is void if:", "")
    yield from (f"- {part}" for part in VOID)
    yield ""


def _data(ensemble: Ensemble, config: Config) -> Iterator[str]:
    data, split = ensemble.data, ensemble.split
    yield from ("## Data", "", "| | |", "|---|---|")
    yield f"| hold-out samples | {data.samples:,} |"
    if ensemble.chosen_on == "part":
        yield f"| chose the weights | {split.weighing:,} |"
        yield f"| kept for certifying | {split.certifying:,} |"
    yield f"| sha256 of the predictions weighed | `{safe(data.sha256)}` |"
    if data.certify_sha256 is not None:
        yield f"| sha256 of the predictions that certified | `{safe(data.certify_sha256)}` |"
    if config.holdout is not None:
        yield f"| sha256 of the samples and labels | `{config.holdout}` |"
    yield f"| method | {safe(ensemble.weighting.method)} |"
    yield ""


def _members(ensemble: Ensemble) -> Iterator[str]:
    yield from ("## Members", "", "| member | weight | error on the hold-out |", "|---|--:|--:|")
    order = sorted(ensemble.active.tolist(), key=lambda i: -ensemble.weights[i])
    for i in order[:LISTED]:
        yield f"| {safe(ensemble.names[i])} | {ensemble.weights[i]:.4f} | {ensemble.member_risks[i]:.4f} |"
    if len(order) > LISTED:
        yield f"| {len(order) - LISTED} more, in ensemble.json | | |"
    silent = len(ensemble.names) - len(order)
    if silent:
        yield from (
            "",
            f"{counted(silent, 'further member')} had zero weight and {_are(silent)} not in this folder.",
        )


def _files(config: Config, answers: bool) -> Iterator[str]:
    yield from ("", "## Files", "", "| file | holds |", "|---|---|")
    yield "| `ensemble.json` | weights, certificates, the record of the data |"
    yield "| `config.json` | members, how inputs are prepared, checksums of all files |"
    yield f"| {len(config.members)} files of members | states, no pickles |"
    if answers:
        yield f"| `{ANSWERS}` | the certified answers, to compare with; `verify` needs the samples themselves |"
    for one in config.exported:
        yield f"| `{one.file}` | {'the whole vote as one graph; ' + _compared(one)} |"


def _compared(one: Exported) -> str:
    if one.samples is None or one.differ is None:
        return "not compared with the certified vote: run `comitia verify`"
    if one.differ == 0:
        return f"the same answers as the certified vote on all {one.samples:,} hold-out samples"
    return (
        f"answers {one.differ:,} of {one.samples:,} hold-out samples otherwise than the certified vote: `comitia "
        "verify` counts its own errors"
    )


def _use(ensemble: Ensemble, config: Config) -> Iterator[str]:
    files, code = {one.file for one in config.exported}, config.network is not None and config.network.code
    allow = " --allow-code" if code else ""
    yield from ("", "## Use", "", "```text")
    runtime = " --runtime onnx" if ONNX in files else allow
    yield f"comitia predict BUNDLE inputs.npz --out predicted.csv{runtime}"
    yield f"comitia verify BUNDLE --data samples.npz{allow}"
    yield from ("```", "")
    if config.graph_of_all:
        yield from ("```text", "from comitia.deep import WeightedEnsemble", "")
        given = ", allow_code=True" if code else ""
        yield f'ensemble = WeightedEnsemble.from_pretrained("BUNDLE"{given})'
        yield from ("shares = ensemble(batch)  # (n, C)", "answers = ensemble.classes(batch)", "```", "")
    if code and config.network is not None:
        yield f"The networks are made by `{safe(config.network.name)}`, which is code of the author's. Read it before"
        yield f"you allow it. {'`model.onnx` needs none.' if ONNX in files else ''}".rstrip()
        yield ""
    if PROGRAM in files:
        yield "`model.pt2` is read by `torch.export.load`, which can run code: read it only from somebody you trust."
        yield ""
    yield "What a file answers may differ from what was certified, by another runtime or precision. `comitia verify`"
    yield "runs each file on the hold-out again and states what may be promised of it."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
