import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoProvider

/// By the transports that the program has, on real sockets.
@Suite("Documents and key sets from strange hosts") struct StrangeDocumentTests {
    private static let mapped4 = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]

    /// A client whose document, or only its key set, is asked for with `transport`.
    private static func scene(_ isKeySet: Bool, _ transport: any HTTPTransport) async throws
        -> ATScene
    {
        let keys: JSONObject = ["jwks": .null, "jwks_uri": .string(ATScene.keys)]
        let scene = try await ATScene(isKeySet ? keys : [:], isConfidential: isKeySet)
        if !isKeySet { scene.sites[ATScene.url] = nil }
        scene.sites.others = transport
        return scene
    }

    @Test(
        "WEB-SSRF-1, CIMD-6.5-1: where the name of a document or key set leads inside, no request goes there",
        .enabled("\(Victims.needs443)") { await Victims.areAt443() },
        arguments: [false, true],
        [.loopback4, mapped4] as [[UInt8]]
    )
    func inside(isKeySet: Bool, address: [UInt8]) async throws {
        let victims = try await Victims()
        defer { victims.stop() }
        try #require(victims.areAt443)
        // The second answer would be another: it is asked once, and that one counts.
        let names = ScriptedNames([address], [[93, 184, 216, 34]])
        let transport = GuardedTransport(mediaTypes: ["application/json"], resolver: names)
        let reply = try await Self.scene(isKeySet, transport).push()
        #expect(reply.status == 400 && reply.error == "invalid_client_metadata")
        #expect(names.questions == [isKeySet ? "keys.example.net" : "app.example.com"])
        #expect(victims.isUntouched)
    }

    @Test("CIMD-6.6-1: a document or key set that drips is given up after ten seconds")
    func dripping() async throws {
        let head = Array(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n".utf8
        )
        let dripping = try LocalServer { _ in
            .trickle(head + [UInt8](repeating: 0x20, count: 2000), every: 0.05)
        }
        defer { dripping.stop() }
        try await withThrowingTaskGroup { group in
            for isKeySet in [false, true] {
                group.addTask {
                    let scene = try await Self.scene(isKeySet, AtPort(dripping.port))
                    // As many at once as a host may have.
                    let urls = (1...4).map { "https://app.example.com/\($0)" }
                    if isKeySet {
                        for url in urls {
                            let document = scene.document.merging(["client_id": .string(url)])
                            scene.sites[url] = DocumentSites.Answer(document)
                        }
                    }
                    let begin = ContinuousClock.now
                    let errors = try await withThrowingTaskGroup { group in
                        for url in urls {
                            let by: JSONObject = ["iss": .string(url), "sub": .string(url)]
                            let proof = isKeySet ? try scene.assertion(by) : []
                            group.addTask {
                                try await scene.push([("client_id", url)], proof: proof).error
                            }
                        }
                        return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
                    }
                    #expect(errors == ["invalid_client_metadata"])
                    #expect(ContinuousClock.now - begin > .seconds(9))
                    let set: JSONObject = ["keys": [.object(scene.key.verificationKey.jwk.object)]]
                    scene.sites[ATScene.keys] = DocumentSites.Answer(set)
                    scene.publish([:])
                    #expect(try await scene.push().status == 201)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("CIMD-6.6-1: a document or key set of 10 MB is refused", arguments: [false, true])
    func large(isKeySet: Bool) async throws {
        let large = try LocalServer { _ in
            let body = String(repeating: " ", count: 10_000_000)
            return LocalServer.reply("200 OK", ["Content-Type: application/json"], body)
        }
        defer { large.stop() }
        let scene = try await Self.scene(isKeySet, AtPort(large.port))
        for _ in 1...5 {
            let reply = try await scene.push()
            #expect(reply.status == 400 && reply.error == "invalid_client_metadata")
        }
        #expect(large.requests.count == 5)
    }

    @Test("decision 0064: each fetch of a document is noted once, and why one is no good")
    func noted() async throws {
        let scene = try await ATScene()
        scene.sites.isFull = true
        #expect(try await scene.push().status == 503)
        scene.sites.isFull = false
        scene.sites[ATScene.url] = nil
        #expect(try await scene.push().status == 400)
        scene.publish(["dpop_bound_access_tokens": false])
        #expect(try await scene.push().status == 400)
        scene.publish([:])
        #expect(try await scene.push().status == 201)
        #expect(try await scene.push().status == 201)
        let noted = scene.server.log.split(separator: "\n").filter {
            $0.contains("event=client_document.")
        }
        let expected = [
            ("refused", "cannot be fetched"),
            ("refused", "dpop_bound_access_tokens must be true"), ("fetched", "client="),
        ]
        #expect(noted.count == expected.count)
        for (line, (event, reason)) in zip(noted, expected) {
            #expect(line.contains("client_document.\(event) "), "\(line)")
            #expect(line.contains(reason), "\(line)")
        }
        #expect(noted.allSatisfy { $0.contains(ATScene.url) && $0.contains("address=") })
    }
}

/// A server at a port of this machine, in the place of every host.
private struct AtPort: HTTPTransport {
    let port: UInt16
    let client = OutboundClient()

    init(_ port: UInt16) { self.port = port }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        var request = request
        request.scheme = "http"
        request.authority = "127.0.0.1:\(port)"
        return try await client.send(request, body: body, limits: limits)
    }
}
