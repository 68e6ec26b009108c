"""Make a release, or a part of it: ``python -m release``, with ``tools`` on the path of Python."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from release import contents, materials, trial, versions, wheels
from release.failed import FailedError
from release.targets import Target, linked_here, named

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "dist"
SUMS, BILL = "SHA256SUMS", "celltrain.cdx.json"


def today(variables: Mapping[str, str] = os.environ) -> str:
    """Return the date of a release, which ``SOURCE_DATE_EPOCH`` may fix."""
    fixed = variables.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.UTC)
    return (datetime.datetime.fromtimestamp(int(fixed), datetime.UTC) if fixed else now).date().isoformat()


def checked(files: Sequence[Path]) -> None:
    """Compare the content of files with what must be in them.

    Raises
    ------
    FailedError
        A file lacks something, or has something else; the message lists all problems.
    """
    if not files:
        raise FailedError("there is no wheel and no source distribution to check; `make dist` makes them")
    found = list(contents.problems(files, versions.in_python(versions.current(ROOT)), ROOT))
    if found:
        raise FailedError("\n".join(found))


def sealed(out: Path, files: Sequence[Path]) -> None:
    """Write the bill of materials and the checksums of a release."""
    hashes = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    version = versions.in_python(versions.current(ROOT))
    bill = json.dumps(materials.bill(ROOT, version, today(), hashes), indent=1) + "\n"
    (out / BILL).write_text(bill, "utf-8")
    hashes[BILL] = hashlib.sha256(bill.encode()).hexdigest()
    lines = [f"{digest}  {name}\n" for name, digest in sorted(hashes.items())]
    (out / SUMS).write_text("".join(lines), "utf-8")


def dist(out: Path, targets: Sequence[Target], version: str | None) -> None:
    """Make a release: set its version, build and check all files, try what runs here."""
    if version is not None:
        versions.set_version(ROOT, version, today())
    if wrong := list(versions.disagreements(ROOT)):
        raise FailedError("\n".join(wrong))
    for old in out.glob("celltrain-*") if out.is_dir() else ():
        old.unlink()
    built = list(wheels.build_all(targets, out))
    checked(built)
    for file in built:
        target = contents.target_of(file) if file.suffix == ".whl" else None
        # Programs for another C library start only where it is installed.
        if target is not None and target.runs_here and not target.triple.endswith("-musl"):
            trial.attempt(file)
    sealed(out, built)
    told(out, built, version)


def told(out: Path, files: Sequence[Path], version: str | None) -> None:
    """Print what there is now, and what to type next."""
    for file in files:
        print(f"{file.stat().st_size / 1e6:6.1f} MB  {file.name}")
    print(f"wrote {len(files)} files, {BILL} and {SUMS} into {out}")
    if version is not None:
        print(f"next: git commit -am 'Release {version}' && git tag v{version}, and push both: the workflow `release`")
        print("builds each wheel on its own system, with a profile, and drafts the release")


def parser() -> argparse.ArgumentParser:
    """Return the reader of the command line."""
    made = argparse.ArgumentParser(prog="python -m release", description=(__doc__ or "").splitlines()[0])
    parts = made.add_subparsers(dest="part", required=True)
    whole = parts.add_parser("dist", help="make everything: make dist")
    whole.add_argument("--version", help="set this version first, in all files that have one")
    whole.add_argument("--target", action="append", help="only this target; may be repeated")
    one = parts.add_parser("wheel", help="build, check and try the wheel of one target")
    one.add_argument("target")
    one.add_argument("--untried", action="store_true", help="do not install it: it does not run on this machine")
    parts.add_parser("sdist", help="build and check the source distribution")
    parts.add_parser("notes", help="print what the changelog says of the current version")
    for name, what in (
        ("check", "compare the content of files with what must be in them"),
        ("try", "install wheels in clean environments, and use them"),
        ("seal", "write checksums and bill of materials of these files"),
    ):
        parts.add_parser(name, help=what).add_argument("files", nargs="*", type=Path)
    for part in parts.choices.values():
        part.add_argument("--out", type=Path, default=OUT, help="folder of the files; default: dist")
    return made


def carry_out(options: argparse.Namespace) -> None:
    """Do what the command line asks."""
    out: Path = options.out.resolve()
    match options.part:
        case "dist":
            targets, others = linked_here()
            dist(out, [named(one) for one in options.target] if options.target else targets, options.version)
            for other in others:
                print(
                    f"NOT MADE here: the wheel for {other.tag}, which only its own system links; the workflow makes it"
                )
        case "wheel":
            wheel = wheels.build_wheel(named(options.target), out)
            checked([wheel])
            if not options.untried:
                trial.attempt(wheel)
        case "sdist":
            checked([wheels.build_sdist(out)])
        case "notes":
            version = versions.in_python(versions.current(ROOT))
            print(versions.notes((ROOT / "CHANGELOG.md").read_text("utf-8"), version), end="")
        case "check":
            checked(options.files or files_in(out))
        case "try":
            for wheel in options.files:
                trial.attempt(wheel)
        case "seal":
            files = options.files or files_in(out)
            checked(files)
            sealed(out, files)


def files_in(out: Path) -> list[Path]:
    """Return the wheels and the source distribution in a folder."""
    return [*sorted(out.glob("*.whl")), *sorted(out.glob("celltrain-*.tar.gz"))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a part of a release; return the exit status."""
    try:
        carry_out(parser().parse_args(arguments))
    except (FailedError, KeyError) as error:
        print(f"error: {error.args[0]}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
