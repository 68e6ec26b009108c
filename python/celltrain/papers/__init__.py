"""Published studies as data, and what reproduces them: experiments, metrics, statistics, claims, figures."""
