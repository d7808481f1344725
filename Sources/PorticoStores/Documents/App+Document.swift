import PorticoBytes
import PorticoProtocol

extension App {
    /// Id, name and whether it is the default stand in columns of their own, the rest in the
    /// document.
    init(id: UniqueID, name: String, isDefault: Bool, document: JSONObject) throws {
        let document = Document(document)
        self.init(
            id: id,
            name: name,
            displayName: try document.required("display_name", \.string),
            redirectURIs: try document.required("redirect_uris", \.strings),
            handOff: try document.required("hand_off") { $0.string.flatMap(HandOffForm.init) },
            isDefault: isDefault,
            appleAppIDs: try document.required("apple_app_ids", \.strings),
            androidApps: try document.list("android_apps", AndroidApp.init(value:)) ?? [],
            storeLinks: try document.required("store_links", \.strings),
            audiences: try document.required("audiences", Self.audiences),
            isEnabled: try document.required("enabled", \.bool)
        )
    }

    /// Writes what this program knows over `document`, and leaves what a newer one put there.
    func write(to document: inout JSONObject) {
        document["display_name"] = .string(displayName)
        document["redirect_uris"] = .array(redirectURIs.map(JSONValue.string))
        document["hand_off"] = .string(handOff.rawValue)
        document["apple_app_ids"] = .array(appleAppIDs.map(JSONValue.string))
        document["android_apps"] = .array(androidApps.map(\.value))
        document["store_links"] = .array(storeLinks.map(JSONValue.string))
        var kept = JSONObject()
        for (provider, values) in audiences.sorted(by: { $0.key < $1.key }) {
            kept[provider] = .array(values.map(JSONValue.string))
        }
        document["audiences"] = .object(kept)
        document["enabled"] = .bool(isEnabled)
    }

    private static func audiences(_ value: JSONValue) -> [String: [String]]? {
        guard let object = value.object else { return nil }
        var audiences: [String: [String]] = [:]
        for (provider, values) in object {
            guard let values = values.strings else { return nil }
            audiences[provider] = values
        }
        return audiences
    }
}

extension App.AndroidApp {
    fileprivate init?(value: JSONValue) {
        guard let object = value.object, let name = object.string("package"),
            let fingerprints = object.strings("fingerprints")
        else { return nil }
        self.init(packageName: name, fingerprints: fingerprints)
    }

    fileprivate var value: JSONValue {
        [
            "package": .string(packageName),
            "fingerprints": .array(fingerprints.map(JSONValue.string)),
        ]
    }
}
