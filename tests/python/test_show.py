"""Drawings of topologies: as text, as SVG, and in Graphviz's DOT language."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import celltrain
import pytest
from celltrain.papers import catalog
from celltrain.topology import MOST_PARTS, DrawingError, Topology, lanes, words
from celltrain.topology.expand import expanded
from celltrain.topology.model import Cable, Wire
from conftest import LINE, REPOSITORY, Command
from hypothesis import given
from hypothesis import strategies as st

EXAMPLES = sorted((REPOSITORY / "examples").glob("*.toml"))
SVG = "{http://www.w3.org/2000/svg}"

#: Two hosts meet at a switch; the line after it differs by direction.
MEETING = """
[measure]
duration = "2 s"
[hosts]
a = {}
b = {}
c = {}
[switches]
s = {}
[links.in_a]
between = ["a", "s"]
delay = "1 ms"
[links.in_b]
between = ["b", "s"]
delay = "2 ms"
[links.line]
from = "s"
to = "c"
delay = "5 ms"
rate = "1 Mbit/s"
buffer = "100 cells"
[links.back]
from = "c"
to = "s"
delay = "5 ms"
[vcs.one]
route = ["a", "s", "c"]
[vcs.two]
route = ["b", "s", "c"]
[flows.up]
vc = "one"
tcp = { mss = "1460 bytes", window = "8000 bytes" }
"""

#: `a` and `b` share no lane until the cable of `b` has been drawn; then it joins the one that leads to `s`.
MEETING_DRAWN = """\
meeting.toml
3 hosts, 1 switch, 2 VCs, 1 flow; measured from 0 s to 2 s

●   a  sends up
↕     in_a  1 ms
│ ● b
│ ↕   in_b  2 ms
├─╯
■   s
↓     line  1 Mbit/s · 5 ms · buffer 100 cells
↑     back  5 ms
●   c

VCs
  one  a → s → c, llc-snap
       both ways UBR
  two  b → s → c, llc-snap
       both ways UBR

flows
  up  a → c on one: TCP 4.3BSD-Reno, MSS 1460 bytes, window 8000 bytes, greedy
