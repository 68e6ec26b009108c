"""The shape of JUnit XML that CI services share, checked as their common schema (junit-10.xsd of Jenkins) has it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

_COUNTS = {"tests", "failures", "errors", "skipped"}
_TIME = re.compile(r"\d+\.\d{3}")
#: Allowed children, and attributes that an element must have.
_CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase", "system-out", "system-err"},
    "testcase": {"skipped", "error", "failure", "system-out", "system-err"},
}
_ATTRIBUTES = {
    "testsuites": {"name", "time", *_COUNTS},
    "testsuite": {"name", "time", "timestamp", *_COUNTS},
    "testcase": {"name", "classname", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
    "system-out": set(),
    "system-err": set(),
}


def check_shape(root: ET.Element) -> None:
    """Check elements, attributes, their types, and that all counts are those of the cases."""
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) == _ATTRIBUTES[element.tag], element.tag
        assert {child.tag for child in element} <= _CHILDREN.get(element.tag, set()), element.tag
        if "time" in element.attrib:
            assert _TIME.fullmatch(element.attrib["time"])
        if "timestamp" in element.attrib:
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", element.attrib["timestamp"])
    for group in (root, *root.iter("testsuite")):
        cases = list(group.iter("testcase"))
        assert int(group.attrib["tests"]) == len(cases)
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(group.attrib[name]) == sum(case.find(tag) is not None for case in cases)
