//! Conformance of ABR apart from the rules of the end systems: RM cells, rate codes, parameters, policing, and the
//! rules for switches, using only the public interface.

use celltrain_proto::abr::{Coupling, NextCell, Parameters, VirtualEnds};
use celltrain_proto::cell::{Direction, RmCell, RmError, rate_code};
use celltrain_proto::police::{Dgcra, DgcraDelays, Gcra};
use celltrain_proto::switch::{
    Algorithm, Binary, BinaryMarking, BinaryParameters, Capc2, Capc2Parameters, FairShare,
    FairShareParameters, Marking, PortState, SwitchAlgorithm,
};
use celltrain_proto::units::{Cells, Rate, Span, Time};

const LINE: Rate = Rate::cells_per_s(100_000.0);

const RM: RmCell = RmCell {
    direction: Direction::Forward,
    bn: false,
    ci: false,
    ni: false,
    er: Rate::cells_per_s(353_207.547),
    ccr: Rate::cells_per_s(10_000.0),
    mcr: Rate::ZERO,
};

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

// RM cells.

#[test]
fn abr_section_2_an_rm_cell_has_its_fields_where_table_5_4_puts_them_and_crc_10_is_07b() {
    let payload = RM.emit();
    assert_eq!(payload[..8], [1, 0, 0x64, 0xB1, 0x5A, 0x71, 0, 0]);
    assert_eq!(payload[8..16], [0; 8], "QL and SN");
    assert_eq!(payload[16..46], [0x6A; 30], "reserved");
    assert_eq!(payload[46..], [0x00, 0x7B], "CRC-10");
    for (change, bit) in [
        (
            RmCell {
                direction: Direction::Backward,
                ..RM
            },
            0x80,
        ),
        (RmCell { bn: true, ..RM }, 0x40),
        (RmCell { ci: true, ..RM }, 0x20),
        (RmCell { ni: true, ..RM }, 0x10),
    ] {
        assert_eq!(change.emit()[1], bit);
    }
}

#[test]
fn abr_section_2_a_cell_whose_crc_fails_is_discarded() {
    let sound = RM.emit();
    assert!(RmCell::parse(&sound).is_ok());
    for bit in 0..8 * 48 {
        let mut damaged = sound;
        damaged[bit / 8] ^= 0x80 >> (bit % 8);
        // The six bits before the CRC are covered by it too.
        let found = RmCell::parse(&damaged);
        assert!(matches!(found, Err(RmError::BadCrc { .. })), "bit {bit}");
    }
    // The CRC-10 of all zeros is zero; then the protocol identifier is wrong.
    assert_eq!(RmCell::parse(&[0; 48]), Err(RmError::WrongProtocolId(0)));
}

#[test]
fn abr_section_3_rate_codes_are_those_of_the_table() {
    let table = [
        (0.0, 0x0000, 0.0),
        (1.0, 0x4000, 1.0),
        (10.0, 0x4680, 10.0),
        (100.0, 0x4D20, 100.0),
        (1_000.0, 0x53E8, 1_000.0),
        (4_528.3, 0x5836, 4_528.0),
        (10_000.0, 0x5A71, 10_000.0),
        (75_471.7, 0x604D, 75_392.0),
        (96_000.0, 0x60EE, 96_000.0),
        (353_207.547, 0x64B1, 352_768.0),
        (1_412_830.19, 0x68B1, 1_411_072.0),
        (f64::from(u32::MAX), 0x7FFF, 4_290_772_992.0),
    ];
    for (rate, word, decoded) in table {
        assert_eq!(
            rate_code::encode(Rate::cells_per_s(rate)),
            word,
            "{rate} cells/s"
        );
        let found = rate_code::decode(word).as_cells_per_s();
        assert_eq!(found.to_bits(), f64::to_bits(decoded), "{word:04X}");
    }
    assert!(table.is_sorted_by(|a, b| a.1 < b.1), "words sort as rates");
}

