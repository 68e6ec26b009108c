//! The scenario language as defined by its JSON Schema: which keys there are, and what each may hold.

pub use celltrain_language::Kind;
use serde_json::{Map, Value};

/// What a key may hold.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// A table with these keys.
    Table(Vec<Key>),
    /// A table whose keys are names.
    Map(Box<Shape>),
    /// One of several alternatives; each table among them has a key with a single value that identifies it.
    OneOf(Vec<Shape>),
    /// One of these names.
    Names(Vec<String>),
    /// A text with a number and a unit.
    Quantity(Kind),
    /// A number of at least 0, or a text such as `"1/16"`.
    Fraction,
    /// Any number.
    Number,
    /// A whole number.
    Whole,
    /// True or false.
    Truth,
    /// A text that refers to something, or a trace.
    Text,
    /// A list, with its length if that is fixed.
    List(Box<Shape>, Option<usize>),
}

/// A key of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Whether a table without it is refused.
    pub required: bool,
    /// What it may hold.
    pub shape: Shape,
}

impl Shape {
    /// The language: a scenario.
    pub fn scenario() -> Self {
        let text = celltrain_sim::scenario::schema();
        let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
        Self::of(&schema, &schema["$defs"])
    }

    fn of(schema: &Value, defs: &Value) -> Self {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap_or_default();
            return Self::of(&defs[name], defs);
        }
        if let Some(all) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            return Self::one_of(all, defs);
        }
        if let Some(name) = schema["const"].as_str() {
            return Self::Names(vec![name.to_owned()]);
        }
        if let Some(names) = schema["enum"].as_array() {
            let names = names.iter().filter_map(Value::as_str).map(str::to_owned);
            return Self::Names(names.collect());
        }
        let kind = schema["type"].as_str().or(schema["type"][0].as_str());
        match kind {
            Some("object") => Self::table(schema, defs),
            Some("array") => {
                let fixed = schema["minItems"].as_u64().map(|items| items as usize);
                Self::List(Box::new(Self::of(&schema["items"], defs)), fixed)
            }
            Some("boolean") => Self::Truth,
            Some("integer") => Self::Whole,
            Some("number") => Self::Number,
            Some("string") => schema["pattern"]
                .as_str()
                .map_or(Self::Text, |_| Self::quantity(schema)),
            other => panic!("the generator cannot draw this type of the schema: {other:?}"),
        }
    }

    /// The alternatives without `null`, which stands for a key that is left out.
    fn one_of(all: &[Value], defs: &Value) -> Self {
        let real = all.iter().filter(|it| it["type"] != "null");
        let flat = real.flat_map(|it| match Self::of(it, defs) {
            Self::OneOf(inner) => inner,
            other => vec![other],
        });
        let mut shapes: Vec<Self> = flat.collect();
        if shapes.len() == 1 {
            return shapes.swap_remove(0);
        }
        let is_name = |shape: &Self| matches!(shape, Self::Names(_));
        if shapes.iter().all(is_name) {
            return Self::Names(shapes.into_iter().flat_map(Self::into_names).collect());
        }
        if shapes.contains(&Self::Number) {
            return Self::Fraction;
        }
        // Names are one alternative, as tables are.
        let (alone, mut others): (Vec<Self>, Vec<Self>) = shapes.into_iter().partition(is_name);
        let names: Vec<String> = alone.into_iter().flat_map(Self::into_names).collect();
        if !names.is_empty() {
            others.insert(0, Self::Names(names));
        }
        Self::OneOf(others)
    }

    /// The names that it consists of.
    fn into_names(self) -> Vec<String> {
        match self {
            Self::Names(names) => names,
            _ => Vec::new(),
        }
    }

    fn table(schema: &Value, defs: &Value) -> Self {
        if schema["additionalProperties"].is_object() {
            let inner = Self::of(&schema["additionalProperties"], defs);
            return Self::Map(Box::new(inner));
        }
        let none = Map::new();
        let keys = schema["properties"].as_object().unwrap_or(&none);
        let required = |name: &str| {
            let all = schema["required"].as_array();
            all.is_some_and(|all| all.iter().any(|it| it == name))
        };
        let key = |(name, shape): (&String, &Value)| Key {
            name: name.clone(),
            required: required(name),
            shape: Self::of(shape, defs),
        };
        Self::Table(keys.iter().map(key).collect())
    }

    /// The kind of a quantity from its title: what the language expects there, with examples.
    fn quantity(schema: &Value) -> Self {
        let title = schema["title"].as_str().unwrap_or_default();
        let kinds = [
            ("a time", Kind::Time),
            ("a rate", Kind::Rate),
            ("a line rate", Kind::Rate),
            ("a number of cells", Kind::Cells),
            ("a number of octets", Kind::Octets),
            ("a size of a queue", Kind::Cells),
            ("a distance", Kind::Distance),
        ];
        let known = kinds.iter().find(|(text, _)| title.starts_with(text));
        match known {
            Some(&(_, kind)) => Self::Quantity(kind),
            None if title.is_empty() => Self::Fraction,
            None => panic!("the generator cannot draw this quantity of the schema: {title}"),
        }
    }

    /// The number of keys and values it has, counting only its largest alternative.
    pub fn size(&self) -> usize {
        match self {
            Self::Table(keys) => keys.iter().map(|key| key.shape.size()).sum(),
            Self::OneOf(shapes) => shapes.iter().map(Self::size).max().unwrap_or(1),
            Self::List(item, _) | Self::Map(item) => item.size(),
            Self::Names(names) => names.len(),
            _ => 1,
        }
    }

    /// The key `name` of this table.
    pub fn key(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Table(keys) => keys.iter().find(|key| key.name == name).map(|it| &it.shape),
            Self::Map(inner) => Some(inner),
            _ => None,
        }
    }

    /// The value that identifies this table among the others of its [`Shape::OneOf`], with its key.
    pub fn tag(&self) -> Option<(&str, &str)> {
        let Self::Table(keys) = self else { return None };
        keys.iter().find_map(|key| match &key.shape {
            Shape::Names(names) if names.len() == 1 => Some((key.name.as_str(), names[0].as_str())),
            _ => None,
        })
    }

    /// The alternative that `value` is.
    pub fn variant<'a>(shapes: &'a [Self], value: &Value) -> Option<&'a Self> {
        let fits = |shape: &&Self| match shape.tag() {
            Some((key, tag)) => value[key] == tag,
            None => matches!(shape, Self::Table(_)) == value.is_object(),
        };
        shapes.iter().find(fits)
    }

    /// The path of this alternative below `path`; kinds of tables are in braces.
    pub fn variant_path(&self, path: &str) -> String {
        self.tag()
            .map_or_else(|| path.to_owned(), |(_, tag)| format!("{path}{{{tag}}}"))
    }
}

/// The path of the key `name` below `path`.
pub fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
