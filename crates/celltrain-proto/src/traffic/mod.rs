//! Traffic sources below TCP: CBR, Poisson, on-off.
