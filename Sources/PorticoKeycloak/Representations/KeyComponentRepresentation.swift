import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// A key provider of a realm as Keycloak writes it (Keycloak `ComponentExportRepresentation`).
package struct KeyComponentRepresentation: Sendable {
    package let json: JSONObject

    /// A key that signs, or verifies what it signed.
    ///
    /// - Parameters:
    ///   - priority: Of a key that was made here; others have their own.
    ///   - isActive: Whether it signs; of a key that was made here.
    /// - Throws: where the key ring does not fit.
    package init(
        _ record: SigningKeyRecord,
        priority: Int64,
        isActive: Bool,
        secrets: RealmSecrets
    ) throws {
        let text = try secrets.privateKey(of: record)
        var json = record.component ?? Self.made(record, priority: priority, isActive: isActive)
        var config = json.object("config") ?? JSONObject()
        if let text {
            config[Self.privateMember(json)] = .texts([text])
            // Others need both halves of these.
            if record.component == nil, record.algorithm == .es256 || record.algorithm == .edDSA {
                let key = try ForeignPrivateKey(text).publicKey
                let name = record.algorithm == .es256 ? "ecdsaPublicKey" : "eddsaPublicKey"
                config[name] = .texts([Base64.encode(key.der)])
            }
        }
        json["config"] = .object(config)
        self.json = json
    }

    /// A key that came with the realm and signs nothing here.
    package init(_ key: KeptKey, secrets: RealmSecrets) throws {
        var json = key.component
        if let text = try secrets.secret(of: key) {
            var config = json.object("config") ?? JSONObject()
            config[key.kind == .hmac ? "secret" : Self.privateMember(json)] = .texts([text])
            json["config"] = .object(config)
        }
        self.json = json
    }

    private static func privateMember(_ component: JSONObject) -> String {
        let kind = component.string("providerId") ?? ""
        if kind.hasPrefix("ecdsa-") { return "ecdsaPrivateKey" }
        if kind.hasPrefix("eddsa-") { return "eddsaPrivateKey" }
        return kind.hasPrefix("hmac-") || kind.hasPrefix("aes-") ? "secret" : "privateKey"
    }

    /// What the name of a key that was made here begins with.
    static let ofOurs = "portico "

    private static func made(_ record: SigningKeyRecord, priority: Int64, isActive: Bool)
        -> JSONObject
    {
        var config: JSONObject = [
            "priority": .texts(["\(priority)"]), "enabled": ["true"],
            "active": .texts(["\(isActive)"]),
        ]
        let kind: String
        switch record.algorithm {
        case .es256:
            kind = "ecdsa-generated"
            config["ecdsaEllipticCurveKey"] = ["P-256"]
        case .edDSA:
            kind = "eddsa-generated"
            config["eddsaEllipticCurveKey"] = ["Ed25519"]
        case .rs256, .ps256:
            kind = "rsa-generated"
            config["algorithm"] = .texts([record.algorithm.rawValue])
            config["keyUse"] = ["SIG"]
        }
        return [
            "id": .string(record.keyID), "name": .string(ofOurs + record.keyID),
            "providerId": .string(kind), "subComponents": [:], "config": .object(config),
        ]
    }
}
