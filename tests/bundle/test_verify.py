"""A file whose answers differ gets its own count and sentence; the oracle counts errors by a loop and scipy."""

import hashlib
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import beta

from comitia import Predictions, weigh
from comitia._errors import InputError
from comitia.bundle import read_bundle, verify_bundle
from comitia.bundle.answers import Known
from comitia.bundle.config import ANSWERS, CONFIG
from comitia.bundle.own import own_promise
from trained_networks import Trained, make, make_two, train


def limit(errors: int, n: int, delta: float) -> float:
    """Clopper and Pearson's upper limit, by quantiles of the beta distribution."""
    return float(beta.ppf(1 - delta, errors + 1, n - errors))


@pytest.mark.parametrize("vote", ["average", "majority"])
def test_every_file_is_certified_by_its_own_answers(
    trained: Trained, bundles: dict[str, Path], vote: str
) -> None:
    data = (trained.inputs, trained.labels)
    found = verify_bundle(bundles[vote], data, model=make, allow_code=True, device="cpu")
    assert found.holds
    assert [one.what for one in found.files] == ["the networks", "model.onnx", "model.pt2"]
    ensemble = read_bundle(bundles[vote]).ensemble
    for one in found.files:
        assert one.certificate is not None
        assert (one.differ, one.certificate.name, one.certificate.vote) == (0, "split", vote)
        assert one.certificate.risk == pytest.approx(limit(one.errors, one.certifying, 0.05), rel=1e-6)
        assert one.certificate.risk == pytest.approx(ensemble.best.risk, rel=1e-9)
        assert one.sentence() == ensemble.best.promise


def test_without_code_the_graph_alone_is_run(trained: Trained, bundles: dict[str, Path]) -> None:
    found = verify_bundle(bundles["average"], (trained.inputs, trained.labels))
    assert [one.what for one in found.files] == ["model.onnx"]
    assert [why.split(":")[0] for why in found.not_run] == ["the networks", "model.pt2"]
    json.dumps(found.to_json())


def test_other_samples_certify_nothing(trained: Trained, bundles: dict[str, Path]) -> None:
    inputs = trained.inputs.clone()
    inputs[17] += 0.5
    for data in ((inputs, trained.labels), (trained.inputs[:50], trained.labels[:50])):
        found = verify_bundle(bundles["average"], data)
        assert not found.holds
        assert found.files == ()
        assert [row.name for row in found.rows if not row.holds] == ["data"]


