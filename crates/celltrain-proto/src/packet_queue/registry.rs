//! What one row of the registry of packet queues declares.

/// Declares all packet queues. A row has a sentence, the keyword, the common name, and the module with the parameters of
/// the queue, which implement [`Build`].
macro_rules! packet_queues {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$queue:ident($parameters:ident);
    )+) => {
        $(pub use $module::$parameters;)+

        family! {
            /// Queues of packets in front of a line.
            pub enum Parameters as "PacketQueue" by "discipline" or alone {
                $($(#[doc = $doc])* $keyword, $shown => $queue($parameters);)+
            }
        }

        impl Parameters {
            /// The number of its queues, each of which takes memory.
            pub fn queues(&self) -> u32 {
                match self {
                    $(Self::$queue(it) => Build::queues(it),)+
                }
            }

            /// An empty queue; see [`Build::build`]. The parameters must be valid; see [`Parameters::check`].
            pub fn build<T>(&self, port: Port) -> PacketQueue<T> {
                match self {
                    $(Self::$queue(it) => PacketQueue::$queue(it.build(port)),)+
                }
            }
        }

        /// Any queue of packets.
        #[derive(Clone, Debug)]
        pub enum PacketQueue<T> {
            $($(#[doc = $doc])* $queue(<$parameters as Build>::Queue<T>),)+
        }

        impl<T> PacketQueue<T> {
            /// Takes a packet; see [`Discipline::enqueue`].
            pub fn enqueue(&mut self, packet: Packet<T>, has_room: bool, drop: impl FnMut(Packet<T>)) {
                match self {
                    $(Self::$queue(it) => it.enqueue(packet, has_room, drop),)+
                }
            }

            /// Takes out the packet that goes next; see [`Discipline::dequeue`].
            pub fn dequeue(&mut self, now: Time, drop: impl FnMut(Packet<T>)) -> Option<Packet<T>> {
                match self {
                    $(Self::$queue(it) => it.dequeue(now, drop),)+
                }
            }

            /// Drops packets of which there are too many; see [`Discipline::drop_some`].
            pub fn drop_some(&mut self, now: Time, drop: impl FnMut(Packet<T>)) {
                match self {
                    $(Self::$queue(it) => it.drop_some(now, drop),)+
                }
            }

            /// Notes the rate of the line from now on.
            pub fn on_rate(&mut self, rate: Rate) {
                match self {
                    $(Self::$queue(it) => it.on_rate(rate),)+
                }
            }

            /// All packets, in arbitrary order.
            pub fn packets(&self) -> impl Iterator<Item = &Packet<T>> {
                let store = match self {
                    $(Self::$queue(it) => it.store(),)+
                };
                store.iter()
            }
        }
    };
}
