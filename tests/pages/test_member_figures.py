from comitia.pages.member_figures import tandem_figure, weights_figure
from report_records import an_evaluation


def test_three_panels_over_the_members_as_in_the_paper() -> None:
    figure = weights_figure(an_evaluation())
    assert [panel.y_title for panel in figure.panels] == ["accuracy", "first-order weight", "tandem weight"]
    assert figure.panels[1].series[0].y == (1.0, 0.0, 0.0, 0.0)
    assert figure.panels[0].series[0].strong == (False, True, False, True)


def test_the_tandem_matrix_is_symmetric_and_coloured_by_the_pairs() -> None:
    (panel,) = tandem_figure(an_evaluation()).panels
    assert panel.matrix is not None
    assert panel.matrix[0][0] == 60 / 500
    assert panel.matrix[1][3] == panel.matrix[3][1] == 34 / 500
    assert panel.levels == (31 / 500, 35 / 500)
