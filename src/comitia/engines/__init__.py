"""Engines run the trainings of a recipe: `local` in processes of this machine, `ray` on a cluster."""
