"""The attack on the tool: `python -m attack`, see `make attack`."""
