import PorticoBytes
import Testing

@Suite("Numbers as bytes")
struct BigEndianTests {
    @Test("the most significant byte is first, and what is written is read")
    func roundTrip() {
        #expect(UInt32(0x0102_FF04).bigEndianBytes == [1, 2, 0xFF, 4])
        #expect(UInt32(bigEndianBytes: [1, 2, 0xFF, 4]) == 0x0102_FF04)
        #expect(UInt64(bigEndianBytes: [1, 0]) == 256)
        for number in [Int64.min, -2, 0, 1, .max] {
            #expect(Int64(bigEndianBytes: number.bigEndianBytes) == number)
        }
    }
}
