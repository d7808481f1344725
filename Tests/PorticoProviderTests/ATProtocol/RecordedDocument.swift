import HTTPTypes
import PorticoProtocol
import PorticoTestSupport

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
