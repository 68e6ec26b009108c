"""The quantity of a claim that is compared with the published number, found in the claim's check.

A check compares values of tables with numbers: ``abs(v("throughput_bps") / 316e3 - 1) < 0.15``. The quantity is the
part of a comparison in whose place the published number would make the comparison true: here ``v("throughput_bps")``,
if 316e3 is published. For ``a > 1.1 * b`` it may also be ``a / b``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from celltrain.papers.expression import Expression, ExpressionError
from celltrain.papers.units import unit

#: The place of the published number in a comparison.
_PUBLISHED = ast.Name("published")
#: The functions of a check that read tables.
_READS = ("v", "s")
#: Functions whose value has the unit of what they are given.
_KEEPS_UNIT = ("max", "min", "sum", "abs", "float", "np.max", "np.min", "np.mean", "np.median", "np.sum", "np.abs")


@dataclass(frozen=True)
class Quantity:
    """A part of a check.

    Attributes
    ----------
    expression : str
        Evaluates to a number, or to several: those of a column, or one for each iteration of the loop around it.
    unit : str
        The unit of the numbers; ``1`` if they have none, or if it does not follow from the names of columns.
    """

    expression: str
    unit: str


def quantity(check: str, published: float) -> Quantity | None:
    """Find the quantity of a check that is compared with a published number; None if there is none.

    >>> quantity('0.5 < v("max_queue_cells", d=0.7) / 2588 < 2', 2588)
    Quantity(expression="v('max_queue_cells', d=0.7)", unit='cells')
    >>> quantity('v("x_bps", t=1) > 1.1 * v("x_bps", t=2)', 1.26)
    Quantity(expression="v('x_bps', t=1) / v('x_bps', t=2)", unit='1')
    >>> quantity('v("cell_loss_ratio") == 0', 7000) is None
    True
    """
    found = [
        (candidate, loops, _in_loops(replaced, loops))
        for comparison, loops in comparisons(ast.parse(check.strip(), mode="eval").body, [])
        for candidate, replaced in _candidates(comparison)
    ]
    fitting = [each for each in found if _holds(each[2], published)]
    # A bound on one side, such as > 0, fits many numbers; one on both sides is about this one.
    fitting.sort(key=lambda each: _holds(each[2], 10 * published) or _holds(each[2], published / 10))
    if not fitting:
        return None
    candidate, loops, _ = fitting[0]
    return Quantity(ast.unparse(ast.ListComp(candidate, loops) if loops else candidate), _unit(candidate))


def comparisons(
    node: ast.expr, loops: list[ast.comprehension]
) -> Iterator[tuple[ast.Compare, list[ast.comprehension]]]:
    """Yield the comparisons in a check, each with its enclosing loops."""
    match node:
        case ast.Compare():
            yield node, loops
        case ast.BoolOp(values=values):
            for value in values:
                yield from comparisons(value, loops)
        case ast.Call(func=ast.Name(id="all" | "any"), args=[ast.GeneratorExp(elt=body, generators=inner)]):
            yield from comparisons(body, [*loops, *inner])
        case ast.Call(func=ast.Name(id="all") | ast.Attribute(attr="all"), args=[ast.Compare() as compared]):
            yield compared, loops


def _candidates(comparison: ast.Compare) -> Iterator[tuple[ast.expr, ast.Compare]]:
    """Yield the parts of a comparison that may be the quantity, innermost first, each with the published one there."""
    reading = [side for side in (comparison.left, *comparison.comparators) if _reads(side)]
    if len(reading) == 1:
        for part, place, instead in _parts(reading[0]):
            yield part, _replaced(comparison, {id(place): instead})
    if len(reading) == 2 and len(comparison.comparators) == 1:
        above, below = map(_without_factor, reading)
        as_one = {id(above): _PUBLISHED, id(below): ast.Constant(1)}
        yield ast.BinOp(above, ast.Div(), below), _replaced(comparison, as_one)


def _parts(side: ast.expr) -> Iterator[tuple[ast.expr, ast.expr, ast.expr]]:
    """Yield the parts of a side beside which it has only numbers, innermost first.

    With each comes the place of the published number, and what stands there then.
    """
    match side:
        case ast.BinOp(left=left, op=op, right=right) if _reads(left) != _reads(right):
            yield from _parts(left if _reads(left) else right)
            # In x / (8 * 8760), 8760 is compared with x / 8.
            if isinstance(op, ast.Div) and isinstance(right, ast.BinOp) and isinstance(right.op, ast.Mult):
                for factor, rest in ((right.left, right.right), (right.right, right.left)):
                    yield ast.BinOp(left, op, factor), side, ast.BinOp(_PUBLISHED, ast.Div(), rest)
        case ast.Call(func=ast.Name(id="abs"), args=[inner]) | ast.UnaryOp(operand=inner):
            yield from _parts(inner)
    yield side, side, _PUBLISHED


def _without_factor(side: ast.expr) -> ast.expr:
    """Return the part of a product with a number that reads tables; otherwise the whole side."""
    match side:
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if _reads(left) != _reads(right):
            return left if _reads(left) else right
    return side


def _replaced(comparison: ast.Compare, instead: Mapping[int, ast.expr]) -> ast.Compare:
    """Copy a comparison with other nodes in the place of some, given by their identity."""
    return copy.deepcopy(comparison, dict[int, Any](instead))


def _reads(node: ast.expr) -> bool:
    """Whether an expression reads a table."""
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id in _READS for call in calls)


def _in_loops(comparison: ast.Compare, loops: list[ast.comprehension]) -> ast.expr:
    """Return what requires a comparison to hold in every iteration of the loops around it."""
    return ast.Call(ast.Name("all"), [ast.GeneratorExp(comparison, loops)], []) if loops else comparison


def _holds(check: ast.expr, published: float) -> bool:
    try:
        return Expression(ast.unparse(check), {}).evaluate({_PUBLISHED.id: published}) is True
    except ExpressionError:
        return False


def _unit(node: ast.expr) -> str:
    """Return the unit of an expression, as far as the names of its columns and its form show it."""
    match node:
        case ast.Call(func=ast.Name(id="v" | "s"), args=[ast.Constant(value=str(column))]):
            return unit(column)
        case ast.Call(func=function, args=[inner]) if ast.unparse(function) in _KEEPS_UNIT:
            return _unit(inner)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right) if _unit(left) == _unit(right):
            return _unit(left)
        case ast.Subscript(value=inner):
            return _unit(inner)
    return "1"
