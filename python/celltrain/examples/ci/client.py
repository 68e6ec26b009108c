"""A client that sends octets to the server, and prints how fast they arrived, as JSON."""

import argparse
import json
import os
import socket
import time

PORT = 7000


def main() -> None:
    """Send, wait for the answer, print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=60_000, help="octets to send")
    size = parser.parse_args().size
    began = time.monotonic()
    # Outside `celltrain ci` the server is on this machine.
    with socket.create_connection((os.environ.get("CELLTRAIN_CI_SERVER", "127.0.0.1"), PORT)) as connection:
        connection.sendall(bytes(size))
        connection.shutdown(socket.SHUT_WR)
        arrived = int(connection.makefile().readline())
    seconds = time.monotonic() - began
    print(json.dumps({"goodput_bps": 8 * arrived / seconds, "seconds": seconds, "is_complete": arrived == size}))


if __name__ == "__main__":
    main()
