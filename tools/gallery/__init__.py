"""The gallery of the documentation: every figure of the studies, with the verdicts on its claims."""
