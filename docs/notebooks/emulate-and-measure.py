# %% [markdown]
# # Emulate and measure
#
# The models also carry real packets, in real time: two hosts in network namespaces of this machine, connected by the line of a scenario. And daemons measure TCP and UDP between real hosts. Both need Linux.

# %%
import sys

import celltrain
from celltrain.live import Refused, Settings, open_line

line = celltrain.lesson(6).scenario
line

# %% [markdown]
# ## Upload through the line
#
# A program at the client sends for three seconds over the kernel's TCP; the line has 1 Mbit/s upwards and a large buffer. If this system does not allow namespaces, the cell says what is missing.

# %%
RECEIVE = """
import socket
listening = socket.create_server(("0.0.0.0", 5001))
connection, _ = listening.accept()
while connection.recv(65536):
    pass
"""
SEND = """
import socket, time
connection = socket.create_connection(("server", 5001))
connection.settimeout(0.2)
end = time.monotonic() + 3
while time.monotonic() < end:
    try:
        connection.send(bytes(1400))
    except TimeoutError:
        pass
"""


def upload(scenario):
    """Send over the line; return what the line did with the packets."""
    with open_line(scenario, vc="data", settings=Settings(congestion="cubic")) as opened:
        opened.serve([sys.executable, "-c", RECEIVE])
        opened.run("client", [sys.executable, "-c", SEND], check=True)
    return opened.summary.up


try:
    up = upload(line)
    print(f"delivered {up.packets_delivered} packets; 95 % waited less than {up.queueing_s['p95'] * 1e3:.0f} ms")
except Refused as refusal:
    print(f"no line in real time here: {refusal}")

# %% [markdown]
# ## A cure
#
# The same with CoDel in the line. Its packets wait far less.

# %%
try:
    up = upload(line.with_value("links.up.queue_management.algorithm", "codel"))
    print(f"delivered {up.packets_delivered} packets; 95 % waited less than {up.queueing_s['p95'] * 1e3:.0f} ms")
except Refused as refusal:
    print(f"no line in real time here: {refusal}")

# %% [markdown]
# ## Measure between hosts
#
# A plan names hosts and flows. Here both daemons are on this machine, over loopback; other hosts are reached over ssh.

# %%
from celltrain import dbs

plan = dbs.Plan.from_toml("""
[hosts]
a = {}
b = {}

[flows.download]
from = "a"
to = "b"
duration = "1 s"

[probes.ping]
from = "a"
to = "b"
every = "20 ms"
duration = "1 s"
""")
dbs.run(plan)
