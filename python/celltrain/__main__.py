"""``python -m celltrain``: the command line."""

from celltrain.cli import main

if __name__ == "__main__":
    main()
