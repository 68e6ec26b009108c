"""Effects, allocation of variation and intervals: worked examples of Jain (1991), and what must always hold.

The sums of the examples are worked out in the comments from the data of the book.
"""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest
from celltrain.sweeps.confounding import LETTERS, Confounding
from celltrain.sweeps.effects import Effects, Term, analyse
from celltrain.sweeps.effects_table import rows, signs
from celltrain.sweeps.responses import EffectsError, Factor, Responses
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

#: y at (A, B): a workstation's performance by its memory (A) and cache (B), chapter 17.
MEMORY_CACHE = [[[15], [25]], [[45], [75]]]
#: The same with three replications, chapter 18.
REPLICATED = [[[15, 18, 12], [25, 28, 19]], [[45, 48, 51], [75, 75, 81]]]
#: Sizes of code on the processors R, V and Z, chapter 20.
CODE_SIZES = [[144, 120, 176, 288, 144], [101, 144, 211, 288, 72], [130, 180, 141, 374, 302]]
#: Times of five workloads with two caches, one, and none, chapter 21.
CACHES = [[54, 60, 43, 49, 49], [55, 60, 43, 52, 50], [106, 123, 120, 111, 108]]


def responses(values: object, confounding: Confounding | None = None) -> Responses:
    """Return responses: an axis for each factor, or each crossed factor, and one for the replications."""
    array = np.array(values, dtype=np.float64)
    shape = array.shape[:-1]
    sizes = (2,) * confounding.factors if confounding else shape
    factors = [Factor(LETTERS[at], f"k{at}", tuple(map(str, range(size)))) for at, size in enumerate(sizes)]
    points = np.arange(math.prod(shape)).reshape(shape)
    return Responses("m", "1", tuple(factors), confounding, points, tuple(range(1, array.shape[-1] + 1)), array)


def values_of(found: Effects) -> dict[str, list[float]]:
    """Return the estimates of each term."""
    return {term.name: [estimate.value for estimate in term.estimates] for term in found.terms}


def percents(found: Effects) -> dict[str, float]:
    """Return the part of the variation of each term, and of the rest."""
    parts = {term.name: term.variation for term in found.terms} | dict(found.rest)
    return {name: 100 * part.part for name, part in parts.items()}


# ---- worked examples


def test_two_factors_without_replications() -> None:
    found = analyse(responses(MEMORY_CACHE))
    # q = (15 + 45 + 25 + 75, -15 + 45 - 25 + 75, -15 - 45 + 25 + 75, 15 - 45 - 25 + 75) / 4 = (160, 80, 40, 20) / 4
    assert found.mean.value == 40
    assert values_of(found) == {"A": [20], "B": [10], "AB": [5]}
    # 4 q^2 = 1600, 400 and 100 of 2100
    assert percents(found) == pytest.approx({"A": 1600 / 21, "B": 400 / 21, "AB": 100 / 21})
    assert found.total.sum_of_squares == 2100
    assert all(math.isnan(term.estimates[0].half_width) and math.isnan(term.variation.p) for term in found.terms)
    assert math.isnan(found.mean.half_width)


def test_two_factors_with_independent_replications() -> None:
    found = analyse(responses(REPLICATED), independent=True)
    # Means of the cells 15, 24, 48, 77; SSE = 18 + 42 + 18 + 24 = 102 with 8 degrees of freedom.
    assert found.mean.value == 41
    assert values_of(found) == {"A": [21.5], "B": [9.5], "AB": [5]}
    assert [found.error.sum_of_squares, found.error.dof] == pytest.approx([102, 8])
    assert found.total.sum_of_squares == pytest.approx(5547 + 1083 + 300 + 102)
    assert percents(found) == pytest.approx({"A": 78.88, "B": 15.40, "AB": 4.27, "error": 1.45}, abs=0.005)
    # s_q = sqrt(102 / 8) / sqrt(12) = 1.031, t[0.975; 8] = 2.306
    half_widths = [found.mean.half_width, *(term.estimates[0].half_width for term in found.terms)]
    assert half_widths == pytest.approx([2.306 * 1.0308] * 4, abs=0.001)
    # With t[0.95; 8] = 1.86 this is the 90 % interval of the book, (39.08, 42.91).
    assert 41 - half_widths[0] / 2.306 * 1.86 == pytest.approx(39.08, abs=0.005)


