"""The tables of all studies as specified, and those of a brief run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from celltrain.papers import catalog
from celltrain.papers.outcome import Outcome
from celltrain.papers.reproduce import Options, run
from celltrain.progress import Progress

Tables = Mapping[str, tuple[str, int | None]]

QUEUES = (
    "max_queue_cells,max_queue_cells_ci95,max_queue_rtt,diverges,late_min_queue_cells,late_max_queue_cells,"
    "throughput_bps,utilization,timeouts"
)
SOURCE_BUFFERS = (
    "source_buffer_cells,throughput_bps,throughput_bps_ci95,max_source_queue_cells,max_source_queue_win,"
    "source_overflow,source_cell_loss_ratio,max_queue_cells,max_queue_cells_ci95,max_queue_rtt,"
    "late_min_queue_cells,late_max_queue_cells,timeouts"
)
#: Columns and number of rows of every table (the time series: of a quick run).
ABR_VBR: Tables = {
    "tab01": (SOURCE_BUFFERS, 4),
    "tab02": (f"duty_cycle,period_s,{QUEUES}", 9),
    "tab01-spread": (SOURCE_BUFFERS, 4),
    "tab02-spread": (f"duty_cycle,period_s,{QUEUES}", 9),
    "tab03": (f"link_km,feedback_delay_s,rtt_s,duty_cycle,period_s,{QUEUES}", 4),
    "tab04": (
        f"variant,averaging_interval_s,averaging_cells,n_averaging,z_averaging,duty_cycle,period_s,{QUEUES}",
        8,
    ),
    "txt01": ("service,throughput_bps,max_queue_cells,max_source_queue_cells,late_max_queue_cells,timeouts", 2),
    "txt02": (f"switch_scheme,duty_cycle,period_s,{QUEUES}", 2),
    "txt03": ("time_s,series,queue_cells,target_rate_bps,vbr_on", 3 * 200),
    "txt04": (
        "starts,n_vcs,connections_per_vc,window_sum_cells,throughput_bps,max_source_queue_cells,max_queue_cells,"
        "max_queue_rtt,late_max_queue_cells,jain_index,timeouts,spurious_timeouts",
        6,
    ),
    "txt05": (
        "tcp,source_buffer_cells,throughput_bps,source_cell_loss_ratio,retransmitted_segments,timeouts,max_queue_cells",
        12,
    ),
    "txt06": (
        "timer_granularity_s,source_buffer_cells,throughput_bps,source_cell_loss_ratio,retransmitted_segments,timeouts,"
        "spurious_timeouts,longest_idle_s",
        12,
    ),
}

ADSL_ABR_POINT = (
    "throughput_bps,throughput_bps_ci95,normalized_throughput,normalized_throughput_ci95,mean_line_rate_bps,"
    "ideal_throughput_bps,utilization,utilization_ci95,cell_loss_ratio,cell_loss_ratio_ci95,max_queue_cells,"
    "max_queue_cells_ci95,mean_queue_cells,mean_queue_cells_ci95,rtt_mean_s,rtt_mean_s_ci95,timeouts,timeouts_ci95,n_runs"
)
#: Columns and number of rows of every table (time series: rows of the measured 10 s of a quick run).
ADSL_ABR: Tables = {
    "fig04": (f"t_up_s,control,{ADSL_ABR_POINT}", 36),
    "txt01": (f"timer_granularity_s,control,{ADSL_ABR_POINT}", 2),
    "fig05": ("time_s,series,queue_cells,line_rate_bps,lost_cells", 6 * 201),
    "fig06": ("time_s,series,input_rate_bps,line_rate_bps", 6 * 100),
    "fig07": ("time_s,series,vc,acr_bps,acr_updates,line_share_bps", 2 * 1001),
    "fig08": ("time_s,series,vc,cwnd_bytes,rtt_s,queue_cells,line_rate_bps,lost_cells", 2 * 201),
    "fig09": (f"t_down_s,control,{ADSL_ABR_POINT}", 18),
    "fig10": ("time_s,series,acr_bps,queue_cells,line_rate_bps,lost_cells", 2 * 201),
    "fig11": (
        f"control,direction,{ADSL_ABR_POINT},ack_loss_ratio,ack_loss_ratio_ci95,active_vcs_mean,active_vcs_mean_ci95",
        12,
    ),
    "fig12": ("time_s,series,input_rate_bps,line_rate_bps", 2 * 100),
    "fig13": ("time_s,series,queue_cells,line_rate_bps,lost_cells", 2 * 201),
    "fig14": ("time_s,series,vc,rtt_s", 4 * 201),
    "tab01": ("control,utilization,utilization_ci95,mean_line_rate_bps,n_runs", 6),
    "tab02": (f"control,backbone_congestion,{ADSL_ABR_POINT}", 12),
    "fig15": (f"buffer_cells,t_up_s,control,{ADSL_ABR_POINT}", 24),
    "fig16": (f"buffer_cells,control,{ADSL_ABR_POINT}", 36),
    "fig17": (f"buffer_cells,control,{ADSL_ABR_POINT}", 18),
    "fig18": (f"t_down_s,buffer_cells,control,{ADSL_ABR_POINT}", 30),
    "fig19": (f"t_up_s,control,{ADSL_ABR_POINT}", 24),
    "tab03": (
        "t_up_s,control,utilization,utilization_ci95,normalized_throughput,normalized_throughput_ci95,n_runs",
        6,
    ),
    "fig20": (f"control,nrm,direction,{ADSL_ABR_POINT},ack_loss_ratio,ack_loss_ratio_ci95", 10),
    "tab04": (
        "control,cell_type,cell_rate_bps,cell_rate_bps_ci95,downstream_data_cell_rate_bps,"
        "downstream_data_cell_rate_bps_ci95,n_runs",
        6,
    ),
    "fig21": (f"n_vcs,control,direction,{ADSL_ABR_POINT},ack_loss_ratio,ack_loss_ratio_ci95", 40),
    "tab05": (f"n_vcs,t_up_s,control,{ADSL_ABR_POINT}", 24),
    "tab06": (f"control,backbone_congestion,{ADSL_ABR_POINT}", 8),
    "fig22": (f"t_down_s,buffer_cells,control,{ADSL_ABR_POINT}", 18),
    "figA1": (f"t_up_s,rif,rdf,control,{ADSL_ABR_POINT}", 36),
    "figA2": (f"t_up_s,rif,rdf,control,{ADSL_ABR_POINT}", 36),
    "tabA1": ("t_up_s,rif,rdf,utilization,utilization_ci95,n_runs", 36),
    "figA3": (f"threshold_cells,rif,rdf,control,{ADSL_ABR_POINT}", 24),
    "figA4": (f"threshold_cells,rif,rdf,control,{ADSL_ABR_POINT}", 24),
    "figA5": (f"t_down_s,rif,rdf,control,{ADSL_ABR_POINT}", 30),
    "figA6": (f"threshold_cells,rif,rdf,control,{ADSL_ABR_POINT}", 20),
    "figA7": (f"threshold_cells,rif,rdf,control,{ADSL_ABR_POINT}", 20),
    "txt02": (
        "control,response_mean_s,response_mean_s_ci95,responses,throughput_bps,throughput_bps_ci95,"
        "normalized_throughput,rtt_mean_s,mean_queue_cells,max_queue_cells,cell_loss_ratio,n_runs",
        10,
    ),
    "txt03": (f"control,bottlenecks,{ADSL_ABR_POINT}", 15),
    "txt04": ("time_s,down_rate_bps,up_rate_bps", 100_001),
}

ADSL_FIELD_POINT = (
    "downlink_bps,uplink_bps,write_size_bytes,cell_loss_probability,added_delay_s,socket_buffer_bytes,"
    "throughput_bps,throughput_bps_ci95,rtt_mean_s,rtt_mean_s_ci95,packet_loss_ratio,packet_loss_ratio_ci95,timeouts_per_s"
)
#: Configurations of each sweep, and its write sizes.
SWEEPS = {
    **{"fig16": (8, 7), "fig17": (4, 7), "fig18": (4, 1), "fig19": (4, 6), "fig20": (5, 7), "fig21": (6, 7)},
    **{"fig22": (6, 7), "fig23": (2, 7), "tabB1": (4, 7), "tabB2": (2, 7), "tabB3": (2, 7), "tabB4": (4, 7)},
    **{"tabB5": (4, 7), "tabB6": (4, 7), "tabB7": (4, 7), "tabB8": (4, 7), "tabB8_1": (6, 6), "tabB8_2": (4, 7)},
    "tabB9_1": (5, 7),
}
#: Columns and number of rows of every table (the time series: of a quick run).
ADSL_FIELD: Tables = {
    **{name: (ADSL_FIELD_POINT, configurations * sizes) for name, (configurations, sizes) in SWEEPS.items()},
    "fig08": ("rtt_index,cwnd_segments", 9),
    "encap": ("encapsulation,ip_bytes,header_bytes,aal5_pdu_bytes,pad_bytes,cells,throughput_bps", 80),
    "tab02": ("criterion,supported", 6),
    "dbs01": ("time_s,series,throughput_bps", 60),
    "sec35": (
        "service,efficiency,efficiency_ci95,utilization,cell_loss_ratio,dead_cell_ratio,max_queue_cells",
        5,
    ),
    "sec67": (
        "added_delay_s,socket_buffer_bytes,throughput_bps,throughput_bps_ci95,rtt_mean_s,rtt_mean_s_ci95,utilization,"
        "timeouts_per_s",
        24,
    ),
}


def with_intervals(*columns: str) -> str:
    return ",".join(f"{column},{column}_ci95" for column in columns)


LOAD = "mtu_bytes,service,background_utilization"
GOODPUT = f"{LOAD}," + with_intervals(
    "goodput_per_station_bps",
    "theoretical_goodput_per_station_bps",
    "observed_background_utilization",
    "ingress_loss_ratio",
    "switch_loss_ratio",
)
EFFICIENCY = f"{LOAD}," + with_intervals("efficiency")
LOSSES = "service,background_utilization," + with_intervals(
    "ingress_loss_ratio", "switch_loss_ratio", "goodput_per_station_bps"
)
#: Columns and number of rows of every table (the time series: of a quick run).
LAN_INTERCONNECT: Tables = {
    "sec1a": (f"source_type,background_utilization,{with_intervals('utilization')},peak_bps,mean_burst_cells", 4),
    "eq01": ("scenario,d_net_s,end_to_end_delay_s", 3),
    "fig03": (
        "scenario,mtu_bytes,offered_load_bps,"
        + with_intervals("calls_per_s", "mean_on_s", "mean_off_s", "mean_file_bytes", "goodput_per_station_bps"),
        3,
    ),
    "fig06": (
        "time_s,arrival_rate_bps,explicit_rate_bps,requested_rate_bps,active_connections,queue_cells,ingress_lost_cells",
        150,
    ),
    "fig07": (
        "mtu_bytes,buffer_cells," + with_intervals("goodput_per_station_bps", "cell_loss_ratio", "efficiency"),
        20,
    ),
    **{name: (GOODPUT, 60) for name in ("fig08", "fig10", "fig12")},
    **{name: (EFFICIENCY, 60) for name in ("fig09", "fig11", "fig13")},
    **{name: (LOSSES, 10) for name in ("tab02", "tab03")},
    "fig14a": ("scenario,mtu_bytes,background_utilization," + with_intervals("load_factor"), 60),
    "fig14b": (
        "scenario,background_utilization," + with_intervals("load_factor", "cell_loss_ratio", "rm_overhead_fraction"),
        33,
    ),
    "fig16": ("scenario,service,background_utilization," + with_intervals("cell_delay_s"), 90),
    "fig17": ("d_net_s,loop_delay_s," + with_intervals("goodput_per_station_bps", "load_factor"), 6),
    "fig18": ("service,n_stations," + with_intervals("goodput_bps", "theoretical_goodput_bps", "efficiency"), 18),
    "fig19": ("scenario,service,mean_burst_cells," + with_intervals("goodput_per_station_bps"), 30),
    "fig20": (
        "scenario,mtu_bytes,service,background_utilization,"
        + with_intervals("goodput_per_station_bps", "switch_loss_ratio", "ingress_loss_ratio"),
        120,
    ),
    "tab04": ("vc,from_lan,to_lan,hops,propagation_delay_s", 6),
    "tab05": ("vc,from_lan,to_lan,path,n_switches", 3),
    "fig22": (
        "service,flow,background_utilization," + with_intervals("goodput_per_station_bps", "fairness_spread_bps"),
        210,
    ),
    "fig23": ("service,background_utilization," + with_intervals("goodput_per_station_bps"), 30),
    "fig25": ("service,loop_sources,flow,background_utilization," + with_intervals("goodput_per_station_bps"), 84),
    "txt01": (
        "scenario,background_utilization,threshold_cells,margin_cells,"
        + with_intervals("efficiency")
        + ",switch_loss_ratio",
        20,
    ),
    "txt02": (
        "window_s,"
        + with_intervals("efficiency")
        + ",goodput_per_station_bps,switch_loss_ratio,ingress_loss_ratio,max_queue_cells",
        7,
    ),
    "txt03": (
        "mcr_bps,"
        + with_intervals("mean_on_s")
        + ",goodput_per_station_bps,efficiency,cell_delay_s,ingress_loss_ratio",
        4,
    ),
}

UBR_ABR_POINT = (
    "throughput_bps,throughput_bps_ci95,normalized_throughput,fairness_spread_bps,fairness_spread_bps_ci95,"
    "cell_loss_ratio,cell_loss_ratio_ci95,max_queue_cells,rtt_mean_s,rtt_std_s,timeouts,spurious_timeouts,"
    "retransmitted_segments,longest_idle_s,jain_index"
)
#: Columns and number of rows of every table; the number of events is not known in advance.
UBR_ABR: Tables = {
    "fig05": (f"service,buffer_cells,{UBR_ABR_POINT}", 9),
    "fig06": ("time_s,series,seq_segments", 5 * 41),
    "fig07": (f"timer_granularity_s,buffer_cells,{UBR_ABR_POINT}", 18),
    "fig08": (
        "timer_granularity_s,buffer_cells,cell_loss_ratio,cell_loss_ratio_ci95,timeouts,retransmitted_segments",
        18,
    ),
    "fig09": ("time_s,event,rtt_s,srtt_s,rto_s,queue_cells,retransmitted_total,lost_cells_total", None),
    "fig10": (f"service,buffer_cells,{UBR_ABR_POINT}", 18),
    "fig11": (f"service,buffer_cells,{UBR_ABR_POINT}", 18),
    "fig12": ("scenario,service,buffer_cells,cell_loss_ratio,cell_loss_ratio_ci95", 36),
    "fig13": (f"scenario,n_vcs,buffer_cells,{UBR_ABR_POINT}", 30),
    "tab02": (f"n_vcs,service,pcr_bps,{UBR_ABR_POINT}", 8),
    "fig14": (f"service,buffer_cells,{UBR_ABR_POINT}", 27),
    "fig15": (f"service,n_vcs,buffer_cells,{UBR_ABR_POINT}", 30),
    "er-lan": (f"service,buffer_cells,{UBR_ABR_POINT}", 18),
    "txt01": (f"service,timer_granularity_s,{UBR_ABR_POINT}", 2),
    "txt02": (f"n_vcs,buffer_cells,{UBR_ABR_POINT}", 12),
    "txt03": ("scenario,n_vcs,frtt_s,window_sum_bits,full_utilization,zero_loss_buffer_cells", 8),
}


#: Columns, separated by commas, and number of rows of every table.
TABLES: Mapping[str, Tables] = {
    "abr-vbr": ABR_VBR,
    "adsl-abr": ADSL_ABR,
    "adsl-field": ADSL_FIELD,
    "lan-interconnect": LAN_INTERCONNECT,
    "ubr-abr": UBR_ABR,
}
#: Experiments that are run completely, as their claims are checked.
IN_FULL = {"adsl-field": ("fig08", "dbs01", "tab02")}


@cache
def outcomes_of(name: str) -> Mapping[str, Outcome]:
    """Return every experiment of a study, with one brief run of each point, except those in :data:`IN_FULL`."""
    paper = catalog.paper(name)
    quick = run(paper, list(paper.experiments.values()), Options(quick=True), Progress())
    full = run(paper, [paper.experiments[each] for each in IN_FULL.get(name, ())], Options(), Progress())
    return {outcome.experiment.id: outcome for outcomes in (quick, full) for outcome in outcomes}
