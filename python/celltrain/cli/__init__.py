"""The command line: ``celltrain COMMAND``. One module per command; heavy imports wait until a command needs them."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import rich_click as click
from click.exceptions import Exit, NoArgsIsHelpError

from celltrain import extras
from celltrain.cli.console import BadInput, fail
from celltrain.refused import EnginesDiffer

#: Commands in the order of the help page, each with its line there; the module ``celltrain.cli.COMMAND`` holds it.
COMMANDS = {
    "init": "Write a commented file to start from, and print what to type next; without KIND, list the kinds.",
    "examples": "List the examples that ship with celltrain, or print the file of NAME.",
    "lines": (
        "List lines that are ready to use: ADSL2+, VDSL2, cable, fibre, LTE, 5G, Starlink, a satellite far away, Wi-Fi."
    ),
    "lesson": "Learn with six lessons: a page, a network to run, and questions whose answers are checked.",
    "run": "Run SCENARIO and print what it measured.",
    "sweep": (
        "Run SCENARIO at many points, on all cores or a cluster; the same command again runs only what is missing."
    ),
    "results": "Summarise the sweep in DIR, export it, or compare it with another.",
    "effects": "Compute effects, interactions and allocation of variation of the factorial sweep in DIR.",
    "reproduce": "Reproduce published studies: a table, a plot and a verdict on each claim, for each figure.",
    "report": "Write one HTML page with the results in DIR.",
    "shell": "Open a shell, or run COMMAND, connected only by the line of SCENARIO; the far end is called `server`.",
    "ci": "Test programs over lines, for CI: verdicts against thresholds, as JUnit XML and an HTML page.",
    "parity": "Run SCENARIO with simulated TCP and with the kernel's TCP in real time, and check whether they agree.",
    "trust": "Compare our TCP with other implementations, formulas and rules; exits with 1 if a target is missed.",
    "packetdrill": "Run packetdrill scripts against our TCP in virtual time; exits with 1 if one fails.",
    "trace": "Write the rate of LINK as a Mahimahi packet-delivery trace.",
    "convert": "Convert the recording of a line in the files IN, and print what was assumed.",
    "dbs": "Measure between real hosts: TCP and UDP flows of a plan, with many hosts and connections at once.",
    "validate": "Check each SCENARIO and report all its errors with line and key.",
    "show": "Draw the topology of SCENARIO: nodes, links, the paths of VCs, and their traffic.",
    "overhead": (
        "Print the overhead of IP packets of OCTETS octets on lines of ATM (ADSL), PTM (VDSL), DOCSIS and Ethernet."
    ),
    "columns": "List the columns of TABLE, or of all tables, with unit, type and meaning.",
    "schema": "Print the JSON Schema of a scenario.",
    "doctor": (
        "Report what works on this machine, and how to fix what does not. Exits with 1 if the simulator does not work."
    ),
    "completion": (
        "Print the completion script of SHELL. It completes commands, options and values: studies, links, VCs, keys."
    ),
}


#: Set by the completion of a shell, which asks for the values of a word.
COMPLETION = "_CELLTRAIN_COMPLETE"


class LazyGroup(click.RichGroup):
    """A group whose commands are imported when they are used; its own help needs only their names and lines."""

    _lists_only = False

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands, in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        if self._lists_only:
            return click.RichCommand(name=cmd_name, help=COMMANDS[cmd_name])
        module = importlib.import_module(f"celltrain.cli.{cmd_name}")
        command: click.Command = module.command
        if COMPLETION in os.environ:
            from celltrain.cli.candidates import attach

            attach(cmd_name, command)
        return command

    def format_help(self, ctx: click.RichContext, formatter: click.RichHelpFormatter) -> None:  # type: ignore[override]
        """Write the help page, without importing the commands."""
        self._lists_only = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._lists_only = False


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="celltrain", prog_name="celltrain")
def app() -> None:
    """TCP over lines that segment, shape and vary: simulate it cell by cell, and reproduce published studies."""


def in_words(error: click.ClickException) -> str:
    """Write an error about options and arguments, with the command that explains them."""
    context = getattr(error, "ctx", None)
    help_of = f"; see {context.command_path} --help" if context else ""
    return error.format_message().rstrip(".") + help_of


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exits with 0 (done), 1 (check failed), 2 (bad input), 3 (at a limit), 130 (interrupted)."""
    if COMPLETION in os.environ:
        from celltrain.cli import bash

        bash.add()
    try:
        code = app.main(arguments, prog_name="celltrain", standalone_mode=False)
    except Exit as done:
        code = done.exit_code
    except NoArgsIsHelpError as error:
        error.show()
        code = 2
    except click.ClickException as error:
        code = fail(in_words(error))
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        code = 130
    except BadInput as error:
        fail(str(error))
        code = error.code
    except ModuleNotFoundError as error:
        words = extras.explained(error)
        if words is None:
            raise
        code = fail(words)
    except EnginesDiffer as error:
        from celltrain.cli.checks import tell

        code = tell(error)
    except BrokenPipeError:
        # The reader of our output has closed it (``| head``): this is not an error.
        sys.stderr.close()
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
