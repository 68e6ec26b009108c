"""Fractional two-level designs: generators, aliases, and the points they choose."""

from __future__ import annotations

import pytest
from celltrain.sweeps import Design, DesignError
from celltrain.sweeps.confounding import Confounding, Word
from hypothesis import given
from hypothesis import strategies as st

KEYS = "abcdefg"


def word(letters: str, sign: int = 1) -> Word:
    """Return a word of these letters."""
    return Word(frozenset("ABCDEFG".index(letter) for letter in letters), sign)


def two_levels(count: int) -> dict[str, list[int]]:
    """Return a grid of keys with the values -1 and 1, which are then the signs."""
    return {key: [-1, 1] for key in KEYS[:count]}


def test_a_generator_gives_the_level_of_its_factor_at_each_point() -> None:
    design = Design(grid=two_levels(4), kind="fractional", generators=["D = ABC"])
    points = list(design.points())
    assert [tuple(point.values()) for point in points] == [
        (-1, -1, -1, -1), (-1, -1, 1, 1), (-1, 1, -1, 1), (-1, 1, 1, -1),
        (1, -1, -1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, 1, 1, 1),
    ]  # fmt: skip
    assert design.size == 8


def test_a_generator_with_a_minus_sign_chooses_the_other_half() -> None:
    halves = [
        {tuple(point.values()) for point in Design(grid=two_levels(3), kind="fractional", generators=[text]).points()}
        for text in ("C = AB", "c=-ab")
    ]
    full = {tuple(point.values()) for point in Design(grid=two_levels(3), kind="two-level").points()}
    assert halves[0] | halves[1] == full
    assert not halves[0] & halves[1]


def test_the_confounding_of_half_of_four_factors_is_that_of_the_book() -> None:
    # Jain (1991), chapter 19: with I = ABCD, A = BCD, B = ACD, AB = CD, AC = BD, ABC = D, BC = AD, ABD = C.
    found = Confounding.parse(KEYS[:4], ["D = ABC"])
    assert [list(map(str, each)) for each in found.classes(2)] == [
        ["A", "BCD"], ["B", "ACD"], ["C", "ABD"], ["D", "ABC"], ["AB", "CD"], ["AC", "BD"], ["AD", "BC"],
    ]  # fmt: skip
    assert found.in_words() == "2^(4-1) design of resolution IV, I = ABCD"


def test_a_poorer_generator_has_a_lower_resolution() -> None:
    # Jain (1991), chapter 19: D = AB gives I = ABD, of resolution III: A = BD is worse than A = BCD.
    found = Confounding.parse(KEYS[:4], ["D = AB"])
    assert found.resolution == 3
    assert [list(map(str, each)) for each in found.classes(1)] == [["A", "BD"], ["B", "AD"], ["C", "ABCD"], ["D", "AB"]]


def test_the_signs_of_aliases_follow_those_of_the_generators() -> None:
    found = Confounding.parse(KEYS[:5], ["D = -AB", "E = AC"])
    # I = -ABD = ACE, and their product: -BCDE.
    assert sorted(map(str, found.relation)) == ["-ABD", "-BCDE", "ACE", "I"]
    assert list(map(str, found.aliases(word("A")))) == ["A", "-BD", "CE", "-ABCDE"]


@given(st.data())
def test_confounded_effects_have_equal_signs_at_all_points(data: st.DataObject) -> None:
    crossed, count = 3, data.draw(st.integers(4, 7))
    words = data.draw(st.permutations(["AB", "AC", "BC", "ABC"]))[: count - crossed]
    texts = [
        f"{'ABCDEFG'[crossed + at]} = {data.draw(st.sampled_from(['', '-']))}{text}" for at, text in enumerate(words)
    ]
    design = Design(grid=two_levels(count), kind="fractional", generators=texts)
    found = design.confounding
    assert found is not None
    points = [list(point.values()) for point in design.points()]
    assert len({tuple(point) for point in points}) == 8

    def signs(each: Word) -> list[int]:
        product = [each.sign] * len(points)
        for factor in each.letters:
            product = [sign * point[factor] for sign, point in zip(product, points, strict=True)]
        return product

    groups = list(found.classes(count))
    assert len(groups) == 7, "with the mean, as many effects as points"
    for group in groups:
        assert len(group) == 2 ** (count - crossed)
        assert all(signs(each) == signs(group[0]) for each in group)
        assert signs(found.on_crossed(group[0])) == signs(group[0])


@pytest.mark.parametrize(
    ("count", "generators", "says"),
    [
        (3, ["C = AB", "C = -AB"], "C has a generator already"),
        (3, ["D = AB"], r"no factor D; the factors are A \(a\), B \(b\), C \(c\)"),
        (3, ["C = AX"], "no factor X"),
        (3, ["I = ABC"], "no factor I"),
        (3, ["C = AA"], "A occurs twice"),
        (3, ["C = ABC"], "C occurs twice"),
        (3, ["C AB"], "expected a factor and the product"),
        (3, ["C = "], "expected a factor and the product"),
        (3, ["C = A"], "A and C always change together"),
        (5, ["D = AB", "E = AB"], "D and E always change together"),
        (5, ["D = AB", "E = -AB"], "D and E always change together"),
        (5, ["D = AB", "E = CD"], "D has a generator itself"),
        (2, ["B = A"], "expected at least 3"),
        (3, [], "needs a generator"),
    ],
)
def test_generators_that_give_no_design_are_refused(count: int, generators: list[str], says: str) -> None:
    with pytest.raises(DesignError, match=says):
        Design(grid=two_levels(count), kind="fractional", generators=generators)


def test_too_many_generators_are_refused() -> None:
    keys = [f"k{number}" for number in range(20)]
    with pytest.raises(DesignError, match="13 generators: expected at most 12"):
        Confounding.parse(keys, ["T = AB"] * 13)
    with pytest.raises(DesignError, match="26 factors"):
        Confounding.parse([f"k{number}" for number in range(26)], ["D = ABC"])


@pytest.mark.parametrize(
    ("design", "says"),
    [
        ({"grid": {"a": [1, 2, 3]}, "kind": "two-level"}, "a: a two-level design needs two values, .* found 1, 2, 3"),
        ({"grid": {"a": [1, 1]}, "kind": "two-level"}, "found 1, 1"),
        ({"grid": {"a": [1]}, "kind": "fractional"}, "found 1"),
        ({"kind": "two-level"}, "needs factors"),
        ({"grid": {"a": [1, 2]}, "kind": "two-level", "listed": [{"b": 1}]}, "leave out listed and drawn"),
        ({"grid": {"a": [1, 2]}, "kind": "two-level", "generators": ["C = AB"]}, "only a fractional design"),
        ({"grid": {"a": [1, 2]}, "generators": ["C = AB"]}, "only a fractional design"),
        ({"grid": {"a": [1, 2]}, "kind": "2^k"}, "expected one of factorial, two-level, fractional"),
    ],
)
def test_what_is_not_the_named_kind_of_design_is_refused(design: dict[str, object], says: str) -> None:
    with pytest.raises(DesignError, match=says):
        Design(**design)  # type: ignore[arg-type]
