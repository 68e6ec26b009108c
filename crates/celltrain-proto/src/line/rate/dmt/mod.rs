//! DMT: from loop, noise and margin to bits per carrier and the rate of an ADSL line.
//!
//! A loop attenuates each carrier according to its length and wire ([`Wire`]); the signal-to-noise ratio, less a gap
//! for the code and the margin, determines how many bits the carrier holds ([`Channel`]); framing turns bits per symbol
//! into the cell rate ([`framing`]); and over time noise changes the margin, to which the modems respond by bit swap,
//! rate adaptation or a retrain ([`DmtLine`]). Beside ISDN lines that send and receive in turn ([`TcmIsdn`]) the symbols
//! see two kinds of noise, and the line has up to two bit maps ([`BitMaps`]).
//!
//! Levels are in dBm/Hz and ratios in dB. Source: ITU-T G.992.1 7 and 8, G.992.2, G.992.3 7 and 8, G.992.5; the SNR gap of
//! standard multicarrier theory.

mod bit_maps;
mod cable;
mod cap;
pub mod framing;
mod hyperframe;
mod isdn;
mod line;
mod loading;
mod noise;
mod parameters;
#[cfg(test)]
mod tests;

pub use bit_maps::{Alternating, BitMaps};
pub use cable::{Wire, far_end_crosstalk, near_end_crosstalk};
pub use cap::{CapDirection, CapParameters};
pub use hyperframe::Receiver;
pub use isdn::{BitMapping, TcmIsdn};
pub use line::{Adaptation, DmtLine, Retrain};
pub use loading::{Band, Binder, Channel, gap_db, required_snr_db};
pub use noise::{Drift, Neighbour};
pub use parameters::{DmtParameters, Interleaving};

/// Ten to the power of `db` / 10.
fn from_db(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

/// Ten times the decimal logarithm of `ratio`.
fn to_db(ratio: f64) -> f64 {
    10.0 * libm::log10(ratio)
}
