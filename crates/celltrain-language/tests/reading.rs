//! The error messages for a faulty text, whatever its keys mean: place, key, what was expected, what is nearest.

use celltrain_language::{Document, Fraction, Named, Problem, Source, Text, read_by_kind};
use celltrain_proto::units::{Bytes, Span};
use serde::Deserialize;
use serde_json::{Value, json};

/// A document with named parcels.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Post {
    parcels: Named<Parcel>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Parcel {
    size: Text<Bytes>,
    #[serde(default = "at_once")]
    after: Text<Span>,
    share: Option<Fraction>,
    #[serde(default)]
    stops: Vec<Text<Span>>,
    carrier: Option<Carrier>,
}

#[derive(Debug)]
enum Carrier {
    Foot(Foot),
    Rail(Rail),
}

read_by_kind!(Carrier, "kind", { "foot" => Foot, "rail" => Rail });

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Foot {}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Rail {
    speed: Fraction,
}

fn at_once() -> Text<Span> {
    Text(Span::ZERO)
}

impl Document for Post {
    /// Expands `letter = true` to a parcel of 20 octets.
    fn expand(data: &mut Value) {
        let letter = data.as_object_mut().and_then(|post| post.remove("letter"));
        if letter == Some(json!(true)) {
            data["parcels"]["letter"] = json!({ "size": "20 bytes" });
        }
    }
}

fn error(text: &str) -> String {
    let read = Source::toml(text, "post.toml").read::<Post>();
    read.expect_err("the text is faulty").to_string()
}

#[test]
fn a_text_is_read_with_its_members_in_order_and_shorthand_written_out() {
    let text = "letter = true\n[parcels.b]\nsize = \"1 KiB\"\n[parcels.a]\nsize = \"3 bytes\"\nafter = \"2 s\"\nshare = \"1/16\"\nstops = [\"0.5 s\"]";
    let post: Post = Source::toml(text, "post.toml").read().unwrap();
    let of = |(name, parcel): (&String, &Parcel)| (name.clone(), parcel.size.0, parcel.after.0);
    let read: Vec<_> = post.parcels.iter().map(of).collect();
    assert_eq!(
        read,
        [
            ("b".to_owned(), Bytes(1024), Span::ZERO),
            ("a".to_owned(), Bytes(3), Span::from_secs(2)),
            ("letter".to_owned(), Bytes(20), Span::ZERO),
        ]
    );
    assert_eq!(post.parcels["a"].share, Some(Fraction(0.0625)));
    assert_eq!(post.parcels["a"].stops, [Text(Span::from_ms(500))]);
}

#[test]
fn a_mistake_has_its_line_and_column_and_the_nearest_name() {
    for (text, message) in [
        (
            "[parcels.a]\nsize = \"1 B\"\n  aftr = \"1 s\"",
            "post.toml:3:3: parcels.a.aftr: unknown key; did you mean \"after\"?",
        ),
        (
            "[parcels.a]\nsize = \"1 s\"",
            "post.toml:2:1: parcels.a.size: expected a number of octets such as \"9140 bytes\" or \"64 KiB\", \
             found \"1 s\": its unit is unknown; expected one of \"bytes\", ",
        ),
        (
            "[parcels.a]\nsize = 7",
            "post.toml:2:1: parcels.a.size: expected a number of octets such as \"9140 bytes\" or \"64 KiB\", found 7",
        ),
        (
            "[parcels.a]\nafter = \"1 s\"",
            "post.toml:1:10: parcels.a: the key \"size\" is missing",
        ),
        // The key that selects a kind.
        (
            "[parcels.a]\nsize = \"1 B\"\ncarrier = { speed = 3, knd = \"rail\" }",
            "post.toml:3:24: parcels.a.carrier.knd: unknown key; did you mean \"kind\"?",
        ),
        (
            "[parcels.a]\nsize = \"1 B\"\ncarrier = { speed = 3 }",
            "post.toml:3:1: parcels.a.carrier: the key \"kind\" is missing",
        ),
        // The second member of an array, with its own column.
        (
            "[parcels.a]\nsize = \"1 B\"\nstops = [\"1 s\", \"1\"]",
            "post.toml:3:17: parcels.a.stops.1: expected a time",
        ),
        (
            "[parcels.a]\nsize = \"1 B\"\nshare = \"1/0\"",
            "post.toml:3:1: parcels.a.share: expected a number such as 0.0625 or a fraction such as \"1/16\", found \"1/0\"",
        ),
        ("[parcels.a\n", "post.toml:1:11: not valid TOML: "),
        (
            "[parcels.a]\nsize = 1979-05-27",
            "post.toml:2:1: parcels.a.size: expected no date or time of day, found 1979-05-27",
        ),
    ] {
        let found = error(text);
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn a_table_of_several_kinds_keeps_the_path_of_an_error_wherever_its_kind_stands() {
    let of = |carrier: &str| format!("[parcels.a]\nsize = \"1 B\"\n[parcels.a.carrier]\n{carrier}");
    let rail = of("speed = 0.5\nkind = \"rail\"");
    let post: Post = Source::toml(&rail, "post.toml").read().unwrap();
    let Some(Carrier::Rail(rail)) = &post.parcels["a"].carrier else {
        panic!("it goes by rail");
    };
    assert_eq!(rail.speed, Fraction(0.5));
    let foot = of("kind = \"foot\"");
    let post: Post = Source::toml(&foot, "post.toml").read().unwrap();
    assert!(matches!(
        post.parcels["a"].carrier,
        Some(Carrier::Foot(Foot {}))
    ));

    for (carrier, message) in [
        (
            "speed = -1\nkind = \"rail\"",
            "post.toml:4:1: parcels.a.carrier.speed: expected a number",
        ),
        (
            "kind = \"rial\"",
            "parcels.a.carrier: unknown value \"rial\"; did you mean \"rail\"?",
        ),
        (
            "speed = 1",
            "parcels.a.carrier: the key \"kind\" is missing",
        ),
    ] {
        let found = error(&of(carrier));
        assert!(found.contains(message), "{found}");
    }
}

#[test]
fn the_problem_of_a_check_gets_the_place_of_its_key() {
    let source = Source::toml("[parcels.a]\nsize = \"1 B\"\n", "post.toml");
    let located = source.locate(&Problem::at("parcels.a.size", "expected less"));
    assert_eq!(located.position, Some((2, 1)));
    assert_eq!(
        located.to_string(),
        "post.toml:2:1: parcels.a.size: expected less"
    );
    // A missing key: the deepest existing key of its path.
    let located = source.locate(&Problem::at("parcels.a.weight", "expected one"));
    assert_eq!(located.position, Some((1, 10)));
}

#[test]
fn control_characters_of_a_text_reach_no_terminal() {
    let found = error("[parcels.\"a\\u001b[2J\"]\nsize = \"\\u0007\"");
    assert!(!found.contains(char::is_control), "{found:?}");
    assert!(found.contains("parcels.a\u{fffd}[2J.size"), "{found:?}");
}

#[test]
fn json_has_the_same_language_without_positions() {
    let text = r#"{ "parcels": { "a": { "sise": "1 B" } } }"#;
    let error = Source::json(text, "post.json").read::<Post>().unwrap_err();
    assert_eq!(error.position, None);
    assert_eq!(
        error.to_string(),
        "post.json: parcels.a.sise: unknown key; did you mean \"size\"?"
    );
}
