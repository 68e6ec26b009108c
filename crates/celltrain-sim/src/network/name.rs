//! Names of the members of groups; the group's name is stored once.

use std::fmt;
use std::sync::Arc;

/// A name, with the member's number in a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    group: Arc<str>,
    /// From 1; `None` outside a group.
    member: Option<u32>,
}

impl Name {
    /// The members of a group: `NAME1` to `NAMEn`, or `NAME` alone.
    pub(super) fn members(name: &str, count: Option<usize>) -> impl Iterator<Item = Self> + use<> {
        let group: Arc<str> = name.into();
        (1..=count.unwrap_or(1) as u32).map(move |member| Self {
            group: Arc::clone(&group),
            member: count.map(|_| member),
        })
    }
}

impl Name {
    /// The name in the scenario, which the members of a group share.
    pub(super) fn group(&self) -> &str {
        &self.group
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.group)?;
        self.member.map_or(Ok(()), |member| write!(f, "{member}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_a_group_have_numbers() {
        let names = |count| {
            let names = Name::members("pc", count);
            names.map(|name| name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(Some(2)), ["pc1", "pc2"]);
        assert_eq!(names(None), ["pc"]);
    }
}
