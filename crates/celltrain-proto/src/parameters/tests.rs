//! What the macros generate, for a family of two.

#![allow(
    unreachable_pub,
    reason = "the macros make public items, here in a private module"
)]

use std::string::String;
use std::vec::Vec;

use super::{Bounds, at_least, each};
use crate::units::{Cells, Span};

choice! {
    /// Which end.
    pub enum End {
        /// Near.
        #[default]
        NearEnd,
        /// Far.
        FarEnd,
    }
}

parameters! {
    /// Shared.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Shared {
        /// Weight of the newest value
        /// in the mean.
        pub weight: f64 = 0.25, in Bounds::PART;
        /// At which end.
        pub end: End = End::default();
    }
}

parameters! {
    /// One.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct OneParameters {
        /// Upper threshold.
        pub high: Cells;
        /// Lower threshold; none if absent.
        pub low: Option<Cells>, in Bounds::above(Cells(1));
        /// Measurement interval.
        pub interval: Span = Span::from_ms(10), in Bounds::INTERVAL;
        ..pub shared: Shared;
    }
    |it| at_least("high", it.high, "low", it.low.unwrap_or_default())
}

parameters! {
    /// No keys.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct OtherParameters {}
}

family! {
    /// One or the other.
    pub enum Any as "Any" by "kind" {
        /// The first.
        "one", "ONE" => One(OneParameters);
        /// The second.
        "other-one", "the other" => Other(OtherParameters);
    }
}

family! {
    /// By name alone, too.
    pub enum Named as "Named" by "kind" or alone {
        /// Shared keys.
        "shared", "Shared" => Shared(Shared);
        /// No keys.
        "other", "Other" => Other(OtherParameters);
    }
}

parameters! {
    /// Tables in a list.
    #[derive(Clone, PartialEq, Debug)]
    pub struct Listed {
        /// Each with its keys.
        pub all: Vec<Shared>;
        /// What they are about.
        pub about: String;
    }
    |it| each("all", &it.all, Shared::check)
}

family! {
    /// Lists.
    pub enum Lists as "Lists" by "kind" {
        /// One list.
        "listed", "List" => Listed(Listed);
    }
}

const ONE: OneParameters = OneParameters {
    high: Cells(8),
    low: None,
    interval: Span::from_ms(10),
    shared: Shared {
        weight: 0.25,
        end: End::NearEnd,
    },
};

#[test]
fn a_row_gives_its_keyword_and_its_name() {
    let any = [("Any", "one", "ONE"), ("Any", "other-one", "the other")];
    assert_eq!(Any::NAMES, any);
    let named = [("Named", "shared", "Shared"), ("Named", "other", "Other")];
    assert_eq!(Named::NAMES, named);
    assert_eq!(Lists::NAMES, [("Lists", "listed", "List")]);
}

#[test]
fn the_first_value_out_of_its_bounds_is_named() {
    let wrong = |it: OneParameters| Any::One(it).check().map_err(|it| (it.key, it.message));
    assert_eq!(wrong(ONE), Ok(()));
    let cases = [
        (
            OneParameters {
                interval: Span::ZERO,
                low: Some(Cells(1)),
                ..ONE
            },
            ("low", "expected more than 1 cells, found 1 cells"),
        ),
        (
            OneParameters {
                interval: Span::from_ps(999_999),
                ..ONE
            },
            ("interval", "expected at least 1 us, found 999999 ps"),
        ),
        (
            OneParameters {
                shared: Shared {
                    weight: 0.0,
                    ..ONE.shared
                },
                ..ONE
            },
            ("weight", "expected more than 0 and at most 1, found 0"),
        ),
        (
            OneParameters {
                low: Some(Cells(9)),
                ..ONE
            },
            ("high", "expected at least low, 9 cells, found 8 cells"),
        ),
    ];
    for (parameters, (key, message)) in cases {
        assert_eq!(wrong(parameters), Err((key.into(), message.into())));
    }
    assert_eq!(Any::Other(OtherParameters {}).check(), Ok(()));
}

