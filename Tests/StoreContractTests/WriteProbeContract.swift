import PorticoStores
import PorticoTestSupport
import Testing

@Suite("WriteProbeStore") struct WriteProbeContract {
    @Test(
        "it writes again and again, and fails as a redemption does",
        arguments: StoreUnderTest.allCases
    )
    func write(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        try await stores.writeProbe.write(at: 1)
        stores.refuseWrites(StoreBusy())
        await #expect(throws: StoreBusy.self) { try await stores.writeProbe.write(at: 2) }
        stores.refuseWrites(nil)
        try await stores.writeProbe.write(at: 2)
    }
}
