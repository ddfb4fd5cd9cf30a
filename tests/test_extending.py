"""A weighting and a bound from outside the package get the treatment of built-in ones, end to end.

Both are those that docs/extending.md shows.
"""

import json
import sys

import numpy as np
import pytest

from comitia import InputError, evaluate, report, verify, weigh
from comitia._ensemble import Ensemble
from comitia._split import split_samples
from comitia.cli.main import main
from comitia.statistics import measure
from page_examples import page_blocks
from simulated import simulated

MODULE = "\n".join(
    page_blocks("extending.md", "python", "A weighting") + page_blocks("extending.md", "python", "A bound")
)


@pytest.fixture
def outside(tmp_path, monkeypatch):
    (tmp_path / "outside_weighting.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "outside_weighting", raising=False)
    import outside_weighting

    return outside_weighting


def run(*words):
    with pytest.raises(SystemExit) as done:
        main(list(words))
    return done.value.code


def test_a_callable_is_split_and_certified_as_a_built_in_one(outside):
    pack = simulated()
    ensemble = weigh(pack, method=outside.inverse_error, vote="majority")
    assert ensemble.weighting.method == "outside_weighting:inverse_error"
    assert ensemble.chosen_on == "part"
    assert ensemble.best.name == "split"
    assert ensemble.weighting.samples == ensemble.split.weighing
    weighing, _ = split_samples(pack.samples, ensemble.split.fraction, seed=0)
    inverse = 1 / measure(pack.take(weighing)).first
    np.testing.assert_allclose(ensemble.weights, inverse / inverse.sum(), rtol=1e-12)
    assert verify(ensemble, pack, method=outside.inverse_error).holds


def test_a_method_that_says_it_looked_at_nothing_is_not_believed(outside):
    from comitia.weighting import Weighting

    def sly(evidence):
        return Weighting("uniform", np.eye(evidence.predictions.members)[0], samples=0)

    ensemble = weigh(simulated(), method=sly)
    assert ensemble.chosen_on == "part"
    assert ensemble.weighting.samples > 0
    assert ensemble.weighting.method.endswith("sly")


def test_plain_weights_will_do_and_wrong_ones_are_refused():
    assert weigh(simulated(), method=lambda e: np.full(6, 1 / 6)).best.name == "split"
    with pytest.raises(
        InputError, match=r"method: '.*' must return a Weighting or the weights; weights: must sum"
    ):
        weigh(simulated(), method=lambda e: np.full(6, 1 / 3))
    with pytest.raises(
        InputError, match="must return a Weighting or the weights; weights: must be 6 numbers"
    ):
        weigh(simulated(), method=lambda e: "all of them")


def test_a_bound_stands_among_the_certificates_and_rests_on_its_author(outside):
    pack = simulated()
    ensemble = weigh(pack, bounds=[outside.hoeffding], certify_fraction=0, vote="majority")
    found = {c.name: c for c in ensemble.certification.certificates}["outside_weighting:hoeffding"]
    assert found.meaning.startswith("Twice the Gibbs risk, by Hoeffding")
    assert ensemble.certification.compared == 9
    stated = {row["name"]: row for row in ensemble.to_json()["certificates"]}[found.name]
    assert "given from outside, is valid" in stated["assumption"]
    again = Ensemble.from_json(json.dumps(ensemble.to_json()))
    assert verify(again, pack, bounds=[outside.hoeffding]).holds
    with pytest.raises(InputError, match="bounds: the file rests on 'outside_weighting:hoeffding'"):
        verify(again, pack)
    with pytest.raises(InputError, match="bounds: the file has no certificate 'outside_weighting:hoeffding'"):
        verify(weigh(pack, vote="majority"), pack, bounds=[outside.hoeffding])


def test_by_name_on_the_command_line(outside, tmp_path, capsys):
    pack = simulated()
    np.savez("pack.npz", votes=pack.votes(), labels=pack.labels)
    words = ("--method", "outside_weighting:inverse_error", "--bound", "outside_weighting:hoeffding")
    assert run("weigh", "pack.npz", *words, "--out", "e.json") == 0
    assert "outside_weighting:hoeffding" in capsys.readouterr().out
    assert run("verify", "e.json", "pack.npz", *words) == 0
    # a file that names code does not make it run
    assert run("verify", "e.json", "pack.npz") == 2
    assert "give it to compute them again" in capsys.readouterr().err
    assert run("predict", "e.json", "pack.npz") == 0


def test_it_is_evaluated_and_reported(outside, tmp_path):
    pack = simulated(members=6, samples=400)
    weightings = ("uniform", "outside_weighting:inverse_error")
    found = evaluate(pack, weightings=weightings, repeats=1, sizes=[6], bounds=[outside.hoeffding])
    assert "outside_weighting:inverse_error" in {row.weights for row in found.rows}
    certified = {(row.weights, row.certificate.name) for row in found.certificates}
    assert ("outside_weighting:inverse_error", "outside_weighting:hoeffding") in certified
    # weights by a method from outside are certified on samples that did not choose them
    designated = {row.weights: row.certificate.name for row in found.certificates if row.designated}
    assert designated["outside_weighting:inverse_error"] == "split"
    ensemble = weigh(pack, method=outside.inverse_error, bounds=[outside.hoeffding])
    for record in (found, ensemble):
        page = report(record, tmp_path / "page.html", force=True).read_text()
        assert "outside_weighting:hoeffding" in page
        assert "outside_weighting:inverse_error" in page


def in_place(evidence):
    """Works on what it is given, as people do."""
    tandem = evidence.statistics.second
    np.fill_diagonal(tandem, 0.0)
    return np.full(len(tandem), 1 / len(tandem))


def relabels(evidence):
    evidence.labels[:] = evidence.predictions.votes()[0]
    return np.full(evidence.predictions.members, 1 / evidence.predictions.members)


@pytest.mark.parametrize("method", [in_place, relabels])
@pytest.mark.parametrize("options", [{}, {"certify_fraction": 0}])
def test_a_method_cannot_change_what_certifies(method, options):
    with pytest.raises(InputError, match="method: '.*' failed: ValueError: .*read-only"):
        weigh(simulated(), method=method, **options)


def test_a_method_cannot_change_the_prior_of_its_user():
    prior = np.array([0.3, 0.1, 0.1, 0.2, 0.2, 0.1])
    before = prior.copy()

    def changes(evidence):
        np.asarray(evidence.pi)[:] = 0
        return np.full(6, 1 / 6)

    ensemble = weigh(simulated(), method=changes, prior=prior, certify_fraction=0)
    assert np.array_equal(prior, before)
    assert ensemble.prior == pytest.approx(before)


def test_a_method_that_fails_is_named():
    def broken(evidence):
        raise KeyError("oops")

    with pytest.raises(InputError, match="method: '.*broken' failed: KeyError: 'oops'"):
        weigh(simulated(), method=broken)
