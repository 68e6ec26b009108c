//! Service categories as priority classes (TM 4.0 §2.1).

use core::fmt;
use core::str::FromStr;

/// Service categories, in the order in which a port serves them: a class waits while a class before it has cells. A
/// cell in transmission is not interrupted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Constant bit rate.
    Cbr,
    /// Real-time variable bit rate.
    RtVbr,
    /// Non-real-time variable bit rate.
    NrtVbr,
    /// Available bit rate.
    Abr,
    /// Unspecified bit rate.
    Ubr,
}

impl Class {
    /// All classes, in the order of service.
    pub const ALL: [Self; 5] = [Self::Cbr, Self::RtVbr, Self::NrtVbr, Self::Abr, Self::Ubr];

    /// The name in scenarios.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cbr => "cbr",
            Self::RtVbr => "rt-vbr",
            Self::NrtVbr => "nrt-vbr",
            Self::Abr => "abr",
            Self::Ubr => "ubr",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Text that is not the name of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub struct UnknownClass;

impl fmt::Display for UnknownClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is none of")?;
        for (i, class) in Class::ALL.into_iter().enumerate() {
            write!(f, "{} {class}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl FromStr for Class {
    type Err = UnknownClass;
    fn from_str(text: &str) -> Result<Self, UnknownClass> {
        let named = |class: &Self| class.as_str() == text;
        Self::ALL.into_iter().find(named).ok_or(UnknownClass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn cbr_goes_before_vbr_before_abr_before_ubr() {
        let names = Class::ALL.map(Class::as_str);
        assert_eq!(names, ["cbr", "rt-vbr", "nrt-vbr", "abr", "ubr"]);
        assert!(Class::ALL.is_sorted());
    }

    #[test]
    fn a_name_is_read_back_as_its_class_and_no_other_text_is() {
        for class in Class::ALL {
            assert_eq!(class.to_string().parse(), Ok(class));
        }
        for text in ["", "vbr", "ABR", " abr"] {
            assert_eq!(text.parse::<Class>(), Err(UnknownClass));
        }
        assert_eq!(
            UnknownClass.to_string(),
            "it is none of cbr, rt-vbr, nrt-vbr, abr, ubr"
        );
    }
}
