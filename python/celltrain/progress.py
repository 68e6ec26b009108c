"""What a display of progress is told."""


class Progress:
    """A display that shows nothing; others override what they show."""

    def points(self, total: int) -> None:
        """Give the number of points."""

    def found(self, runs: int, failed: int, others: int) -> None:
        """Give the runs that a folder has already, how many of them failed, and records that do not belong."""

    def refused(self, runs: int) -> None:
        """Note that a point cannot be run, and how many runs that fails."""

    def run_done(self, *, failed: bool = False, reused: bool = False) -> None:
        """Note that a run has finished, or that its record was found."""

    def point_done(self) -> None:
        """Note that a point is precise enough, or has had all its runs."""
