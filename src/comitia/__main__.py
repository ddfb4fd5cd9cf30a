"""`python -m comitia`: the same as the command `comitia`."""

from comitia.cli.main import main

if __name__ == "__main__":
    main()
