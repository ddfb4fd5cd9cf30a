from hypothesis import given, settings
from hypothesis import strategies as st

from comitia.pages.figure import Table
from comitia.pages.page_parts import Markup, element, table


@settings(max_examples=50, deadline=None)
@given(st.text())
def test_no_text_becomes_markup(text: str) -> None:
    inner = element("p", text, title=text).removeprefix("<p title=").removesuffix("</p>")
    assert inner.count("<") == 0
    assert inner.count(">") == 1  # the end of the opening tag
    assert inner.count('"') == 2


def test_markup_is_kept_and_absent_attributes_are_left_out() -> None:
    assert (
        element("p", Markup("<b>x</b>"), None, id=None, hidden=True, open=False) == "<p hidden><b>x</b></p>"
    )


def test_a_table_lies_in_its_own_scrolling_box() -> None:
    built = table(Table(("name", "value"), (("<i>", 1.5), ("y" * 40, None))), "caption")
    assert built.startswith('<div class="scroll"')
    assert "&lt;i&gt;" in built
    assert '<td class="num">1.5</td>' in built
    assert '<td class="long">' in built
