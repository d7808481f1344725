import PorticoBytes
import PorticoProtocol
import PorticoStores

extension App {
    /// What `portico app show` shows; members are only ever added.
    var description: Description {
        Description(
            json: [
                "id": .string(id.text),
                "name": .string(name),
                "display_name": .string(displayName),
                "enabled": .bool(isEnabled),
                "default": .bool(isDefault),
                "redirect_uris": Self.texts(redirectURIs),
                "hand_off": .string(handOff.rawValue),
                "apple_app_ids": Self.texts(appleAppIDs),
                "android_apps": .array(
                    androidApps.map {
                        [
                            "package_name": .string($0.packageName),
                            "sha256_cert_fingerprints": Self.texts($0.fingerprints),
                        ]
                    }
                ),
                "audiences": .object(audiencesJSON),
                "store_links": Self.texts(storeLinks),
            ],
            fields: [
                ("App", name),
                ("Name", displayName),
                ("State", state),
                ("Default", yesNo(isDefault)),
                ("Redirects", joined(redirectURIs)),
                ("Hand-off", handOff.rawValue),
                ("Apple", joined(appleAppIDs)),
                ("Android", joined(androidApps.map(\.packageName))),
                ("Fingerprints", joined(androidApps.flatMap(\.fingerprints))),
                ("Audiences", joined(namedAudiences)),
                ("Store", joined(storeLinks)),
                ("Id", id.text),
            ]
        )
    }

    var state: String { isEnabled ? "enabled" : "disabled" }

    private var namedAudiences: [String] {
        audiences.sorted { $0.key < $1.key }.flatMap { provider, ids in
            ids.map { "\(provider)=\($0)" }
        }
    }

    private var audiencesJSON: JSONObject {
        var object = JSONObject()
        for (provider, ids) in audiences.sorted(by: { $0.key < $1.key }) {
            object[provider] = Self.texts(ids)
        }
        return object
    }

    private static func texts(_ values: [String]) -> JSONValue {
        .array(values.map(JSONValue.string))
    }
}
