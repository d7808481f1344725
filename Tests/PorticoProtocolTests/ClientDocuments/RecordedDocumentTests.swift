import Foundation
import PorticoBytes
import Testing

@testable import PorticoProtocol

/// What a real server said to about sixty clients, in a folder outside the repository:
/// `TEST_ATPROTO_FIXTURES=FOLDER swift test --filter RecordedDocumentTests`. Tests of this
/// repository have documents of their own for the same rules.
private let folder = ProcessInfo.processInfo.environment["TEST_ATPROTO_FIXTURES"]

@Suite(
    "Documents that a real server has judged",
    .enabled(if: folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedDocumentTests {
    /// What a real server takes, and we do not: docs/standards/atproto-oauth.tsv, ATP-AR-9 and
    /// ATP-C-ID-2.
    private static let stricter: Set = [
        "redirect-other-origin-native", "id: https://docs.portico-lab.net:443/good.json",
    ]
    /// How a document was sent, which is not the document's own.
    private static let ofTheWire: Set = [
        "status-204", "status-500", "type-text", "type-json-charset", "type-missing", "slow-12s",
    ]
    private static let withoutMember = [
        "client-id-missing": "client_id", "no-dpop": "dpop_bound_access_tokens",
        "no-scope": "scope", "redirects-missing": "redirect_uris",
        "response-types-missing": "response_types", "auth-missing": "token_endpoint_auth_method",
        "app-type-missing": "application_type",
    ]

    private func bytes(_ path: String) throws -> [UInt8] {
        let root = URL(filePath: try #require(folder))
        return Array(try Data(contentsOf: root.appending(path: path)))
    }

    private func isTaken(_ name: String, _ change: JSONValue?) throws -> Bool {
        if name.hasPrefix("id: ") { return try isTaken(clientID: String(name.dropFirst(4)), nil) }
        if name.hasPrefix("loopback: ") {
            let change = try #require(change?.object)
            return try isTaken(
                clientID: try #require(change.string("client_id")),
                change.string("redirect_uri")
            )
        }
        let url = "https://docs.portico-lab.net/\(name).json"
        var json: JSONObject = [
            "client_id": .string(url), "redirect_uris": ["https://docs.portico-lab.net/cb"],
            "scope": "atproto", "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"], "application_type": "web",
            "token_endpoint_auth_method": "none", "dpop_bound_access_tokens": true,
        ]
        for (member, value) in change?.object ?? [:] { json[member] = value }
        if let member = Self.withoutMember[name] { json[member] = nil }
        if name == "pkjwt-private-key-published" {
            json["token_endpoint_auth_method"] = "private_key_jwt"
            json["token_endpoint_auth_signing_alg"] = "ES256"
            json["jwks"] = ["keys": [["kty": "EC", "crv": "P-256", "kid": "k", "d": "AQAB"]]]
        }
        let body = name == "array" ? JSONValue.array([.object(json)]) : .object(json)
        do {
            let document = try ClientDocument(
                parsing: body.serialized(),
                at: try ClientIDAddress(url)
            )
            if name == "pkjwt-jwks-uri-broken" {
                _ = try ClientDocument.keySet(["keys": "x"], for: .es256)
            }
            return document.clientID == url
        } catch {
            return false
        }
    }

    private func isTaken(clientID: String, _ redirect: String?) throws -> Bool {
        do {
            guard LocalhostClient.isMeant(by: clientID) else {
                _ = try ClientIDAddress(clientID)
                return true
            }
            let uris = try LocalhostClient(clientID).document.redirectURIs
            guard let redirect else { return true }
            return uris.contains { $0.permitsExactPort(RedirectURI(redirect)) }
        } catch {
            return false
        }
    }

    @Test("ATP-MD-11: what a real server refuses is refused here, what it takes is taken or named")
    func verdicts() throws {
        let answers = try JSONValue(
            parsing: try bytes("client-metadata-answers.json"),
            limits: JSONLimits(size: 1 << 20)
        )
        var count = 0
        for answer in try #require(answers.array).compactMap({ $0.object }) {
            let name = try #require(answer.string("case"))
            guard !Self.ofTheWire.contains(name) else { continue }
            let isTakenThere = answer.int64("status") == 201
            let isTakenHere = try isTaken(name, answer["change"])
            #expect(isTakenHere == (isTakenThere && !Self.stricter.contains(name)), "\(name)")
            count += 1
        }
        #expect(count == 51)
    }

    @Test("ATP-MD-11: documents of real clients are taken")
    func real() throws {
        let root = URL(filePath: try #require(folder))
        let other = root.deletingLastPathComponent().appending(path: "atproto").path()
        for name in try FileManager.default.contentsOfDirectory(atPath: other)
        where name.hasSuffix("client-metadata.json") {
            try check(try bytes("../atproto/\(name)"))
        }
        for file in ["03-confidential.jsonl", "04-native-scheme.jsonl"] {
            for line in try bytes(file).split(separator: UInt8(ascii: "\n")) {
                let exchange = try JSONObject(parsing: line, limits: JSONLimits(size: 1 << 20))
                let request = exchange.object("request")?.string("line") ?? ""
                let body = exchange.object("response")?.string("body") ?? ""
                if request.contains("/oauth/jwks.json") {
                    let set = try JSONObject(parsing: Array(body.utf8))
                    #expect(try ClientDocument.keySet(set, for: .es256).keys.count == 2)
                } else if request.contains("client-metadata.json "), body.hasPrefix("{") {
                    try check(Array(body.utf8))
                }
            }
        }
    }

    private func check(_ document: [UInt8]) throws {
        let id = try #require(try JSONObject(parsing: document).string("client_id"))
        let client = try ClientDocument(parsing: document, at: try ClientIDAddress(id))
        #expect(client.scope.contains("transition:generic"))
    }
}
