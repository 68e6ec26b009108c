"""Fractional two-level designs, 2^(k-p): generators and what they confound (Jain 1991, chapter 19).

Factors have letters in the order of their keys. A word is a set of letters, such as ABC: the product of the signs of
its factors, -1 for the low and +1 for the high level. Letters that two words share vanish from their product, since the
square of a sign is 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import NamedTuple

from celltrain.sweeps.errors import DesignError

#: Letters of factors; I is the identity, as in I = ABCD.
LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
#: Maximum number of generators: p of them confound each effect with 2^p - 1 others.
MOST_GENERATORS = 12
#: Maximum number of words of the defining relation in a message.
_SHOWN_WORDS = 8

_GENERATOR = re.compile(r"\s*(?P<factor>[A-Za-z])\s*=\s*(?P<sign>[-+]?)\s*(?P<word>[A-Za-z]+)\s*")
_EXAMPLE = "'D = ABC'"


class Word(NamedTuple):
    """A word with its sign.

    Attributes
    ----------
    letters : frozenset of int
        Numbers of the factors, from 0.
    sign : int
        1 or -1.
    """

    letters: frozenset[int]
    sign: int = 1

    def times(self, other: Word) -> Word:
        """Return the product.

        >>> str(Word(frozenset({0, 1})).times(Word(frozenset({1, 2}), -1)))
        '-AC'
        """
        return Word(self.letters ^ other.letters, self.sign * other.sign)

    @property
    def rank(self) -> tuple[int, list[int]]:
        """The order of words: main effects before interactions, then by letters."""
        return len(self.letters), sorted(self.letters)

    def __str__(self) -> str:
        """Write it as letters."""
        return ("-" if self.sign < 0 else "") + (letters_of(self.letters) or "I")


def letters_of(factors: Sequence[int] | frozenset[int]) -> str:
    """Write a word.

    >>> letters_of((0, 1, 3))
    'ABD'
    """
    return "".join(LETTERS[factor] for factor in sorted(factors))


@dataclass(frozen=True)
class Confounding:
    """The confounding of a fractional design.

    Attributes
    ----------
    factors : int
        Number of factors, k.
    generated : dict of int to Word
        The word that gives the level of each factor that has a generator.
    """

    factors: int
    generated: dict[int, Word]

    @classmethod
    def parse(cls, keys: Sequence[str], generators: Sequence[str]) -> Confounding:
        """Read generators such as ``D = ABC``.

        Parameters
        ----------
        keys
            The keys of the factors; the first one is A.
        generators
            A generator for each factor that is not crossed with the others; with a minus sign, the other half.

        Raises
        ------
        DesignError
            A generator cannot be read, names an unknown factor, or gives two factors the same levels.

        >>> found = Confounding.parse(["a", "b", "c", "d"], ["D = ABC"])
        >>> [str(word) for word in found.relation], found.resolution
        (['I', 'ABCD'], 4)
        """
        if len(keys) > len(LETTERS):
            raise DesignError(
                f"{len(keys)} factors: a fractional design has at most {len(LETTERS)}, one for each letter"
            )
        if not generators:
            raise DesignError(
                f"a fractional design needs a generator for each factor it does not cross, such as {_EXAMPLE}"
            )
        if len(generators) > MOST_GENERATORS:
            raise DesignError(f"{len(generators)} generators: expected at most {MOST_GENERATORS}; cross more factors")
        if len(keys) < 3:
            raise DesignError(
                f"a fractional design of {len(keys)} factors: expected at least 3, with A and B crossed and C = AB; "
                "run all combinations instead"
            )
        generated: dict[int, Word] = {}
        for text in generators:
            factor, word = _read(text, keys)
            if factor in generated:
                raise DesignError(
                    f"generator {text!r}: {LETTERS[factor]} has a generator already; give each factor one"
                )
            generated[factor] = word
        for factor, word in generated.items():
            for letter in word.letters & set(generated):
                raise DesignError(
                    f"generator '{LETTERS[factor]} = {word}': {LETTERS[letter]} has a generator itself; "
                    "write the factors of its word instead"
                )
        found = cls(len(keys), generated)
        found._refuse_equal_factors()
        return found

    def _refuse_equal_factors(self) -> None:
        for one, other in combinations(range(self.factors), 2):
            if self.on_crossed(Word(frozenset({one}))).letters == self.on_crossed(Word(frozenset({other}))).letters:
                raise DesignError(
                    f"the generators make {LETTERS[one]} and {LETTERS[other]} always change together, so that their "
                    "effects cannot be told apart; choose another word for one of them, or fewer generators"
                )

    @property
    def crossed(self) -> list[int]:
        """The factors whose levels are crossed, k - p of them."""
        return [factor for factor in range(self.factors) if factor not in self.generated]

    def signs(self, crossed: Sequence[int]) -> list[int]:
        """Return the signs of all factors from those that are crossed."""
        known = dict(zip(self.crossed, crossed, strict=True))
        for factor, word in self.generated.items():
            known[factor] = word.sign * prod(known[letter] for letter in word.letters)
        return [known[factor] for factor in range(self.factors)]

    @cached_property
    def relation(self) -> list[Word]:
        """The words of the defining relation, I first: all products of the generators."""
        words = [Word(frozenset())]
        for factor, word in self.generated.items():
            generator = Word(word.letters | {factor}, word.sign)
            words += [known.times(generator) for known in words]
        return sorted(words, key=lambda word: word.rank)

    @property
    def resolution(self) -> int:
        """The length of the shortest word of the defining relation besides I."""
        return len(self.relation[1].letters)

    def aliases(self, word: Word) -> list[Word]:
        """Return all effects that this design cannot tell from an effect, itself included; the lowest order first."""
        return sorted((word.times(other) for other in self.relation), key=lambda each: each.rank)

    def on_crossed(self, word: Word) -> Word:
        """Return the one alias of an effect that consists of crossed factors only."""
        for factor in word.letters & set(self.generated):
            word = word.times(Word(self.generated[factor].letters | {factor}, self.generated[factor].sign))
        return word

    def classes(self, order: int) -> Iterator[list[Word]]:
        """Yield the groups of confounded effects that have a member of at most this order, except that of the mean."""
        seen = {frozenset[int]()}
        for size in range(1, order + 1):
            for letters in combinations(range(self.factors), size):
                crossed = self.on_crossed(Word(frozenset(letters))).letters
                if crossed not in seen:
                    seen.add(crossed)
                    yield self.aliases(Word(frozenset(letters)))

    def in_words(self) -> str:
        """Say what is confounded in the whole design.

        >>> Confounding.parse(["a", "b", "c"], ["C = AB"]).in_words()
        '2^(3-1) design of resolution III, I = ABC'
        """
        relation = " = ".join(map(str, self.relation[:_SHOWN_WORDS]))
        more = f" = ... ({len(self.relation)} words)" if len(self.relation) > _SHOWN_WORDS else ""
        power = f"2^({self.factors}-{len(self.generated)})"
        return f"{power} design of resolution {_roman(self.resolution)}, {relation}{more}"


def _roman(number: int) -> str:
    """Write a resolution; there are at most 25 letters.

    >>> _roman(3), _roman(4), _roman(14), _roman(25)
    ('III', 'IV', 'XIV', 'XXV')
    """
    tens, ones = divmod(number, 10)
    return "X" * tens + ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[ones]


def _read(text: str, keys: Sequence[str]) -> tuple[int, Word]:
    match = _GENERATOR.fullmatch(text)
    if match is None:
        raise DesignError(
            f"generator {text!r}: expected a factor and the product that gives its level, such as {_EXAMPLE}"
        )
    letters = [match["factor"].upper(), *match["word"].upper()]
    known = LETTERS[: len(keys)]
    for letter in letters:
        if letter not in known:
            listed = ", ".join(f"{name} ({key})" for name, key in zip(known, keys, strict=True))
            raise DesignError(f"generator {text!r}: there is no factor {letter}; the factors are {listed}")
    for letter in letters:
        if letters.count(letter) > 1:
            raise DesignError(f"generator {text!r}: {letter} occurs twice; expected each letter once, as in {_EXAMPLE}")
    word = frozenset(known.index(letter) for letter in letters[1:])
    return known.index(letters[0]), Word(word, -1 if match["sign"] == "-" else 1)
