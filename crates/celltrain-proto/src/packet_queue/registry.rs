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
            /// The number of queues into which flows are hashed.
            pub fn flows(&self) -> u32 {
                match self {
                    $(Self::$queue(it) => it.flows,)+
                }
            }

            /// An empty queue; see [`Build::build`]. The parameters must be valid; see [`Parameters::check`].
            pub fn build<T>(&self, longest: Bytes, stream: Stream) -> FlowQueues<T> {
                match self {
                    $(Self::$queue(it) => it.build(longest, stream),)+
                }
            }
        }
    };
}