def shifted(totals: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Totals of a file that answers the next class on those samples."""
    changed = totals.copy()
    changed[places] = np.roll(totals[places], 1, axis=1)
    return changed


@pytest.mark.parametrize("vote", ["average", "majority"])
def test_a_file_that_errs_more_has_a_promise_of_its_own(trained: Trained, vote: str) -> None:
    ensemble = trained.weighed(vote=vote, method="tandem")
    totals = trained.module(ensemble).predict_proba(trained.inputs.numpy())
    labels = trained.labels.numpy()
    known = Known.of(ensemble, trained.predictions)
    worse = own_promise("it", ensemble, shifted(totals, np.arange(0, 600, 12)), labels, known)
    split = np.random.default_rng(0).permutation(600)[: ensemble.split.certifying]
    answers = shifted(totals, np.arange(0, 600, 12)).argmax(axis=1)
    errors = sum(int(answers[i] != labels[i]) for i in split)
    assert (worse.differ, worse.errors) == (50, errors)
    assert worse.certificate is not None
    assert worse.certificate.risk == pytest.approx(limit(errors, len(split), 0.05), rel=1e-6)
    assert not worse.certificate_holds(ensemble)
    assert worse.sentence() != ensemble.best.promise
    same = own_promise("it", ensemble, totals, labels, known)
    assert (same.differ, same.certificate_holds(ensemble)) == (0, True)


def test_weights_that_all_samples_chose_promise_nothing_of_a_file(trained: Trained) -> None:
    ensemble = trained.weighed(method="tandem", certify_fraction=0)
    totals = trained.module(ensemble).predict_proba(trained.inputs.numpy())
    own = own_promise("it", ensemble, totals, trained.labels.numpy(), Known.of(ensemble, trained.predictions))
    assert own.certificate is None
    assert not own.certificate_holds(ensemble)
    assert "nothing is promised of it: all samples chose the weights" in own.sentence()


def in_groups(trained: Trained) -> Predictions:
    """The predictions, four samples of each patient."""
    groups = [f"patient {i // 4}" for i in range(600)]
    return Predictions.from_arrays(
        probs=trained.predictions.blocks().__next__().probs,
        labels=trained.labels.numpy(),
        names=trained.predictions.names,
        groups=groups,
    )


def test_groups_are_counted_as_groups(trained: Trained, tmp_path: Path) -> None:
    pack = in_groups(trained)
    ensemble = weigh(pack, method="tandem")
    totals = trained.module(ensemble).predict_proba(trained.inputs.numpy())
    (tmp_path / "holdout.npz").write_bytes(Known.of(ensemble, pack).to_bytes())
    known = Known.read(tmp_path / "holdout.npz")
    own = own_promise("it", ensemble, totals, trained.labels.numpy(), known)
    assert own.certificate is not None
    assert (own.certificate.name, own.certificate.unit) == ("groups", "groups")
    assert own.certificate.risk == pytest.approx(ensemble.best.risk, rel=1e-9)


@pytest.mark.parametrize(
    "asked",
    [
        {"per": "class"},
        {"costs": [[0, 1, 5], [1, 0, 1], [5, 1, 0]]},
        {"target_risk": 0.15},
        {"per": ("class", "predicted"), "target_risk": 0.2},
    ],
)
def test_further_promises_are_counted_anew(trained: Trained, asked: dict[str, object]) -> None:
    ensemble = trained.weighed(method="tandem", **asked)
    assert ensemble.promises
    totals = trained.module(ensemble).predict_proba(trained.inputs.numpy())
    known, labels = Known.of(ensemble, trained.predictions), trained.labels.numpy()
    same = own_promise("it", ensemble, totals, labels, known)
    assert same.differ == 0
    assert all(same.promise_holds(one) for one in ensemble.promises)
    worse = own_promise("it", ensemble, shifted(totals, np.arange(0, 600, 3)), labels, known)
    assert not all(worse.promise_holds(one) for one in ensemble.promises)


def test_a_threshold_is_applied_after_the_graph(tmp_path: Path) -> None:
    two = train(classes=2)
    ensemble = two.weighed(vote="average", method="tandem", threshold="cost=5:1")
    module = two.module(ensemble)
    module.save_pretrained(
        tmp_path / "two",
        ensemble=ensemble,
        model=make_two,
        example=two.inputs[:1],
        onnx=True,
        holdout=(two.inputs, two.labels),
        predictions=two.predictions,
    )
    plain = module(two.inputs).argmax(dim=1)
    assert int((module.classes(two.inputs) != plain).sum()) > 0  # the threshold matters here
    found = verify_bundle(tmp_path / "two", (two.inputs, two.labels), runtime="onnx")
    assert found.holds
    assert found.files[0].differ == 0
    assert torch.equal(
        module.classes(two.inputs), torch.from_numpy(Known.of(ensemble, two.predictions).answers)
    )


def forge_answers(folder: Path, content: bytes) -> None:
    """Put other answers of the hold-out into a bundle, under their right checksum."""
    (folder / ANSWERS).write_bytes(content)
    config = json.loads((folder / CONFIG).read_text())
    entry = next(one for one in config["files"] if one["name"] == ANSWERS)
    entry |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / CONFIG).write_text(json.dumps(config))


def saved(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def bomb() -> bytes:
    """An archive whose array claims 128 TiB."""
    header, buffer = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<i4", "fortran_order": False, "shape": (2**45,)})
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("votes.npy", header.getvalue() + bytes(64))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (saved(votes=np.zeros(600, int), groups=np.arange(600)), "600 groups and 150 were weighed"),
        (saved(votes=np.zeros((600, 1), int)), "does not hold the answers"),
        (saved(votes=np.zeros(600).astype(str)), "does not hold the answers"),
        (saved(votes=np.zeros(600, int))[:200], "not a whole .npz file"),
        (b"text", "not a whole .npz file"),
        (bomb(), "needs 128.0 TiB"),
    ],
)
def test_forged_answers_of_a_bundle_are_refused(
    trained: Trained, tmp_path: Path, content: bytes, said: str
) -> None:
    pack = in_groups(trained)
    ensemble = weigh(pack, method="tandem")
    data = (trained.inputs, trained.labels)
    trained.module(ensemble).save_pretrained(
        tmp_path / "bundle", ensemble=ensemble, model=make, holdout=data, predictions=pack
    )
    whole = verify_bundle(tmp_path / "bundle", data, model=make)
    assert whole.holds
    assert "samples belong together as holdout.npz says" in whole.trusted
    forge_answers(tmp_path / "bundle", content)
    with pytest.raises(InputError, match=said):
        verify_bundle(tmp_path / "bundle", data, model=make)
