//! What one row of the registry of LANs declares.

/// Declares all LANs. A row has a sentence, the keyword, the common name, and the module with the parameters of the LAN,
/// which implement [`Framing`].
macro_rules! lans {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$lan:ident($parameters:ident);
    )+) => {
        $(pub use $module::$parameters;)+

        family! {
            /// A LAN between a host and the network.
            pub enum Parameters as "HostLan" by "kind" {
                $($(#[doc = $doc])* $keyword, $shown => $lan($parameters);)+
            }
        }

        impl Parameters {
            /// The longest IP packet in one frame, in octets.
            pub fn mtu(&self) -> u32 {
                match self {
                    $(Self::$lan(it) => it.mtu(),)+
                }
            }

            /// The time that the frame of an IP packet of `octets` octets takes.
            pub fn frame_time(&self, octets: u64) -> Span {
                match self {
                    $(Self::$lan(it) => it.frame_time(octets),)+
                }
            }

            /// The ring that all hosts of a group share, if it is one.
            pub fn ring(&self) -> Option<RingRules> {
                match self {
                    $(Self::$lan(it) => it.ring(),)+
                }
            }

            /// Its common name.
            pub fn shown(&self) -> &'static str {
                match self {
                    $(Self::$lan(_) => $shown,)+
                }
            }
        }
    };
}
