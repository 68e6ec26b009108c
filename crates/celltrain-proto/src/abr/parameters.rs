//! Parameters of an ABR connection, with the defaults and ranges of the standard.

use super::range::{Expected, ParameterError};
use super::turn_around::{BackwardRm, OlderBackwardRm};
use crate::cell::rate_code;
use crate::units::{Cells, Rate, Span};

/// Parameters of one direction of an ABR connection (TM 4.0 §5.10.3.3, tables 5-3 and 5-5).
///
/// The stated ranges are the standard's ([`Parameters::validate_standard`]); studies go beyond them, so
/// [`Parameters::validate`] only checks what the arithmetic needs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameters {
    /// PCR: the ceiling of ACR.
    pub pcr: Rate,
    /// MCR: the guaranteed floor of ACR; default 0, at most PCR.
    pub mcr: Rate,
    /// ICR: ACR at the start and after idleness; default PCR, between MCR and PCR.
    pub icr: Rate,
    /// RIF: additive increase as a fraction of PCR; default 1/16, a power of two from 2^-15 to 1.
    pub rif: f64,
    /// RDF: decrease as a fraction of ACR; default 1/16, a power of two from 2^-15 to 1.
    pub rdf: f64,
    /// Nrm: one forward RM cell in every Nrm in-rate cells, counting itself; default 32, a power of two from 2 to 256.
    pub nrm: u32,
    /// Mrm: in-rate cells that must have been sent before Trm applies; 2.
    pub mrm: u32,
    /// Trm: longest time between forward RM cells of an active source; default and maximum 100 ms, or 100 ms halved one
    /// to seven times.
    pub trm: Span,
    /// ADTF: time without a forward RM cell after which ACR falls to ICR; default 0.5 s, range 10 ms to 10.23 s in
    /// steps of 10 ms.
    pub adtf: Span,
    /// TBE: cells that the network can absorb before the first feedback; default and maximum 16 777 215.
    pub tbe: Cells,
    /// FRTT: the round-trip time of the unloaded path; 0 until set by [`Parameters::negotiated`], at most 16.7 s.
    pub frtt: Span,
    /// CDF: decrease while feedback is missing, as a fraction of ACR; default 1/16, 0 or a power of two from 2^-6 to 1.
    pub cdf: f64,
    /// TCR: the rate of out-of-rate RM cells, 10 cells/s.
    pub tcr: Rate,
    /// How a source whose rate would fall below TCR recovers.
    pub starved: Starved,
    /// Whether a due forward RM cell is sent although neither data nor a backward RM cell waits.
    pub idle_forward_rm: bool,
    /// Whether ACR is lowered to the rate actually used (rule 13, use it or lose it).
    pub use_it_or_lose_it: bool,
    /// Whether the rates in RM cells are rounded to the 16-bit code ([`crate::cell::rate_code`]).
    pub rm_quantise: bool,
    /// How the backward RM cells of the other loop are sent.
    pub backward_rm: BackwardRm,
    /// What happens to a waiting backward RM cell when a newer one arrives.
    pub older_backward_rm: OlderBackwardRm,
}

/// How a source recovers when the network grants it no rate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Starved {
    /// ACR never falls below TCR (or PCR, if lower); this replaces the out-of-rate cells.
    #[default]
    Floor,
    /// Below TCR it sends nothing in-rate, whatever its MCR, only out-of-rate forward RM cells at TCR.
    OutOfRate,
}

/// 2^-15, the smallest RIF and RDF.
const SMALLEST_FRACTION: f64 = 1.0 / 32_768.0;

impl Parameters {
    /// The standard's defaults for a connection with this PCR.
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
            frtt: Span::ZERO,
            cdf: 1.0 / 16.0,
            tcr: Rate::cells_per_s(10.0),
            starved: Starved::Floor,
            idle_forward_rm: true,
            use_it_or_lose_it: false,
            rm_quantise: false,
            backward_rm: BackwardRm::InRate,
            older_backward_rm: OlderBackwardRm::Overwrite,
        }
    }

    /// CRM = TBE / Nrm, rounded up: forward RM cells without feedback before rule 6 reduces the rate.
    pub const fn crm(&self) -> u64 {
        self.tbe.0.div_ceil(self.nrm as u64)
    }

    /// The lower bound of ACR.
    pub const fn floor(&self) -> Rate {
        match self.starved {
            Starved::Floor => self.mcr.max(self.tcr.min(self.pcr)),
            Starved::OutOfRate => self.mcr,
        }
    }

    /// The parameters negotiated over a path with this fixed round-trip time: ICR is lowered to TBE / FRTT, but not
    /// below MCR (TM 4.0 §5.10.3.3). A path without delay does not lower it.
    #[must_use]
    pub fn negotiated(self, frtt: Span) -> Self {
        let by_exposure = if frtt == Span::ZERO {
            self.pcr
        } else {
            Rate::cells_per_s(self.tbe.0 as f64 / frtt.as_secs())
        };
        Self {
            icr: self.icr.min(by_exposure).max(self.mcr),
            frtt,
            ..self
        }
    }

    /// Checks what the source's arithmetic needs; the error names the first parameter that fails: a rate or fraction
    /// out of range, or an Nrm that leaves no room for data.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let [pcr, mcr, icr] = [self.pcr, self.mcr, self.icr].map(Rate::as_cells_per_s);
        Expected::MoreThan(0.0).check("PCR", pcr)?;
        Expected::Between(0.0, pcr).check("MCR", mcr)?;
        Expected::Between(mcr, pcr).check("ICR", icr)?;
        Expected::Between(0.0, 1.0).check("RIF", self.rif)?;
        Expected::Between(0.0, 1.0).check("RDF", self.rdf)?;
        Expected::Between(0.0, 1.0).check("CDF", self.cdf)?;
        Expected::AtLeast(2.0).check("Nrm", f64::from(self.nrm))
    }

    /// Checks the standard's ranges (TM 4.0 §5.10.3.3, tables 5-3 and 5-5); the error names the first parameter
    /// outside.
    pub fn validate_standard(&self) -> Result<(), ParameterError> {
        self.validate()?;
        let largest = rate_code::decode(rate_code::LARGEST).as_cells_per_s();
        let fraction = Expected::PowerOfTwo(SMALLEST_FRACTION, 1.0);
        Expected::Between(1.0, largest).check("PCR", self.pcr.as_cells_per_s())?;
        fraction.check("RIF", self.rif)?;
        fraction.check("RDF", self.rdf)?;
        Expected::PowerOfTwo(2.0, 256.0).check("Nrm", f64::from(self.nrm))?;
        Expected::Exactly(2.0).check("Mrm", f64::from(self.mrm))?;
        Expected::Halved(0.1, 7).check("Trm", self.trm.as_secs())?;
        Expected::Hundredths(0.01, 10.23).check("ADTF", self.adtf.as_secs())?;
        Expected::Between(0.0, 16_777_215.0).check("TBE", self.tbe.0 as f64)?;
        Expected::Between(0.0, 16.7).check("FRTT", self.frtt.as_secs())?;
        Expected::ZeroOrPowerOfTwo(1.0 / 64.0, 1.0).check("CDF", self.cdf)?;
        Expected::Exactly(10.0).check("TCR", self.tcr.as_cells_per_s())
    }
}

#[cfg(test)]
mod tests;
