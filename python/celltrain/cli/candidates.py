"""Values that complete a word of a command line: studies, links, VCs, keys and their values, names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.shell_completion import CompletionItem

from celltrain.extras import MissingExtra
from celltrain.line_names import named_line

if TYPE_CHECKING:
    from celltrain.papers.kinds.experiment import Point

#: Maximum number of members of a group that are offered.
_MOST = 100

Candidates = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completing(found: Callable[[click.Context], Iterator[tuple[str, str]]]) -> Candidates:
    """Return a completion from values with their descriptions; input that cannot be read has none."""

    def complete(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            return [CompletionItem(name, help=says) for name, says in found(ctx) if name.startswith(incomplete)]
        except (OSError, ValueError, MissingExtra):
            return []

    return complete


def _scenario(ctx: click.Context) -> Any:  # noqa: ANN401 - a scenario; its module is imported when it is needed
    """Return the scenario that the line names, with the changes that it makes so far left out."""
    from celltrain.scenario import Scenario, load

    # Click leaves the words where they are while an option still lacks its value.
    for word in [ctx.params.get("scenario"), *_words(ctx)]:
        if word and (Path(word).suffix == ".toml" or named_line(word)):
            return load(word)
    points = _points(ctx)
    if not points:
        raise ValueError("no scenario is named yet")
    # The points of an experiment are the same network with other values.
    return Scenario(points[0].scenario)


def _words(ctx: click.Context) -> list[str]:
    return [*(ctx.params.get("arguments") or ()), *(ctx.params.get("selections") or ()), *ctx.args]


def _points(ctx: click.Context) -> list[Point]:
    """Return the points of the experiment that the line names first."""
    from celltrain.papers import catalog

    selections = [word for word in _words(ctx) if not word.startswith("-")][:1]
    return [point for paper, experiment in catalog.chosen(selections) for point in paper.points(experiment)]


def _data(ctx: click.Context) -> dict[str, Any]:
    return dict(json.loads(_scenario(ctx).to_json()))


def _members(table: str) -> Candidates:
    def found(ctx: click.Context) -> Iterator[tuple[str, str]]:
        data = _data(ctx)
        for name, each in data[table].items():
            groups = [each, *(data["hosts"].get(node, {}) for node in each.get("route", ()))]
            count = max(group.get("count", 1) for group in groups)
            # The members of a group are numbered.
            yield from ((f"{name}{number}" if count > 1 else name, "") for number in range(1, min(count, _MOST) + 1))

    return _completing(found)


def _studies(_ctx: click.Context) -> Iterator[tuple[str, str]]:
    from celltrain.papers import catalog
    from celltrain.papers.reading import PaperError

    for name in catalog.names():
        try:
            paper = catalog.paper(name)
        except PaperError:
            continue
        yield name, paper.head.title
        for each in paper.experiments.values():
            yield f"{name}/{each.id}", each.says


def _encapsulations(_ctx: click.Context) -> Iterator[tuple[str, str]]:
    from celltrain.framing import sizes

    for size in sizes([1500]):
        yield size.encapsulation, f"tc: {size.tc_keyword or f'overhead {size.tc_overhead}'}"


def _starts(_ctx: click.Context) -> Iterator[tuple[str, str]]:
    from celltrain.starts import STARTS

    for start in STARTS.values():
        yield start.kind, start.says


def _examples(_ctx: click.Context) -> Iterator[tuple[str, str]]:
    from celltrain.shipped import examples

    for example in examples().values():
        yield example.name, example.says


def _tables(_ctx: click.Context) -> Iterator[tuple[str, str]]:
    from celltrain.cli.columns import tables

    for name in tables():
        yield name, ""


def _metrics(_ctx: click.Context) -> Iterator[tuple[str, str]]:
    from celltrain.columns import COLUMNS

    for table, columns in COLUMNS.items():
        for column in columns.values():
            if column.kind != "text":
                yield f"{table}.{column.name}", column.meaning


def settings(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete ``KEY=VALUE``: first the key, then a value; of several values, the last."""
    try:
        leaves = dict(_leaves(_data(ctx)))
    except (OSError, ValueError):
        return []
    key, separator, value = incomplete.partition("=")
    if not separator:
        return [CompletionItem(f"{name}=", help=_shown(now)) for name, now in leaves.items() if name.startswith(key)]
    before, comma, last = value.rpartition(",")
    start = f"{key}={before}{comma}"
    return [CompletionItem(f"{start}{each}") for each in _values(key, leaves.get(key)) if each.startswith(last)]


def point(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete ``COLUMN=VALUE,...`` by the columns and values of an experiment's axes."""
    before, comma, last = incomplete.rpartition(",")
    column, separator, value = last.partition("=")
    try:
        axes = [point.axes for point in _points(ctx)]
    except (OSError, ValueError, LookupError):
        return []
    if separator:
        found = dict.fromkeys(_shown(each[column]) for each in axes if column in each)
        return [CompletionItem(f"{before}{comma}{column}={each}") for each in found if each.startswith(value)]
    columns = dict.fromkeys(name for each in axes for name in each)
    return [CompletionItem(f"{before}{comma}{name}=") for name in columns if name.startswith(column)]


def _leaves(data: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


#: The registry of the core from which a table of a scenario chooses.
_REGISTRIES = {
    "control": "Control",
    "discard": "Discard",
    "errors": "Loss",
    "jitter": "Jitter",
    "loss": "Loss",
    "queue_management": "QueueManagement",
    "rate": "RateProcess",
    "traffic": "Traffic",
    "variant": "TcpVariant",
}


def _values(key: str, now: object) -> list[str]:
    """Return the values that a key may have, if they are few; otherwise its current one."""
    from celltrain.registries import registered_names, tcp_variants

    *_, table, last = ["", *key.split(".")]
    match last:
        case "encapsulation":
            from celltrain import _native

            return list(dict.fromkeys(row[0] for row in _native.overhead([40])))
        case "variant":
            return list(tcp_variants())
        case "algorithm" | "policy" | "process" if table in _REGISTRIES:
            return list(registered_names(_REGISTRIES[table]))
    if isinstance(now, bool):
        return ["true", "false"]
    return [] if now is None else [_shown(now)]


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


#: What completes each parameter, by command and name of the parameter.
CANDIDATES: Mapping[tuple[str, str], Candidates] = {
    ("init", "kind"): _completing(_starts),
    ("examples", "name"): _completing(_examples),
    ("reproduce", "selections"): _completing(_studies),
    ("overhead", "names"): _completing(_encapsulations),
    ("columns", "names"): _completing(_tables),
    ("trace", "link"): _members("links"),
    ("shell", "client"): _members("hosts"),
    **{(name, "vc"): _members("vcs") for name in ("shell", "show", "parity")},
    **{(name, "metrics"): _completing(_metrics) for name in ("sweep", "results", "effects")},
    **{(name, "settings"): settings for name in ("run", "show", "reproduce")},
    ("reproduce", "point"): point,
    **{(name, "changes"): settings for name in ("shell", "parity", "trace")},
    **{("sweep", name): settings for name in ("grid", "ranges")},
}


def attach(name: str, command: click.Command) -> None:
    """Give the parameters of a command their completions."""
    for parameter in command.params:
        if found := CANDIDATES.get((name, parameter.name or "")):
            # Click keeps the function that completes a parameter in this attribute.
            parameter._custom_shell_complete = found
