"""Restricted expressions: arithmetic and comparisons over tables, evaluated without Python's ``eval``.

The text is parsed by Python's own parser; only the forms below are allowed, and they are evaluated
here with limits on steps, depth and size, so that no text can use more than the given functions:
numbers, texts, tuples, lists, names, ``+ - * / **``, comparisons (also chained), ``and``, ``or``, ``not``,
``a if b else c``, subscripts and slices, comprehensions and generator expressions, lambdas, calls of given
functions, ``np.NAME`` of a short list, and ``TEXT.lower()`` and ``TEXT.upper()``.
"""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

LONGEST_TEXT = 1 << 16
MOST_STEPS = 1_000_000
MOST_DEPTH = 40
MOST_ITEMS = 100_000
MOST_BITS = 256
LARGEST_EXPONENT = 64

Scope: TypeAlias = Mapping[str, Any]

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_NUMPY = (
    *("abs", "all", "any", "argmax", "argmin", "argsort", "cumsum", "diff", "flatnonzero", "isfinite"),
    *(
        "log10",
        "max",
        "mean",
        "median",
        "min",
        "nanmax",
        "nanmean",
        "nanmin",
        "ptp",
        "sort",
        "sqrt",
        "std",
        "sum",
    ),
)
_TEXT_METHODS = {"lower": str.lower, "upper": str.upper}


class ExpressionError(ValueError):
    """A text that is not an allowed expression, or cannot be evaluated."""


def _bounded_range(*arguments: int) -> range:
    numbers = range(*arguments)
    if len(numbers) > MOST_ITEMS:
        raise ExpressionError(f"a range of {len(numbers)} numbers; at most {MOST_ITEMS} are allowed")
    return numbers


def _scalars(values: tuple[Any, ...]) -> list[Any]:
    """List the items of one row, or of several arguments; nested arrays and lists are refused."""
    items = list(values[0] if len(values) == 1 else values)
    for item in items:
        if not isinstance(item, bool | int | float | str | np.number | np.bool_):
            raise ExpressionError(f"expected a number, found {type(item).__name__}")
    return items


_BUILTINS: dict[str, Callable[..., Any]] = {
    "abs": lambda value: abs(_numeric(value)),
    "all": all,
    "any": any,
    "len": len,
    "max": lambda *values: max(_scalars(values)),
    "min": lambda *values: min(_scalars(values)),
    "range": _bounded_range,
    "sorted": lambda *values: sorted(_scalars(values)),
    "sum": lambda values: sum(map(_numeric, values)),
    "zip": lambda *rows: zip(*rows, strict=False),
}


