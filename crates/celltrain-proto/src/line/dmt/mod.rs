//! DMT: from loop, noise and margin to bits per carrier and the rate of an ADSL line.
