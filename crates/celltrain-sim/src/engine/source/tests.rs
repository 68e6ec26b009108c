use celltrain_proto::tcp::Segment;
use celltrain_proto::units::Span;

use super::*;

/// A source with room for `buffer` cells, which is given PDUs with these numbers of cells.
fn source(buffer: u64, drop: SourceDrop, cells: &[u32]) -> Source {
    let mut source = Source::new(Pace::Ubr { gap: Span::ZERO }, 0, Time::ZERO);
    source.limit(buffer, drop);
    for &cells in cells {
        source.push(pdu(cells), || 40);
    }
    source
}

fn pdu(cells: u32) -> Pdu {
    Pdu::new(Time::ZERO, 0, true, cells, Segment::default())
}

/// The number, the end mark and the completion flag of all waiting cells.
fn leave(source: &mut Source) -> Vec<(u32, bool, bool)> {
    std::iter::from_fn(|| match source.emit(Time::ZERO)? {
        Emission::Data {
            number,
            end,
            completes,
            ..
        } => Some((number, end, completes)),
        _ => None,
    })
    .collect()
}

#[test]
fn cells_that_find_no_room_are_dropped_and_leave_a_gap_in_the_numbers() {
    let mut source = source(5, SourceDrop::Cell, &[3, 4, 6]);
    assert_eq!((source.counts().offered, source.counts().dropped), (13, 8));
    let first = [(0, false, false), (1, false, false), (2, true, true)];
    let cut = [(3, false, false), (4, false, true)];
    assert_eq!(leave(&mut source), [&first[..], &cut[..]].concat());
    // Nothing of the third was kept, so it takes no numbers. The second had 3 to 6.
    assert!(source.push(pdu(1), || 40));
    assert_eq!(leave(&mut source), [(7, true, true)]);
    assert_eq!(source.pdus_waiting(), 0);
}

#[test]
fn a_segment_without_room_for_all_can_be_dropped_whole() {
    let mut source = source(5, SourceDrop::Segment, &[3, 4, 2]);
    assert_eq!((source.counts().offered, source.counts().dropped), (9, 4));
    assert_eq!(source.cells_waiting(), 5);
    let ends = leave(&mut source).into_iter().filter(|cell| cell.1);
    assert_eq!(ends.map(|cell| cell.0).collect::<Vec<_>>(), [2, 4]);
}

#[test]
fn the_longest_queue_starts_anew_with_what_waits() {
    let mut source = source(u64::MAX, SourceDrop::Cell, &[3, 4]);
    source.emit(Time::ZERO);
    assert_eq!(source.take_waiting_max(), 7);
    assert_eq!(source.take_waiting_max(), 6);
}

#[test]
fn the_loss_of_a_fragment_counts_unless_another_copy_of_the_packet_follows() {
    use celltrain_proto::ip::Fragment;

    let part = |packet, part| pdu(3).part(packet, part, 3);
    let parts: Vec<Fragment> = Fragment::whole(2_000).cut(1_500).collect();
    let mut source = source(u64::MAX, SourceDrop::Cell, &[]);
    for copy in [1, 2] {
        for &it in &parts {
            source.push(part(copy, it), || 40);
        }
    }
    // Cells 0 to 5 are those of the first copy.
    assert!(source.damage(1).is_none());
    assert!(source.damage(7).is_some());
}
