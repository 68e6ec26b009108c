"""A server that counts the octets of each connection, and answers with their number."""

import socketserver

PORT = 7000


class Count(socketserver.StreamRequestHandler):
    """Answers one connection."""

    def handle(self) -> None:
        """Read to the end, and send the number of octets."""
        octets = 0
        while chunk := self.request.recv(65536):
            octets += len(chunk)
        self.wfile.write(f"{octets}\n".encode())


if __name__ == "__main__":
    socketserver.ThreadingTCPServer.allow_reuse_address = True
    with socketserver.ThreadingTCPServer(("0.0.0.0", PORT), Count) as server:
        server.serve_forever()
