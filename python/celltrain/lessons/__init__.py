"""Lessons that ship with celltrain: a page, a network to run, and questions whose answers are computed."""

from celltrain.lessons.lesson import Lesson, lesson, lessons
from celltrain.lessons.marking import Marked, Mark

__all__ = ["Lesson", "Mark", "Marked", "lesson", "lessons"]
