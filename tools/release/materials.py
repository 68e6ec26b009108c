"""The software bill of materials: what a release consists of, and what it installs (CycloneDX 1.6)."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from release.failed import FailedError

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[[^\]]*\])?\s*(?P<bounds>[^;]*)(?:;\s*(?P<marker>.*))?")


def compiled_crates(metadata: Mapping[str, Any], top: str) -> list[dict[str, Any]]:
    """Return the packages of Cargo's metadata that end up in ``top``: without those of builds and tests."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [next(one for one in packages if packages[one]["name"] == top)]
    found: list[str] = []
    while waiting:
        package = waiting.pop()
        if package in found:
            continue
        found.append(package)
        for needed in nodes[package]["deps"]:
            if any(kind["kind"] is None for kind in needed["dep_kinds"]):
                waiting.append(needed["pkg"])
    return sorted((packages[one] for one in found), key=lambda each: (each["name"], each["version"]))


def component_of_crate(package: Mapping[str, Any], checksums: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Describe a crate."""
    name, version = package["name"], package["version"]
    component = {
        "type": "library",
        "bom-ref": f"pkg:cargo/{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:cargo/{name}@{version}",
        "scope": "required",
        "licenses": [{"expression": (package["license"] or "NOASSERTION").replace("/", " OR ")}],
    }
    checksum = checksums.get((name, version))
    return component | ({"hashes": [{"alg": "SHA-256", "content": checksum}]} if checksum else {})


def component_of_requirement(text: str, *, extra: str | None = None) -> dict[str, Any]:
    """Describe a Python package that is installed with ours: its bounds, since the installer chooses the version.

    >>> component_of_requirement("numpy>=1.26")["properties"]
    [{'name': 'celltrain:bounds', 'value': '>=1.26'}]
    """
    parts = _REQUIREMENT.fullmatch(text.strip())
    if parts is None:
        raise FailedError(f"pyproject.toml: cannot read the dependency {text!r}")
    known = {"bounds": parts["bounds"].strip(), "marker": parts["marker"], "extra": extra}
    return {
        "type": "library",
        "bom-ref": f"pypi:{extra or ''}:{parts['name']}",
        "name": parts["name"],
        "purl": f"pkg:pypi/{parts['name'].lower().replace('_', '-')}",
        "scope": "optional" if extra else "required",
        "properties": [{"name": f"celltrain:{key}", "value": value} for key, value in known.items() if value],
    }


def bill(root: Path, version: str, date: str, files: Mapping[str, str]) -> dict[str, Any]:
    """Make the bill of materials of a release.

    Parameters
    ----------
    root
        The repository.
    version, date
        Those of the release.
    files
        SHA-256 of the files of the release, by name.
    """
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--all-features"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError(f"cargo metadata: {done.stderr.strip()}")
    metadata = json.loads(done.stdout)
    lock = tomllib.loads((root / "Cargo.lock").read_text("utf-8"))["package"]
    checksums = {(one["name"], one["version"]): one["checksum"] for one in lock if "checksum" in one}
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    optional = {
        name: needed for name, needed in project["optional-dependencies"].items() if name not in ("dev", "docs")
    }
    components = [
        *(component_of_crate(each, checksums) for each in compiled_crates(metadata, "celltrain-py")),
        *(component_of_requirement(each) for each in project["dependencies"]),
        *(
            component_of_requirement(each, extra=extra)
            for extra, needed in optional.items()
            for each in needed
            if not each.startswith("celltrain[")
        ),
    ]
    main = f"pkg:pypi/celltrain@{version}"
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, main + json.dumps(files, sort_keys=True))}",
        "version": 1,
        "metadata": {
            "timestamp": f"{date}T00:00:00Z",
            "component": {
                "type": "application",
                "bom-ref": main,
                "name": "celltrain",
                "version": version,
                "purl": main,
                "licenses": [{"expression": project["license"]}],
                "components": [
                    {"type": "file", "bom-ref": f"file:{name}", "name": name, "hashes": [hashed(digest)]}
                    for name, digest in sorted(files.items())
                ],
            },
        },
        "components": components,
        "dependencies": [{"ref": main, "dependsOn": [each["bom-ref"] for each in components]}],
    }


def hashed(digest: str) -> dict[str, str]:
    """Return a SHA-256 as CycloneDX writes it."""
    return {"alg": "SHA-256", "content": digest}
