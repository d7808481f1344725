import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// Clients that were recorded at a real server, at our Provider in its place. PlayedClientTests has
/// sessions of our own.
@Suite(
    "Recorded clients at our Provider",
    .enabled(if: RecordedExchange.folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedServerTests {
    private static let files = [
        "02-public-loopback", "03-confidential", "04-native-scheme", "05-deny", "06-par-errors",
        "07-token-errors", "09-authorize-errors", "40-oauth-client-node-confidential",
    ]

    /// Its document is in no recording.
    private static let web: JSONObject = [
        "client_id": "https://web.portico-lab.net/client-metadata.json",
        "redirect_uris": ["https://web.portico-lab.net/cb"], "scope": "atproto transition:generic",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "application_type": "web", "token_endpoint_auth_method": "none",
        "dpop_bound_access_tokens": true,
    ]

    private typealias Verdict = NamedVerdicts.Verdict

    private func post(_ exchange: RecordedExchange, by client: PlayedClient) async throws -> Verdict
    {
        let proof = exchange.proofHeader.map { header in
            PlayedClient.Proof(
                key: header.object("jwk")?.string("x") ?? "",
                hasNonce: exchange.proofClaims?["nonce"] != nil
            )
        }
        let reply: Reply
        if let form = exchange.form {
            reply = try await client.post(
                String(exchange.path),
                form.all.map { ($0.name, $0.value) },
                proof: proof,
                answered: exchange.json ?? [:]
            )
        } else {
            let type = exchange.fields[.contentType]
            reply = try await client.post(
                String(exchange.path),
                exchange.body,
                type: type,
                proof: proof
            )
        }
        return Verdict(isGranted: reply.status < 300, error: reply.error)
    }

    /// What the recorded browser did, done in ours. `nil` where there is nothing to compare.
    private func browse(_ exchange: RecordedExchange, by client: PlayedClient) async throws
        -> (ours: Verdict, theirs: Verdict)?
    {
        switch exchange.path {
        case "/oauth/authorize":
            let parameters = exchange.query?.all.map { ($0.name, $0.value) } ?? []
            let reply = try await client.authorize(parameters)
            if let redirected = try redirected(exchange, by: client) { return redirected }
            let ours = Verdict(isGranted: reply.status < 400, error: nil)
            return (ours, Verdict(isGranted: exchange.status < 400, error: nil))
        case "/oauth/authorize/redirect": return try redirected(exchange, by: client)
        default: break
        }
        // What the person did on pages there, they do on those that come here.
        guard let page = client.page, page.location == nil else { return nil }
        if exchange.path.hasSuffix("/~api/sign-in") {
            if page.text.contains("type=\"password\"") { _ = try await client.signIn() }
        } else if exchange.path.hasSuffix("/~api/consent") {
            _ = try await client.submit([("action", "allow")])
        } else if exchange.path.hasSuffix("/~api/reject") {
            _ = try await client.submit([("action", "deny")])
        }
        return nil
    }

    /// How a browser was sent back to the client, if it was.
    private func redirected(_ exchange: RecordedExchange, by client: PlayedClient) throws
        -> (ours: Verdict, theirs: Verdict)?
    {
        var headers = HTTPFields()
        headers[.location] = exchange.reply.response.headerFields[.location]
        let theirs = Reply(status: 303, headers: headers, body: []).redirected
        guard theirs["code"] != nil || theirs["error"] != nil else { return nil }
        let ours = try client.callback(theirs["code"] ?? "")
        if !ours.isEmpty {
            let what: Comment = "n=\(exchange.number)"
            #expect(ours["state"] == theirs["state"], what)
            #expect(ours["iss"] == theirs["iss"], what)
            // Clients tell the person's own word by it.
            if theirs["error"] == "access_denied" {
                #expect(ours["error_description"] == theirs["error_description"], what)
            }
        }
        return (
            Verdict(isGranted: ours["code"] != nil, error: ours["error"]),
            Verdict(isGranted: theirs["code"] != nil, error: theirs["error"])
        )
    }

    @Test("Each recorded request has the recorded verdict, or a stricter or milder named one")
    func verdicts() async throws {
        let exchanges = try Self.files.flatMap { try RecordedExchange.all(in: "\($0).jsonl") }
            .sorted { $0.number < $1.number }
        let begun = try #require(exchanges.first?.time)
        let client = try await PlayedClient(
            did: "did:plc:fxkklfa5ugv4zpwjx3himyc2",
            handle: "alice.pds.example.com",
            at: begun
        )
        try client.publish(Self.web)
        // Their own keys, too: what they signed is judged as it was sent.
        let keys = exchanges.first { $0.path == "/oauth/jwks.json" && $0.host.hasPrefix("app.") }
        for exchange in exchanges where exchange.path.hasSuffix("client-metadata.json") {
            try client.publish(try #require(exchange.json), keys: try #require(keys?.json))
        }
        var named = try NamedVerdicts.all("request")
        var count = 0
        for exchange in exchanges {
            let passed = exchange.time.timeIntervalSince(client.server.clock.now)
            client.server.clock.advance(by: max(0, passed))
            let compared: (ours: Verdict, theirs: Verdict)?
            if exchange.isOfServer {
                let theirs = Verdict(isGranted: exchange.status < 300, error: exchange.error)
                compared = (try await post(exchange, by: client), theirs)
            } else {
                compared = try await browse(exchange, by: client)
            }
            guard let (ours, theirs) = compared else { continue }
            count += 1
            let found = NamedVerdicts.difference(ours, from: theirs)
            let expected = named.removeValue(forKey: "\(exchange.number)")
            #expect(found == expected, "n=\(exchange.number): \(theirs), and here \(ours)")
        }
        #expect(count > 100)
        #expect(named.isEmpty, "named, and not found: \(named)")
    }

    @Test("ATP-MD-11: each recorded document and client_id has its recorded or a named verdict")
    func documents() async throws {
        let client = try await PlayedClient(
            did: "did:plc:fxkklfa5ugv4zpwjx3himyc2",
            handle: "alice.pds.example.com"
        )
        let answers = try JSONValue(
            parsing: RecordedExchange.bytes("client-metadata-answers.json"),
            limits: JSONLimits(size: 1 << 20)
        )
        var named = try NamedVerdicts.all("document")
        var count = 0
        for answer in try #require(answers.array).compactMap({ $0.object }) {
            count += 1
            let name = try #require(answer.string("case"))
            let sent = RecordedDocument(name, answer["change"], key: client.publicKey)
            for (address, served) in sent.served { client.sites[address] = served }
            let reply = try await client.post("/oauth/par", sent.request, proof: nil)
            #expect(client.sites.limits.allSatisfy { $0.seconds <= 10 })
            let theirs = Verdict(
                isGranted: answer.int64("status") == 201,
                error: answer.object("answer")?.string("error")
            )
            let ours = Verdict(isGranted: reply.status == 201, error: reply.error)
            let found = NamedVerdicts.difference(ours, from: theirs)
            let expected = named.removeValue(forKey: name)
            #expect(found == expected, "\(name): \(theirs), and here \(ours) \(reply.text)")
        }
        #expect(count == 57)
        #expect(named.isEmpty, "named, and not found: \(named)")
    }
}

/// One of the documents, or client ids, that a real server was recorded judging: what it was, by the
/// change that the recording names.
struct RecordedDocument {
    /// What each address answers. One that is missing does not answer.
    let served: [(String, DocumentSites.Answer)]
    /// The pushed request.
    let request: [(String, String)]

    private static let withoutMember = [
        "client-id-missing": "client_id", "no-dpop": "dpop_bound_access_tokens",
        "no-scope": "scope", "redirects-missing": "redirect_uris",
        "response-types-missing": "response_types", "auth-missing": "token_endpoint_auth_method",
        "app-type-missing": "application_type",
    ]

    /// - Parameter key: Stands for the recorded client's.
    init(_ name: String, _ change: JSONValue?, key: JSONObject) {
        let change = change?.object ?? [:]
        let origin = "https://docs.portico-lab.net"
        // A client_id in another form is one of the good document's.
        let isOfID = name.hasPrefix("id: ") || name.hasPrefix("loopback: ")
        let url = "\(origin)/\(isOfID ? "good" : name).json"
        var document: JSONObject = [
            "client_id": .string(url), "redirect_uris": ["https://docs.portico-lab.net/cb"],
            "scope": "atproto", "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"], "application_type": "web",
            "token_endpoint_auth_method": "none", "dpop_bound_access_tokens": true,
        ]
        if !isOfID {
            for (member, value) in change { document[member] = value }
            if let member = Self.withoutMember[name] { document[member] = nil }
        }
        if name == "pkjwt-private-key-published" {
            document["token_endpoint_auth_method"] = "private_key_jwt"
            document["token_endpoint_auth_signing_alg"] = "ES256"
            document["jwks"] = ["keys": [.object(key.merging(["d": "AQAB"]))]]
        } else if let keys = document.object("jwks")?.array("keys") {
            // With our key in the place of the recorded one.
            document["jwks"] = [
                "keys": .array(keys.map { .object(($0.object ?? [:]).merging(key)) })
            ]
        }
        let body = name == "array" ? JSONValue.array([.object(document)]) : .object(document)
        var answer = DocumentSites.Answer(body.serialized())
        switch name {
        case "status-204": answer = DocumentSites.Answer(status: 204, [])
        case "status-500": answer.status = 500
        case "type-text": answer.type = "text/plain"
        case "type-json-charset": answer.type = "application/json; charset=utf-8"
        case "type-missing": answer.type = nil
        default: break
        }
        var served = [("\(origin)/badjwks.json", DocumentSites.Answer(["keys": "x"]))]
        // What answers after 12 seconds has not answered in time.
        if name != "slow-12s" { served.append((url, answer)) }
        self.served = served
        let id = change.string("client_id") ?? (isOfID ? String(name.dropFirst(4)) : url)
        let first = change.strings("redirect_uris")?.first ?? "https://docs.portico-lab.net/cb"
        let usual = id.hasPrefix("http://") ? "http://127.0.0.1/" : first
        var request = [
            ("client_id", id), ("response_type", "code"),
            ("redirect_uri", change.string("redirect_uri") ?? usual), ("scope", "atproto"),
            ("state", "s"), ("code_challenge", TestFlow.challenge),
            ("code_challenge_method", "S256"),
        ]
        if document.string("token_endpoint_auth_method") == "private_key_jwt" {
            let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            request += [("client_assertion_type", type), ("client_assertion", name)]
        }
        self.request = request
    }
}
