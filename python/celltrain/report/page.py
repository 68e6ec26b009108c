"""Rendering a report as one self-contained HTML file that runs only its own code."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from importlib.resources import files

import jinja2
from markupsafe import Markup

from celltrain.report.document import Report

_FOLDER = files("celltrain.report")
#: Plain scripts that share one scope, in order of their dependencies.
_SCRIPTS = (
    "sharp.js",
    "numbers.js",
    "columns.js",
    "window.js",
    "marks.js",
    "names.js",
    "panel.js",
    "intervals.js",
    "surface.js",
    "picture.js",
    "export.js",
    "player.js",
    "figure.js",
    "page.js",
)
_STYLES = ("theme.css", "page.css", "results.css", "player.css", "verdicts.css", "narrow.css", "print.css")


@dataclass(frozen=True)
class _Inline:
    """The text of a script or style sheet, and its source expression in the page's policy."""

    text: Markup
    source: str


@cache
def _inline(name: str) -> _Inline:
    return _admitted(_asset(name))


@cache
def _uplot() -> _Inline:
    """Return the drawing library with its licence, which copies must include."""
    return _admitted(f"/*\n{_asset('uplot/LICENSE')}*/\n{_asset('uplot/uPlot.iife.min.js')}")


def _asset(name: str) -> str:
    return _FOLDER.joinpath("assets", name).read_text(encoding="utf-8")


def _admitted(text: str) -> _Inline:
    """Identify one of our texts by its hash. It is not escaped, so it must not contain user input."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return _Inline(Markup(text), f"'sha256-{digest}'")


def _policy(scripts: list[_Inline], styles: list[_Inline]) -> str:
    """Admit only these scripts and styles: no requests, other code or forms."""
    return "; ".join(
        [
            "default-src 'none'",
            "script-src " + " ".join(script.source for script in scripts),
            "style-src " + " ".join(style.source for style in styles),
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _json(value: object) -> Markup:
    """Write JSON that is safe in a script element: no text in it can end the element."""
    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    text = json.dumps(plain, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("celltrain.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["json"] = _json
    return environment


def render(report: Report) -> str:
    """Render a report: the same report gives the same page, octet for octet."""
    return filled("report.html", report=report)


def filled(name: str, **values: object) -> str:
    """Fill in a template of a page, with the scripts and styles of reports."""
    first = _inline("js/theme.js")
    scripts = [_uplot(), *(_inline(f"js/{name}") for name in _SCRIPTS)]
    styles = [_inline("uplot/uPlot.min.css"), *(_inline(f"css/{name}") for name in _STYLES)]
    policy = _policy([first, *scripts], styles)
    template = _environment().get_template(name)
    return template.render(**values, policy=policy, first=first, scripts=scripts, styles=styles)
