"""Rows of the paper, comparisons of ensembles, and its argument on a problem that is computed exactly."""

from comitia.paper.comparison_plan import ComparisonPlan, plan_names, read_plan
from comitia.paper.reproducing import (
    ReproducedArgument,
    ReproducedComparison,
    Reproduction,
    reproduce,
    reproduce_argument,
    reproduce_comparison,
)
from comitia.paper.rows import PaperRow, paper_row, references

__all__ = [
    "ComparisonPlan",
    "PaperRow",
    "ReproducedArgument",
    "ReproducedComparison",
    "Reproduction",
    "paper_row",
    "plan_names",
    "read_plan",
    "references",
    "reproduce",
    "reproduce_argument",
    "reproduce_comparison",
]
