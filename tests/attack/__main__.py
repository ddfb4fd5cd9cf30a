"""Attack the tool for some minutes and say what went wrong: `python -m attack --minutes 29`, or `make attack`.

The same seed, process and number of a try give the same harm. Files that did harm are kept; their paths are printed.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from attack.run import in_process
from attack.stages import SHARES


def main() -> int:
    """Run the attack in several processes, print what was tried and what was wrong, and return the exit code."""
    parser = argparse.ArgumentParser(prog="attack", description=__doc__)
    parser.add_argument("--minutes", type=float, default=29)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--stages", help="only these, with commas: " + ", ".join(SHARES))
    parser.add_argument("--json", help="write the counts there")
    asked = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="comitia-attack-")
    shares = SHARES if asked.stages is None else {name: SHARES[name] for name in asked.stages.split(",")}
    with ProcessPoolExecutor(asked.processes, mp_context=get_context("spawn")) as pool:
        jobs = [
            pool.submit(in_process, folder, 60 * asked.minutes, asked.seed, k, shares)
            for k in range(asked.processes)
        ]
        found = [job.result() for job in jobs]
    tried: Counter[str] = sum((one.tried for one in found), Counter())
    wrong = [text for one in found for text in one.wrong]
    for what, count in sorted(tried.items()):
        print(f"{what:32}{count:>9,} tried {sum(text.startswith(f'{what}:') for text in wrong):>6,} wrong")
    for text in wrong[:40]:
        print(text)
    if asked.json:
        Path(asked.json).write_text(
            json.dumps({"tried": dict(sorted(tried.items())), "wrong": len(wrong)}, indent=1) + "\n"
        )
    print(f"{sum(tried.values()):,} tried, {len(wrong):,} wrong; files that did harm are in {folder}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
