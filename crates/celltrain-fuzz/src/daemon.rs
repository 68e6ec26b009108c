//! Fuzzes what a controller, or an impostor, may send to a daemon: any octets, in any pieces, at any pace.
//!
//! Each piece is an octet with its length, one with the delay before it, and the piece. Whatever arrives, the decoder
//! stays within its cap, the session ends or continues, and it returns what it holds of the owner's limits.

use celltrain_dbs::frame::{Decoder, FrameError, LONGEST_GREETING};
use celltrain_dbs::limits::{Demand, Limits, Pool};
use celltrain_dbs::message::ToDaemon;
use celltrain_dbs::session::{Command, Session};

/// Small, so that the fuzzer reaches the cap with short inputs.
const CAP: usize = 64 << 10;
const TICK_NS: u64 = 1_000_000_000;

/// Reads any octets.
pub fn one(input: &[u8]) {
    let pool = Pool::new(Limits::new([127, 0, 0, 1].into()));
    let mut session = Session::new(pool.clone(), 0);
    converse(input, &mut session);
    drop(session);
    assert_eq!(
        pool.in_use(),
        Demand::default(),
        "a session has ended without returning its grant"
    );
}

fn converse(mut input: &[u8], session: &mut Session) {
    let mut decoder = Decoder::new(LONGEST_GREETING);
    let mut now = 0;
    while let [length, ticks, rest @ ..] = input {
        let (piece, after) = rest.split_at(rest.len().min(usize::from(*length)));
        (input, now) = (after, now + u64::from(*ticks) * TICK_NS);
        decoder.push(piece);
        loop {
            let message: ToDaemon = match decoder.take() {
                Ok(Some(message)) => message,
                Ok(None) => break,
                Err(FrameError::TooLong(_) | FrameError::Malformed(_)) => return,
            };
            match session.on_message(now, message) {
                Ok(Command::Close) | Err(_) => return,
                Ok(Command::Welcome) => decoder.set_cap(CAP),
                Ok(Command::Start(_)) => session.finished(),
                Ok(Command::Collect) => session.collected(),
                Ok(_) => {}
            }
        }
        assert!(
            decoder.held() <= CAP + 1,
            "the decoder holds {} octets",
            decoder.held()
        );
        if now > session.deadline() {
            return;
        }
    }
}