#[test]
fn abr_section_4_defaults_and_set_up_are_those_of_tables_5_3_and_5_5() {
    let pcr = Rate::cells_per_s(1_000.0);
    let p = Parameters::new(pcr);
    assert_eq!(
        (p.mcr, p.icr, p.tcr.as_cells_per_s()),
        (Rate::ZERO, pcr, 10.0)
    );
    assert_eq!([p.rif, p.rdf, p.cdf], [1.0 / 16.0; 3]);
    assert_eq!((p.nrm, p.mrm, p.tbe), (32, 2, Cells(16_777_215)));
    assert_eq!((p.trm, p.adtf), (Span::from_ms(100), Span::from_ms(500)));
    assert_eq!(p.crm(), 524_288, "TBE / Nrm, rounded up");
    assert_eq!(p.validate_standard(), Ok(()));
    // ICR = min(ICR, TBE / FRTT), and then at least MCR.
    let exposed = |mcr: f64| Parameters {
        tbe: Cells(100),
        mcr: Rate::cells_per_s(mcr),
        ..p
    };
    for (mcr, ms, icr) in [(0.0, 50, 1_000.0), (0.0, 500, 200.0), (300.0, 500, 300.0)] {
        let found = exposed(mcr).negotiated(Span::from_ms(ms)).icr;
        assert!((found.as_cells_per_s() - icr).abs() < 1e-9, "{found:?}");
    }
}

// Policing.

#[test]
fn abr_section_11_gcra_10_15_gives_c_c_n_n_c_c_n_n_c_c_n_n() {
    let mut gcra = Gcra::new(Span::from_us(10), Span::from_us(15));
    let arrivals = [0, 1, 2, 3, 10, 20, 21, 22, 50, 51, 52, 53];
    let verdicts = arrivals.map(|us| if gcra.conforms(at_us(us)) { 'C' } else { 'N' });
    assert_eq!(verdicts.iter().collect::<String>(), "CCNNCCNNCCNN");
}

#[test]
fn abr_section_11_an_increase_counts_from_tau3_and_a_decrease_from_tau2() {
    let mut dgcra = Dgcra::new(
        Parameters {
            rif: 1.0,
            icr: Rate::cells_per_s(100.0),
            ..Parameters::new(Rate::cells_per_s(1_000.0))
        },
        DgcraDelays {
            tolerance: Span::ZERO,
            longest: Span::from_ms(50),
            shortest: Span::from_ms(20),
            out_of_rate_tolerance: Span::ZERO,
        },
    );
    for (ms, er) in [(100, 1_000.0), (200, 250.0)] {
        let rm = RmCell {
            direction: Direction::Backward,
            er: Rate::cells_per_s(er),
            ..RM
        };
        dgcra.on_backward_rm(at_ms(ms), &rm);
        for (after, expected) in match ms {
            100 => [(19, 100.0), (20, 1_000.0)],
            _ => [(49, 1_000.0), (50, 250.0)],
        } {
            let pacr = dgcra.pacr(at_ms(ms + after)).as_cells_per_s();
            assert!((pacr - expected).abs() < 1e-9, "{ms} + {after}: {pacr}");
        }
    }
    // I = 4 ms now: one cell per 4 ms conforms, and one that is a microsecond earlier does not.
    assert!(dgcra.conforms(at_ms(300)));
    assert!(!dgcra.conforms(at_us(303_999)));
    assert!(dgcra.conforms(at_ms(304)));
}

// Switch rules.

fn binary(marking: BinaryMarking) -> Algorithm {
    Algorithm::from(Binary::new(BinaryParameters {
        threshold: Cells(100),
        low: None,
        ni_threshold: None,
        marking,
    }))
}

fn fair_share() -> Algorithm {
    FairShare::new(FairShareParameters {
        interval: Span::from_ms(10),
        marking: Marking::BackwardRm,
    })
    .into()
}

