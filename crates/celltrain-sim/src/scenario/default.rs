//! Default values, as functions for serde.

use celltrain_language::Text;
use celltrain_proto::units::Span;

/// An option that is on by default.
pub(super) fn yes() -> bool {
    true
}

/// No time.
pub(super) fn no_time() -> Text<Span> {
    Text(Span::ZERO)
}

/// A tolerance of policing.
pub(super) fn hundred_us() -> Text<Span> {
    Text(Span::from_us(100))
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