def test_two_factors_whose_points_share_seeds() -> None:
    found = analyse(responses(REPLICATED))
    # The effects of each seed: of A 20, 19.25, 25.25; of B 10, 9.25, 9.25; of AB 5, 4.25, 5.75; means 40, 42.25, 40.75.
    # Their squared deviations: 21.375, 0.375, 1.125, 2.625. A half-width is t[0.975; 2] = 4.303 times sqrt(sum / 6).
    assert values_of(found) == {"A": [21.5], "B": [9.5], "AB": [5]}
    half_widths = [found.mean.half_width, *(term.estimates[0].half_width for term in found.terms)]
    assert half_widths == pytest.approx(
        [4.303 * math.sqrt(each / 6) for each in (2.625, 21.375, 0.375, 1.125)], rel=1e-3
    )
    # Four runs for each seed: 4 * 2.625 is alike at all points, 4 * (21.375 + 0.375 + 1.125) is not; together 102.
    assert [found.seeds.sum_of_squares, found.seeds.dof] == pytest.approx([10.5, 2])
    assert [found.error.sum_of_squares, found.error.dof] == pytest.approx([91.5, 6])
    # t = 21.5 / sqrt(21.375 / 6)
    assert found.terms[0].variation.p == pytest.approx(2 * stats.t.sf(21.5 / math.sqrt(21.375 / 6), 2))


def test_a_multiplicative_model() -> None:
    # Chapter 18: times of two workloads on two processors, whose logarithms are about 2, 0, 0 and -1.886.
    times = [
        [[85.10, 79.50, 147.90], [0.891, 1.047, 1.072]],
        [[0.955, 0.933, 1.122], [0.0148, 0.0126, 0.0118]],
    ]
    found = analyse(responses(times), multiplicative=True, independent=True)
    # q = (2 - 1.886, -2 - 1.886, -2 - 1.886, 2 - 1.886) / 4
    assert found.mean.value == pytest.approx(0.0286, abs=0.0005)
    assert {name: value for name, (value,) in values_of(found).items()} == pytest.approx(
        {"A": -0.9715, "B": -0.9715, "AB": 0.0286}, abs=0.0005
    )
    assert percents(found) == pytest.approx({"A": 49.9, "B": 49.9, "AB": 0.0, "error": 0.2}, abs=0.06)
    assert [row["factor"] for row in rows(found)][1] == pytest.approx(10**-0.9715, rel=0.002)


def test_one_factor_with_many_levels() -> None:
    found = analyse(responses(CODE_SIZES), independent=True)
    # Sums 872, 816, 1127 of five each: means 174.4, 163.2, 225.4, and 2815 / 15 = 187.67 of all.
    assert found.mean.value == pytest.approx(187.67, abs=0.005)
    assert values_of(found)["A"] == pytest.approx([-13.27, -24.47, 37.73], abs=0.005)
    # SSA = 5 * (13.27^2 + 24.47^2 + 37.73^2), SST = SSY - SS0 = 633,639 - 528,281.7
    assert found.terms[0].variation.sum_of_squares == pytest.approx(10992.1, abs=0.05)
    assert [found.error.sum_of_squares, found.error.dof] == pytest.approx([94365.2, 12], abs=0.05)
    assert found.total.sum_of_squares == pytest.approx(105357.3, abs=0.05)
    # s_e = 88.7; of an effect 88.7 * sqrt(2 / 15) = 32.4, t[0.975; 12] = 2.179; F = 5496.1 / 7863.8 = 0.7
    assert [each.half_width for each in found.terms[0].estimates] == pytest.approx([2.179 * 32.38] * 3, abs=0.05)
    assert found.terms[0].variation.p == pytest.approx(stats.f_oneway(*CODE_SIZES).pvalue)