"""


def canonical(scenario: celltrain.Scenario) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(scenario.to_json())
    return data


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_a_small_network_is_drawn_as_by_hand() -> None:
    assert celltrain.Scenario.from_toml(MEETING, "meeting.toml").topology().text() == MEETING_DRAWN


def test_the_drawing_has_no_sign_beyond_ascii_where_that_is_asked_for() -> None:
    drawn = celltrain.Scenario.from_toml(MEETING, "é.toml").topology().text(ascii_only=True)
    assert drawn.isascii()
    assert "@   a  sends up\n:     in_a  1 ms\n| @ b\n| :   in_b  2 ms\n+-+\n#   s\n" in drawn
    assert "v     line  1 Mbit/s, 5 ms, buffer 100 cells\n^     back  5 ms\n" in drawn


def test_the_way_of_a_vc_stands_out() -> None:
    drawn = celltrain.Scenario.from_toml(MEETING, "meeting.toml").topology(vc="two").text()
    assert re.findall("[●○■□]", drawn) == list("○●■●")
    assert "two  b → s → c" in drawn
    assert "one  a → s → c" not in drawn


# ---- Lanes ----

#: Symbols through which a lane continues, upwards and downwards. A node may have cables on both sides or on one.
UP, DOWN = set("│├┤┼╯╰↓↑↕"), set("│├┤┼╭╮↓↑↕")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[str], list[Cable]]:
    nodes = [f"n{number}" for number in range(draw(st.integers(1, 9)))]
    pairs = st.tuples(st.sampled_from(nodes), st.sampled_from(nodes)).filter(lambda pair: pair[0] != pair[1])
    chosen = draw(st.lists(pairs, max_size=16, unique_by=frozenset)) if len(nodes) > 1 else []
    return nodes, [Cable(pair, (Wire("x", forward=True, backward=False, facts=()),)) for pair in chosen]


@given(graphs())
def test_each_node_and_cable_of_any_graph_is_drawn_once_and_no_lane_breaks(
    graph: tuple[list[str], list[Cable]],
) -> None:
    nodes, cables = graph
    rows = lanes.draw(nodes, cables, dict.fromkeys(nodes, "●"))
    assert sorted(row.node for row in rows if row.node) == nodes
    drawn = [row.cable.ends for row in rows if row.cable]
    assert sorted(drawn) == sorted(cable.ends for cable in cables)
    width = max(len(row.lanes) for row in rows)
    for upper, lower in pairwise(rows):
        for above, below in zip(upper.lanes.ljust(width), lower.lanes.ljust(width), strict=True):
            if "●" not in (above, below):
                assert (above in DOWN) == (below in UP), (upper, lower)


@given(graphs())
def test_an_arrow_points_at_the_node_that_receives(graph: tuple[list[str], list[Cable]]) -> None:
    nodes, cables = graph
    rows = lanes.draw(nodes, cables, dict.fromkeys(nodes, "●"))
    at = {row.node: index for index, row in enumerate(rows) if row.node}
    for row in rows:
        if row.cable:
            first, second = row.cable.ends
            assert ("↓" in row.lanes) == (at[first] < at[second])


def test_a_star_of_many_hosts_needs_two_lanes() -> None:
    leaves = [f"h{number}" for number in range(50)]
    wire = (Wire("x", forward=True, backward=True, facts=()),)
    cables = [Cable((leaf, "s"), wire) for leaf in leaves[:25]] + [Cable(("s", leaf), wire) for leaf in leaves[25:]]
    rows = lanes.draw([*leaves, "s"], cables, dict.fromkeys([*leaves, "s"], "●"))
    assert max(len(row.lanes) for row in rows) == 4


def test_lanes_that_have_ended_are_taken_again() -> None:
    wire = (Wire("x", forward=True, backward=True, facts=()),)
    nodes = [f"n{number}" for number in range(200)]
    cables = [Cable((nodes[at], nodes[at + step]), wire) for at in range(190) for step in (1, 3)]
    rows = lanes.draw(nodes, cables, dict.fromkeys(nodes, "●"))
    assert max(len(row.lanes) for row in rows) <= 2 * 5  # Three open cables to later nodes, a stem, a branch.


# ---- Descriptions ----


@pytest.mark.parametrize(
    ("link", "facts"),
    [
        ({"delay": "0 ps"}, ("0 s",)),
        ({"distance": "10 km", "distance_to_last": "20 km"}, ("50 us to 100 us (10 km to 20 km)",)),
        ({"rate": "8 Mbit/s", "buffer": "9 cells"}, ("8 Mbit/s", "buffer 9 cells")),
        ({"rate": {"process": "markov", "good": "2 Mbit/s", "bad": "0 bit/s", "mean_good": "1 s", "mean_bad": "10 ms"}},
         ("2 Mbit/s for 1 s, 0 bit/s for 10 ms (Markov)",)),
        ({"rate": {"process": "list", "rates": [{"at": "0 ps", "rate": "1 Mbit/s"}], "repeat": "1500 ms"}},
         ("1 rates from 1 Mbit/s, again after 1.5 s",)),
        ({"rate": {"process": "dmt", "band": "adsl-down", "length": "3 km"}}, ("adsl-down over 3 km of copper",)),
        (
            {"rate": {"process": "cap", "direction": "up", "symbol_rate_kbaud": 136, "length": "3 km"}},
            ("CAP up at 136 kbaud over 3 km of copper",),
        ),
        ({"rate": {"process": "mahimahi", "trace": "1\n"}}, ("opportunities of a Mahimahi trace",)),
        ({"discard": {"policy": "red", "min": "10 cells", "max": "30 cells"}}, ("RED from 10 cells, to 30 cells",)),
        ({"queue_management": {"algorithm": "codel", "target": "5 ms", "ecn": True}}, ("CoDel 5 ms with ECN",)),
        ({"scheduling": "weighted-fair", "credit": {"n2": "10 cells"}}, ("weighted fair", "credits, N2 10 cells")),
        ({"control": {"algorithm": "erica", "target_utilization": 0.9, "interval": "1 ms"}},
         ("ERICA target 90%, every 1 ms",)),
        ({"gfc": {"high": "60 cells", "scope": "host", "group_a": {"go_value": 9}}},
         ("GFC HALT above 60 cells of all VCs of a host, SET for A",)),
        ({"becn": {"above": "60 cells", "mark": "decrease"}}, ("BECN above 60 cells",)),
        ({"loss": {"process": "bernoulli", "probability": 0.001}}, ("loses 0.001 of cells",)),
        ({"loss": {"process": "bernoulli", "probability": 0.0}}, ()),
        # Two registries have the keyword "uniform", and two "markov".
        ({"jitter": {"process": "uniform", "max": "1 ms"}}, ("uniform jitter up to 1 ms",)),
        (
            {"jitter": {"process": "exponential", "mean": "1 ms", "max": "9 ms"}},
            ("exponential jitter of mean 1 ms, up to 9 ms",),
        ),
        (
            {"loss": {"process": "gilbert-elliott", "good_to_bad": 0.01, "bad_to_good": 0.1}},
            ("loses cells (Gilbert-Elliott)",),
        ),
        ({"class_buffers": {"cbr": "20 cells"}, "clp_threshold": "5 cells"}, ("CBR 20 cells", "CLP=1 up to 5 cells")),
    ],
)  # fmt: skip
def test_a_link_is_told_in_short(link: dict[str, Any], facts: tuple[str, ...]) -> None:
    assert words.link_facts(link) == facts


def test_an_abr_loop_ends_where_its_rm_cells_are_turned_around() -> None:
    topology = celltrain.load(REPOSITORY / "examples" / "adsl.toml").topology()
    (route,) = topology.network.routes
    assert route.loops == {0}  # Only the first of the hops P - atu_r - atu_c - R.
    turning = {node.name: [note.text for note in node.notes] for node in topology.network.nodes}
    assert turning["atu_r"] == ["turns RM cells of data around"]
    assert "loop ends at atu_r" in topology.text()


def test_a_stored_scenario_with_the_former_name_of_a_local_loop_is_drawn_alike() -> None:
    present = celltrain.load(REPOSITORY / "examples" / "adsl.toml").to_json()
    former = present.replace('"turn_around_at"', '"turn_round_at"')
    assert former != present
    assert Topology(json.loads(former), "line").text() == Topology(json.loads(present), "line").text()


def test_virtual_ends_and_police_stand_at_their_nodes(line: celltrain.Scenario) -> None:
    abr = {"service": "abr", "pcr": "1 Mbit/s"}
    vc = {"forward": abr, "backward": abr, "virtual_ends": {"at": ["s"]}, "police": {"pcr": "1 Mbit/s"}}
    network = line.with_value("vcs.vc", vc).topology().network
    (switch,) = (node for node in network.nodes if node.name == "s")
    assert [note.text for note in switch.notes] == ["virtual ends of vc", "polices vc"]
    assert network.routes[0].loops == {0, 1}


def test_two_directions_that_are_alike_are_one() -> None:
    alike = MEETING.replace('delay = "5 ms"\n[vcs', 'delay = "5 ms"\nrate = "1 Mbit/s"\nbuffer = "100 cells"\n[vcs')
    network = celltrain.Scenario.from_toml(alike).topology().network
    (wire,) = next(cable.wires for cable in network.cables if cable.ends == ("s", "c"))
    assert (wire.name, wire.forward, wire.backward) == ("line, back", True, True)


def test_a_section_of_nodes_that_is_new_draws_itself() -> None:
    data = canonical(celltrain.Scenario.from_toml(MEETING))
    data["lans"] = {"s": {"rate": "10 Mbit/s", "buffer": "50 cells"}}
    data["satellites"] = {"c": {}}
    del data["switches"]["s"], data["hosts"]["c"]
    drawn = Topology(data, "t")
    assert "◆   s  LAN  10 Mbit/s, buffer 50 cells\n" in drawn.text()
    assert "◆   c  satellites\n" in drawn.text()
    assert "LAN" in texts(drawn.svg())


def test_a_hop_without_a_link_of_its_own_is_drawn() -> None:
    data = canonical(celltrain.Scenario.from_toml(MEETING))
    del data["links"]["in_b"]
    drawn = Topology(data, "t")
    assert {cable.ends: cable.wires for cable in drawn.network.cables}["b", "s"] == ()
    assert "│ ● b\n│ │\n├─╯\n■   s\n" in drawn.text()


# ---- Groups ----

GROUPS = LINE.replace('delay = "0 s"', 'distance = "1 km"\ndistance_to_last = "4 km"')


def example(name: str) -> str:
    return (REPOSITORY / "examples" / f"{name}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", [GROUPS, example("gfc"), example("edge-router")])
def test_groups_written_out_give_the_same_run_bit_for_bit(text: str) -> None:
    changes = {"measure": {"warm_up": "0.5 s", "duration": "2 s"}}
    grouped = celltrain.Scenario.from_toml(text).with_changes(changes)
    written_out = celltrain.Scenario(expanded(canonical(grouped)))
    assert not any(key in written_out.to_json() for key in ("count", "per_vc"))
    assert written_out.run(seed=3).digest == grouped.run(seed=3).digest


def test_members_of_a_group_are_drawn_each_if_that_is_asked_for(line: celltrain.Scenario) -> None:
    assert [node.name for node in line.topology().network.nodes] == ["a", "b", "s"]
    assert "● a ×2" in line.topology().text()
    assert [node.name for node in line.topology(expand=True).network.nodes] == ["a1", "a2", "b1", "b2", "s"]


def test_several_flows_on_each_vc_are_counted() -> None:
    shown = celltrain.Scenario.from_toml(example("edge-router")).topology()
    assert ", 2 VCs, 12 flows;" in shown.text()
    assert "office ×12" in shown.text()
    assert ", 2 VCs, 12 flows;" in celltrain.Scenario.from_toml(example("edge-router")).topology(expand=True).text()


def test_a_member_is_found_in_its_group(line: celltrain.Scenario) -> None:
    other = line.with_value("vcs.lone", {"route": ["a2", "s", "b2"]})
    network = other.topology(vc="vc2").network
    assert [route.nodes for route in network.routes] == [("a", "s", "b")] * 2
    for name in ("vc0", "vc01", "vc3", "vc" + 5000 * "1", ""):
        with pytest.raises(DrawingError, match=f'no VC "{name}"'):
            other.topology(vc=name)


def test_more_members_than_a_page_can_hold_are_refused(line: celltrain.Scenario) -> None:
    many = line.with_changes(
        {
            "hosts": {"a": {"count": 1000}, "b": {"count": 1000}},
            "probes": {"queue": {"record": ["links.in1.lost_cells"]}},
        }
    )
    assert "a ×1000" in many.topology().text()
    with pytest.raises(DrawingError, match=rf"5,001 nodes, links and VCs; at most {MOST_PARTS}"):
        many.topology(expand=True)


# ---- Pictures ----


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("expand", [False, True])
def test_an_example_is_drawn(example: Path, expand: bool) -> None:  # noqa: FBT001
    topology = celltrain.load(example).topology(expand=expand)
    text, svg, dot = topology.text(), topology.svg(), topology.dot()
    assert max(map(len, text.splitlines())) <= 80
    shown = " ".join(texts(svg))
    for node in topology.network.nodes:
        assert all(node.name in drawn for drawn in (text, shown, dot))
    for cable in topology.network.cables:
        for wire in cable.wires:
            assert all(wire.name in drawn for drawn in (text, shown, dot))


@pytest.mark.parametrize("name", catalog.names())
def test_the_scenarios_of_a_study_are_drawn(name: str) -> None:
    paper = catalog.paper(name)
    for experiment in paper.experiments.values():
        topology = celltrain.Scenario(paper.points(experiment)[0].scenario).topology()
        assert max(map(len, topology.text().splitlines())) <= 80
        ET.fromstring(topology.svg())


def test_every_letter_of_a_picture_is_inside_of_it() -> None:
    for example in EXAMPLES:
        root = ET.fromstring(celltrain.load(example).topology().svg())
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for group in (root, *root.iter(f"{SVG}g")):
            across, down = map(float, re.findall(r"[0-9.]+", group.get("transform", "0 0")))
            for text in group.iterfind(f"{SVG}text"):
                assert 0 <= across + float(text.attrib["x"]) < width
                assert 0 <= down + float(text.attrib["y"]) < height


def test_a_picture_says_which_vc_runs_where() -> None:
    root = ET.fromstring(celltrain.load(REPOSITORY / "examples" / "adsl.toml").topology().svg())
    ways = [path for path in root.iter(f"{SVG}path") if path.attrib["class"] == "way0"]
    assert [path[0].text for path in ways] == ["VC data, in an ABR loop", "VC data", "VC data"]
    assert "prefers-color-scheme: dark" in (root.findtext(f"{SVG}style") or "")


def test_only_some_of_many_routes_are_drawn_and_the_picture_says_so(line: celltrain.Scenario) -> None:
    more = {f"v{number}": {"route": ["a1", "s", "b1"]} for number in range(30)}
    many = line.with_changes({"vcs": more})
    assert "The routes of 19 more VCs are not drawn; highlight one to see it." in texts(many.topology().svg())
    root = ET.fromstring(many.topology(vc="v29").svg())
    assert "VC v29" in [title.text for title in root.iter(f"{SVG}title")]


def test_a_notebook_shows_the_picture(line: celltrain.Scenario) -> None:
    topology = line.topology()
    assert topology._repr_svg_() == topology.svg()
    assert str(topology) == topology.text()


def test_names_cannot_leave_their_place() -> None:
    hostile = '</title><script>alert("1")</script>&\x1b[31m\x00\\N\n'
    data = canonical(celltrain.Scenario.from_toml(MEETING))
    text = json.dumps(data).replace('"s"', json.dumps(hostile)).replace('"line"', json.dumps(hostile))
    drawn = Topology(json.loads(text), hostile)
    root = ET.fromstring(drawn.svg())
    assert not list(root.iter(f"{SVG}script"))
    assert not list(root.iter("script"))
    assert "\x1b" not in drawn.svg() + drawn.text() + drawn.dot()
    assert "\x00" not in drawn.svg() + drawn.text() + drawn.dot()
    from pygraphviz import AGraph

    graph = AGraph(string=drawn.dot())
    assert sorted(graph.nodes()) == ["n0", "n1", "n2", "n3"]
    graph.close()


# ---- The command ----


def test_show_prints_a_drawing(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "meeting.toml").write_text(MEETING, encoding="utf-8")
    done = cli("show", "meeting.toml")
    assert (done.returncode, done.stdout, done.stderr) == (0, MEETING_DRAWN, "")


def test_show_writes_each_kind_of_file(cli: Command, line_file: Path, tmp_path: Path) -> None:
    for name, start in (("t.svg", "<svg "), ("t.dot", "graph "), ("t.gv", "graph "), ("t.TXT", "line.toml\n")):
        done = cli("show", line_file, "-o", name)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", f"wrote {name}\n")
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_show_draws_what_was_set(cli: Command, line_file: Path) -> None:
    done = cli("show", line_file, "--set", "links.line.buffer=7 cells", "--expand")
    assert "buffer 7 cells" in done.stdout
    assert "● a2" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "t.png"], "cannot draw t.png: expected a name that ends in .svg, .dot, .gv or .txt"),
        (["-o", "nowhere/t.svg"], "cannot write nowhere/t.svg: No such file or directory"),
        (["--vc", "vcc"], 'there is no VC "vcc"; did you mean "vc"?'),
        (["--set", "links.line.bufer=7 cells"], "buffer"),
    ],
)
def test_show_says_what_is_wrong(
    cli: Command, line_file: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    before = sorted(tmp_path.rglob("*"))
    done = cli("show", line_file, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())
    assert sorted(tmp_path.rglob("*")) == before


def test_show_refuses_what_validate_refuses(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(MEETING.replace('"s", "c"]', '"t", "c"]'), encoding="utf-8")
    shown, validated = cli("show", "bad.toml"), cli("validate", "bad.toml")
    assert shown.returncode == validated.returncode == 2
    assert 'there is no node "t"' in shown.stderr


def shown_with(file: Path, *arguments: str, **variables: str) -> str:
    command = [sys.executable, "-m", "celltrain", "show", str(file), *arguments]
    variables = {"PYTHONUTF8": "1"} | variables
    done = subprocess.run(command, check=True, capture_output=True, env=os.environ | variables)
    return done.stdout.decode()


def test_show_keeps_to_the_width_of_the_terminal(line_file: Path) -> None:
    assert max(map(len, shown_with(line_file, COLUMNS="50").splitlines())) <= 50
    assert max(map(len, shown_with(line_file, COLUMNS="200").splitlines())) > 80


def test_show_has_colours_only_where_they_are_wanted(line_file: Path) -> None:
    assert "\x1b" not in shown_with(line_file)
    assert "\x1b[34m" in shown_with(line_file, FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b[34m" not in shown_with(line_file, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color")


def test_show_uses_ascii_where_the_output_has_nothing_else(line_file: Path) -> None:
    assert shown_with(line_file, PYTHONUTF8="0", PYTHONIOENCODING="ascii").isascii()


def test_a_picture_is_always_the_same(line_file: Path, tmp_path: Path) -> None:
    pictures = set()
    for seed in ("1", "2", "3"):
        shown_with(line_file, "-o", str(tmp_path / "t.svg"), "--expand", PYTHONHASHSEED=seed)
        pictures.add((tmp_path / "t.svg").read_bytes())
    assert len(pictures) == 1


# ---- The documentation ----


def test_the_picture_on_the_page_about_drawings_is_what_is_drawn() -> None:
    topology = celltrain.load(REPOSITORY / "examples" / "adsl.toml").topology()
    picture = (REPOSITORY / "docs" / "images" / "adsl-topology.svg").read_text(encoding="utf-8")
    assert texts(picture) == texts(topology.svg()), "renew it: celltrain show examples/adsl.toml -o PICTURE"
