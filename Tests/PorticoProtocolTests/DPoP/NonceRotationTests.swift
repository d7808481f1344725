import PorticoTestSupport
import Testing

@Suite("Nonces that change every minute")
struct NonceRotationTests {
    @Test("RFC9449-8-4: ours are taken until the third change after they were given, and no longer")
    func ours() throws {
        try NonceRotation.own.checkOurs()
    }

    @Test("RFC9449-8-3: our client sends a request again where its nonce is refused by now only")
    func client() async throws {
        try await NonceRotation.own.checkClient()
    }
}

@Suite(
    "Nonces of a real server, and when they changed",
    .enabled(if: RecordedExchange.folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedNonceTests {
    private func recorded() throws -> NonceRotation {
        try NonceRotation(recorded: RecordedExchange.bytes("nonce-rotation.json"))
    }

    @Test("RFC9449-8-4: ours are taken and refused at the ages at which the recorded ones were")
    func ours() throws {
        try recorded().checkOurs()
    }

    @Test("RFC9449-8-3: our client is asked for a nonce only where the recorded server refused one")
    func client() async throws {
        try await recorded().checkClient()
    }
}
