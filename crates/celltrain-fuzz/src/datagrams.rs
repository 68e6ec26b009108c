//! Fuzzes what anyone may send to a data port: greetings, and datagrams with any numbers and times.

use celltrain_dbs::datagram::{Datagrams, Header};
use celltrain_dbs::nonce::Nonce;

/// Reads any octets.
pub fn one(input: &[u8]) {
    let nonce = Nonce([7; 16]);
    let mut datagrams = Datagrams::default();
    let (mut taken, mut in_intervals) = (0, 0);
    for datagram in input.chunks(28) {
        let greeted = nonce.greeted(datagram);
        assert_eq!(
            greeted.is_some(),
            greeted.is_some_and(|it| nonce.greeting(it) == datagram)
        );
        let Some(header) = Header::read(datagram) else {
            continue;
        };
        datagrams.add(header.sequence, header.sent_ns.cast_signed());
        taken += 1;
        if header.connection & 1 == 1 {
            in_intervals += datagrams.take_interval().count;
        }
    }
    in_intervals += datagrams.take_interval().count;
    let counts = datagrams.counts();
    assert_eq!(counts.received + counts.duplicates, taken);
    assert_eq!(counts.received, in_intervals);
}
