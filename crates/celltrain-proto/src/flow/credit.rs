//! Credits: a link on which no cell is ever lost, because each has a place at the far end.
