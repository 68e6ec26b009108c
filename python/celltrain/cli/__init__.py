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

#: Commands in the order of the help page; the module ``celltrain.cli.COMMAND`` holds each.
COMMANDS = (
    "init",
    "examples",
    "lesson",
    "run",
    "sweep",
    "results",
    "effects",
    "reproduce",
    "report",
    "shell",
    "ci",
    "parity",
    "trust",
    "packetdrill",
    "trace",
    "dbs",
    "validate",
    "show",
    "overhead",
    "columns",
    "schema",
    "doctor",
    "completion",
)


#: Set by the completion of a shell, which asks for the values of a word.
COMPLETION = "_CELLTRAIN_COMPLETE"


class LazyGroup(click.RichGroup):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands, in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"celltrain.cli.{cmd_name}")
        command: click.Command = module.command
        if COMPLETION in os.environ:
            from celltrain.cli.candidates import attach

            attach(cmd_name, command)
        return command


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
    """Run the command line; exits with 0 (done), 1 (a check failed), 2 (bad input) or 130 (interrupted)."""
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
        code = fail(str(error))
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
