//! Default values, as serde wants functions for them.

/// A switch that is on.
pub(super) fn yes() -> bool {
    true
}

/// Fractions by their value.
pub(super) mod fraction {
    use celltrain_language::Fraction;

    macro_rules! fractions {
        ($($name:ident = $value:expr;)+) => {
            $(pub(in super::super) fn $name() -> Fraction {
                Fraction($value)
            })+
        };
    }
    fractions! {
        zero = 0.0;
        one = 1.0;
        two_thousandths = 0.002;
        sixteenth = 1.0 / 16.0;
        tenth = 0.1;
        eighth = 1.0 / 8.0;
        quarter = 0.25;
        half = 0.5;
        four_fifths = 0.8;
        seven_eighths = 7.0 / 8.0;
        nine_tenths = 0.9;
        nineteen_twentieths = 0.95;
        fifteen_sixteenths = 15.0 / 16.0;
        one_and_a_half = 1.5;
        five = 5.0;
    }
}
