"""`python -m comitia`: the same as the command `comitia`."""

from comitia.cli.main import run

if __name__ == "__main__":
    run()
