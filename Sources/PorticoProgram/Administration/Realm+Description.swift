import PorticoProtocol
import PorticoStores

extension Realm {
    /// What `portico realm show` shows; members are only ever added.
    var description: Description {
        var json: JSONObject = [
            "id": .string(id), "name": .string(name), "issuer": .string(issuer),
        ]
        for member in shownMembers { json[member.name] = member.value }
        let swap = tokenSwap.flatMap { $0.isOn ? $0.json : nil }
        json["token_swap"] = swap.map(JSONValue.object) ?? .null
        json["token_resource"] = profile.tokenResource.map(JSONValue.string) ?? .null
        var fields = [("Realm", name), ("Issuer", issuer)] + shownFields
        if let resource = profile.tokenResource {
            fields.append(("AT Protocol", "host of the accounts at \(resource)"))
        }
        if let tokenSwap { fields.append(("Tokens of before", tokenSwap.summary)) }
        return Description(json: json, fields: fields + [("Id", id)])
    }

    var state: String { isEnabled ? "enabled" : "disabled" }
}

extension TokenSwap {
    fileprivate var json: JSONObject {
        [
            "issuer": .string(issuer),
            "closes_at": .string(Times.standard(closesAt)),
            "accepts_unlisted_offline_sessions": .bool(takesUnlistedOffline),
            "listed_until": listedUntil.map { .string(Times.standard($0)) } ?? .null,
        ]
    }

    fileprivate var summary: String {
        let offline =
            takesUnlistedOffline
            ? "all offline sessions" : listedUntil == nil ? "no offline session" : "those on a list"
        guard isOn else { return "of \(issuer), not swapped at present" }
        return "of \(issuer), swapped until \(Times.standard(closesAt)), \(offline)"
    }
}
