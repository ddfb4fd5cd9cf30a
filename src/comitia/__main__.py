"""`python -m comitia`: the same as the command `comitia`."""

import os
import sys


def main() -> None:
    """Run the command line as the whole process; an interrupt while it is still imported is told as any other."""
    try:
        from comitia.cli.main import run
    except KeyboardInterrupt:
        print("comitia: interrupted", file=sys.stderr, flush=True)
        os._exit(130)
    run()


if __name__ == "__main__":
    main()
