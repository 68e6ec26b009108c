//! Parameters of an ABR connection, with the defaults and ranges of the standard.

use core::fmt;

use crate::units::{Cells, Rate, Span};

/// Parameters of one direction of an ABR connection (TM 4.0 §5.10.3.3, tables 5-3 and 5-5).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameters {
    /// PCR: the ceiling of ACR.
    pub pcr: Rate,
    /// MCR: the floor of ACR, guaranteed; default 0, at most PCR.
    pub mcr: Rate,
    /// ICR: ACR at the start and after idleness; default PCR, from MCR to PCR.
    pub icr: Rate,
    /// RIF: additive increase as a fraction of PCR; default 1/16, from 2^-15 to 1.
    pub rif: f64,
    /// RDF: decrease as a fraction of ACR; default 1/16, from 2^-15 to 1.
    pub rdf: f64,
    /// Nrm: one forward RM cell for every Nrm in-rate cells, itself included; default 32, from 2 to 256.
    pub nrm: u32,
    /// Mrm: in-rate cells that must have left before Trm counts; 2.
    pub mrm: u32,
    /// Trm: longest time between forward RM cells of an active source; default and longest 100 ms.
    pub trm: Span,
    /// ADTF: time without a forward RM cell after which ACR falls to ICR; default 0.5 s, 10 ms to 10.23 s.
    pub adtf: Span,
    /// TBE: cells that the network can absorb before the first feedback; default 16 777 215.
    pub tbe: Cells,
    /// CDF: decrease where feedback is missing, as a fraction of ACR; default 1/16, 0 or 2^-6 to 1.
    pub cdf: f64,
    /// TCR: the rate of out-of-rate RM cells, 10 cells/s.
    pub tcr: Rate,
    /// How a source whose rate would fall below TCR recovers.
    pub starved: Starved,
    /// Whether a forward RM cell that is due leaves although neither data nor a backward RM cell waits.
    pub idle_forward_rm: bool,
}

/// How a source recovers when the network leaves it no rate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Starved {
    /// ACR never falls below TCR (or below PCR, if that is less): it stands for the out-of-rate cells.
    #[default]
    Floor,
    /// Below TCR it sends nothing in-rate, whatever its MCR, but forward RM cells out-of-rate, TCR of them.
    OutOfRate,
}

/// A parameter outside of its range.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ParameterError {
    /// The parameter's name in the standard.
    pub name: &'static str,
    /// Its value: cells/s, s, cells, or a fraction.
    pub value: f64,
    /// The range that the standard allows, in the same unit.
    pub range: (f64, f64),
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.range;
        write!(
            f,
            "{} = {} is outside of {low} to {high}",
            self.name, self.value
        )
    }
}

impl core::error::Error for ParameterError {}

const SMALLEST_FRACTION: f64 = 1.0 / 32_768.0;

impl Parameters {
    /// The standard's defaults for a connection of this PCR.
    pub const fn new(pcr: Rate) -> Self {
        Self {
            pcr,
            mcr: Rate::ZERO,
            icr: pcr,
            rif: 1.0 / 16.0,
            rdf: 1.0 / 16.0,
            nrm: 32,
            mrm: 2,
            trm: Span::from_ms(100),
            adtf: Span::from_ms(500),
            tbe: Cells(16_777_215),
            cdf: 1.0 / 16.0,
            tcr: Rate::cells_per_s(10.0),
            starved: Starved::Floor,
            idle_forward_rm: true,
        }
    }

    /// CRM = TBE / Nrm, rounded up: forward RM cells without feedback before rule 6 cuts the rate.
    pub const fn crm(&self) -> u64 {
        self.tbe.0.div_ceil(self.nrm as u64)
    }

    /// The lowest value of ACR.
    pub const fn floor(&self) -> Rate {
        match self.starved {
            Starved::Floor => self.mcr.max(self.tcr.min(self.pcr)),
            Starved::OutOfRate => self.mcr,
        }
    }

