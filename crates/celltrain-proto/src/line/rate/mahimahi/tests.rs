use super::*;
use crate::line::rate::{MarkovParameters, RateProcess};
use crate::random::Stream;
use alloc::string::ToString;
use alloc::vec;
use proptest::prelude::*;

const fn ms(ms: u64) -> Time {
    Time::from_ps(ms * 1_000_000_000)
}

fn parse(text: &str) -> DeliveryTrace {
    DeliveryTrace::parse(text).unwrap()
}

#[test]
fn one_opportunity_a_millisecond_is_a_packet_of_32_cells_a_millisecond() {
    let trace = parse("1\n2\n3\n");
    assert_eq!(trace.mean_rate(OPPORTUNITY), Rate::kbps(32 * 424));
    assert_eq!(trace.period(), Span::from_ms(3));
    let expected = [0, 1, 2].map(|at| (ms(at), Rate::kbps(13_568)));
    assert_eq!(trace.rates(Span::from_ms(1), OPPORTUNITY).steps(), expected);
}

#[test]
fn empty_bins_have_rate_zero_and_the_last_bin_ends_with_the_period() {
    // Bins (0, 2], (2, 4], (4, 6], (6, 7] hold 3, 0, 0 and 1 opportunities.
    let trace = parse("1\n2\n2\n7");
    let rates = trace.rates(Span::from_ms(2), OPPORTUNITY);
    let expected = [(0, 20_352), (2, 0), (6, 13_568)];
    assert_eq!(
        rates.steps(),
        expected.map(|(at, kbps)| (ms(at), Rate::kbps(kbps)))
    );
    assert_eq!(rates.repeat(), Some(Span::from_ms(7)));
    assert_eq!(
        trace.mean_rate(OPPORTUNITY),
        Rate::bps(4.0 * 13_568.0 / 0.007)
    );
}

#[test]
fn opportunities_at_zero_are_of_the_first_bin() {
    let rates = parse("0\n0\n4\n").rates(Span::from_ms(1), OPPORTUNITY);
    let expected = [(0, 27_136), (1, 0), (3, 13_568)];
    assert_eq!(
        rates.steps(),
        expected.map(|(at, kbps)| (ms(at), Rate::kbps(kbps)))
    );
}

#[test]
fn opportunities_come_just_before_their_instants_and_those_at_zero_with_the_last() {
    let rates = parse("0\n2\n2\n5\n").opportunities(OPPORTUNITY);
    let one = Rate::bps(32.0 * 424.0 / 100e-9);
    let before = |at, ns: u64| ms(at) - Span::from_ps(1_000 * ns);
    let steps = [
        (ms(0), Rate::ZERO),
        (before(2, 200), one),
        (ms(2), Rate::ZERO),
        (before(5, 200), one),
    ];
    assert_eq!(rates.steps(), steps);
    assert_eq!(rates.repeat(), Some(Span::from_ms(5)));
    assert_eq!(one.cell_time(), Span::from_ps(3_125));
}

#[test]
fn a_bin_beyond_the_period_is_the_period() {
    let trace = parse("1\n4\n");
    let rates = trace.rates(Span::MAX, OPPORTUNITY);
    assert_eq!(rates.steps(), [(ms(0), Rate::kbps(6_784))]);
    assert_eq!(rates.repeat(), Some(Span::from_ms(4)));
}

#[test]
fn a_bad_trace_is_refused_by_line_text_and_expectation() {
    let number = "expected a whole number of milliseconds, at most 4294967295, and nothing else";
    let cases = [
        (
            "",
            "the trace is empty; expected a whole number of milliseconds a line".into(),
        ),
        ("1\n\n2\n", std::format!("line 2: \"\"; {number}")),
        ("\n", std::format!("line 1: \"\"; {number}")),
        (
            "# a comment\n1\n",
            std::format!("line 1: \"# a comment\"; {number}"),
        ),
        ("1\n 2\n", std::format!("line 2: \" 2\"; {number}")),
        ("1\n+2\n", std::format!("line 2: \"+2\"; {number}")),
        ("-1\n", std::format!("line 1: \"-1\"; {number}")),
        ("1.5\n", std::format!("line 1: \"1.5\"; {number}")),
        (
            "4294967296\n",
            std::format!("line 1: \"4294967296\"; {number}"),
        ),
        (
            "1\n5\n4\n",
            "line 3: \"4\"; expected at least 5, the timestamp of the line before".into(),
        ),
        (
            "0\n0\n",
            "line 2: \"0\"; expected a last timestamp above 0, because it is the trace's period"
                .into(),
        ),
    ];
    for (text, message) in cases {
        let error = DeliveryTrace::parse(text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text:?}");
    }
}

#[test]
fn a_message_shows_only_the_start_of_a_long_line() {
    let error = DeliveryTrace::parse(&"é".repeat(1_000)).unwrap_err();
    let text = "é".repeat(40);
    assert_eq!(error, TraceError::NotATimestamp { line: 1, text });
}

#[test]
fn a_trace_of_too_many_lines_is_refused() {
    assert!(DeliveryTrace::parse_at_most(3, "1\n2\n3\n").is_ok());
    let error = DeliveryTrace::parse_at_most(3, "1\n2\n3\n4\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 4: expected the end of the trace, of at most 3 lines"
    );
}

#[test]
fn a_constant_rate_gives_its_opportunities_at_the_ends_of_their_milliseconds() {
    // 32 cells take 1.5 ms: at 1.5, 3, 4.5 and 6 ms.
    let process = RateProcess::Constant(Rate::bps(32.0 * 424.0 / 0.0015));
    let trace = DeliveryTrace::from_rates(process, Span::from_ms(6), OPPORTUNITY).unwrap();
    assert_eq!(trace.to_string(), "2\n3\n5\n6\n");
}

