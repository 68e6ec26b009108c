"""Lessons that ship with celltrain: a page, a network to run, and questions whose answers are computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from celltrain.lessons.definition import Lesson

__all__ = ["lesson", "lessons"]

# What computes answers is imported when a lesson is opened: `import celltrain` must stay light, and start no threads.


def lessons() -> dict[int, Lesson]:
    """Return all lessons by number.

    >>> [lesson.title for lesson in lessons().values()][:2]
    ['Cells and padding', 'Windows and timers']
    """
    from celltrain.lessons.definition import FOLDER, Lesson

    folders = sorted(path.parent for path in FOLDER.glob("[0-9][0-9]-*/exercise.toml"))
    return {int(folder.name[:2]): Lesson(int(folder.name[:2]), folder) for folder in folders}


def lesson(number: int) -> Lesson:
    """Open a lesson by its number; ``celltrain lesson list`` lists them.

    In a notebook it is displayed as its page; ``scenario`` is its network, and ``check`` checks answers.

    Raises
    ------
    KeyError
        There is no such lesson.

    Examples
    --------
    >>> import celltrain
    >>> celltrain.lesson(2).scenario.run(seed=1).links["cells_lost"].tolist()
    [0, 0]
    """
    known = lessons()
    if number not in known:
        raise KeyError(f"there is no lesson {number}; there are 1 to {max(known)}")
    return known[number]