    /// The parameters after set-up over a path with this fixed round-trip time: ICR is lowered to
    /// TBE / FRTT, but not below MCR (TM 4.0 §5.10.3.3).
    #[must_use]
    pub fn negotiated(self, frtt: Span) -> Self {
        let by_exposure = Rate::cells_per_s(self.tbe.0 as f64 / frtt.as_secs());
        Self {
            icr: self.icr.min(by_exposure).max(self.mcr),
            ..self
        }
    }

    /// The first parameter outside of its range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let cells = Rate::as_cells_per_s;
        let checks = [
            ("PCR", cells(self.pcr), (f64::MIN_POSITIVE, f64::MAX)),
            ("MCR", cells(self.mcr), (0.0, cells(self.pcr))),
            ("ICR", cells(self.icr), (cells(self.mcr), cells(self.pcr))),
            ("RIF", self.rif, (SMALLEST_FRACTION, 1.0)),
            ("RDF", self.rdf, (SMALLEST_FRACTION, 1.0)),
            ("Nrm", f64::from(self.nrm), (2.0, 256.0)),
            ("Trm", self.trm.as_secs(), (0.1 / 128.0, 0.1)),
            ("ADTF", self.adtf.as_secs(), (0.01, 10.23)),
            ("TBE", self.tbe.0 as f64, (0.0, 16_777_215.0)),
            ("CDF", self.cdf, (0.0, 1.0)),
        ];
        let outside = checks
            .into_iter()
            .find(|&(_, value, (low, high))| !(low <= value && value <= high));
        outside.map_or(Ok(()), |(name, value, range)| {
            Err(ParameterError { name, value, range })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn defaults_are_those_of_the_standard_and_in_range() {
        let parameters = Parameters::new(Rate::kbps(149_760));
        assert_eq!(parameters.validate(), Ok(()));
        assert_eq!(parameters.crm(), 524_288);
        assert_eq!(parameters.icr, parameters.pcr);
        assert_eq!(parameters.floor(), Rate::bps(4_240.0));
    }

    #[test]
    fn crm_is_rounded_up() {
        let parameters = Parameters {
            tbe: Cells(100),
            ..Parameters::new(Rate::kbps(1_000))
        };
        assert_eq!(parameters.crm(), 4);
    }

    #[test]
    fn set_up_lowers_icr_to_what_the_network_can_absorb_but_not_below_mcr() {
        let pcr = Rate::cells_per_s(10_000.0);
        let asked = Parameters {
            tbe: Cells(1_000),
            ..Parameters::new(pcr)
        };
        assert_eq!(
            asked.negotiated(Span::from_ms(500)).icr,
            Rate::cells_per_s(2_000.0)
        );
        assert_eq!(asked.negotiated(Span::from_ms(10)).icr, pcr);
        let guaranteed = Parameters {
            mcr: Rate::cells_per_s(3_000.0),
            ..asked
        };
        assert_eq!(
            guaranteed.negotiated(Span::from_ms(500)).icr,
            Rate::cells_per_s(3_000.0)
        );
    }

    #[test]
    fn a_value_out_of_range_is_named() {
        let good = Parameters::new(Rate::cells_per_s(1_000.0));
        let bad = [
            (
                Parameters {
                    mcr: Rate::cells_per_s(2_000.0),
                    ..good
                },
                "MCR = 2000 is outside of 0 to 1000",
            ),
            (
                Parameters { nrm: 1, ..good },
                "Nrm = 1 is outside of 2 to 256",
            ),
            (
                Parameters { rif: 2.0, ..good },
                "RIF = 2 is outside of 0.000030517578125 to 1",
            ),
            (
                Parameters {
                    adtf: Span::ZERO,
                    ..good
                },
                "ADTF = 0 is outside of 0.01 to 10.23",
            ),
        ];
        for (parameters, message) in bad {
            assert_eq!(
                parameters.validate().map_err(|error| error.to_string()),
                Err(message.to_string())
            );
        }
    }
}
