use super::*;
use alloc::string::ToString;

fn good() -> Parameters {
    Parameters::new(Rate::cells_per_s(1_000.0))
}

/// The parameter that the standard's ranges reject, or `None` if all are allowed.
fn refused(change: impl FnOnce(&mut Parameters)) -> Option<&'static str> {
    let mut parameters = good();
    change(&mut parameters);
    parameters.validate_standard().err().map(|error| error.name)
}

#[test]
fn defaults_are_those_of_the_standard_and_in_range() {
    let parameters = Parameters::new(Rate::kbps(149_760));
    assert_eq!(parameters.validate_standard(), Ok(()));
    assert_eq!(parameters.crm(), 524_288);
    assert_eq!(parameters.icr, parameters.pcr);
    assert_eq!(parameters.floor(), Rate::bps(4_240.0));
}

#[test]
fn crm_is_rounded_up() {
    for (tbe, crm) in [(0, 0), (1, 1), (32, 1), (33, 2), (100, 4)] {
        let tbe = Cells(tbe);
        assert_eq!(Parameters { tbe, ..good() }.crm(), crm);
    }
}

#[test]
fn set_up_lowers_icr_to_what_the_network_can_absorb_but_not_below_mcr() {
    let pcr = Rate::cells_per_s(10_000.0);
    let asked = Parameters {
        tbe: Cells(1_000),
        ..Parameters::new(pcr)
    };
    let slow = Span::from_ms(500);
    assert_eq!(asked.negotiated(slow).icr, Rate::cells_per_s(2_000.0));
    assert_eq!(asked.negotiated(slow).frtt, slow);
    assert_eq!(asked.negotiated(Span::from_ms(10)).icr, pcr);
    assert_eq!(asked.negotiated(Span::ZERO).icr, pcr);
    let mcr = Rate::cells_per_s(3_000.0);
    let guaranteed = Parameters { mcr, ..asked };
    assert_eq!(guaranteed.negotiated(slow).icr, mcr);
}

#[test]
fn fractions_of_the_standard_are_powers_of_two_within_their_range() {
    let smallest = 1.0 / 32_768.0;
    for value in [smallest, 1.0 / 512.0, 0.25, 1.0] {
        assert_eq!(refused(|p| p.rif = value), None, "{value}");
        assert_eq!(refused(|p| p.rdf = value), None, "{value}");
    }
    for value in [0.0, smallest / 2.0, 0.3, 2.0, f64::NAN] {
        assert_eq!(refused(|p| p.rif = value), Some("RIF"), "{value}");
        assert_eq!(refused(|p| p.rdf = value), Some("RDF"), "{value}");
    }
    for value in [0.0, 1.0 / 64.0, 0.5, 1.0] {
        assert_eq!(refused(|p| p.cdf = value), None, "{value}");
    }
    for value in [1.0 / 128.0, 0.3, 2.0] {
        assert_eq!(refused(|p| p.cdf = value), Some("CDF"), "{value}");
    }
}

#[test]
fn counts_of_the_standard_have_their_steps() {
    for nrm in [2, 4, 32, 256] {
        assert_eq!(refused(|p| p.nrm = nrm), None, "{nrm}");
    }
    for nrm in [0, 1, 3, 31, 512] {
        assert_eq!(refused(|p| p.nrm = nrm), Some("Nrm"), "{nrm}");
    }
    assert_eq!(refused(|p| p.mrm = 3), Some("Mrm"));
    assert_eq!(refused(|p| p.tbe = Cells(16_777_216)), Some("TBE"));
    assert_eq!(refused(|p| p.tbe = Cells(0)), None);
}

#[test]
fn times_of_the_standard_have_their_steps() {
    for halvings in 0..8 {
        let trm = Span::from_ms(100) / (1 << halvings);
        assert_eq!(refused(|p| p.trm = trm), None, "{trm:?}");
    }
    for us in [0, 200_000, 99_999, 75_000, 390] {
        assert_eq!(
            refused(|p| p.trm = Span::from_us(us)),
            Some("Trm"),
            "{us} us"
        );
    }
    for hundredths in 1..=1_023 {
        let adtf = Span::from_ms(10) * hundredths;
        assert_eq!(refused(|p| p.adtf = adtf), None, "{adtf:?}");
    }
    let beside = [
        Span::ZERO,
        Span::from_ms(15),
        Span::from_ps(500_000_000_001),
        Span::from_ms(10_240),
    ];
    for adtf in beside {
        assert_eq!(refused(|p| p.adtf = adtf), Some("ADTF"), "{adtf:?}");
    }
    assert_eq!(refused(|p| p.frtt = Span::from_ms(16_700)), None);
    assert_eq!(refused(|p| p.frtt = Span::from_ms(16_701)), Some("FRTT"));
}

#[test]
fn rates_are_in_the_order_mcr_icr_pcr() {
    let rate = Rate::cells_per_s;
    for (mcr, icr, name) in [
        (0.0, 0.0, None),
        (500.0, 500.0, None),
        (1_000.0, 1_000.0, None),
        (500.0, 499.0, Some("ICR")),
        (0.0, 1_001.0, Some("ICR")),
        (1_001.0, 1_001.0, Some("MCR")),
    ] {
        let error = refused(|p| (p.mcr, p.icr) = (rate(mcr), rate(icr)));
        assert_eq!(error, name, "MCR {mcr}, ICR {icr}");
    }
    let huge = Parameters::new(rate(5e9));
    assert!(huge.validate_standard().is_err() && huge.validate().is_ok());
    assert_eq!(refused(|p| p.tcr = rate(11.0)), Some("TCR"));
}

#[test]
fn studies_may_leave_the_ranges_of_the_standard_but_not_those_of_the_arithmetic() {
    let study = Parameters {
        rif: 0.0,
        rdf: 0.3,
        nrm: 31,
        mrm: 0,
        trm: Span::from_secs(1),
        adtf: Span::MAX,
        tbe: Cells(u64::MAX),
        cdf: 0.1,
        ..good()
    };
    assert_eq!(study.validate(), Ok(()));
    assert!(study.validate_standard().is_err());
    let broken = [
        Parameters {
            rif: -0.1,
            ..good()
        },
        Parameters { rdf: 1.1, ..good() },
        Parameters {
            cdf: f64::NAN,
            ..good()
        },
        Parameters { nrm: 0, ..good() },
        Parameters::new(Rate::ZERO),
    ];
    for parameters in broken {
        assert!(parameters.validate().is_err(), "{parameters:?}");
    }
}

#[test]
fn an_error_names_the_parameter_its_value_and_what_was_expected() {
    let message = |parameters: Parameters| {
        parameters
            .validate_standard()
            .map_err(|error| error.to_string())
    };
    let mcr = Rate::cells_per_s(2_000.0);
    let adtf = Span::ZERO;
    let trm = Span::from_ms(40);
    for (parameters, expected) in [
        (
            Parameters { mcr, ..good() },
            "MCR = 2000, expected 0 to 1000",
        ),
        (
            Parameters { nrm: 1, ..good() },
            "Nrm = 1, expected at least 2",
        ),
        (
            Parameters { nrm: 48, ..good() },
            "Nrm = 48, expected a power of two from 2 to 256",
        ),
        (
            Parameters { adtf, ..good() },
            "ADTF = 0, expected 0.01 to 10.23 in steps of 0.01",
        ),
        (
            Parameters { trm, ..good() },
            "Trm = 0.04, expected 0.1, halved at most 7 times",
        ),
    ] {
        assert_eq!(message(parameters), Err(expected.to_string()));
    }
}
