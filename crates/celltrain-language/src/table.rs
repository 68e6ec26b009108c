//! Tables: named columns with units.

use std::sync::Arc;

use indexmap::IndexSet;

/// A table: columns of equal length.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// A named column with the unit and the type of its values.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Its name, including an SI unit as in `throughput_bps`.
    pub name: String,
    /// The SI unit, `1` for ratios, empty for names.
    pub unit: &'static str,
    /// The type of its values, independent of the rows of this table.
    pub kind: ColumnType,
    /// One value per row.
    pub values: Values,
}

/// The type of a column's values. It belongs to the column and does not depend on the measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// Names.
    Text,
    /// Whole numbers from 0 up, one in each row. Like all numbers they are stored as `f64`, which is exact up to 2^53.
    Count,
    /// Whole numbers from 0 up, and NaN in rows without a value.
    CountOrNone,
    /// Numbers, and NaN in rows without a value.
    Number,
}

impl ColumnType {
    /// Whether the values, if any, are whole numbers.
    pub const fn is_count(self) -> bool {
        matches!(self, Self::Count | Self::CountOrNone)
    }

    /// The type in words, as shown in references.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Count => "integer",
            Self::CountOrNone => "integer or none",
            Self::Number => "number",
        }
    }
}

/// The definition of a column, known before the table exists: a row of a column registry.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name of the column.
    pub name: &'static str,
    /// Unit of its values, `1` for ratios and plain counts, empty for names.
    pub unit: &'static str,
    /// Type of its values.
    pub kind: ColumnType,
    /// The short heading of the column in printed tables.
    pub heading: &'static str,
    /// What its values mean, in Markdown.
    pub meaning: &'static str,
}

impl Field {
    /// A column of this field with these values.
    pub fn column(&self, values: Values) -> Column {
        Column {
            name: self.name.to_owned(),
            unit: self.unit,
            kind: self.kind,
            values,
        }
    }
}

/// The values of a column.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Names.
    Names(Names),
    /// Numbers; NaN if there is none.
    Numbers(Numbers),
}

/// A column of names. Each name is stored once, however many rows have it.
#[derive(Clone)]
pub struct Names {
    known: Arc<[String]>,
    /// For each row, the index of its name.
    rows: Vec<u32>,
}

impl Names {
    /// Creates the column from an index into `known` for each row.
    pub fn new(known: &Arc<[String]>, rows: impl Iterator<Item = usize>) -> Self {
        let known = Arc::clone(known);
        let rows = rows.map(|row| row as u32).collect();
        Self { known, rows }
    }

    /// The names, row by row.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        let rows = self.rows.iter();
        rows.map(|&row| self.known[row as usize].as_str())
    }

    /// The possible names, each once, and the index among them for each row.
    pub fn parts(&self) -> (&[String], &[u32]) {
        (&self.known, &self.rows)
    }
}

impl FromIterator<String> for Names {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let mut known: IndexSet<String> = IndexSet::new();
        let rows: Vec<usize> = { names.into_iter() }
            .map(|name| known.insert_full(name).0)
            .collect();
        Self::new(&known.into_iter().collect(), rows.into_iter())
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A column of numbers. A value that is the same in all rows, such as that of a zero counter, is stored once.
#[derive(Clone)]
pub struct Numbers(Kept);

#[derive(Clone)]
enum Kept {
    /// All rows have the same number, bit for bit.
    Same {
        number: f64,
        rows: usize,
    },
    Each(Vec<f64>),
}

impl Numbers {
    /// The numbers, row by row.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        let (same, each): (_, &[f64]) = match &self.0 {
            Kept::Same { number, rows } => (std::iter::repeat_n(*number, *rows), &[]),
            Kept::Each(numbers) => (std::iter::repeat_n(0.0, 0), numbers),
        };
        same.chain(each.iter().copied())
    }
}

impl FromIterator<f64> for Numbers {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut numbers = numbers.into_iter();
        let Some(first) = numbers.next() else {
            return Self(Kept::Each(Vec::new()));
        };
        let mut rows = 1;
        while let Some(number) = numbers.next() {
            if number.to_bits() != first.to_bits() {
                let mut each = Vec::with_capacity(rows + 1 + numbers.size_hint().0);
                each.resize(rows, first);
                each.push(number);
                each.extend(numbers);
                return Self(Kept::Each(each));
            }
            rows += 1;
        }
        Self(Kept::Same {
            number: first,
            rows,
        })
    }
}

impl PartialEq for Numbers {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Table {
    /// A table with this name and no columns.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            columns: Vec::new(),
        }
    }

    /// The column with this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The numbers of the column with this name; empty if there is none.
    pub fn numbers_of(&self, name: &str) -> Vec<f64> {
        match self.column(name).map(|column| &column.values) {
            Some(Values::Numbers(values)) => values.iter().collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_row_by_row() {
        for rows in [&[][..], &[3.0], &[3.0, 3.0], &[0.0, 0.0, -0.0, 1.0]] {
            let numbers: Numbers = rows.iter().copied().collect();
            let bits = |numbers: &mut dyn Iterator<Item = f64>| {
                numbers.map(f64::to_bits).collect::<Vec<_>>()
            };
            assert_eq!(bits(&mut numbers.iter()), bits(&mut rows.iter().copied()));
        }
    }

    #[test]
    fn a_number_that_all_rows_have_is_kept_once() {
        let numbers: Numbers = std::iter::repeat_n(f64::NAN, 1_000).collect();
        assert!(matches!(numbers.0, Kept::Same { rows: 1_000, .. }));
    }

    #[test]
    fn a_name_is_given_for_each_row() {
        let known: Arc<[String]> = ["a", "b"].map(str::to_owned).into();
        let names = Names::new(&known, [1, 0, 1].into_iter());
        assert!(names.iter().eq(["b", "a", "b"]));
        assert_eq!(
            names,
            ["b", "a", "b"].map(str::to_owned).into_iter().collect()
        );
    }

    #[test]
    fn a_name_that_several_rows_have_is_known_once() {
        let names: Names = ["b", "a", "b"].map(str::to_owned).into_iter().collect();
        assert_eq!(
            names.parts(),
            (&["b", "a"].map(str::to_owned)[..], &[0, 1, 0][..])
        );
    }
}
