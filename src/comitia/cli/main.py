"""The `comitia` command: finds the file of a sub-command when it is asked for, and turns errors into lines."""

import errno
import os
import re
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from comitia import __version__
from comitia._errors import InputError, nearest
from comitia._words import harmless
from comitia.cli.completion import completed
from comitia.cli.table_options import typed

COMMANDS = {
    "weigh": "hold-out predictions → weights and certificates",
    "build": "checkpoints of any origin → weights, certificates, one folder to deploy",
    "predict": "member predictions → the ensemble's",
    "verify": "compute every certificate of an ensemble again from the data",
    "compare": "is one ensemble certified better than another, a member, or the uniform vote?",
    "monitor": "does the promise still hold? labels as they come in, valid whenever you look",
    "drift": "do new samples without labels look unlike the hold-out? a warning",
    "count": "exact counts of a shard of predictions as a small file that weigh adds up",
    "plan": "how many hold-out samples a certificate needs, or what a number of them can certify",
    "evaluate": "compare weightings on test predictions by the paper's protocol",
    "train": "train the networks of a recipe; the same command again resumes",
    "collect": "networks → predictions, again or on new data",
    "reproduce": "a row of the paper: train, evaluate, tables and figures beside its numbers",
    "report": "one self-contained HTML page",
    "data": "fetch, prepare and check data sets",
    "demo": "the main job on data that comes with the install",
}


ENDED_AT_ONCE = (
    *("weigh", "predict", "verify", "compare", "monitor", "drift", "count", "plan", "evaluate", "report"),
)


# Commands that keep what is done; `train` says itself where.
RESUMED = ("reproduce", "demo")
# What the path that the user gave is to blame for, and what the disk is.
PATHS = (
    errno.ENAMETOOLONG,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ELOOP,
    errno.ENXIO,
)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# What a shell gives to a program that a closed pipe ended; 1 would say that something failed.
PIPE_CLOSED = 141


class LazyGroup(click.Group):
    """A group whose commands live in `comitia.cli.<name>` and are imported only when used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"comitia.cli.{name}").command
        return completed(command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise click.UsageError(f"no command '{args[0]}'{nearest(args[0], COMMANDS)}; see comitia --help")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="comitia %(version)s")
def group() -> None:
    """Weigh the votes of an ensemble and certify the result.

    \b
    comitia weigh holdout.npz --out ensemble.json     weights and certificates
    comitia predict ensemble.json new.npz             the ensemble's predictions
    comitia demo                                      everything, on bundled data
    """


def run() -> None:
    """Run the command line as the whole process.

    Commands that start no process of their own end it as soon as all is written: taking the interpreter apart, with
    numba in it, takes as long as weighing a small pack.
    """
    try:
        main()
        code: object = 0
    except SystemExit as end:
        code = end.code
    if len(sys.argv) < 2 or sys.argv[1] not in ENDED_AT_ONCE or not isinstance(code, int | None):
        sys.exit(code)  # type: ignore[arg-type]
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # a process may be started without it
                stream.flush()
        except BrokenPipeError:
            code = code or PIPE_CLOSED
        except (OSError, ValueError):
            code = code or 1
    _end(int(code or 0))


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exit 0, 2 for bad input, 1 for a failure while working."""
    words = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in words or bool(os.environ.get("COMITIA_DEBUG"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a sign shows ? in its place
            stream.reconfigure(errors="replace")
    try:
        code = group.main(args=words, prog_name="comitia", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except (KeyboardInterrupt, click.Abort):
        _interrupted(words, arguments is None)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(PIPE_CLOSED)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        sys.exit(2)
    except (InputError, click.ClickException) as error:
        if debug:
            raise
        _fail(
            error.format_message() if isinstance(error, click.ClickException) else flagged(str(error), words),
            2,
        )
    except MemoryError as error:
        if debug:
            raise
        _fail(f"failed: not enough memory ({error or 'no more is to be had'})", 1)
    except OSError as error:
        if debug:
            raise
        _fail(*_told(error))
    except Exception as error:
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            _interrupted(words, arguments is None)  # one that fell into the making of a class comes wrapped
        if debug:
            raise
        _fail(f"failed: {type(error).__name__}: {error}", 1)


def flagged(message: str, words: list[str]) -> str:
    """Return the message of the library with its arguments spelled as the flags of the command that was called.

    >>> flagged("delta: must lie strictly between 0 and 1, got 2", ["weigh"])
    '--delta: must lie strictly between 0 and 1, got 2'
    >>> flagged("t.csv: column 'sex' is a feature; ignore='sex' leaves it out", ["weigh"])
    "t.csv: column 'sex' is a feature; --ignore sex leaves it out"
    >>> flagged("uniform: no such file", ["compare", "a.json", "uniform"])
    'uniform: no such file'
    """
    name = next((word for word in words if word in COMMANDS), None)
    if name is None:
        return message
    command: click.Command = import_module(f"comitia.cli.{name}").command
    options = [option for option in command.params if isinstance(option, click.Option)]
    flags = {str(option.name): option.opts[-1] for option in options}
    flags |= {flag.removeprefix("--").replace("-", "_"): flag for flag in flags.values()}
    subject, colon, rest = message.partition(":")
    spelled = re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda found: flags.get(found[0], found[0]), rest)
    spelled = re.sub(r"\b([a-z]+)=(?:'([^']*)')?", lambda found: _option(found, flags), spelled)
    named = subject in words  # a file of the user's that is called like an option
    return f"{subject if named else flags.get(subject, subject)}{colon}{spelled}"


def _option(found: re.Match[str], flags: dict[str, str]) -> str:
    """An argument with its value (`ignore='sex'`) as it is typed; the words as they are if it is no option."""
    flag, value = flags.get(found[1]), found[2]
    if flag is None or value is None:
        return found[0] if flag is None else flag
    return typed(flag, value)


def _told(error: OSError) -> tuple[str, int]:
    """What is wrong with a path, or with the disk, in words, and the exit code."""
    where = f"{error.filename}: " if error.filename else ""
    if error.errno in FULL:
        return f"failed: {where}the disk is full, or a limit of its use is reached ({error.strerror})", 1
    if where and error.errno in PATHS:
        return f"{where}cannot be used ({error.strerror})", 2
    return f"failed: {type(error).__name__}: {error}", 1


def _interrupted(words: list[str], whole_process: bool) -> None:
    """Say so, and how to go on, and end with 130."""
    more = "; the same command goes on from what is done" if words and words[0] in RESUMED else ""
    print(f"comitia: interrupted{more}", file=sys.stderr)
    if whole_process:
        # An interrupt that fell into an exec (dataclasses do that while they are imported) makes Python end by the
        # signal in spite of sys.exit; everything is put away by now, so the process may end here.
        sys.stdout.flush()
        _end(130)
    sys.exit(130)


def _end(code: int) -> None:
    """End the process without its exit handlers; the local copies of URLs are removed."""
    remote = sys.modules.get("comitia.files.remote")
    if remote is not None:
        remote.remove_copies()
    os._exit(code)


def _fail(message: str, code: int) -> None:
    print(f"comitia: {harmless(' '.join(message.split()))}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    run()
