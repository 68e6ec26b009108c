//! The kernel's state of a TCP connection: Linux's `TCP_INFO`.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use serde::{Deserialize, Serialize};

/// Octets of `struct tcp_info` that are read; older kernels return fewer.
const LONGEST: usize = 232;
/// Octets up to `tcpi_total_retrans`, which every kernel since 2.6 provides.
const SHORTEST: usize = 104;

/// The fields taken from `struct tcp_info` (`linux/tcp.h`).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpInfo {
    /// `tcpi_snd_mss` in octets.
    pub mss: u32,
    /// `tcpi_snd_cwnd` in segments.
    pub cwnd: u32,
    /// `tcpi_snd_ssthresh` in segments; `None` while it is infinite.
    pub ssthresh: Option<u32>,
    /// `tcpi_rtt` in us: smoothed round-trip time.
    pub rtt_us: u32,
    /// `tcpi_rttvar` in us.
    pub rttvar_us: u32,
    /// `tcpi_rto` in us.
    pub rto_us: u32,
    /// `tcpi_unacked` in segments.
    pub unacked: u32,
    /// `tcpi_total_retrans`: segments retransmitted so far.
    pub retransmits: u32,
    /// `tcpi_bytes_acked`: octets acknowledged so far.
    pub bytes_acked: Option<u64>,
    /// `tcpi_bytes_sent` minus `tcpi_bytes_retrans`: octets sent so far, each counted once.
    pub bytes_sent: Option<u64>,
    /// `tcpi_min_rtt` in us.
    pub min_rtt_us: Option<u32>,
    /// `tcpi_delivery_rate` in octets per s.
    pub delivery_rate: Option<u64>,
}

impl TcpInfo {
    /// Reads the state of a connected TCP socket.
    pub fn of(socket: &impl AsFd) -> io::Result<Self> {
        let (octets, length) = read(socket)?;
        Self::parse(&octets[..length])
            .ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "TCP_INFO is too short"))
    }

    /// Reads the fields at their offsets in the structure; `None` if it ends before `tcpi_total_retrans`.
    fn parse(info: &[u8]) -> Option<Self> {
        let u32_at = |at: usize| {
            info.get(at..at + 4)?
                .try_into()
                .ok()
                .map(u32::from_ne_bytes)
        };
        let u64_at = |at: usize| {
            info.get(at..at + 8)?
                .try_into()
                .ok()
                .map(u64::from_ne_bytes)
        };
        if info.len() < SHORTEST {
            return None;
        }
        Some(Self {
            rto_us: u32_at(8)?,
            mss: u32_at(16)?,
            unacked: u32_at(24)?,
            rtt_us: u32_at(68)?,
            rttvar_us: u32_at(72)?,
            // TCP_INFINITE_SSTHRESH
            ssthresh: u32_at(76).filter(|&segments| segments < 0x7fff_ffff),
            cwnd: u32_at(80)?,
            retransmits: u32_at(100)?,
            bytes_acked: u64_at(120),
            bytes_sent: u64_at(200)
                .zip(u64_at(208))
                .map(|(all, again)| all.saturating_sub(again)),
            min_rtt_us: u32_at(148).filter(|&us| us != u32::MAX),
            delivery_rate: u64_at(160),
        })
    }
}

#[expect(
    unsafe_code,
    reason = "no safe wrapper of getsockopt reads an option of unknown length"
)]
fn read(socket: &impl AsFd) -> io::Result<([u8; LONGEST], usize)> {
    let mut octets = [0_u8; LONGEST];
    let mut length = LONGEST as libc::socklen_t;
    // SAFETY: the descriptor is borrowed, so it is open during the call; the kernel writes at most `length` octets into
    // `octets`, which has that many and is initialised, and then `length` itself, which is ours.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            octets.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((octets, (length as usize).min(LONGEST)))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn a_loopback_connection_has_a_window_and_a_segment_size() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let info = TcpInfo::of(&stream).unwrap();
        assert!(info.cwnd >= 1 && info.mss > 500, "{info:?}");
        assert_eq!(info.retransmits, 0);
    }

    #[test]
    fn a_structure_of_an_old_kernel_lacks_only_what_came_later() {
        let info = TcpInfo::parse(&[0; SHORTEST]).unwrap();
        assert_eq!(
            (info.bytes_acked, info.bytes_sent, info.min_rtt_us),
            (None, None, None)
        );
        assert_eq!(TcpInfo::parse(&[0; SHORTEST - 1]), None);
    }
}
