"""Pages of the documentation and man pages of every command, from the command line itself."""
