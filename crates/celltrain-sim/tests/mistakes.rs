//! All mistakes of a text at once, and nothing that only follows from one.

use celltrain_sim::mistakes::mistakes;
use celltrain_sim::scenario::Source;

const SOUND: &str = r#"
[measure]
warm_up = "1 s"
duration = "3 s"

[hosts]
a = {}
b = {}

[switches]
s = {}

[links.access]
between = ["a", "s"]
delay = "0 s"

[links.line]
between = ["s", "b"]
delay = "5 ms"
rate = "1 Mbit/s"
buffer = "100 cells"

[vcs.one]
route = ["a", "s", "b"]

[vcs.two]
route = ["a", "s", "b"]

[flows.first]
vc = "one"

[flows.second]
vc = "two"

[probes.queue]
every = "100 ms"
record = ["links.line.queue_cells"]
"#;

/// Keys of the mistakes after each text was replaced by another.
fn keys(changes: &[(&str, &str)]) -> Vec<String> {
    let mut text = SOUND.to_owned();
    for (was, becomes) in changes {
        assert!(text.contains(was), "{was}");
        text = text.replacen(was, becomes, 1);
    }
    let found = mistakes(&Source::toml(&text, "test"), None, Vec::new());
    found.into_iter().map(|error| error.key).collect()
}

#[test]
fn a_sound_text_has_none() {
    assert!(keys(&[]).is_empty());
}

#[test]
fn keys_and_values_of_all_entries_are_found_in_the_order_of_the_text() {
    let found = keys(&[
        (
            "delay = \"5 ms\"",
            "dealy = \"5 ms\"\ndelay = \"5 parsecs\"",
        ),
        ("duration = \"3 s\"", "duration = \"3 s\"\nseed = 1"),
        ("every = \"100 ms\"", "every = 100"),
        (
            "vc = \"two\"",
            "vc = \"two\"\ntcp = { variant = \"tahoo\" }",
        ),
    ]);
    let expected = [
        "measure.seed",
        "links.line.dealy",
        "links.line.delay",
        "flows.second.tcp.variant",
        "probes.queue.every",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_table_without_its_wrong_key_is_no_second_mistake() {
    assert_eq!(
        keys(&[("between = [\"s\", \"b\"]", "between = 7")]),
        ["links.line.between"]
    );
}

#[test]
fn names_that_do_not_exist_are_all_found() {
    let found = keys(&[
        ("vc = \"one\"", "vc = \"on\""),
        (
            "[vcs.two]\nroute = [\"a\", \"s\", \"b\"]",
            "[vcs.two]\nroute = [\"a\", \"t\", \"b\"]",
        ),
    ]);
    assert_eq!(found, ["vcs.two.route", "flows.first.vc"]);
}

#[test]
fn what_needs_a_wrong_entry_is_not_blamed() {
    // Both VCs need the line, both flows need a VC.
    assert_eq!(
        keys(&[("rate = \"1 Mbit/s\"", "rate = \"0 Mbit/s\"")]),
        ["links.line.rate"]
    );
    assert_eq!(keys(&[("a = {}", "a = { count = 0 }")]), ["hosts.a.count"]);
    // The sections below are missing, since the text calls them by other names.
    assert_eq!(
        keys(&[("[vcs.one]", "[vc.one]"), ("[vcs.two]", "[vc.two]")]),
        ["vc"]
    );
}

#[test]
fn a_text_that_is_no_toml_has_one_mistake_with_its_place() {
    let found = mistakes(&Source::toml("[measure\n", "test"), None, Vec::new());
    assert_eq!(found.len(), 1);
    assert!(found[0].position.is_some());
}

#[test]
fn known_mistakes_are_left_out_with_what_needs_them() {
    let broken = vec![vec![
        "links".to_owned(),
        "line".to_owned(),
        "rate".to_owned(),
        "file".to_owned(),
    ]];
    let text = SOUND.replace("rate = \"1 Mbit/s\"", "rate = { process = \"replay\" }");
    let found = mistakes(&Source::toml(&text, "test"), None, broken);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_mistake_in_the_section_that_every_text_needs_hides_no_other() {
    let others = [
        ("every = \"100 ms\"", "evry = \"100 ms\""),
        ("vc = \"two\"", "vc = \"three\""),
    ];
    for (was, becomes, key) in [
        ("duration = \"3 s\"", "duration = \"3\"", "measure.duration"),
        (
            "duration = \"3 s\"",
            "durration = \"3 s\"",
            "measure.durration",
        ),
        ("[measure]", "[measur]", "measur"),
    ] {
        let mut changes = vec![(was, becomes)];
        changes.extend(others);
        let found = keys(&changes);
        // Without its name the section is not known, and names in other entries are not looked up.
        let names: &[&str] = if key == "measur" {
            &[]
        } else {
            &["flows.second.vc"]
        };
        assert_eq!(
            found,
            [&[key], names, &["probes.queue.evry"]].concat(),
            "{becomes}"
        );
    }
}
