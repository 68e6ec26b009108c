"""Published studies as data, and their reproduction: experiments, metrics, statistics, claims, figures."""
