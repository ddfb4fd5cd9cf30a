"""What every number of an evaluation means, as its record says it."""

DEFINITIONS = {
    "size": "number of training runs drawn without replacement (members without a run are runs of their own), or "
    "trained by themselves for that size (settings.grouped, an epoch budget)",
    "members": "last: the last state of each drawn run; all: all its states",
    "protocol": "samples are halved once; one half chooses the weights and yields the bound, the other is "
    "scored; then they swap, and the two are averaged",
    "weights": "first-order, tandem and all other weights are chosen for the majority vote (0/1 losses) and used "
    "for both votes, as in the paper",
    "accuracy": "share of samples whose class is found; ties go to the lowest class",
    "sd": "standard deviation (n - 1) over the draws; none of a single draw",
    "nll": "mean of -ln(probability of the true class), probabilities not below 1e-12; average vote only",
    "brier": "mean over samples of the sum over classes of (probability - truth)^2; average vote only",
    "ece": "expected calibration error: 15 bins of equal width of the largest probability, the mean over samples "
    "of |accuracy - confidence| of the bin; average vote only",
    "auroc": "area under the ROC curve of the probability of class 1, ties count one half; average vote, two "
    "classes only",
    "bound": "tandem-kl bound on the risk at delta, from the half that chose the weights: of 0/1 losses for the "
    "majority vote, of margin losses for the average vote",
    "effective": "effective number of members, 1 / (sum of squared weights)",
    "single_best": "accuracy of the member that is best on the weighing half, on the other half; among all states "
    "where they are evaluated, else among the last ones",
    "half_width": "half of the 95% interval of a difference: square root of 4 (variance over samples of the mean of "
    "the draws + 2 / samples) / samples + t^2 (variance over draws / draws), with Student's t for so few draws; "
    "2 / samples stands for one more sample on which each side alone is right, so that the interval of ensembles that "
    "agree on every sample is not 0",
}
