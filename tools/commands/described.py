"""What the command line says about itself: each command with its words, arguments and options."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass

import click
from celltrain.cli import app


@dataclass(frozen=True)
class Option:
    """An option.

    Attributes
    ----------
    names : str
        As it is typed, with a word for its value: ``-o, --out FILE``.
    says : str
        Its meaning, with default and range in brackets at the end.
    """

    names: str
    says: str


@dataclass(frozen=True)
class Described:
    """A command.

    Attributes
    ----------
    path : str
        As it is typed: ``celltrain dbs run``.
    usage : str
        What follows its name.
    about : tuple of str
        The paragraphs of its help; the first begins with what the command does.
    options : tuple of Option
    commands : tuple of Described
        Its own commands, in the order of its help.
    """

    path: str
    usage: str
    about: tuple[str, ...]
    options: tuple[Option, ...]
    commands: tuple[Described, ...] = ()

    @property
    def name(self) -> str:
        """The last word of the path."""
        return self.path.rpartition(" ")[2]

    @property
    def manual(self) -> str:
        """The name of the man page: ``celltrain-dbs-run``."""
        return self.path.replace(" ", "-")

    @property
    def does(self) -> str:
        """The first sentence of the help, without its full stop."""
        return sentence(self.about[0])

    def all(self) -> Iterator[Described]:
        """Yield the command, and all below it."""
        yield self
        for each in self.commands:
            yield from each.all()


def sentence(text: str) -> str:
    """Return the first sentence, without its full stop.

    >>> sentence("List the .toml files. Or print one.")
    'List the .toml files'
    >>> sentence("Write it; keep others.")
    'Write it; keep others'
    """
    return text.partition(". ")[0].removesuffix(".")


def described(command: click.Command = app, name: str = "celltrain", parent: click.Context | None = None) -> Described:
    """Describe a command and all below it; those that are hidden are left out.

    Raises
    ------
    ValueError
        A command has no help.
    """
    settings = {**command.context_settings, "max_content_width": 1000}
    context = click.Context(command, info_name=name, parent=parent, **settings)
    if not command.help:
        raise ValueError(f"{context.command_path}: has no help; give its function a docstring")
    paragraphs = inspect.cleandoc(command.help).split("\n\n")
    options = (each.get_help_record(context) for each in command.get_params(context) if isinstance(each, click.Option))
    below = [] if not isinstance(command, click.Group) else command.list_commands(context)
    members = ((word, command.get_command(context, word)) for word in below if isinstance(command, click.Group))
    return Described(
        context.command_path,
        " ".join(command.collect_usage_pieces(context)),
        tuple(" ".join(each.split()) for each in paragraphs),
        tuple(Option(*record) for record in options if record),
        tuple(described(each, word, context) for word, each in members if each is not None and not each.hidden),
    )
