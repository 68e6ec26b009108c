//! Scenarios of tests as TOML: nodes in a row, with links from each to the next.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::fmt::Write;

/// A link between two nodes of a row: its name, and its keys as lines of TOML.
pub(crate) struct Link {
    name: String,
    keys: String,
}

/// A link of this delay, a time or a table, without a line rate.
pub(crate) fn link(name: &str, delay: &str) -> Link {
    Link {
        name: name.to_owned(),
        keys: if delay.starts_with('{') {
            format!("delay = {delay}\n")
        } else {
            format!("delay = \"{delay}\"\n")
        },
    }
}

impl Link {
    /// With a line rate and a buffer of `buffer` cells in front of it.
    pub(crate) fn queue(self, rate: &str, buffer: u32) -> Self {
        self.with(&format!("rate = \"{rate}\"\nbuffer = \"{buffer} cells\""))
    }

    /// With further keys.
    pub(crate) fn with(mut self, keys: &str) -> Self {
        self.keys += keys;
        self.keys.push('\n');
        self
    }
}

/// Hosts at both ends of a row, switches between them, links from each node to the next, and further tables.
pub(crate) struct Row {
    nodes: Vec<String>,
    /// Index of the node that the links lead to so far.
    reached: usize,
    measure: String,
    /// Keys of the first host and of the last one.
    hosts: [String; 2],
    rest: String,
}

impl Row {
    /// A row of nodes, whose names are separated by spaces.
    pub(crate) fn of(nodes: &str) -> Self {
        Self {
            nodes: nodes.split(' ').map(str::to_owned).collect(),
            reached: 0,
            measure: String::new(),
            hosts: [const { String::new() }; 2],
            rest: String::new(),
        }
    }

    /// Sets the keys of both hosts.
    pub(crate) fn hosts(mut self, keys: &str) -> Self {
        self.hosts = [keys, keys].map(str::to_owned);
        self
    }

    /// Adds keys to the first host.
    pub(crate) fn first_host(mut self, keys: &str) -> Self {
        self.hosts[0].push('\n');
        self.hosts[0].push_str(keys);
        self
    }

    /// Measured from the start, up to `duration`.
    pub(crate) fn lasting(self, duration: &str) -> Self {
        self.measured("0 s", duration)
    }

    /// Measured from `warm_up` up to `duration`.
    pub(crate) fn measured(self, warm_up: &str, duration: &str) -> Self {
        self.measure(&format!(
            "warm_up = \"{warm_up}\"\nduration = \"{duration}\""
        ))
    }

    /// Measured according to these keys.
    pub(crate) fn measure(mut self, keys: &str) -> Self {
        keys.clone_into(&mut self.measure);
        self
    }

    /// A link to the next node, the same in both directions.
    pub(crate) fn link(mut self, link: Link) -> Self {
        let Link { name, keys } = link;
        let [here, there] = self.advance();
        let ends = format!("between = [\"{here}\", \"{there}\"]\n");
        self.table("links", &name, &(ends + &keys))
    }

    /// A link to the next node, and another one back.
    pub(crate) fn ways(mut self, forth: Link, back: Link) -> Self {
        let [here, there] = self.advance();
        self.way(forth, &here, &there).way(back, &there, &here)
    }

    fn way(self, link: Link, from: &str, to: &str) -> Self {
        let Link { name, keys } = link;
        let ends = format!("from = \"{from}\"\nto = \"{to}\"\n");
        self.table("links", &name, &(ends + &keys))
    }

    /// A VC from end to end, with further keys.
    pub(crate) fn vc(self, name: &str, keys: &str) -> Self {
        let route = format!("route = {:?}\n", self.nodes);
        self.table("vcs", name, &(route + keys))
    }

    /// A flow on a VC, with further keys.
    pub(crate) fn flow(self, name: &str, vc: &str, keys: &str) -> Self {
        self.table("flows", name, &format!("vc = \"{vc}\"\n{keys}"))
    }

    /// A background on a VC, with further keys.
    pub(crate) fn background(self, name: &str, vc: &str, keys: &str) -> Self {
        self.table("backgrounds", name, &format!("vc = \"{vc}\"\n{keys}"))
    }

    /// Further tables.
    pub(crate) fn and(mut self, tables: &str) -> Self {
        self.rest += tables;
        self.rest.push('\n');
        self
    }

    /// The scenario.
    pub(crate) fn toml(self) -> String {
        assert_eq!(
            self.reached + 1,
            self.nodes.len(),
            "each node has links to the next"
        );
        let [first, inner @ .., last] = &self.nodes[..] else {
            panic!("a row has two ends")
        };
        let mut text = format!("[measure]\n{}\n", self.measure);
        for (host, keys) in [first, last].into_iter().zip(&self.hosts) {
            let _ = writeln!(text, "[hosts.{host}]\n{keys}");
        }
        for switch in inner {
            let _ = writeln!(text, "[switches.{switch}]");
        }
        text + &self.rest
    }

    /// Advances to the next node; returns the names of this one and the next.
    fn advance(&mut self) -> [String; 2] {
        self.reached += 1;
        [self.reached - 1, self.reached].map(|at| self.nodes[at].clone())
    }

    fn table(self, section: &str, name: &str, keys: &str) -> Self {
        self.and(&format!("[{section}.{name}]\n{keys}"))
    }
}
