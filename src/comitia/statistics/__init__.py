"""What the bounds need of an ensemble: losses of members and pairs, counted exactly or summed."""

from comitia.statistics.counted import Counted
from comitia.statistics.counts import Counts, co_errors, count
from comitia.statistics.effective import effective_members, error_correlations
from comitia.statistics.moments import Statistics, measure, measure_with_part

__all__ = [
    "Counted",
    "Counts",
    "Statistics",
    "co_errors",
    "count",
    "effective_members",
    "error_correlations",
    "measure",
    "measure_with_part",
]