class Expression:
    """A parsed expression of allowed form.

    Parameters
    ----------
    text
        The expression.
    functions
        Functions that it may call in addition to the built-in ones; they must be safe for any arguments.

    Raises
    ------
    ExpressionError
        If the text is not allowed.

    Examples
    --------
    >>> Expression("all(f(x=k) < 2 ** k for k in (1, 2))", {"f": lambda x: x}).evaluate()
    True
    """

    def __init__(self, text: str, functions: Mapping[str, Callable[..., Any]]) -> None:
        if len(text) > LONGEST_TEXT:
            raise ExpressionError(f"longer than {LONGEST_TEXT} characters")
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ExpressionError(f"not an expression: {error}") from error
        self.functions = functions
        self._names = {**_BUILTINS, **functions}
        self._steps = 0
        self._depth = 0

    def evaluate(self, scope: Scope | None = None) -> Any:  # noqa: ANN401 - an expression can have any value
        """Return its value, with the values of names in `scope`.

        Raises
        ------
        ExpressionError
            It has no value: a form that is not allowed, an exceeded limit, a wrong type, a division by zero.
        """
        self._steps = 0
        return self.value(self.tree, scope or {})

    def value(self, node: ast.expr, scope: Scope) -> Any:  # noqa: ANN401
        """Return the value of a part of the expression; `scope` has the values of comprehension variables."""
        try:
            with np.errstate(all="ignore"):
                return self._visit(node, scope)
        except ExpressionError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise ExpressionError(f"{type(error).__name__}: {error}") from error

    def bindings(self, generators: list[ast.comprehension], scope: Scope) -> Iterator[Scope]:
        """Iterate over the scopes created by the ``for`` and ``if`` parts of a comprehension."""
        first, *rest = generators
        if first.is_async:
            raise ExpressionError("async is not allowed")
        for item in self._visit(first.iter, scope):
            inner = {**scope, **self._bind(first.target, item)}
            if all(self._visit(condition, inner) for condition in first.ifs):
                if rest:
                    yield from self.bindings(rest, inner)
                else:
                    yield inner

    def _bind(self, target: ast.expr, item: object) -> dict[str, object]:
        match target:
            case ast.Name(id=name):
                return {name: item}
            case ast.Tuple(elts=targets) if isinstance(item, tuple | list) and len(item) == len(targets):
                return {k: v for part, x in zip(targets, item, strict=True) for k, v in self._bind(part, x).items()}
        raise ExpressionError("a comprehension's variable must be a name, or as many names as its items have")

    def _visit(self, node: ast.expr, scope: Scope) -> Any:  # noqa: ANN401
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise ExpressionError(f"more than {MOST_STEPS} steps")
        self._depth += 1
        try:
            if self._depth > MOST_DEPTH:
                raise ExpressionError(f"nested deeper than {MOST_DEPTH}")
            return self._dispatch(node, scope)
        finally:
            self._depth -= 1

    def _dispatch(self, node: ast.expr, scope: Scope) -> Any:  # noqa: ANN401
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return _checked(value)
            case ast.Name(id=name):
                return self._name(name, scope)
            case ast.Tuple(elts=items):
                return tuple(self._visit(item, scope) for item in items)
            case ast.List(elts=items):
                return [self._visit(item, scope) for item in items]
            case ast.UnaryOp():
                return self._unary(node, scope)
            case ast.BinOp(left=left, op=op, right=right):
                return _arithmetic(op, self._visit(left, scope), self._visit(right, scope))
            case ast.BoolOp(op=op, values=parts):
                both = isinstance(op, ast.And)
                parts_true = (_truth(self._visit(part, scope)) for part in parts)
                return all(parts_true) if both else any(parts_true)
            case ast.Compare():
                return self._compare(node, scope)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._visit(body if _truth(self._visit(test, scope)) else orelse, scope)
            case ast.Subscript(value=value, slice=index):
                return self._subscript(value, index, scope)
            case ast.ListComp(elt=element, generators=generators):
                return [self._visit(element, inner) for inner in self.bindings(generators, scope)]
            case ast.GeneratorExp(elt=element, generators=generators):
                return (self._visit(element, inner) for inner in self.bindings(generators, scope))
            case ast.Lambda():
                return self._lambda(node, scope)
            case ast.Call():
                return self._call(node, scope)
        raise ExpressionError(f"not allowed here: {ast.unparse(node)[:60]}")

    def _name(self, name: str, scope: Scope) -> Any:  # noqa: ANN401
        if name in scope:
            return scope[name]
        if name in self._names:
            return self._names[name]
        raise ExpressionError(f"unknown name {name[:40]}")

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Any:  # noqa: ANN401
        operand = self._visit(node.operand, scope)
        match node.op:
            case ast.Not():
                return not _truth(operand)
            case ast.USub():
                return -_numeric(operand)
            case ast.UAdd():
                return _numeric(operand)
        raise ExpressionError("only -, + and not are allowed before a value")

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:  # noqa: ANN401
        left = self._visit(node.left, scope)
        outcome: Any = True
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self._visit(part, scope)
            outcome = compare(op, left, right)
            if len(node.ops) > 1 and not _truth(outcome):
                return False
            left = right
        return outcome

    def _subscript(self, value: ast.expr, index: ast.expr, scope: Scope) -> Any:  # noqa: ANN401
        if ast.unparse(value) == "np.r_" and "np" not in scope:
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            return np.concatenate([np.atleast_1d(_vector(self._visit(part, scope))) for part in parts])
        container = self._visit(value, scope)
        if not isinstance(container, np.ndarray | list | tuple):
            raise ExpressionError("only arrays, lists and tuples have elements")
        if isinstance(index, ast.Slice):
            bounds = (index.lower, index.upper, index.step)
            return container[slice(*(None if part is None else self._visit(part, scope) for part in bounds))]
        return container[_index(self._visit(index, scope))]

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Callable[..., Any]:
        names = [argument.arg for argument in node.args.args]
        arguments = node.args
        if arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg or arguments.defaults:
            raise ExpressionError("a lambda has plain arguments only")

        def function(*values: object) -> object:
            return self._visit(node.body, {**scope, **dict(zip(names, values, strict=True))})

        return function

    def _call(self, node: ast.Call, scope: Scope) -> Any:  # noqa: ANN401
        arguments = [self._visit(argument, scope) for argument in node.args]
        keywords = {str(keyword.arg): self._visit(keyword.value, scope) for keyword in node.keywords}
        match node.func:
            case ast.Attribute(value=ast.Name(id="np"), attr=name) if "np" not in scope:
                function = _numpy_function(name)
            case ast.Attribute(value=value, attr=name) if name in _TEXT_METHODS and not arguments:
                text = self._visit(value, scope)
                if not isinstance(text, str):
                    raise ExpressionError(f".{name}() is for texts only")
                return _TEXT_METHODS[name](text)
            case ast.Name() | ast.Lambda():
                function = self._visit(node.func, scope)
            case _:
                raise ExpressionError(f"not allowed to call {ast.unparse(node.func)[:60]}")
        if any(keyword.arg is None for keyword in node.keywords):
            raise ExpressionError(f"cannot call {ast.unparse(node.func)[:60]} like this")
        named = {"kind"} if isinstance(node.func, ast.Attribute) else set()
        if keywords.keys() - named and function not in self.functions.values():
            raise ExpressionError(f"{ast.unparse(node.func)[:60]} takes no arguments by name")
        return _checked(function(*arguments, **keywords))


