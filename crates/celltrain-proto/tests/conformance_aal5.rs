//! Conformance of cells, AAL5, encapsulations and link rates: golden values of the standards, using only the public
//! interface. The tests of ADSL are next to its code.

use celltrain_proto::aal5::{
    DecodeError, Encapsulation, LONGEST_PAYLOAD, Reassembly, Verdict, cells, decode, encode,
    padding,
};
use celltrain_proto::cell::{Header, PayloadType};
use celltrain_proto::units::{Cells, Rate, Span};

// Cells.

#[test]
fn aal5_section_1_the_hec_of_each_header_is_that_of_the_standard() {
    for (octets, hec) in [
        ([0x00, 0x00, 0x00, 0x00], 0x55),
        ([0x00, 0x00, 0x00, 0x01], 0x52),
        ([0x00, 0x80, 0x02, 0x30], 0xE4),
        ([0x00, 0x80, 0x02, 0x32], 0xEA),
        ([0x00, 0x80, 0x02, 0x34], 0xF8),
        ([0x00, 0x80, 0x02, 0x3C], 0xC0),
        ([0x00, 0x80, 0x02, 0x3D], 0xC7),
    ] {
        let [a, b, c, d] = octets;
        let header = Header::parse([a, b, c, d, hec]).expect("the HEC matches");
        assert_eq!(header.emit(), [a, b, c, d, hec]);
        assert!(
            Header::parse([a, b, c, d, hec ^ 1]).is_err(),
            "{octets:02X?}"
        );
    }
}

#[test]
fn aal5_section_1_fields_and_payload_types_stand_where_i_361_puts_them() {
    let header = Header {
        gfc: 0xA,
        vpi: 0xBC,
        vci: 0xDEF1,
        payload_type: PayloadType::Reserved,
        clp: true,
    };
    assert_eq!(header.emit()[..4], [0xAB, 0xCD, 0xEF, 0x1F]);
    let user = |efci, last| PayloadType::User { efci, last };
    let table = [
        user(false, false),
        user(false, true),
        user(true, false),
        user(true, true),
        PayloadType::OamSegment,
        PayloadType::OamEndToEnd,
        PayloadType::ResourceManagement,
        PayloadType::Reserved,
    ];
    for (bits, payload_type) in (0..8).zip(table) {
        assert_eq!(payload_type.bits(), bits);
        assert_eq!(PayloadType::from_bits(bits), payload_type);
    }
}

// AAL5.

#[test]
fn aal5_section_2_the_crc_32_of_each_vector_is_that_of_i_363_5() {
    let counted = |range: std::ops::RangeInclusive<u8>| range.collect::<Vec<u8>>();
    for (payload, crc, cells) in [
        (vec![0x00; 40], 0x864D_7F99_u32, 1),
        (vec![0xFF; 40], 0xC55E_457A, 1),
        (counted(1..=40), 0xBF67_1ED0, 1),
        (counted(0..=43), 0x4FCA_E5E4, 2),
    ] {
        let pdu = encode(&payload);
        assert_eq!(pdu.len(), 48 * cells);
        assert_eq!(pdu[pdu.len() - 4..], crc.to_be_bytes(), "{crc:08X}");
        assert_eq!(decode(&pdu), Ok(&payload[..]));
    }
}

#[test]
fn aal5_section_2_a_payload_takes_the_cells_that_it_and_eight_octets_fill() {
    for (payload, expected) in [
        (40, 1),
        (41, 2),
        (88, 2),
        (89, 3),
        (1_500, 32),
        (1_528, 32),
        (1_529, 33),
        (9_180 + 8, 192),
    ] {
        assert_eq!(cells(payload), expected, "{payload} octets");
        assert_eq!(payload + padding(payload) + 8, 48 * expected);
    }
    assert_eq!(padding(9_188), 20);
    assert_eq!(LONGEST_PAYLOAD, 65_535);
}

#[test]
fn aal5_section_2_length_zero_is_no_pdu_and_damage_shows_in_the_crc() {
    let mut pdu = encode(&[7; 40]);
    pdu[3] ^= 1;
    assert!(matches!(decode(&pdu), Err(DecodeError::BadCrc { .. })));
    // 44 zeros, including the length, and the matching CRC.
    let mut aborted = [0; 48];
    aborted[44..].copy_from_slice(&0x3866_24C1_u32.to_be_bytes());
    let (length, octets) = (0, 48);
    assert_eq!(
        decode(&aborted),
        Err(DecodeError::BadLength { length, octets })
    );
}

#[test]
fn aal5_section_2_a_lost_cell_costs_one_pdu_and_a_lost_last_cell_two() {
    // Three PDUs of three cells; cell 1 is the middle of the first, cell 2 ends it.
    for (lost, expected) in [
        (None, vec![Verdict::Good, Verdict::Good, Verdict::Good]),
        (
            Some(1),
            vec![Verdict::Damaged, Verdict::Good, Verdict::Good],
        ),
        (Some(2), vec![Verdict::Damaged, Verdict::Good]),
    ] {
        let mut reassembly = Reassembly::default();
        let arriving = (0..9).filter(|&cell| Some(cell) != lost);
        let verdicts: Vec<Verdict> = arriving
            .map(|cell| reassembly.on_cell(cell, cell % 3 == 2, 3))
            .filter(|&verdict| verdict != Verdict::Collecting)
            .collect();
        assert_eq!(verdicts, expected, "cell {lost:?} lost");
    }
}

