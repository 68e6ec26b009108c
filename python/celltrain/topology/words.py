"""Short descriptions of the tables of a scenario, from its canonical form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from celltrain import quantity
from celltrain.registries import registered_names, tcp_variant

Table = Mapping[str, Any]
#: Phrases for the values of keys, in display order.
Phrases = tuple[tuple[str, str], ...]

#: Propagation: 5 us per km.
PS_PER_METRE = 5_000
PS_PER_UNIT = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}

#: Names as the field writes them, where they differ from the scenario's. Those of algorithms are in the registries of
#: the core.
NAMES = {
    "abr": "ABR",
    "cbr": "CBR",
    "nrt-vbr": "nrt-VBR",
    "rt-vbr": "rt-VBR",
    "ubr": "UBR",
}

CONTROL: Phrases = (
    ("threshold", "above {}"),
    ("qt", "above {}"),
    ("target_utilization", "target {:.0%}"),
    ("t0", "target delay {}"),
    ("interval", "every {}"),
    ("averaging_interval", "every {}"),
)
DISCARD: Phrases = (("threshold", "from {}"), ("min", "from {}"), ("max", "to {}"))
JITTER: Phrases = (("mean", "of mean {}"), ("max", "up to {}"))
SCHEDULE: Phrases = (("repeat", "again after {}"),)
MANAGEMENT: Phrases = (("target", "{}"),)
SERVICE: Phrases = (("pcr", "PCR {}"), ("scr", "SCR {}"), ("mbs", "MBS {}"), ("mcr", "MCR {}"))
TRAFFIC: Phrases = (
    ("rate", "{}"),
    ("peak", "{}"),
    ("on", "{} on"),
    ("off", "{} off"),
    ("period", "every {}"),
    ("repeat", "repeated every {}"),
)
APPLICATION: Phrases = (("size", "of {}"), ("think", "after {} of thought"))


def named(table: Table, key: str, phrases: Phrases, registry: str = "") -> str:
    """Describe the choice of ``table[key]``, with the values of the relevant keys.

    >>> named({"policy": "epd", "threshold": "800 cells"}, "policy", DISCARD, "Discard")
    'EPD from 800 cells'
    """
    told = [phrase.format(plain(table[each])) for each, phrase in phrases if table.get(each) is not None]
    return " ".join([name_of(table[key], registry), ", ".join(told)]).rstrip()


def name_of(choice: str, registry: str = "") -> str:
    """Return the usual name of a choice: in a registry of the core, or of those that have none.

    >>> name_of("erica-plus", "Control"), name_of("rt-vbr"), name_of("fifo")
    ('ERICA+', 'rt-VBR', 'fifo')
    """
    return (registered_names(registry) if registry else NAMES).get(choice, choice)


def plain(value: Any) -> Any:  # noqa: ANN401 - any value of a scenario
    """Format a time in its largest unit; other values are unchanged.

    >>> plain("0 ps"), plain("29800 ns"), plain("8 Mbit/s"), plain(0.9)
    ('0 s', '29.8 us', '8 Mbit/s', 0.9)
    """
    amount, unit = (quantity.with_unit(value) if isinstance(value, str) else None) or (0.0, "")
    return span_text(round(amount * PS_PER_UNIT["s"])) if unit == "s" else value


def link_facts(link: Table) -> tuple[str, ...]:
    """Describe a link, or any queue: rate, delay, buffer, and all non-default settings."""
    return tuple(fact for fact in (*_line(link), *_queue(link), *_told_to_sources(link), *_errors(link)) if fact)


def _line(link: Table) -> tuple[str, ...]:
    rate = link.get("rate")
    schedule = link.get("schedule")
    recorded = named(schedule, "process", SCHEDULE, "Schedule") if schedule else ""
    return (rate_words(rate) if rate is not None else "", delay_words(link), recorded)


def rate_words(rate: str | Table) -> str:
    """Describe a rate or a rate process.

    >>> rate_words({"process": "uniform", "low": "1 Mbit/s", "high": "2 Mbit/s", "every": "1 s"})
    '1 Mbit/s to 2 Mbit/s, new every 1 s'
    """
    if isinstance(rate, str):
        return rate
    match rate["process"]:
        case "uniform":
            return f"{rate['low']} to {rate['high']}, new every {plain(rate['every'])}"
        case "list":
            repeat = f", again after {plain(rate['repeat'])}" if rate.get("repeat") else ""
            return f"{len(rate['rates'])} rates from {rate['rates'][0]['rate']}{repeat}"
        case "markov":
            return (
                f"{rate['good']} for {plain(rate['mean_good'])}, {rate['bad']} for {plain(rate['mean_bad'])} (Markov)"
            )
        case "mahimahi":
            return "rates of a Mahimahi trace" if "bin" in rate else "opportunities of a Mahimahi trace"
        case "dmt":
            return f"{rate['band']} over {rate['length']} of copper"
        case "cap":
            return f"CAP {rate['direction']} at {rate['symbol_rate_kbaud']} kbaud over {rate['length']} of copper"
        case other:
            return _with_values(name_of(other, "RateProcess"), rate)


def _with_values(name: str, table: Table) -> str:
    """Describe an algorithm for which there are no words here: its name, and its keys with their values.

    >>> _with_values("Weibull rate", {"process": "weibull", "scale": "2000 us", "shape": 0.5, "steps": []})
    'Weibull rate, scale 2 ms, shape 0.5'
    """
    shown = (
        each
        for each in table.items()
        if each[0] not in ("process", "algorithm") and isinstance(each[1], str | float | int)
    )
    return ", ".join([name, *(f"{key.replace('_', ' ')} {plain(value)}" for key, value in shown)])


def delay_words(link: Table) -> str:
    """Describe the delay, and the distance that causes it.

    >>> delay_words({"distance": "1 km"}), delay_words({"delay": "50 ms"})
    ('5 us (1 km)', '50 ms')
    >>> delay_words({"delay": {"process": "list", "delays": [{"at": "0 s", "delay": "20 ms"}], "repeat": "15 s"}})
    '1 delays from 20 ms, again after 15 s'
    """
    delay = link.get("delay")
    if isinstance(delay, dict):
        repeat = f", again after {plain(delay['repeat'])}" if delay.get("repeat") else ""
        return f"{len(delay['delays'])} delays from {plain(delay['delays'][0]['delay'])}{repeat}"
    if delay is not None:
        return str(plain(delay))
    if link.get("distance") is None:
        return ""
    ends = [str(link[key]) for key in ("distance", "distance_to_last") if link.get(key) is not None]
    return f"{' to '.join(span_text(delay_of(end)) for end in ends)} ({' to '.join(ends)})"


def delay_of(distance: str) -> int:
    """Return the propagation delay of a distance, in ps."""
    return quantity.metres(distance) * PS_PER_METRE


def span_text(ps: int) -> str:
    """Format a time in the largest unit that keeps it at 1 or above.

    >>> span_text(50_000), span_text(50_000_000_000), span_text(0)
    ('50 ns', '50 ms', '0 s')
    """
    for unit, size in reversed(PS_PER_UNIT.items()):
        if ps >= size:
            return f"{ps / size:.6g} {unit}"
    return "0 s"


def _queue(link: Table) -> tuple[str, ...]:
    classes = [f"{name_of(name)} {room}" for name, room in (link.get("class_buffers") or {}).items()]
    threshold, credit = link.get("clp_threshold"), link.get("credit")
    management = link.get("queue_management")
    marks = " with ECN" if management and management.get("ecn") else ""
    return (
        f"buffer {link['buffer']}" if link.get("buffer") else "",
        scheduling_words(link.get("scheduling", "fifo")),
        ", ".join(classes),
        named(link["discard"], "policy", DISCARD, "Discard") if link.get("discard") else "",
        f"CLP=1 up to {threshold}" if threshold else "",
        named(management, "algorithm", MANAGEMENT, "QueueManagement") + marks if management else "",
        f"credits, N2 {credit['n2']}" if credit else "",
    )


def scheduling_words(scheduling: str | Table) -> str:
    """Describe the order of service; nothing for first come, first served.

    >>> scheduling_words("weighted-fair"), scheduling_words({"algorithm": "deficit-round-robin", "quantum": 4.0})
    ('weighted fair', 'deficit round robin, quantum 4.0')
    """
    table = {"algorithm": scheduling} if isinstance(scheduling, str) else scheduling
    chosen = table["algorithm"]
    return "" if chosen == "fifo" else _with_values(name_of(chosen, "Scheduling"), table)


def _told_to_sources(link: Table) -> tuple[str, ...]:
    control, becn, gfc = link.get("control"), link.get("becn"), link.get("gfc")
    return (
        named(control, "algorithm", CONTROL, "Control") if control else "",
        f"BECN above {becn['above']}" if becn else "",
        _flow_control(gfc) if gfc else "",
    )


def _flow_control(gfc: Table) -> str:
    halts = f"GFC HALT above {gfc['high']}"
    groups = [key.removeprefix("group_").upper() for key in ("group_a", "group_b") if gfc.get(key)]
    whom = " of all VCs of a host" if gfc.get("scope") == "host" else ""
    return halts + whom + (f", SET for {' and '.join(groups)}" if groups else "")


def _errors(link: Table) -> tuple[str, ...]:
    loss, jitter = link.get("loss"), link.get("jitter")
    lost = ""
    # Studies that vary the probability have links where it is zero.
    if loss and loss.get("probability") != 0:
        name = name_of(loss["process"], "Loss")
        lost = f"loses {loss['probability']:g} of cells" if "probability" in loss else f"loses cells ({name})"
    return (lost, named(jitter, "process", JITTER, "Jitter") if jitter else "")


def service_words(service: Table, *, ends_at: str | None = None) -> str:
    """Describe the service of one direction of a VC, and where its ABR loop ends."""
    told = _service(service)
    if ends_at is not None:
        told.append(f"loop ends at {ends_at}")
    return ", ".join(told)


def _service(service: Table) -> list[str]:
    told = [name_of(service["service"])]
    return told + [phrase.format(service[key]) for key, phrase in SERVICE if service.get(key) is not None]


def flow_words(flow: Table) -> str:
    """Describe a flow: TCP and its application, or UDP and its traffic."""
    udp = flow.get("udp")
    if udp:
        return f"UDP, packets of {udp['packet']}, {traffic_words(udp['traffic'])}{start_words(flow)}"
    tcp = flow["tcp"]
    application = named(flow["application"], "kind", APPLICATION)
    both = ", data both ways" if "back" in flow else ""
    variant = name_of(tcp_variant(tcp), "TcpVariant")
    return f"TCP {variant}, MSS {tcp['mss']}, window {tcp['window']}, {application}{both}{start_words(flow)}"


def traffic_words(traffic: Table) -> str:
    """Describe a process of arrivals.

    >>> traffic_words({"process": "cbr", "rate": "8 Mbit/s"})
    'CBR 8 Mbit/s'
    """
    states = f" of {len(traffic['states'])} states" if "states" in traffic else ""
    return named(traffic, "process", TRAFFIC, "Traffic") + states


def start_words(table: Table) -> str:
    """Describe when something starts, unless at once."""
    start = table.get("start", "0 ps")
    if isinstance(start, str):
        return "" if start == "0 ps" else f", from {plain(start)}"
    first, last = (plain(each) for each in start["uniform"])
    return f", from a random instant of {first} to {last}"


def probe_words(probe: Table) -> str:
    """Describe a probe."""
    events = probe.get("events_of")
    when = f"every {plain(probe['every'])}" if events is None else f"at timer events of {events}"
    return f"{when}: {', '.join(probe['record'])}" if probe["record"] else when


def contract_words(contract: Table) -> str:
    """Return the rates and the burst size of a contract."""
    return ", ".join(f"{key.upper()} {contract[key]}" for key in ("pcr", "scr", "mbs") if contract.get(key) is not None)


def police_words(police: Table) -> str:
    """Describe usage parameter control."""
    limits = contract_words(police)
    what = f"ACR, {limits}" if police.get("dynamic") else limits
    return f"{'tagged' if police['action'] == 'tag' else 'discarded'} beyond {what}"
