use celltrain_proto::random::Stream;
use celltrain_proto::traffic::{
    CbrParameters, Parameters, PoissonParameters, PulsesParameters, Run, Traffic, TrafficSource,
};
use celltrain_proto::units::{CELL_BITS, Rate, Span};
use proptest::prelude::*;

use super::*;
use crate::engine::source::Pace;
use crate::engine::source::Process;
use crate::engine::state::by_direction::Places;
use crate::engine::state::mode::EventReach;
use crate::engine::trains::channel::Course;
use crate::engine::trains::channel::Destination;
use crate::engine::trains::channel::Origin;

fn channel(input: u32, hop: u32, at: u64, gap: u64, count: u32) -> Channel {
    let to = Destination::Link { link: 0, input };
    let course = Course::new(Origin::Source(input), to, Span::ZERO, Box::default(), 0);
    let mut channel = Channel::new(course);
    let mut first = Cell::data(hop, 0, false);
    first.at = Time::from_ps(at);
    channel.push(Train {
        gap: Span::from_ps(gap),
        count,
        ..Train::single(first, false)
    });
    channel
}

/// A group of `inputs` inputs, whose cells arrive at hops 7, 8 and so on, and their sources.
fn group(inputs: u32, traffic: impl Fn(u32) -> Traffic) -> (SourceGroup, ByDirection<Source>) {
    let members = (0..inputs).map(|input| Member::new(7 + input, 0, input, None));
    let group = SourceGroup::new(0..inputs as usize, members.collect());
    let sources = ByDirection::new(&Places::new(&vec![true; inputs as usize]), |number| {
        let process = Pace::Process(Process::new(traffic(number as u32)));
        let mut source = Source::new(process, 7 + number as u32, Time::ZERO);
        source.way = Some((number as u32, 0));
        source
    });
    (group, sources)
}

/// The cells of a source that is not greedy.
fn cells(source: &Parameters, seed: u64) -> Traffic {
    let run = Run {
        bits: CELL_BITS,
        stream: Stream::named(seed, "group"),
        horizon: Span::MAX,
    };
    source.start(run).expect("it is not greedy")
}

/// A group whose cells come through channels.
fn group_of_channels(inputs: u32) -> (SourceGroup, ByDirection<Source>) {
    let rate = Rate::bps(1e6);
    group(inputs, |_| {
        cells(&Parameters::Cbr(CbrParameters { rate }), 1)
    })
}

#[test]
fn cells_come_in_order_and_of_one_instant_the_lower_input_first() {
    let mut channels = [channel(0, 7, 0, 10, 4), channel(1, 8, 10, 5, 4)];
    let (mut group, mut sources) = group_of_channels(2);
    let end = Time::from_ps(21);
    group.fill(
        &mut sources,
        &mut channels,
        end,
        end,
        &mut Sorter::default(),
    );
    let mut came = Vec::new();
    while let Some(cell) = group.take_if(|_, _| true) {
        came.push((cell.at.as_ps(), cell.hop()));
    }
    assert_eq!(came, [(0, 7), (10, 7), (10, 8), (15, 8), (20, 7), (20, 8)]);
    // Later cells are still in the channels.
    assert_eq!(channels[0].next_arrival(), Time::from_ps(30));
    assert_eq!(channels[1].next_arrival(), Time::from_ps(25));
}

#[test]
fn what_is_left_stays_before_what_is_taken_next() {
    let mut channels = [channel(0, 7, 0, 10, 4), channel(1, 8, 10, 5, 4)];
    let (mut group, mut sources) = group_of_channels(2);
    let [end, later] = [12, 99].map(Time::from_ps);
    group.fill(
        &mut sources,
        &mut channels,
        end,
        end,
        &mut Sorter::default(),
    );
    group.take_if(|_, _| true);
    group.fill(
        &mut sources,
        &mut channels,
        later,
        later,
        &mut Sorter::default(),
    );
    let left = std::iter::from_fn(|| group.take_if(|_, _| true)).count();
    assert_eq!((left, group.next_arrival()), (7, Time::NEVER));
}

/// Trains of a member: the instant of the first, then for each a gap, a number of cells, and a pause.
fn trains(input: u32) -> impl Strategy<Value = (u64, Vec<(u64, u32, u64)>)> {
    let gap = if input == 0 {
        Just(7).boxed()
    } else {
        prop_oneof![Just(7_u64), Just(0), 1..20_u64].boxed()
    };
    let trains = prop::collection::vec((gap, 1..9_u32, 0..60_u64), 0..8);
    (0..40_u64, trains)
}