fn capc() -> Algorithm {
    Algorithm::from(Capc2::new(Capc2Parameters {
        interval: Span::from_ms(10),
        target_utilization: 0.9,
        rup: 0.1,
        rdn: 0.8,
        eru: 1.5,
        erf: 0.5,
        cqt: Cells(100),
        vcqt: Cells(500),
    }))
}

/// The backward RM cell after a port shared by two VCs, at a queue of `queue` cells, and whether data cells get EFCI.
fn marked(mut algorithm: Algorithm, queue: u64, mut rm: RmCell) -> (RmCell, bool) {
    let port = PortState {
        queue: Cells(queue),
        rate: LINE,
    };
    algorithm.on_rate_change(Time::ZERO, LINE);
    algorithm.on_cells(at_ms(1), 0, 10);
    algorithm.on_cells(at_ms(1), 1, 10);
    algorithm.on_backward_rm(at_ms(11), 0, &mut rm, &port);
    (rm, algorithm.marks_efci(Cells(queue)))
}

#[test]
fn switch_rule_1_efci_relative_rate_and_explicit_rate_each_do_what_they_are_named_for() {
    let rm = RmCell {
        direction: Direction::Backward,
        ..RM
    };
    assert_eq!(marked(binary(BinaryMarking::Efci), 101, rm), (rm, true));
    assert_eq!(marked(binary(BinaryMarking::Efci), 100, rm), (rm, false));
    let ci = RmCell { ci: true, ..rm };
    let relative_rate = || binary(BinaryMarking::BackwardRm);
    assert_eq!(marked(relative_rate(), 101, rm), (ci, false));
    assert_eq!(marked(relative_rate(), 100, rm), (rm, false));
    let er = LINE.scaled(0.5);
    assert_eq!(marked(fair_share(), 101, rm), (RmCell { er, ..rm }, false));
}

#[test]
fn switch_rule_3_rm_cells_of_a_vc_keep_their_order() {
    let mut ends = VirtualEnds::new(
        Parameters::new(Rate::cells_per_s(1_000.0)),
        Coupling {
            queue_target: Cells(20),
            round_trip: Span::from_ms(100),
            limits_source: false,
        },
    );
    // Twice as many backward RM cells arrive as may be sent; the others are overwritten.
    let mut left = Vec::new();
    for ms in 0_u32..3_200 {
        if ms % 16 == 0 {
            let _ = ends.turn_around(RmCell {
                direction: Direction::Backward,
                er: Rate::cells_per_s(f64::from(ms)),
                ..RM
            });
        }
        if let Some(NextCell::BackwardRm(rm)) = ends.next_cell(at_ms(ms.into()), true) {
            left.push(rm.er.as_cells_per_s());
        }
    }
    assert!(left.len() >= 99, "{}", left.len());
    assert!(left.is_sorted_by(|a, b| a < b), "{left:?}");
}

#[test]
fn switch_rule_4_marks_are_set_and_never_cleared_and_er_is_lowered_and_never_raised() {
    let algorithms: [fn() -> Algorithm; 4] = [
        || binary(BinaryMarking::BackwardRm),
        || binary(BinaryMarking::Efci),
        fair_share,
        capc,
    ];
    for algorithm in algorithms {
        for queue in [0, 101, 501] {
            for (ci, ni) in [(false, false), (true, false), (false, true), (true, true)] {
                for er in [0.0, 1_000.0, 1e6] {
                    let before = RmCell {
                        direction: Direction::Backward,
                        ci,
                        ni,
                        er: Rate::cells_per_s(er),
                        ..RM
                    };
                    let (after, _) = marked(algorithm(), queue, before);
                    assert!(after.ci >= ci && after.ni >= ni && after.er <= before.er);
                    let unchanged = RmCell {
                        ci,
                        ni,
                        er: before.er,
                        ..after
                    };
                    assert_eq!(unchanged, before, "the other fields");
                }
            }
        }
    }
}
