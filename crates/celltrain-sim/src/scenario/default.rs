//! Default values, as functions for serde.

/// An option that is on by default.
pub(super) fn yes() -> bool {
    true
}

/// Named fractions.
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
        one = 1.0;
        sixteenth = 1.0 / 16.0;
    }
}