#[test]
fn the_first_wrong_table_of_a_list_is_named_by_its_number() {
    let of = |weight| Shared {
        weight,
        end: End::NearEnd,
    };
    let listed = |weights: &[f64]| {
        let all = weights.iter().copied().map(of).collect();
        let about = String::new();
        Lists::Listed(Listed { all, about })
    };
    assert_eq!(listed(&[1.0, 0.5]).check(), Ok(()));
    let found = listed(&[1.0, 2.0, 0.0]).check().map_err(|it| it.key);
    assert_eq!(found, Err("all.1.weight".into()));
}

#[test]
fn parameters_have_defaults_where_each_of_them_has_one() {
    assert_eq!(OneParameters::defaults(), None);
    assert_eq!(Shared::defaults(), Some(ONE.shared));
    let other = OtherParameters::defaults().map(Named::Other);
    assert_eq!(other.map(|it| it.check()), Some(Ok(())));
}

#[test]
fn bounds_are_told_in_words() {
    let words = [
        (Bounds::at_least(1.0), "at least 1"),
        (Bounds::above(1.0), "more than 1"),
        (Bounds::at_most(0.5), "at most 0.5"),
        (Bounds::below(1.0), "less than 1"),
        (Bounds::within(1.0, 2.0), "1 to 2"),
        (Bounds::PART, "more than 0 and at most 1"),
    ];
    for (bounds, expected) in words {
        assert_eq!(std::format!("{bounds}"), expected);
    }
}

#[cfg(feature = "scenario")]
mod scenario {
    use serde_json::{Value, json};

    use super::*;

    fn read(value: &Value) -> Result<Any, std::string::String> {
        serde_json::from_value(value.clone()).map_err(|error| std::format!("{error}"))
    }

    #[test]
    fn what_is_left_out_has_its_default_and_is_written_out_in_the_order_of_the_fields() {
        let any = read(&json!({"kind": "one", "high": "8 cells"}));
        assert_eq!(any, Ok(Any::One(ONE)));
        let written = serde_json::to_string(&Any::One(ONE));
        assert_eq!(
            written.ok().as_deref(),
            Some(
                r#"{"kind":"one","high":"8 cells","interval":"10 ms","weight":0.25,"end":"near-end"}"#
            )
        );
        let other = serde_json::to_value(Any::Other(OtherParameters {}));
        assert_eq!(other.ok(), Some(json!({"kind": "other-one"})));
    }

    #[test]
    fn shared_keys_stand_in_the_same_table() {
        let text = json!({"kind": "one", "high": "8 cells", "end": "far-end", "weight": "1/8", "low": "2 cells"});
        let Ok(Any::One(one)) = read(&text) else {
            panic!("not read");
        };
        assert_eq!((one.shared.end, one.shared.weight), (End::FarEnd, 0.125));
        assert_eq!(one.low, Some(Cells(2)));
    }

