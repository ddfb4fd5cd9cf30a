"""Engines run the trainings of a recipe: `local` in processes of this machine, `ray` on a cluster.

`training.train` trains a recipe, `collection.collect` computes the predictions of what was trained.
"""
