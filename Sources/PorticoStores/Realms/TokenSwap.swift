import PorticoProtocol

/// That a realm swaps the refresh tokens of the server it comes from for its own, for a while
/// (docs/decisions/0051).
package struct TokenSwap: Hashable, Sendable {
    /// Who made them: `iss` and `aud` of each.
    package var issuer: String
    /// None is swapped from this time on, and the key that verifies them is forgotten. Seconds since
    /// 1970.
    package var closesAt: Int64
    /// Whether offline tokens are taken whose session is on no list: also those that the server
    /// before had ended.
    package var takesUnlistedOffline: Bool
    /// When the list was made, or at least the last session on it was used: one that was used before
    /// and is not on it had ended. `nil`: there is no list.
    package var listedUntil: Int64?
    /// Whether the server before took each token once.
    package var isLinear: Bool
    /// Whether tokens are swapped at this time. While they are not, what ends a session still ends it
    /// for good, and the rest stays as it was when the swap was turned on first.
    package var isOn = true
    /// The longest session that the realm allowed when the swap was turned on, in seconds; `nil`: not
    /// known.
    package var sessionMaximum: Int64?

    package init(
        issuer: String,
        closesAt: Int64,
        takesUnlistedOffline: Bool = false,
        listedUntil: Int64? = nil,
        isLinear: Bool = false
    ) {
        self.isLinear = isLinear
        self.issuer = issuer
        self.closesAt = closesAt
        self.takesUnlistedOffline = takesUnlistedOffline
        self.listedUntil = listedUntil
    }
}

extension TokenSwap {
    init(document: JSONObject) throws {
        let document = Document(document)
        self.init(
            issuer: try document.required("issuer", \.string),
            closesAt: try document.required("closes_at", \.int64),
            takesUnlistedOffline: try document.required("unlisted_offline", \.bool),
            listedUntil: try document.optional("listed_until", \.int64),
            isLinear: try document.required("linear", \.bool)
        )
        isOn = try document.optional("on", \.bool) ?? true
        sessionMaximum = try document.optional("session_maximum", \.int64)
    }

    var document: JSONObject {
        var document: JSONObject = [
            "issuer": .string(issuer),
            "closes_at": .integer(closesAt),
            "unlisted_offline": .bool(takesUnlistedOffline),
            "linear": .bool(isLinear),
        ]
        if !isOn { document["on"] = false }
        document["session_maximum"] = sessionMaximum.map(JSONValue.integer)
        document["listed_until"] = listedUntil.map(JSONValue.integer)
        return document
    }
}