def compare(op: ast.cmpop, left: Any, right: Any) -> Any:  # noqa: ANN401
    """Compare two values."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        left, right = _numeric(left), _numeric(right)
    if type(op) in _COMPARISONS:
        return _COMPARISONS[type(op)](left, right)
    if isinstance(op, ast.In | ast.NotIn) and isinstance(right, tuple | list):
        return (left in right) == isinstance(op, ast.In)
    raise ExpressionError("this comparison is not allowed")


def _arithmetic(op: ast.operator, left: Any, right: Any) -> Any:  # noqa: ANN401
    if type(op) not in _ARITHMETIC:
        raise ExpressionError("only + - * / ** are allowed between values")
    if isinstance(op, ast.Add) and isinstance(left, str) and isinstance(right, str):
        return _checked(left + right)
    left, right = _numeric(left), _numeric(right)
    if isinstance(op, ast.Pow):
        if isinstance(right, np.ndarray) or abs(right) > LARGEST_EXPONENT:
            raise ExpressionError(f"an exponent must be a number of at most {LARGEST_EXPONENT}")
        if isinstance(left, int) and left.bit_length() * abs(right) > MOST_BITS:
            raise ExpressionError("the power is too large")
    return _checked(_ARITHMETIC[type(op)](left, right))


def _numpy_function(name: str) -> Callable[..., Any]:
    if name == "corrcoef":
        return lambda a, b: np.corrcoef(_vector(a), _vector(b))
    if name not in _NUMPY:
        raise ExpressionError(f"np.{name[:40]} is not allowed; allowed are {', '.join(_NUMPY)}")
    function = getattr(np, name)
    if name in ("argsort", "sort"):
        # Equal values keep their order for any `kind`, so the result is the same on every machine.
        return lambda values, kind="stable": function(_vector(values), kind="stable")
    return lambda values: function(_vector(values))


def _vector(value: object) -> Any:  # noqa: ANN401
    """Accept a number or a row of numbers, but not two dimensions, which could grow without limit."""
    array = np.asarray(list(value) if isinstance(value, Iterator) else value)
    if array.ndim > 1 or array.dtype.kind not in "biuf":
        raise ExpressionError("expected a number or a row of numbers")
    return array


def _numeric(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf":
        return value
    raise ExpressionError(f"expected a number, found {type(value).__name__}")


def _index(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, int | np.integer) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return value
    if isinstance(value, tuple) and all(isinstance(part, int) for part in value):
        return value
    raise ExpressionError("an index must be a whole number, a slice or an array")


def _truth(value: Any) -> bool:  # noqa: ANN401
    if isinstance(value, np.ndarray) and value.size != 1:
        raise ExpressionError("an array is neither true nor false; use np.all or np.any")
    return bool(value)


def _checked(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ExpressionError("a number too large")
    if isinstance(value, str | list) and len(value) > MOST_ITEMS:
        raise ExpressionError("a text or list too long")
    return value
