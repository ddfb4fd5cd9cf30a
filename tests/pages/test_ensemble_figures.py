from comitia.pages.ensemble_figures import certificates_figure, ensemble_figures, members_figure
from report_records import an_ensemble, unsplit


def test_certificates_rise_and_the_designated_one_is_strong() -> None:
    ensemble = an_ensemble()
    (panel,) = certificates_figure(ensemble, ensemble.promised).panels
    (bars,) = panel.series
    assert panel.ticks == ("split", "tandem-kl", "first-order-kl")
    assert bars.y == (0.0741, 0.273, 1.0)
    assert bars.labels == ("7.41%", "27.30%", "vacuous")
    assert bars.marked == (False, False, True)
    assert bars.strong == (True, False, False)


def test_a_certificate_at_a_share_of_delta_is_listed_once_as_it_is_quoted() -> None:
    ensemble = unsplit(an_ensemble())
    (panel,) = certificates_figure(ensemble, ensemble.promised).panels
    assert panel.ticks == ("tandem-kl at δ/6", "first-order-kl")
    assert panel.series[0].strong == (True, False)


def test_members_have_accuracy_and_weight() -> None:
    figure = members_figure(an_ensemble())
    dots, bars = (panel.series[0] for panel in figure.panels)
    assert dots.y == (0.92, 0.91, 0.9, 0.89)
    assert bars.y == (0.5, 0.5, 0.0, 0.0)
    assert dots.strong == (True, True, False, False)
    assert figure.table.rows[1] == ("bob", 0.91, 0.5)


def test_many_members_are_not_named_on_the_axis() -> None:
    figure = members_figure(an_ensemble(tuple(f"m{i}" for i in range(40))))
    assert all(panel.ticks is None for panel in figure.panels)
    assert figure.panels[0].series[0].labels is not None


def test_every_figure_tells_itself_in_words() -> None:
    for figure in ensemble_figures(an_ensemble()):
        assert len(figure.alt) > 40
        assert figure.table.rows