def test_two_factors_with_many_levels() -> None:
    found = analyse(responses(np.array(CACHES)[:, :, np.newaxis]))
    # Means of the caches 51, 52, 113.6; of the workloads 71.67, 81, 68.67, 70.67, 69; of all 72.2
    assert values_of(found)["A"] == pytest.approx([-21.2, -20.2, 41.4])
    assert values_of(found)["B"] == pytest.approx([-0.533, 8.8, -3.533, -1.533, -3.2], abs=0.001)
    # SSA = 5 * 2571.44, SSB = 3 * 102.8, SST = 91595 - 15 * 72.2^2 = 13402.4
    sums = [term.variation.sum_of_squares for term in found.terms]
    assert sums == pytest.approx([12857.2, 308.4, 236.8])
    assert [term.variation.dof for term in found.terms] == [2, 4, 8]
    assert percents(found) == pytest.approx({"A": 95.9, "B": 2.3, "AB": 1.8}, abs=0.05)


def test_an_eighth_of_seven_factors() -> None:
    # Chapter 19: the columns AB, AC, BC and ABC of the sign table have the factors D, E, F and G.
    generators = ["D = AB", "E = AC", "F = BC", "G = ABC"]
    book = [20, 35, 7, 42, 36, 50, 45, 82]
    # In the book the first factor changes fastest; here the last one.
    values = np.array(book, dtype=np.float64).reshape(2, 2, 2).transpose()[..., np.newaxis]
    found = analyse(responses(values, Confounding.parse("abcdefg", generators)), 1)
    sums = {"A": 101, "B": 35, "C": 109, "D": 43, "E": 1, "F": 47, "G": 3}
    assert found.mean.value == 317 / 8
    assert values_of(found) == {name: [total / 8] for name, total in sums.items()}
    expected = {"A": 37.26, "B": 4.47, "C": 43.40, "D": 6.75, "E": 0.0, "F": 8.07, "G": 0.03}
    assert percents(found) == pytest.approx(expected, abs=0.005)


def test_the_sign_table_is_that_of_the_book() -> None:
    columns, table = signs(analyse(responses(REPLICATED)))
    assert columns == ["point", "I", "A", "B", "AB", "mean"]
    assert table == [[0, 1, -1, -1, 1, 15], [1, 1, -1, 1, -1, 24], [2, 1, 1, -1, -1, 48], [3, 1, 1, 1, 1, 77]]


def test_the_sign_table_of_a_fraction_has_the_signs_of_its_generators() -> None:
    confounding = Confounding.parse("abc", ["C = -AB"])
    found = analyse(responses([[[1], [2]], [[3], [4]]], confounding), 1)
    columns, table = signs(found)
    assert [row[columns.index("C")] for row in table] == [-1, 1, 1, -1]
    # q_C = (-1 + 2 + 3 - 4) / 4
    assert values_of(found)["C"] == [0]
    assert values_of(analyse(responses([[[1], [2]], [[3], [8]]], confounding), 1))["C"] == [-1]


# ---- seeds that all points share


def test_a_shift_of_all_runs_with_one_seed_is_no_error() -> None:
    cells = np.array([[1.0, 5.0], [2.0, 10.0]])[..., np.newaxis]
    found = analyse(responses(cells + np.array([0.0, 100.0, -30.0])))
    assert found.error.sum_of_squares == 0
    assert [term.estimates[0].half_width for term in found.terms] == [0, 0, 0]
    assert [term.variation.p for term in found.terms] == [0, 0, 0]
    assert [value for (value,) in values_of(found).values()] == pytest.approx([1.5, 3.0, 1.0])
    assert analyse(responses(cells + np.array([0.0, 100.0, -30.0])), independent=True).error.sum_of_squares > 1e4


