import PorticoBytes
import PorticoStores
import Testing

@Suite("Unique ids")
struct UniqueIDTests {
    @Test("RFC 9562 §5.4: an id of chance says version 4, and its text reads back")
    func version4() throws {
        let id = UniqueID(random: RandomSource { Array(repeating: 0xFF, count: $0) })
        #expect(id.text == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(UniqueID(id.text) == id)
    }

    @Test("RFC 9562 §5.7: an id of a time begins with its milliseconds, version 7")
    func version7() {
        // The example of RFC 9562 §A.6.
        let random: [UInt8] = [
            0, 0, 0, 0, 0, 0, 0x0C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F,
        ]
        let id = UniqueID(milliseconds: 0x017F_22E2_79B0, random: RandomSource { _ in random })
        #expect(id.text == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        #expect(id.milliseconds == 0x017F_22E2_79B0)
    }

    @Test("Ids sort by their times, and no time traps")
    func order() {
        let times: [Int64] = [.min, -1, 0, 1, 0x017F_22E2_79B0, 0xFFFF_FFFF_FFFF, .max]
        let ids = times.map { UniqueID(milliseconds: $0, random: .system).bytes.prefix(6) }
        #expect(ids[0] == ids[2] && ids[1] == ids[2])
        #expect(zip(ids[2...5], ids[3...5]).allSatisfy { $0.lexicographicallyPrecedes($1) })
    }

    @Test("Ids of one moment differ")
    func distinct() {
        let ids = (0..<1000).map { _ in UniqueID(milliseconds: 1, random: .system) }
        #expect(Set(ids).count == ids.count)
    }
}
