"""What a display of progress is told."""


class Progress:
    """A display that shows nothing; others override what they show."""

    def points(self, total: int) -> None:
        """Give the number of points."""

    def run_done(self) -> None:
        """Note that a run has finished."""

    def point_done(self) -> None:
        """Note that a point is precise enough, or has had all its runs."""
