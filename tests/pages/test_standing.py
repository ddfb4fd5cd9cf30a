from dataclasses import replace

from comitia.pages.standing import standing_of
from report_records import an_evaluation


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