    #[test]
    fn tables_of_a_list_are_read_and_written_with_their_defaults() {
        let text = json!({"kind": "listed", "all": [{}, {"weight": "1/8"}], "about": "two"});
        let read = |text: &Value| serde_json::from_value::<Lists>(text.clone());
        let written = read(&text).ok().map(|it| serde_json::to_value(it).ok());
        let all =
            json!([{"weight": 0.25, "end": "near-end"}, {"weight": 0.125, "end": "near-end"}]);
        let expected = json!({"kind": "listed", "all": all, "about": "two"});
        assert_eq!(written, Some(Some(expected)));
        for wrong in [json!([{"heavy": 1}]), json!([1]), json!("none")] {
            let text = json!({"kind": "listed", "all": wrong, "about": "one"});
            assert!(read(&text).is_err(), "{text}");
        }
        let schema = schemars::schema_for!(Lists).to_value();
        let items = &schema["oneOf"][0]["properties"]["all"]["items"];
        assert_eq!(items["properties"]["weight"]["default"], 0.25);
        assert_eq!(items["additionalProperties"], false);
        assert_eq!(items["required"], json!([]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let table = |key: &str, value: Value| {
            let mut table = json!({"kind": "one", "high": "8 cells"});
            table[key] = value;
            read(&table).map_err(|error| error.split(" at line").next().unwrap_or("").into())
        };
        let cases = [
            (
                "kind",
                json!("two"),
                "unknown variant `two`, expected `one` or `other-one`",
            ),
            (
                "hihg",
                json!(1),
                "unknown field `hihg`, expected one of `high`, `low`, `interval`, `weight`, `end`",
            ),
            (
                "weight",
                json!(-1),
                "expected a number such as 0.0625 or a fraction such as \"1/16\", found -1: it is negative",
            ),
            (
                "weight",
                json!("1/0"),
                "expected a number such as 0.0625 or a fraction such as \"1/16\", found \"1/0\"",
            ),
            (
                "high",
                json!("8 packets"),
                "expected a number of cells such as \"256 cells\", found \"8 packets\": its unit is unknown; expected one of \
                 \"cells\", \"cell\"",
            ),
        ];
        for (key, value, message) in cases {
            let message: std::string::String = message.into();
            assert_eq!(table(key, value), Err(message), "{key}");
        }
        assert_eq!(
            read(&json!({"kind": "one"})),
            Err("missing field `high`".into())
        );
        assert_eq!(
            read(&json!({"high": "8 cells"})),
            Err("missing field `kind`".into())
        );
    }

    #[test]
    fn the_schema_tells_names_meanings_defaults_and_bounds() {
        let schema = schemars::schema_for!(Any).to_value();
        let one = &schema["oneOf"][0];
        assert_eq!(one["title"], "ONE");
        assert_eq!(one["description"], "The first.");
        assert_eq!(one["required"], json!(["kind", "high"]));
        let keys = &one["properties"];
        let weight = &keys["weight"];
        assert_eq!(
            weight["description"],
            "Weight of the newest value in the mean. Allowed: more than 0 and at most 1."
        );
        assert_eq!(weight["default"], 0.25);
        assert_eq!(
            weight["anyOf"][0],
            json!({"type": "number", "exclusiveMinimum": 0.0, "maximum": 1.0})
        );
        assert_eq!(keys["interval"]["default"], "10 ms");
        assert_eq!(keys["low"]["type"], json!(["string", "null"]));
        assert_eq!(keys["end"]["$ref"], "#/$defs/End");
        assert_eq!(schema["oneOf"][1]["required"], json!(["kind"]));
    }

    #[test]
    fn a_keyword_alone_stands_for_a_table_of_defaults_and_is_written_for_it() {
        let read = |value: Value| serde_json::from_value::<Named>(value);
        let table = read(json!({"kind": "shared", "end": "near-end"})).ok();
        assert_eq!(read(json!("shared")).ok(), table);
        let written = |value: Value| serde_json::to_value(read(value).ok()).ok();
        assert_eq!(written(json!({"kind": "shared"})), Some(json!("shared")));
        let far = json!({"kind": "shared", "weight": 0.25, "end": "far-end"});
        assert_eq!(written(far.clone()), Some(far));
        let unknown = read(json!("both")).map_err(|error| std::format!("{error}"));
        assert_eq!(
            unknown,
            Err("unknown variant `both`, expected `shared` or `other`".into())
        );
        // Other families have tables only.
        assert!(serde_json::from_value::<Any>(json!("other-one")).is_err());
    }

    #[test]
    fn the_schema_has_keywords_alone_and_tables() {
        let schema = schemars::schema_for!(Named).to_value();
        let (name, table) = (&schema["oneOf"][0], &schema["oneOf"][2]);
        assert_eq!(name["const"], "shared");
        assert_eq!(name["description"], "Shared keys.");
        assert_eq!(table["title"], "Shared");
        assert_eq!(table["properties"]["kind"]["const"], "shared");
    }
}
