import PorticoBackend
import PorticoProtocol
import PorticoStores
import PorticoUpstream

extension ProviderRecord {
    /// What `portico provider` shows; members are only ever added. A secret never is one.
    func description(_ addresses: ProviderAddresses) -> Description {
        var json = item
        json["settings"] = .object(settings)
        json["redirect_uris"] = .array(addresses.redirectURIs.map { .string($0) })
        for notice in addresses.notices { json[notice.key] = .string(notice.address) }
        return Description(json: json, fields: fields + addresses.fields)
    }

    /// What `portico provider show` shows before the addresses.
    private var fields: [(name: String, value: String?)] {
        let shown: [(name: String, value: String?)] = [
            ("Provider", name), ("Kind", kind), ("State", state), ("Place", "\(place)"),
            ("Secret", sealedSecret == nil ? "none" : "set, encrypted"), ("Button", displayName),
            ("Issuer", issuer),
        ]
        guard kind != HandleProvider.kind else {
            return shown + HandleSetting.allCases.compactMap { field($0.label, $0.rawValue) }
        }
        return shown
            + ProviderSetting.allCases.filter { $0 != .displayName && $0 != .issuer }
            .compactMap { field($0.label, $0.rawValue) }
    }

    /// A setting under the name of its option.
    private func field(_ label: String, _ setting: String) -> (name: String, value: String?)? {
        guard let value = settings[setting] else { return nil }
        let text = value.strings.map { joined($0) ?? "" } ?? value.string
        return (label, text ?? String(decoding: value.serialized(), as: UTF8.self))
    }

    /// What `portico provider add` prints: the same JSON, and for people the addresses only.
    func registered(at addresses: ProviderAddresses) -> Description {
        Description(json: description(addresses).json, fields: addresses.fields)
    }

    /// One of `portico provider list --json`.
    var item: JSONObject {
        [
            "name": .string(name),
            "kind": .string(kind),
            "display_name": .string(displayName),
            "client_id": settings["clientID"] ?? .null,
            "issuer": issuer.map(JSONValue.string) ?? .null,
            "place": .integer(place),
            "enabled": .bool(isEnabled),
            "has_secret": .bool(sealedSecret != nil),
        ]
    }

    var state: String { isEnabled ? "enabled" : "disabled" }

    /// The text on its button.
    var displayName: String { read?.displayName ?? settings.string("displayName") ?? name }

    /// The one that account keys hold.
    var issuer: String? { read?.canonicalIssuer ?? settings.string("issuer") }

    private var read: IdentityProvider? {
        // `try?`: a record that cannot be used is listed all the same, with what it has.
        try? IdentityProvider(self, allowingStandIns: true)
    }
}
