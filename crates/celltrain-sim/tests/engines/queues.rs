//! The queues of the property test: lines of a network's middle link, with each algorithm of a queue at least once.

use crate::common::all_are_named;

/// The keys of a link each.
pub(super) const QUEUES: &[&str] = &[
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"100 cells\"",
    "delay = \"0 s\"\nrate = \"8 Mbit/s\"\nbuffer = \"40 cells\"\nscheduling = \"priority\"\nclass_buffers = { rt-vbr = \"20 cells\" }",
    "delay = \"3 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"150 cells\"\nscheduling = \"priority\"\ncontrol = { algorithm = \"erica\", interval = \"2 ms\" }",
    "delay = \"3 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"150 cells\"\nscheduling = \"priority\"\npriority_load = \"departures\"\ncontrol = { algorithm = \"erica\", interval = \"1 ms\" }\ndiscard = { policy = \"epd\", threshold = \"100 cells\" }",
    "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"erica-plus\", interval = \"2 ms\" }",
    "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"eprca\", qt = \"40 cells\", dqt = \"100 cells\" }",
    "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"binary\", threshold = \"30 cells\", marking = \"efci\" }",
    "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\nbecn = { above = \"20 cells\" }",
    "delay = \"0 s\"\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"\nscheduling = \"priority\"\ncontrol = { algorithm = \"erica\", interval = \"2 ms\" }\nbecn = { above = \"0 cells\", mark = \"no-increase\" }",
    "delay = \"1 ms\"\nrate = { process = \"markov\", good = \"12 Mbit/s\", bad = \"1400 kbit/s\", mean_good = \"40 ms\", mean_bad = \"5 ms\" }\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"binary\", threshold = \"30 cells\" }",
    "delay = \"1 ms\"\nrate = { process = \"markov\", good = \"12 Mbit/s\", bad = \"1400 kbit/s\", mean_good = \"20 ms\", mean_bad = \"2 ms\" }\nbuffer = \"120 cells\"\ncontrol = { algorithm = \"binary\", threshold = \"30 cells\", low = \"10 cells\" }",
    "delay = \"0 s\"\nrate = { process = \"uniform\", low = \"1400 kbit/s\", high = \"12 Mbit/s\", every = \"3 ms\" }\non_rate_change = \"finish-at-old-rate\"\nbuffer = \"60 cells\"\ncontrol = { algorithm = \"erica\", interval = \"2 ms\" }",
    "delay = \"2 ms\"\nrate = { process = \"markov\", good = \"9 Mbit/s\", bad = \"1400 kbit/s\", mean_good = \"300 us\", mean_bad = \"200 us\" }\non_rate_change = \"finish-at-old-rate\"\nbuffer = \"200 cells\"\ncontrol = { algorithm = \"erica-plus\", interval = \"2 ms\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"300 cells\"\nscheduling = \"weighted-fair\"",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"300 cells\"\nscheduling = \"weighted-fair\"\ncredit = { n3 = \"40 cells\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"300 cells\"\nscheduling = { algorithm = \"deficit-round-robin\", quantum = 2.5 }\ncredit = { n3 = \"40 cells\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"300 cells\"\nqueue_management = { algorithm = \"codel\", ecn = true }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"300 cells\"\nqueue_management = { algorithm = \"pie\" }\nscheduling = \"priority\"",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"\ndiscard = { policy = \"red\", min = \"20 cells\", max = \"80 cells\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"\ndiscard = { policy = \"ppd\" }\nclp_threshold = \"60 cells\"",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"mit\", interval = \"4 ms\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"300 cells\"\nqueue_management = { algorithm = \"pi2\", target = \"5 ms\", ecn = true }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"100 cells\"\nqueue_management = { algorithm = \"blue\", increment = 0.02, freeze_time = \"10 ms\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"\ndiscard = { policy = \"ared\", min = \"20 cells\", max = \"80 cells\", interval = \"20 ms\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"\ndiscard = { policy = \"dfba\", low = \"20 cells\", threshold = \"80 cells\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"\ndiscard = { policy = \"drop-front\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"\nscheduling = \"priority\"\nclp_threshold = \"90 cells\"\ndiscard = { policy = \"drop-front\" }\nqueue_management = { algorithm = \"codel\" }",
    "delay = \"1 ms\"\nrate = { process = \"markov\", good = \"9 Mbit/s\", bad = \"1400 kbit/s\", mean_good = \"30 ms\", mean_bad = \"5 ms\" }\nbuffer = \"200 cells\"\nscheduling = \"weighted-fair\"\ndiscard = { policy = \"drop-front\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"\nscheduling = \"fifo\"\ndiscard = { policy = \"selective-drop\", threshold = \"80 cells\" }",
    "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"\ndiscard = { policy = \"fair-buffer\", threshold = \"80 cells\" }",
    "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"fair-share\", interval = \"2 ms\" }",
    "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"erica-plus-smoothed\", t0 = \"1 ms\", a = 1.15, b = 1.05, qdlf = 0.5, x = 0.5, smoothing_interval = \"1 ms\", averaging_interval = \"4 ms\" }",
    "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"capc\", interval = \"2 ms\", cqt = \"30 cells\" }",
    "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"capc2\", interval = \"2 ms\", cqt = \"30 cells\", vcqt = \"60 cells\" }",
    "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"phantom\", interval = \"2 ms\" }",
    "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"mmrca\", interval = \"2 ms\", qt = \"30 cells\", dqt = \"90 cells\" }",
];

#[test]
fn every_algorithm_of_a_queue_is_compared() {
    all_are_named(QUEUES);
}
