//! What a switch does for ABR: algorithms that mark or limit RM cells.
