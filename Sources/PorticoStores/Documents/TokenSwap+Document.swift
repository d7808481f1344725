import PorticoProtocol

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
