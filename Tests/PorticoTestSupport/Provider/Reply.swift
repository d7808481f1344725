package import HTTPTypes
package import PorticoProtocol

/// What a server under test answered.
package struct Reply: Sendable {
    package let status: Int
    package let headers: HTTPFields
    package let body: [UInt8]

    package init(status: Int, headers: HTTPFields, body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The JSON object in the body; empty where it is none.
    package var json: JSONObject {
        // `try?`: what is not JSON has no members, and the test says so.
        (try? JSONObject(parsing: body)) ?? [:]
    }

    package var location: String? { headers[.location] }

    /// `error` of an OAuth error, from the body or from the redirect.
    package var error: String? { json.string("error") ?? redirected["error"] }

    /// A member of a successful answer, which the test cannot go on without.
    package func member(_ name: String) throws -> String {
        guard let value = json.string(name) else { throw Missing(member: name, answer: text) }
        return value
    }

    private struct Missing: Error {
        let member: String
        let answer: String
    }

    package var accessToken: String { get throws { try member("access_token") } }
    package var refreshToken: String { get throws { try member("refresh_token") } }
    package var idToken: String { get throws { try member("id_token") } }
    package var requestURI: String { get throws { try member("request_uri") } }

    /// What the ID Token says, unchecked.
    package var claims: JSONObject {
        get throws { try JWT(parsing: idToken).uncheckedClaims() }
    }

    /// What the access token says, unchecked.
    package var accessClaims: JSONObject {
        get throws { try JWT(parsing: accessToken).uncheckedClaims() }
    }
    /// Status and error in one: `400 invalid_grant`.
    package var refusal: String { "\(status) \(json.string("error") ?? "-")" }

    /// The parameters of the redirect, each once.
    package var redirected: [String: String] {
        guard let location, let mark = location.firstIndex(of: "?"),
            let form = try? FormParameters(decoding: location[location.index(after: mark)...].utf8)
        else { return [:] }
        return Dictionary(form.all.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The hidden fields of the page's first form, decoded.
    package var hiddenFields: [(name: String, value: String)] {
        text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)"/).map {
            (String($0.1), Self.decoded(String($0.2)))
        }
    }

    /// What shows that the page's first form comes from it, for a page with several.
    package var formProof: [(String, String)] {
        ["csrf", "about"].compactMap { name in
            hiddenFields.first { $0.name == name }.map { (name, $0.value) }
        }
    }

    /// Where the page's first form goes.
    package var formAction: String? {
        text.firstMatch(of: /<form[^>]* action="([^"]*)"/).map { Self.decoded(String($0.1)) }
    }

    private static func decoded(_ text: String) -> String {
        var text = text
        for (entity, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
        ] {
            text.replace(entity, with: character)
        }
        return text
    }
}
