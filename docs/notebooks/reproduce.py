# %% [markdown]
# # Reproduce
#
# Published studies ship with celltrain: their networks, experiments, figures and claims.

# %%
import celltrain

study = celltrain.study("adsl-abr")
study

# %% [markdown]
# ## A figure
#
# An experiment is displayed with its points. Figure 4 shows the throughput of uploads against the time between two changes of the line's rate, for six traffic controls.

# %%
figure = study.experiment("fig04")
figure

# %% [markdown]
# `quick=True` makes one short run of each point; the result is marked, because it is not the study's. Without it, each point is run as often as the study requires; this figure then takes about half a minute on one core.

# %%
outcome = figure.run(quick=True)
outcome.plot()

# %%
outcome

# %% [markdown]
# ## Change a value
#
# The same figure with another buffer at every point. Results of a changed study are marked, too.

# %%
changed = figure.with_value("links.up.buffer", "512 cells").run(quick=True)
print(changed.extent.says)
changed.plot()

# %% [markdown]
# ## One point
#
# Each point is a scenario that runs alone.

# %%
point = figure.scenario(**figure.points[0])
print(figure.points[0])
point
