"""What comes first on the page of ensembles whose samples come in groups, have gaps, or are out-of-fold."""

from dataclasses import replace

from comitia._certificate import Certificate
from comitia._ensemble import Ensemble
from comitia.pages.ensemble_figures import members_figure
from comitia.pages.ensemble_verdict import ensemble_verdict
from comitia.pages.material import Material
from comitia.pages.record_page import record_page
from report_records import an_ensemble


def grouped() -> Ensemble:
    """100 of 200 groups chose the weights; the others, of ten samples each, certify."""
    found = an_ensemble()
    inputs = {"errors": [1] * 64 + [0] * 36, "sizes": [10] * 100}
    best = Certificate("groups", "average", 0.095, 0.05, 100, inputs, unit="groups")
    return replace(
        found,
        weighting=replace(found.weighting, samples=100),
        certification=replace(found.certification, best=best, certificates=(best,)),
        data=replace(found.data, samples=2000, groups=200, pair_samples_min=200),
    )


def estimated() -> Ensemble:
    found = an_ensemble()
    return replace(
        found,
        chosen_on="all",
        estimate=0.078,
        certification=replace(found.certification, best=None, certificates=()),
        data=replace(found.data, folds=5),
        weighting=replace(found.weighting, samples=5000),
    )


def notes(ensemble: Ensemble) -> dict[str, str]:
    return {fact.label: fact.note for fact in ensemble_verdict(ensemble).facts}


def test_groups_are_counted_as_groups() -> None:
    verdict, told = ensemble_verdict(grouped()), notes(grouped())
    assert told["Weighting"] == "chosen on 100 of 200 hold-out groups"
    assert told["Errors counted"] == "64 of 1,000 certifying samples in 100 groups, including ties"
    assert "errs on 6.40% of the samples of those groups" in verdict.text
    assert "On the whole hold-out (mean over groups) the best member" in verdict.text
    page = record_page(Material("g", grouped()))
    assert "groups that chose the weights" in page
    assert "smallest overlap of two members&#x27; groups" in page


def test_out_of_fold_samples_are_never_called_a_hold_out() -> None:
    verdict = ensemble_verdict(estimated())
    assert verdict.headline == "Estimate: about 7.80% errors; nothing is promised"
    shown = " ".join([verdict.text, *notes(estimated()).values(), members_figure(estimated()).caption])
    assert "hold-out" not in shown
    assert "out-of-fold" in shown
    page = record_page(Material("o", estimated()))
    assert "None is given." in page
    assert "seed of the split" not in page


def test_members_are_measured_on_the_samples_that_certify_if_those_are_apart() -> None:
    found = replace(an_ensemble(), chosen_on="apart")
    apart = replace(found, data=replace(found.data, folds=5, certify_samples=1500, certify_sha256="cd" * 32))
    assert "On the samples that certify the best member alone" in ensemble_verdict(apart).text
    assert notes(apart)["Weighting"] == "chosen on 1,000 of 5,000 out-of-fold samples"
    assert "accuracy on the samples that certify" in members_figure(apart).table.columns


def test_silence_is_told_where_it_is_counted() -> None:
    found = an_ensemble()
    silent = replace(found, data=replace(found.data, abstained=7))
    assert "No answer counts as half an error there." in ensemble_verdict(silent).text
    assert "no answer counts as half an error" in members_figure(silent).caption
    assert "half an error" not in ensemble_verdict(found).text + members_figure(found).caption


def test_weights_that_no_sample_chose() -> None:
    given = replace(an_ensemble(), chosen_on="nothing")
    assert notes(given)["Weighting"] == "chosen without the hold-out"