def test_two_points_are_compared_by_a_paired_test() -> None:
    low, high = [3.0, 5.0, 4.0, 8.0], [6.0, 7.0, 9.0, 10.0]
    found = analyse(responses([low, high]))
    test = stats.ttest_rel(high, low)
    interval = test.confidence_interval(0.95)
    # The effect is half of the difference.
    assert found.terms[0].estimates[0].value == pytest.approx((interval.high + interval.low) / 4)
    assert found.terms[0].estimates[0].half_width == pytest.approx((interval.high - interval.low) / 4)
    assert found.terms[0].variation.p == pytest.approx(test.pvalue)


def test_levels_that_share_seeds_are_compared_by_repeated_measures() -> None:
    # Three levels, four seeds. Means 4, 6, 8; of the seeds 5, 5, 6, 8. SSA = 4 * (4 + 0 + 4) = 32.
    # Residuals y - level - seed + 6: (0, 1, 0, -1), (-1, 0, 1, 0), (1, -1, -1, 1): the sum of squares is 8.
    found = analyse(responses([[3, 4, 4, 5], [4, 5, 7, 8], [8, 6, 7, 11]]))
    assert values_of(found) == {"A": [-2, 0, 2]}
    assert found.terms[0].variation.sum_of_squares == pytest.approx(32)
    assert [found.error.sum_of_squares, found.error.dof] == pytest.approx([8, 6])
    # F = (32 / 2) / (8 / 6) = 12
    assert found.terms[0].variation.p == pytest.approx(stats.f.sf(12, 2, 6))
    # Of the first level, the deviations of each seed are -2, -1, -2, -3: t[0.975; 3] = 3.182 times sqrt(2 / 3 / 4).
    assert found.terms[0].estimates[0].half_width == pytest.approx(3.182 * math.sqrt(2 / 12), abs=0.001)


# ---- what always holds


@st.composite
def designs(draw: st.DrawFn, levels: int = 3, replications: int = 3) -> npt.NDArray[np.float64]:
    """Return responses of one to three factors."""
    shape = draw(st.lists(st.integers(2, levels), min_size=1, max_size=3))
    shape.append(draw(st.integers(1, replications)))
    return draw(arrays.arrays(np.float64, tuple(shape), elements=st.floats(-100, 100, allow_subnormal=False, width=32)))


@given(designs(), st.integers(1, 3), st.booleans())
def test_the_variation_adds_up(values: npt.NDArray[np.float64], order: int, independent: bool) -> None:  # noqa: FBT001
    found = analyse(responses(values), order, independent=independent)
    parts = [*(term.variation for term in found.terms), *(part for _, part in found.rest)]
    total = ((values - values.mean()) ** 2).sum()
    assert found.total.sum_of_squares == pytest.approx(total, abs=1e-6)
    assert sum(part.sum_of_squares for part in parts) == pytest.approx(total, abs=1e-6)
    assert sum(part.dof for part in parts) == found.total.dof == values.size - 1
    if total > 1e-6:
        assert sum(part.part for part in parts) == pytest.approx(1)


@given(designs(levels=2))
def test_two_levels_give_the_effects_of_the_sign_table(values: npt.NDArray[np.float64]) -> None:
    found = values_of(analyse(responses(values), 3))
    count = values.ndim - 1
    table = list(product((-1, 1), repeat=count))
    means = values.mean(axis=-1).ravel()
    for size in range(1, count + 1):
        for letters in combinations(range(count), size):
            expected = np.mean([math.prod(row[at] for at in letters) * y for row, y in zip(table, means, strict=True)])
            assert found["".join(LETTERS[at] for at in letters)] == pytest.approx([expected], abs=1e-9)


