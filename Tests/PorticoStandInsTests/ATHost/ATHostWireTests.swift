import Crypto
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("The stand-in of a host over sockets") struct ATHostWireTests {
    @Test("a test network leads the guarded client to handles, and localhost is the host itself")
    func wire() async throws {
        let clock = StoppedClock()
        let nonces = DPoPNonces(keys: [SymmetricKey(size: .bits256)])
        let time = Clock { clock.now }
        try await withATHost(clock: time, nonces: nonces) { host in
            try PlainAuthorizationServer(host.baseURL, clock, nonces)
        } _: { host in
            let port = try #require(HTTPAddress(host.baseURL)?.port)
            let network = try TestNetwork(
                hosts: ["ann.handles.test": "127.0.0.1:\(port)"],
                plain: ["ann.handles.test"],
                texts: [:],
                authority: nil
            )
            let site = try #require(
                HTTPAddress("https://ann.handles.test/.well-known/atproto-did")
            )
            let limits = HTTPLimits(bytes: 10_000, seconds: 10)
            let guarded = GuardedTransport(in: network)
            let request = HTTPRequest(.get, to: site)
            let reply = try await guarded.send(request, body: [], limits: limits)
            #expect(String(decoding: reply.body, as: UTF8.self) == ATHostPerson.ann.did)
            let client = OutboundClient()
            let paths = ["/\(ATHostPerson.bob.did)", "/.well-known/oauth-authorization-server"]
            for path in paths {
                let address = try #require(HTTPAddress(host.baseURL + path))
                let request = HTTPRequest(.get, to: address)
                let reply = try await client.send(request, body: [], limits: limits)
                #expect(reply.response.status == .ok && reply.isJSON, "\(path)")
            }
            try await client.shutdown()
        }
    }
}
