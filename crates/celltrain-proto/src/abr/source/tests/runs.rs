//! Runs of data cells, as trains send them, follow the rules that [`Source::next_cell`] applies cell by cell.

use super::*;

/// A source in any reachable state, and the instant at which it is in that state.
fn any_source() -> impl Strategy<Value = (Source, Time)> {
    (
        (10.0..1_000.0_f64, 1_u32..8, 0_u32..6, 0_u32..7),
        (any::<bool>(), any::<bool>(), any::<bool>()),
        prop::collection::vec(step(), 0..60),
    )
        .prop_map(|((icr, nrm, mrm, trm), (idle, starves, priority), steps)| {
            let mut source = source(|p| {
                p.icr = cells(icr);
                p.nrm = 1 << nrm;
                p.mrm = mrm;
                p.trm = Span::from_us(100_000 >> trm);
                p.idle_forward_rm = idle;
                if starves {
                    p.starved = Starved::OutOfRate;
                }
                if priority {
                    p.backward_rm = BackwardRm::Priority;
                }
            });
            let now = taken(&mut source, Time::ZERO, &steps);
            (source, now)
        })
}

/// Takes a source through `steps`, starting at `now`; returns the instant of the last one.
fn taken(source: &mut Source, mut now: Time, steps: &[Step]) -> Time {
    for step in steps {
        match *step {
            Step::Wait(ms) => now += Span::from_ms(ms),
            Step::Feedback { ci, ni, bn, er } => {
                let rm = RmCell {
                    bn,
                    ..backward(ci, ni, cells(er))
                };
                source.on_backward_rm(now, &rm);
            }
            Step::TurnAround => {
                let _ = source.turn_around(backward(false, false, PCR));
            }
            Step::Send(data) => {
                if let Some(due) = source.next_deadline(data) {
                    now = now.max(due);
                    let _ = source.next_cell(now, data);
                }
            }
        }
    }
    now
}

proptest! {
    #[test]
    fn a_run_is_what_leaves_cell_by_cell_until_it_is_the_turn_of_another_kind(
        (source, now) in any_source(),
        wait in 0_u64..300_000,
        slower in 0_u64..3_000,
        most in 1_u32..300,
    ) {
        let Some(due) = source.next_deadline(true) else {
            // Starved: no in-rate cell is due.
            prop_assert_eq!(source.data_run(now, MS, most), 0);
            return Ok(());
        };
        let at = now.max(due) + Span::from_us(wait);
        // Gaps at ACR are the common case, with ties of their own.
        let gap = source.gap() + Span::from_us(slower.saturating_sub(1_500));
        let count = source.data_run(at, gap, most);
        prop_assert!(count <= most);

        let mut one_by_one = source.clone();
        for n in 0..count {
            let cell = one_by_one.next_cell(at + gap * u64::from(n), true);
            prop_assert_eq!(cell, Some(NextCell::Data), "cell {} of {}", n, count);
        }
        let mut at_once = source.clone();
        if count > 0 {
            at_once.on_data_run(at + gap * u64::from(count - 1), count);
        }
        prop_assert_eq!(&one_by_one, &at_once);

        // While a backward RM cell waits, cells are sent one by one, whatever their kind.
        if count < most && !source.backward_rm.is_taken() {
            let next = one_by_one.next_cell(at + gap * u64::from(count), true);
            prop_assert!(!matches!(next, Some(NextCell::Data)), "{} cells, then {:?}", count, next);
        }
    }

    #[test]
    fn no_cell_of_another_kind_leaves_before_the_bound_on_it(
        (mut source, now) in any_source(),
        wait in 0_u64..300_000,
        quiet in 0_u64..300_000,
        spacing in 0_u64..30_000,
        delays in prop::collection::vec(0_u64..20_000, 300),
    ) {
        prop_assume!(!source.is_starved());
        let spacing = Span::from_us(spacing);
        let quiet = now + Span::from_us(quiet);
        // Nothing is sent before data arrive: `at` accounts for that.
        let at = quiet.max(source.next_tx()) + Span::from_us(wait);
        let bound = source.next_other(at, quiet, spacing);

        // Data cells arrive from `quiet` on, each `spacing` plus a delay after the previous one.
        let mut arrival = quiet;
        let mut waiting = 0_u32;
        let mut now = at;
        for delay in delays {
            // What is sent before the next data cell arrives.
            while let Some(due) = source.next_deadline(waiting > 0) {
                let then = now.max(due);
                if waiting == 0 && then >= arrival {
                    break;
                }
                now = then;
                match source.next_cell(now, waiting > 0) {
                    Some(NextCell::Data) => waiting -= 1,
                    other => {
                        prop_assert!(other.is_some(), "nothing is sent when due");
                        prop_assert!(now >= bound, "{:?} leaves at {}, before {}", other, now, bound);
                        return Ok(());
                    }
                }
            }
            now = now.max(arrival);
            waiting += 1;
            arrival = arrival + spacing + Span::from_us(delay);
        }
    }
}
