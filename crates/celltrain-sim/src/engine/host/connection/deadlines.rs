//! When the ends of a connection act next.

use celltrain_proto::units::Time;

use super::Connection;
use crate::engine::host::processing::Server;

impl Connection {
    /// The next deadline of the sending end.
    pub(in crate::engine) fn sender_deadline(&self) -> Time {
        let timer = self.sender.next_timeout().unwrap_or(Time::NEVER);
        // A processed segment stays in the server until the host has room; then the sender is driven again.
        let server = self.segment_server.as_ref().filter(|_| !self.is_blocked);
        let server = server.map_or(Time::NEVER, Server::done);
        let writes = if self.session.is_sending() {
            self.writer.deadline(&self.sender, &self.session)
        } else {
            Time::NEVER
        };
        let paced = self.sender.next_transmit();
        let paced = paced.filter(|&at| self.takes_segment(at));
        let paced = paced.unwrap_or(Time::NEVER);
        let own = timer.min(server).min(writes).min(paced);
        own.min(self.session.deadline())
    }

    /// Whether a segment that pacing holds back until `at` can go on then, to the server or to the host.
    fn takes_segment(&self, at: Time) -> bool {
        let server = self.segment_server.as_ref();
        // A server that would not start at `at` would wait for the same instant again.
        let starts = |server: &Server| !server.is_busy() && self.sender.may_transmit(at);
        !self.is_blocked && server.is_none_or(starts)
    }

    /// The next deadline of the receiving end.
    pub(in crate::engine) fn receiver_deadline(&self) -> Time {
        let timer = self.receiver.next_timeout().unwrap_or(Time::NEVER);
        let server = self.ack_server.as_ref().map_or(Time::NEVER, Server::done);
        let reads = self
            .reader
            .as_ref()
            .map_or(Time::NEVER, |reader| reader.deadline(&self.receiver));
        timer.min(server).min(reads)
    }
}