/// Processes of all kinds, some of which share a gap.
fn traffic() -> impl Strategy<Value = Traffic> {
    let rate = |cells: u64| Rate::bps((cells * CELL_BITS) as f64);
    let cbr = move |rates| CbrParameters {
        rate: rate(500 * rates),
    };
    let poisson = PoissonParameters { rate: rate(800) };
    let pulses = move |(rates, parts): (u64, u32)| PulsesParameters {
        peak: rate(1_000 * rates),
        period: Span::from_ms(10),
        duty_cycle: f64::from(parts) / 10.0,
    };
    let source = prop_oneof![
        (1..4_u64).prop_map(cbr).prop_map(Parameters::Cbr),
        Just(Parameters::Poisson(poisson)),
        (1..4_u64, 1..9_u32)
            .prop_map(pulses)
            .prop_map(Parameters::Pulses),
    ];
    (source, any::<u64>()).prop_map(|(source, seed)| cells(&source, seed))
}

proptest! {
    #[test]
    fn cells_come_in_the_order_of_their_arrivals_and_their_inputs(
        all in (trains(0), trains(1), trains(2)),
        mut ends in prop::collection::vec(0..400_u64, 0..6),
    ) {
        ends.sort_unstable();
        ends.push(u64::from(u32::MAX));
        let mut expected = Vec::new();
        let mut channels = Vec::new();
        for ((start, trains), input) in [all.0, all.1, all.2].into_iter().zip(0..) {
            let mut channel = channel(input, 7 + input, start, 0, 1);
            channel.consume(1);
            let (mut at, mut number) = (start, 0);
            for (gap, count, pause) in trains {
                let mut first = Cell::data(7 + input, number, false);
                first.at = Time::from_ps(at);
                let train = Train { gap: Span::from_ps(gap), count, ..Train::single(first, false) };
                expected.extend(train.cells().map(|cell| (cell.at, input, cell.load())));
                channel.push(train);
                at = train.last().as_ps() + pause;
                number += count;
            }
            channels.push(channel);
        }
        expected.sort_unstable();

        let (mut group, mut sources) = group_of_channels(3);
        let (mut came, mut order) = (Vec::new(), Sorter::default());
        for (&end, number) in ends.iter().zip(0..) {
            let end = Time::from_ps(end);
            // The channels are read occasionally.
            let look = if number % 2 == 0 { Time::NEVER } else { end };
            group.fill(&mut sources, &mut channels, end, look, &mut order);
            let most = group.most_before(end);
            let before = came.len();
            group.take_before(end, |cell, member| came.push((cell.at, member.hop - 7, cell.load())));
            prop_assert!(most >= (came.len() - before) as u64);
        }
        prop_assert_eq!(came, expected);
    }

    #[test]
    fn cells_come_from_sources_as_they_leave_them(
        traffic in prop::collection::vec(traffic(), 1..5),
        mut ends in prop::collection::vec(1..40_u64, 1..6),
    ) {
        ends.sort_unstable();
        let of = |input: u32| traffic[input as usize].clone();
        let last = Time::ZERO + Span::from_ms(ends[ends.len() - 1]);
        let (mut group, mut sources) = group(traffic.len() as u32, of);
        for source in sources.iter_mut() {
            source.event_reach = EventReach::Group;
        }
        let (mut came, mut order) = (Vec::new(), Sorter::default());
        for (&end, number) in ends.iter().zip(0..) {
            let end = Time::ZERO + Span::from_ms(end);
            let look = if number % 2 == 0 { last } else { end };
            group.fill(&mut sources, &mut [], end, look, &mut order);
            group.take_before(end, |cell, member| came.push((cell.at, member.hop, cell.load())));
        }
        // The same sources, each advanced by itself.
        let (_, mut alone) = self::group(traffic.len() as u32, of);
        let mut expected = Vec::new();
        for (source, hop) in alone.iter_mut().zip(7..) {
            while let Some(train) = source.take_train(last - STEP) {
                source.transit.pass_train(train.first.at, train.gap, train.count);
                expected.extend(train.cells().map(|cell| (cell.at, hop, cell.load())));
            }
        }
        expected.sort_unstable();
        prop_assert_eq!(came, expected);
        for (source, other) in sources.iter().zip(alone.iter()) {
            prop_assert_eq!(source.transit, other.transit);
        }
    }
}

#[test]
fn a_run_of_processes_is_a_group_if_it_is_more_than_one() {
    let run = |processes: &[usize]| longest_run(processes.iter().copied(), 2);
    assert_eq!(run(&[0, 1, 1, 0, 1, 1, 1]), Some(4..7));
    assert_eq!(run(&[0, 3, 0, 1, 1]), Some(1..2));
    assert_eq!(run(&[1, 0, 1]), None);
}
