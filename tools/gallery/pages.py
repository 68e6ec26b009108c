"""The pages of the gallery, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from celltrain.papers.claims import Claim, read_claims
from celltrain.papers.kinds import Experiment
from celltrain.papers.paper import Paper
from commands.pages import marked

from gallery.kept import Judged, Kept

NOTE = "<!-- Made by `make gallery` from the studies and docs/gallery/results.json. -->\n\n"
_WORDS = {True: "holds", False: "**fails**", None: "open"}


def index(papers: Sequence[Paper], kept: Mapping[str, Kept]) -> str:
    """Write the page that lists the studies."""
    rows = "".join(
        f"[{each.name}]({each.name}.md)\n: {marked(each.head.title)}. {counts(each, kept)}\n\n" for each in papers
    )
    order = "\n".join(each.name for each in papers)
    return f"""{NOTE}# Gallery

Every figure of the studies, as `celltrain reproduce` draws it, with the claims of the study about it. Each claim has
its verdict and, where the study publishes a number, the published number beside the simulated one. Large open marks in
a figure are published measurements.

A **full run** has the length and the replications of the study. A **quick run** is one short run of each point: it
shows the form of a figure, its values differ from those of a full run, and no claim is checked with it.

{rows}## Renew it

<!-- not run: takes half an hour or more -->
```sh
celltrain reproduce --all --out out/studies
make gallery RESULTS=out/studies
```

The first command takes about half an hour on two cores, and resumes where it was interrupted. A folder with some of
the figures renews these only; `celltrain reproduce adsl-abr/fig04 --out out/studies` makes one.

```{{toctree}}
:hidden:

{order}
```
"""


def page(paper: Paper, kept: Mapping[str, Kept]) -> str:
    """Write the page of a study."""
    claims = read_claims(paper.folder)
    parts = (part(paper, each, claims, kept.get(f"{paper.name}/{each.id}")) for each in paper.experiments.values())
    about = f"{marked(paper.head.title)}. {counts(paper, kept)}"
    links = f"[The study](../studies/{paper.name}.md) explains the network, the readings and why claims fail."
    return f"{NOTE}# Figures of {paper.name}\n\n{about}\n\n{links}\n\n" + "\n".join(parts)


def counts(paper: Paper, kept: Mapping[str, Kept]) -> str:
    """Say how many experiments are full or quick runs, and how many claims hold.

    A claim is counted only if it was checked with a full run.
    """
    found = [kept.get(f"{paper.name}/{name}") for name in paper.experiments]
    full = [each for each in found if each is not None and not each.quick]
    quick = sum(each is not None and each.quick for each in found)
    verdicts = [verdict for each in full for verdict in each.verdicts.values()]
    holding = sum(verdict.holds is True for verdict in verdicts)
    missing = len(found) - len(full) - quick
    kinds = ((len(full), "of full runs"), (quick, "of quick runs"), (missing, "not drawn"))
    drawn = ", ".join(f"{number} {kind}" for number, kind in kinds if number)
    checked = f" Of {len(verdicts)} claims checked here {holding} hold." if verdicts else ""
    return f"{len(found)} figures and tables: {drawn}.{checked}"


def part(paper: Paper, experiment: Experiment, claims: Sequence[Claim], kept: Kept | None) -> str:
    """Show one experiment."""
    name = f"{paper.name}/{experiment.id}"
    about = [claim for claim in claims if claim.experiment == experiment.id]
    lines = [f"## {experiment.id}: {marked(experiment.says)}\n"]
    if kept is None:
        lines.append(f"Not drawn here: `celltrain reproduce {name}` makes it.\n")
    else:
        lines += [f"{extent(kept)}\n", f"![{marked(experiment.says)}]({name}.svg)\n"]
    if about:
        lines.append("".join(line(claim, kept) for claim in about))
    return "\n".join(lines)


def extent(kept: Kept) -> str:
    """Say what an experiment was made by."""
    run = "**Quick run**: one short run of each point; claims are not checked." if kept.quick else "Full run."
    agreed = f" {kept.agreement}." if kept.agreement else ""
    return f"{run} celltrain {kept.version}.{'' if kept.quick else agreed}"


def line(claim: Claim, kept: Kept | None) -> str:
    """Show a claim with its verdict."""
    verdict = kept.verdicts.get(claim.id) if kept and not kept.quick else None
    return "- " + " ".join(words(claim, verdict)) + "\n"


def words(claim: Claim, verdict: Judged | None) -> Iterator[str]:
    """Yield the parts of a line about a claim."""
    yield f"{'not checked' if verdict is None else _WORDS[verdict.holds]}:"
    yield marked(" ".join(claim.says.split()))
    if verdict is not None and verdict.compared:
        yield f"**{verdict.compared[0].upper()}{marked(verdict.compared[1:])}.**"
    yield f"({marked(claim.source)})" if claim.source else ""
