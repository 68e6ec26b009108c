"""The check of spelling and its lists of words."""