// Encapsulations.

use Encapsulation::{
    BridgedLlc, BridgedLlcFcs, BridgedVcMux, LlcSnap, PppoaLlc, PppoaVcMux, PppoeLlc, PppoeVcMux,
    VcMux,
};

#[test]
fn aal5_section_3_each_encapsulation_puts_its_octets_around_a_packet() {
    for (encapsulation, octets) in [
        (VcMux, 0),
        (LlcSnap, 8),
        (PppoaVcMux, 2),
        (PppoaLlc, 6),
        (BridgedVcMux, 16),
        (BridgedLlc, 24),
        (BridgedLlcFcs, 24 + 4),
        (PppoeVcMux, 16 + 8),
        (PppoeLlc, 24 + 8),
    ] {
        let payload = encapsulation.payload_for_ip(1_000);
        assert_eq!(payload, 1_000 + octets, "{encapsulation:?}");
    }
    let mtu = |encapsulation: Encapsulation| encapsulation.mtu();
    assert_eq!(
        [LlcSnap, PppoaVcMux, BridgedLlc, PppoeLlc].map(mtu),
        [9_180, 1_500, 1_500, 1_492]
    );
}

#[test]
fn aal5_section_3_1_cells_and_tenths_of_a_percent_of_each_packet_length() {
    let columns = [
        VcMux,
        LlcSnap,
        PppoaVcMux,
        PppoaLlc,
        BridgedVcMux,
        BridgedLlc,
        BridgedLlcFcs,
        PppoeVcMux,
        PppoeLlc,
    ];
    let table = [
        (40, [1, 2, 2, 2, 2, 2, 2, 2, 2]),
        (52, [2; 9]),
        (64, [2, 2, 2, 2, 2, 2, 3, 2, 3]),
        (128, [3, 3, 3, 3, 4, 4, 4, 4, 4]),
        (256, [6, 6, 6, 6, 6, 6, 7, 6, 7]),
        (552, [12, 12, 12, 12, 12, 13, 13, 13, 13]),
        (576, [13; 9]),
        (1_024, [22, 22, 22, 22, 22, 22, 23, 22, 23]),
        (1_478, [31, 32, 31, 32, 32, 32, 32, 32, 32]),
        (1_492, [32; 9]),
    ];
    for (octets, expected) in table {
        let found = columns.map(|column| column.cells_for_ip(octets));
        assert_eq!(found, expected, "{octets} octets");
    }
    for (octets, column, cells) in [
        (1_500, BridgedLlcFcs, 32),
        (4_352, PppoaLlc, 91),
        (4_352, BridgedVcMux, 92),
        (9_180, BridgedLlcFcs, 192),
    ] {
        assert_eq!(column.cells_for_ip(octets), cells, "{octets} {column:?}");
    }
    for (mss, percent) in [
        (512, 80.50),
        (536, 77.79),
        (1_460, 86.08),
        (4_312, 89.40),
        (9_140, 89.82),
    ] {
        let octets_on_line = 53 * LlcSnap.cells_for_ip(mss + 40);
        let found = 100.0 * mss as f64 / octets_on_line as f64;
        assert!((found - percent).abs() < 0.005, "MSS {mss}: {found}");
    }
}

// Links.

#[test]
fn aal5_section_4_cell_rates_and_cell_times_of_each_interface() {
    // Payload of the cells in kbit/s, cells/s, and microseconds per cell.
    for (kbps, cells_per_s, us) in [
        (48_384, 114_113.2, 8.763_2),
        (149_760, 353_207.55, 2.831_2),
        (599_040, 1_412_830.19, 0.707_8),
        (33_920, 80_000.0, 12.5),
        (40_704, 96_000.0, 10.416_7),
        (1_920, 4_528.3, 220.83),
        (1_536, 3_622.6, 276.04),
    ] {
        let rate = Rate::kbps(kbps);
        let found = rate.as_cells_per_s();
        assert!((found - cells_per_s).abs() < 0.06, "{kbps}: {found}");
        let found = rate.cell_time().as_secs() * 1e6;
        assert!(
            (found - us).abs() < 0.005_1_f64.min(us * 1e-4),
            "{kbps}: {found}"
        );
    }
    // Cell times do not drift from the line rate: 353,208 of them take a second and less than one cell more.
    let second = Rate::kbps(149_760).span_of(Cells(353_208));
    assert!(second > Span::from_secs(1) && second < Span::from_us(1_000_003));
}

#[test]
fn aal5_section_8_an_upstream_packet_of_1500_octets_blocks_acks_for_14_6_ms() {
    let upstream = Rate::cells_per_s(2_188.0);
    assert_eq!(LlcSnap.cells_for_ip(40), 2, "an ACK");
    let packet = Cells(LlcSnap.cells_for_ip(1_500));
    let blocked = upstream.span_of(packet).as_secs();
    assert!((blocked - 0.014_6).abs() < 0.000_05, "{blocked}");
    // One ACK per two segments of 1460 octets.
    let acks = upstream.as_cells_per_s() / LlcSnap.cells_for_ip(40) as f64;
    let downstream = acks * 2.0 * 1_460.0 * 8.0;
    assert!((downstream / 25.6e6 - 1.0).abs() < 0.002, "{downstream}");
}
