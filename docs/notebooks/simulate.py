# %% [markdown]
# # Simulate
#
# A scenario is a network and what is measured on it. Here: two uploads over an ADSL line whose rate varies. A notebook displays a scenario as the drawing of its network.

# %%
import celltrain

line = celltrain.example("adsl")
line

# %% [markdown]
# ## Run it
#
# The same scenario and seed give bit-identical results. A result is displayed with its telling columns and the traces of its probes.

# %%
result = line.run(seed=1)
result

# %% [markdown]
# All tables are attributes: `result.flows`, `result.links`, `result.vcs` ...; columns are arrays, with the unit in their name.

# %%
result.flows["throughput_bps"].sum() / 1e6

# %% [markdown]
# ## Change it
#
# `with_value` takes a dotted key and a value of the scenario language.

# %%
for threshold in ("64 cells", "256 cells", "512 cells"):
    changed = line.with_value("links.up.control.threshold", threshold).run(seed=1)
    print(threshold, round(changed.flows["throughput_bps"].sum() / 1e6, 3), "Mbit/s")

# %% [markdown]
# ## Sweep
#
# A sweep runs many points with several seeds, and saves each run when it ends. Results have means with 95 % confidence intervals.

# %%
import tempfile

from celltrain.sweeps import Design, Replications, Sweep

design = Design(grid={"links.up.buffer": ["384 cells", "512 cells", "1024 cells"]})
results = Sweep(line, design, Replications(3)).run(f"{tempfile.mkdtemp()}/buffers")
results

# %%
results.plot("flows.throughput_bps", "flows.rtt_mean_s", x="links.up.buffer")

# %% [markdown]
# ## Learn
#
# `celltrain.lesson(1)` to `celltrain.lesson(6)` have questions about such networks, and check your answers.

# %%
celltrain.lesson(1).check({"cells": 31, "padding": "20 octets"})
