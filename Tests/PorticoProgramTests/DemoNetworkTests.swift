import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import Testing

@testable import PorticoProgram

@Suite("The way to a demo's host") struct DemoNetworkTests {
    private final class Asked: StoredBodyTransport, TextRecordResolver {
        let all = Locked<[String]>([])

        func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            all.withLock { $0.append(request.address?.text ?? "") }
            throw .refused
        }

        func send(_ request: HTTPRequest, stored: any StoredBytes, limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            try await send(request, body: [], limits: limits)
        }

        func texts(at name: String) async throws(TextRecordError) -> [String] {
            all.withLock { $0.append(name) }
            return []
        }
    }

    private let plain = Asked()
    private let guarded = Asked()

    private func network() throws -> DemoNetwork {
        DemoNetwork(
            host: try ATHost(baseURL: "http://localhost:9001"),
            plain: plain,
            guarded: guarded
        )
    }

    private func ask(_ address: String) async throws -> Int? {
        let address = try #require(HTTPAddress(address))
        do {
            return try await network().send(
                HTTPRequest(.get, to: address),
                body: [],
                limits: HTTPLimits(bytes: 1, seconds: 1)
            ).response.status.code
        } catch {
            return nil
        }
    }

    @Test(
        "decision 0070: plain http leads to the host alone, and all other names keep the guard",
        arguments: [
            "http://localhost:9002/x", "http://127.0.0.1:9001/x", "https://localhost:9001/x",
            "https://handles.test/x", "https://annhandles.test/x", "https://pds.example.com/x",
        ]
    )
    func others(_ address: String) async throws {
        #expect(try await ask(address) == nil)
        #expect(guarded.all.withLock { $0 } == [address])
        #expect(plain.all.withLock { $0 }.isEmpty)
    }

    @Test("decision 0070: the host is asked by plain http, and no site of its handles is")
    func own() async throws {
        #expect(try await ask("http://localhost:9001/xrpc/a.b.c?d") == nil)
        #expect(plain.all.withLock { $0 } == ["http://localhost:9001/xrpc/a.b.c?d"])
        #expect(try await ask("https://ann.handles.test/.well-known/atproto-did") == 404)
        #expect(guarded.all.withLock { $0 }.isEmpty)
    }

    private struct Zeros: StoredBytes {
        let count: Int

        func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            // A part at a time.
            let part = min(buffer.count, 1000)
            for index in 0..<part { buffer[index] = 0 }
            return part
        }
    }

    @Test("decision 0070: long bodies go to the host as well, as far as it takes them")
    func long() async throws {
        for (count, asked) in [(5_242_880, 1), (5_242_881, 0)] {
            plain.all.withLock { $0 = [] }
            let address = try #require(HTTPAddress("http://localhost:9001/x"))
            let request = HTTPRequest(.post, to: address)
            var status: Int?
            do {
                status = try await network().send(
                    request,
                    stored: Zeros(count: count),
                    limits: HTTPLimits(bytes: 1, seconds: 1)
                ).response.status.code
            } catch {
                #expect(error as? HTTPTransportError == .refused)
            }
            #expect(status == (asked == 1 ? nil : 413))
            #expect(plain.all.withLock { $0 }.count == asked)
        }
    }

    @Test("decision 0070: handles of the host are answered without the DNS, and others with it")
    func names() async throws {
        let network = DemoTexts(
            host: try ATHost(baseURL: "http://localhost:9001"),
            otherwise: guarded
        )
        let known = try await network.texts(at: "_atproto.ann.handles.test")
        #expect(known == ["did=\(ATHostPerson.ann.did)"])
        #expect(try await network.texts(at: "_atproto.nobody.handles.test") == [])
        #expect(guarded.all.withLock { $0 }.isEmpty)
        for name in ["_atproto.alice.example.com", "_atproto.handles.test", "ann.handles.test"] {
            _ = try await network.texts(at: name)
        }
        #expect(guarded.all.withLock { $0 }.count == 3)
    }
}
