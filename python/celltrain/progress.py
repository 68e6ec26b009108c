"""The interface of progress displays."""


class Progress:
    """A display that shows nothing; subclasses override the methods they need."""

    def points(self, total: int) -> None:
        """Set the number of points."""

    def asked(self, runs: int) -> None:
        """Note more runs that are needed; without this, each point is one run."""

    def found(self, runs: int, failed: int, others: int) -> None:
        """Note the runs that a folder already has, how many of them failed, and the number of unrelated records."""

    def refused(self, runs: int) -> None:
        """Note that a point cannot be run, and how many runs fail because of it."""

    def run_done(self, *, failed: bool = False, reused: bool = False) -> None:
        """Note that a run has finished, or that its record was found."""

    def point_done(self) -> None:
        """Note that a point is precise enough, or has all its runs."""