@given(designs(levels=2))
def test_two_levels_as_many_give_the_same_effects_for_the_high_levels(values: npt.NDArray[np.float64]) -> None:
    # A factor of three levels that changes nothing turns the design into a general one.
    repeated = np.repeat(values[np.newaxis], 3, axis=0)
    general = {term.name: term for term in analyse(responses(repeated), 4).terms}
    for term in analyse(responses(values), 3).terms:
        shifted = general["".join(LETTERS[LETTERS.index(letter) + 1] for letter in term.name)]
        assert shifted.estimates[-1].value == pytest.approx(term.estimates[0].value, abs=1e-9)
        sums = [each.variation.sum_of_squares for each in (shifted, term)]
        assert sums[0] == pytest.approx(3 * sums[1], abs=1e-6)


@given(designs(), st.booleans())
def test_effects_are_those_of_a_regression(values: npt.NDArray[np.float64], independent: bool) -> None:  # noqa: FBT001
    """Fit indicators of all terms by least squares, which knows nothing of means and sums to zero."""
    found = analyse(responses(values), 3, independent=independent)
    shape = values.shape
    cells = np.kron(np.eye(math.prod(shape[:-1])), np.ones((shape[-1], 1)))
    seeds = np.tile(np.eye(shape[-1]), (math.prod(shape[:-1]), 1))
    columns = np.hstack([cells, seeds]) if not independent else cells
    fitted = columns @ np.linalg.lstsq(columns, values.ravel(), rcond=None)[0]
    assert found.predicted.ravel() == pytest.approx(fitted, abs=1e-6)
    # The model with estimates for each level also gives the means of the cells.
    assert _sum_of_effects(found, shape) == pytest.approx(values.mean(axis=-1), abs=1e-6)


def _sum_of_effects(found: Effects, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    total = np.full(shape[:-1], found.mean.value)
    for place in np.ndindex(*shape[:-1]):
        total[place] += sum(_effect_at(found, term, place) for term in found.terms)
    return total


def _effect_at(found: Effects, term: Term, place: tuple[int, ...]) -> float:
    levels = [place[LETTERS.index(letter)] for letter in term.name]
    if found.responses.two_level:
        return term.estimates[0].value * math.prod(2 * level - 1 for level in levels)
    wanted = tuple(map(str, levels))
    return next(estimate.value for estimate in term.estimates if estimate.levels == wanted)


@given(designs(), st.randoms(use_true_random=False))
def test_the_order_of_replications_does_not_matter(values: npt.NDArray[np.float64], chance: object) -> None:
    seeds = np.random.default_rng(chance.getrandbits(32)).permutation(values.shape[-1])  # type: ignore[attr-defined]
    for independent in (True, False):
        one, other = (analyse(responses(each), 3, independent=independent) for each in (values, values[..., seeds]))
        for before, after in zip(rows(one), rows(other), strict=True):
            assert before["effect"] == pytest.approx(after["effect"], abs=1e-9, nan_ok=True)
            assert before["sum_of_squares"] == pytest.approx(after["sum_of_squares"], abs=1e-6, nan_ok=True)


# ---- what is exact, and what is refused


def test_equal_responses_have_no_variation() -> None:
    found = analyse(responses(np.full((2, 2, 3), 0.1)))
    assert values_of(found) == {"A": [0], "B": [0], "AB": [0]}
    assert found.total.sum_of_squares == 0
    assert math.isnan(found.terms[0].variation.part)
    assert found.terms[0].variation.p == 1


def test_interactions_of_higher_order_are_taken_together() -> None:
    values = np.zeros((2, 2, 2, 1))
    values[1, 1, 1] = 8.0
    # Each of the seven effects is 1, with 8 * 1^2.
    found = analyse(responses(values), 1)
    assert values_of(found) == {"A": [1], "B": [1], "C": [1]}
    assert [found.higher.sum_of_squares, found.higher.dof] == pytest.approx([32, 4])


def test_a_logarithm_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        EffectsError, match="m is 0 at point 1 with seed 2: a multiplicative model needs values above 0"
    ):
        analyse(responses([[1, 2], [3, 0]]), multiplicative=True)


def test_an_order_below_one_is_refused() -> None:
    with pytest.raises(EffectsError, match="order 0: expected 1"):
        analyse(responses(MEMORY_CACHE), 0)
