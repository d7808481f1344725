import PorticoStores
import PorticoTestSupport
import Testing

@Suite("WriteProbeStore", .everyDatabase) struct WriteProbeContract {
    @Test("it writes again and again, and fails as a redemption does")
    func write() async throws {
        let stores = try StoreUnderTest.empty()
        try await stores.writeProbe.write(at: 1)
        stores.refuseWrites(StoreBusy())
        await #expect(throws: StoreBusy.self) { try await stores.writeProbe.write(at: 2) }
        stores.refuseWrites(nil)
        try await stores.writeProbe.write(at: 2)
    }
}