#[test]
fn an_opportunity_may_span_changes_of_the_rate_and_the_trace_lasts_as_long_as_the_line() {
    // 10000 bits in 1 ms, none in 2 ms, the remaining 3568 in 1 ms, then nothing.
    let steps = [(0, 10_000), (1, 0), (3, 3_568), (4, 0)];
    let steps = steps.map(|(at, kbps)| (ms(at), Rate::kbps(kbps)));
    let process = RateList::new(steps.to_vec(), None).unwrap();
    let trace = DeliveryTrace::from_rates(process, Span::from_ms(9), OPPORTUNITY).unwrap();
    assert_eq!(trace.to_string(), "4\n9\n");
}

#[test]
fn only_whole_milliseconds_can_be_recorded() {
    let record = |duration, rate| {
        DeliveryTrace::from_rates(RateProcess::Constant(rate), duration, OPPORTUNITY)
    };
    for duration in [Span::ZERO, Span::from_us(1_500), Span::MAX] {
        let error = record(duration, Rate::ZERO).unwrap_err();
        assert_eq!(error, RecordError::Duration(duration));
    }
    let silent = record(Span::from_ms(7), Rate::ZERO).unwrap();
    assert_eq!(silent.to_string(), "7\n");
    let endless = record(Span::from_ms(7), Rate::bps(f64::MAX));
    assert_eq!(endless, Err(RecordError::TooLong));
}

/// Traces with up to a hundred opportunities, at gaps of up to `gap` ms, from `first` on.
fn traces(first: u32, gap: u32) -> impl Strategy<Value = DeliveryTrace> {
    let gaps = prop::collection::vec(0..=gap, 0..100);
    (first..first + 5, gaps).prop_map(|(first, gaps)| {
        let mut timestamps = vec![first];
        let mut at = first;
        for gap in gaps {
            at += gap;
            timestamps.push(at);
        }
        timestamps.push(at + 1);
        DeliveryTrace { timestamps }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn binning_conserves_the_bits_of_a_period(
        trace in traces(0, 20),
        bin_ps in prop_oneof![1..1_000_000_u64, 1..30_000_000_000_u64, 1..=u64::MAX],
    ) {
        let rates = trace.rates(Span::from_ps(bin_ps), OPPORTUNITY);
        let period = rates.repeat().unwrap();
        let ends = rates.steps()[1..].iter().map(|step| step.0).chain([Time::ZERO + period]);
        let bits: f64 = rates.steps().iter().zip(ends)
            .map(|(&(start, rate), end)| rate.bits_in(end - start))
            .sum();
        let expected = trace.timestamps.len() as f64 * bits_of(OPPORTUNITY);
        prop_assert!((bits / expected - 1.0).abs() < 1e-12, "{bits} {expected}");
    }

    #[test]
    fn opportunities_conserve_the_bits_of_a_period(trace in traces(0, 3)) {
        let rates = trace.opportunities(OPPORTUNITY);
        let ends = rates.steps()[1..].iter().map(|step| step.0).chain([Time::ZERO + trace.period()]);
        let bits: f64 = rates.steps().iter().zip(ends)
            .map(|(&(start, rate), end)| rate.bits_in(end - start))
            .sum();
        let expected = trace.timestamps.len() as f64 * bits_of(OPPORTUNITY);
        prop_assert!((bits / expected - 1.0).abs() < 1e-9, "{bits} {expected}");
    }

    #[test]
    fn a_trace_comes_back_from_its_opportunities(trace in traces(1, 5)) {
        let process = trace.opportunities(OPPORTUNITY);
        prop_assert_eq!(DeliveryTrace::from_rates(process, trace.period(), OPPORTUNITY), Ok(trace));
    }

    #[test]
    fn a_trace_reads_back_from_its_text(trace in traces(0, 20)) {
        prop_assert_eq!(parse(&trace.to_string()), trace);
    }

    #[test]
    fn a_trace_comes_back_from_its_rates_a_millisecond(trace in traces(1, 5)) {
        let process = trace.rates(Span::from_ms(1), OPPORTUNITY);
        prop_assert_eq!(DeliveryTrace::from_rates(process, trace.period(), OPPORTUNITY), Ok(trace));
    }

    #[test]
    fn a_recorded_trace_and_its_line_differ_by_at_most_one_opportunity(
        seed in any::<u64>(),
        good_kbps in 0..50_000_u64,
        bad_kbps in 0..500_u64,
    ) {
        let duration = Span::from_ms(500);
        let parameters = MarkovParameters {
            good: Rate::kbps(good_kbps),
            bad: Rate::kbps(bad_kbps),
            mean_good: Span::from_us(2_300),
            mean_bad: Span::from_us(1_700),
        };
        let mut process = parameters.start(Stream::named(seed, "recorded"));
        let trace = DeliveryTrace::from_rates(process.clone(), duration, OPPORTUNITY).unwrap();
        prop_assert_eq!(trace.period(), duration);
        let (mut now, mut rate, mut bits) = (Time::ZERO, process.first(), 0.0);
        while now < Time::ZERO + duration {
            let next = process.next_change(now).min(Time::ZERO + duration);
            bits += rate.bits_in(next - now);
            (now, rate) = (next, process.change());
        }
        let excess = trace.timestamps.len() as f64 * bits_of(OPPORTUNITY) - bits;
        prop_assert!(excess.abs() <= bits_of(OPPORTUNITY) + 1e-3, "{excess}");
    }
}
