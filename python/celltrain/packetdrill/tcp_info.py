"""``struct tcp_info`` of the connection under test, as far as our state provides it, and assertions about it."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from celltrain.packetdrill.endpoint import Endpoint
from celltrain.packetdrill.script import NotSupported
from celltrain.papers.expression import Expression, ExpressionError

#: States by Linux's numbers.
_STATES = {
    "TCP_ESTABLISHED": 1,
    "TCP_SYN_SENT": 2,
    "TCP_SYN_RECV": 3,
    "TCP_FIN_WAIT1": 4,
    "TCP_FIN_WAIT2": 5,
    "TCP_TIME_WAIT": 6,
    "TCP_CLOSE": 7,
    "TCP_CLOSE_WAIT": 8,
    "TCP_LAST_ACK": 9,
    "TCP_LISTEN": 10,
    "TCP_CLOSING": 11,
}
#: The recovery state of a sender, by Linux's numbers.
_PHASES = {"TCP_CA_Open": 0, "TCP_CA_Disorder": 1, "TCP_CA_CWR": 2, "TCP_CA_Recovery": 3, "TCP_CA_Loss": 4}
#: A threshold that has never been set.
INFINITE = 0x7FFFFFFF
_PS_PER_MS = 1_000_000_000


def fields(endpoint: Endpoint, now_ps: int) -> dict[str, int]:
    """Return the fields: windows in segments, times in us, except those since an event, in ms."""
    sender = endpoint.sender
    mss = sender.mss
    sent, resent, _, _ = sender.counts
    rto_us = round(1e6 * sender.rto_s)
    names = {
        "tcpi_state": _STATES[f"TCP_{endpoint.state}"],
        "tcpi_snd_cwnd": sender.cwnd // mss,
        "tcpi_snd_ssthresh": sender.ssthresh // mss if sender.ssthresh != endpoint.first_ssthresh else INFINITE,
        "tcpi_snd_mss": mss,
        "tcpi_unacked": -(-(sender.snd_max - sender.snd_una) // mss),
        "tcpi_total_retrans": resent,
        "tcpi_data_segs_out": sent,
        "tcpi_bytes_acked": sender.snd_una,
        "tcpi_rto": rto_us,
        "tcpi_last_data_recv": (now_ps - endpoint.received_ps) // _PS_PER_MS,
        "tcpi_ca_state": _PHASES[f"TCP_CA_{sender.phase}"],
        "tcpi_advmss": endpoint.settings.proposal.mss,
    }
    if sender.srtt_s is not None:
        names["tcpi_rtt"] = round(1e6 * sender.srtt_s)
    return names


def check(text: str, endpoint: Endpoint, now_ps: int, names: dict[str, int]) -> str:
    """Evaluate assertions; return the one that does not hold, or an empty text.

    ``names`` keeps the variables of a script from one part to the next. ``print`` does nothing.

    Raises
    ------
    NotSupported
        They need something that our state does not provide, or are other statements.
    """
    try:
        tree = ast.parse(text.replace("\\\n", "\n").strip())
    except SyntaxError as error:
        raise NotSupported(f"the assertion {text.strip()!r}") from error
    for statement in tree.body:
        scope = {**fields(endpoint, now_ps), **_STATES, **_PHASES, **names}
        match statement:
            case ast.Assert(test=test):
                if not _value(test, scope):
                    used = ", ".join(f"{name} is {scope[name]}" for name in _names(test) if name.startswith("tcpi_"))
                    return f"expected {ast.unparse(test)}, but {used}"
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = _value(value, scope)
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
                pass
            case _:
                raise NotSupported(f"{ast.unparse(statement)} in an assertion")
    return ""


def _names(expression: ast.expr) -> list[str]:
    return sorted({node.id for node in ast.walk(expression) if isinstance(node, ast.Name)} - {"abs"})


def _value(expression: ast.expr, scope: Mapping[str, int]) -> int:
    words = ast.unparse(expression)
    unknown = [name for name in _names(expression) if name not in scope]
    if unknown:
        raise NotSupported(f"{unknown[0]} in an assertion")
    try:
        return int(Expression(words, {}).evaluate(scope))
    except (ExpressionError, TypeError, ValueError) as error:
        raise NotSupported(f"the assertion {words} ({error})") from error
