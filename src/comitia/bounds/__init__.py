"""Bounds on the risk of a weighted vote: plain functions of numbers, one per file.

Each holds with probability at least 1 - delta, rounds outward, and returns its value unclipped: 1 or more is
vacuous. `independent_errors` alone is no such bound: it assumes independent errors and known risks. `digital` and
`digital_paired` are functions of values in a fixed order, and never above the values' own limit. `error_quantile`,
`squared_error_tandem` and `squared_error_first_order` are of real targets, in units of the target.
"""

from comitia.bounds.best_member import best_member
from comitia.bounds.c1 import c1
from comitia.bounds.c2 import c2
from comitia.bounds.cantelli import cantelli
from comitia.bounds.clopper_pearson import clopper_pearson, clopper_pearson_log
from comitia.bounds.ctd import ctd
from comitia.bounds.digital import digital
from comitia.bounds.digital_paired import digital_paired
from comitia.bounds.disagreement import disagreement
from comitia.bounds.error_quantile import error_quantile, quantile_rank
from comitia.bounds.first_order_kl import first_order_kl
from comitia.bounds.first_order_lambda import first_order_lambda
from comitia.bounds.group_mean import group_mean
from comitia.bounds.independent_errors import independent_errors, independent_errors_exact
from comitia.bounds.moment import moment
from comitia.bounds.occam import log_prior, occam
from comitia.bounds.relaxation import best_lambda
from comitia.bounds.shifted_tandem import bennett, pair_means, split_kl, unexpected_bernstein
from comitia.bounds.squared_error import squared_error_first_order, squared_error_tandem
from comitia.bounds.tandem_kl import tandem_kl
from comitia.bounds.tandem_lambda import tandem_lambda
from comitia.bounds.terms import budget, kl_bernoulli, kl_divergence, kl_lower, kl_upper, log_term

__all__ = [
    "bennett",
    "best_lambda",
    "best_member",
    "budget",
    "c1",
    "c2",
    "cantelli",
    "clopper_pearson",
    "clopper_pearson_log",
    "ctd",
    "digital",
    "digital_paired",
    "disagreement",
    "error_quantile",
    "first_order_kl",
    "first_order_lambda",
    "group_mean",
    "independent_errors",
    "independent_errors_exact",
    "kl_bernoulli",
    "kl_divergence",
    "kl_lower",
    "kl_upper",
    "log_prior",
    "log_term",
    "moment",
    "occam",
    "pair_means",
    "quantile_rank",
    "split_kl",
    "squared_error_first_order",
    "squared_error_tandem",
    "tandem_kl",
    "tandem_lambda",
    "unexpected_bernstein",
]
