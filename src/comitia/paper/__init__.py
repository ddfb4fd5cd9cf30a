"""Rows of the paper, comparisons of ensembles, and its argument on a problem that is computed exactly."""

from comitia.paper.argument.reproducing import ReproducedArgument, reproduce_argument
from comitia.paper.comparison_plan import ComparisonPlan, plan_names, read_plan
from comitia.paper.literature import references
from comitia.paper.outputs import reproduce_tables
from comitia.paper.reproducing import (
    ReproducedComparison,
    Reproduction,
    reproduce,
    reproduce_comparison,
)
from comitia.paper.results import every_row
from comitia.paper.rows import PaperRow, paper_row, paper_rows

__all__ = [
    "ComparisonPlan",
    "PaperRow",
    "ReproducedArgument",
    "ReproducedComparison",
    "Reproduction",
    "every_row",
    "paper_row",
    "paper_rows",
    "plan_names",
    "read_plan",
    "references",
    "reproduce",
    "reproduce_argument",
    "reproduce_comparison",
    "reproduce_tables",
]
