from dataclasses import replace

from comitia._certificate import SAMPLING, Certificate
from comitia.pages.ensemble_verdict import ensemble_verdict
from comitia.pages.verdict import evaluation_verdict, standing_of
from report_records import an_ensemble, an_evaluation, unsplit


def test_the_promise_comes_first() -> None:
    verdict = ensemble_verdict(an_ensemble())
    assert verdict.headline == "At most 7.41% errors, with 95% probability"
    assert "errs on 6.70% of those samples" in verdict.text
    assert "best member alone errs on 8.00%" in verdict.text
    assert any(SAMPLING[1:] in line for line in verdict.assumptions)
    assert any("designated before looking" in line for line in verdict.assumptions)


def test_the_best_of_several_holds_at_the_delta_asked_for() -> None:
    verdict = ensemble_verdict(unsplit(an_ensemble()))
    assert verdict.headline == "At most 28.10% errors, with 95% probability"
    assert "with probability 95%" in verdict.text.lower()
    assert any("smallest of 6 kinds, each computed at δ/6 = 0.00833" in line for line in verdict.assumptions)


def test_a_vacuous_certificate_promises_nothing() -> None:
    ensemble = an_ensemble()
    nothing = Certificate("split", "average", 1.0, 0.05, 3, {"errors": 3, "n": 3})
    verdict = ensemble_verdict(replace(ensemble, certification=replace(ensemble.certification, best=nothing)))
    assert verdict.headline == "Nothing can be promised from these samples"


def test_a_gain_beyond_noise_is_told() -> None:
    verdict = evaluation_verdict(an_evaluation())
    assert verdict.headline == "87.9% accuracy, 0.5 points above equal weights"
    assert "+0.54 ± 0.10 points (95%)" in verdict.text
    assert "at most 13.58%" in verdict.text
    assert any("the weights chosen on the first half and the first draw" in a for a in verdict.assumptions)


def test_runs_of_a_single_state_are_not_told_twice() -> None:
    evaluation = an_evaluation()
    single = replace(evaluation, source=replace(evaluation.source, runs=evaluation.source.members))
    verdict = evaluation_verdict(single)
    assert verdict.headline == "87.7% accuracy with tandem weights"
    assert [fact.label for fact in verdict.facts] == ["Tandem weights", "Equal weights", "Best single member"]


def test_a_difference_within_noise_is_not_told_as_a_gain() -> None:
    evaluation = an_evaluation()
    (found,) = evaluation.differences
    verdict = evaluation_verdict(replace(evaluation, differences=(replace(found, half_width=0.006),)))
    assert verdict.headline.endswith("not distinguishable from equal weights")
    below = evaluation_verdict(replace(evaluation, differences=(replace(found, difference=-0.0054),)))
    assert below.headline.endswith("0.5 points below equal weights")


def test_tandem_on_all_states_by_average_vote_at_the_largest_size() -> None:
    standing = standing_of(an_evaluation())
    assert standing.row.key == ("all", "tandem", "average")
    assert standing.row.size == 4
    assert standing.plain is not None
    assert standing.plain.weights == "uniform"
    assert standing.comparison is not None
    assert standing.called == "tandem weights on all states"
    assert standing.promised is not None
    assert standing.promised.certificate.vote == "average"


def test_the_choice_does_not_look_at_the_numbers() -> None:
    evaluation = an_evaluation()
    worse = tuple(replace(r, accuracy_mean=0.1) if r.weights == "tandem" else r for r in evaluation.rows)
    assert standing_of(replace(evaluation, rows=worse)).weights == "tandem"


def test_votes_alone_and_last_states_alone() -> None:
    evaluation = an_evaluation()
    settings = replace(evaluation.settings, votes=("majority",), members=("last",), weightings=("uniform",))
    rows = tuple(r for r in evaluation.rows if r.key == ("last", "uniform", "majority"))
    standing = standing_of(replace(evaluation, settings=settings, rows=rows))
    assert standing.row.key == ("last", "uniform", "majority")
    assert standing.called == "equal weights on the last states"
    assert standing.promised is None


def test_rounded_weights_belong_to_their_weighting() -> None:
    evaluation = an_evaluation()
    rounded = replace(evaluation.certificates[1], weights="tandem, multiples of 1/20")
    found = standing_of(replace(evaluation, certificates=(*evaluation.certificates, rounded)))
    assert rounded in found.certificates
