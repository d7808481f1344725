import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// A key provider of a realm, as its file has it (Keycloak `ComponentExportRepresentation`).
struct KeyComponent {
    let path: String
    let name: String
    let priority: Int64
    /// Whether it is published at all.
    let isEnabled: Bool
    /// Whether it signs.
    let isActive: Bool
    /// `alg`, where it is not said: what Keycloak takes then.
    let algorithm: String
    let certificate: Certificate?
    /// PEM, or base64 of PKCS#1 or PKCS#8.
    let privateText: String
    let withoutSecrets: JSONObject
    private let isForEncryption: Bool
    private let publicText: String?
    private let secretText: String?
    private let keyID: String?
    private let kind: String

    enum Material {
        case pair(ForeignPrivateKey)
        /// An HMAC key and its `kid`.
        case secret([UInt8], keyID: String)
        /// Masked, or not there.
        case lost
        /// Nothing that signs.
        case other
    }

    init(_ component: Representation) throws(RealmImportError) {
        path = component.path
        name = try component.text("name") ?? ""
        kind = try component.text("providerId") ?? ""
        let settings = try Self.settings(component)
        func setting(_ name: String) -> String? { settings[name] }
        priority = setting("priority").flatMap { Int64($0) } ?? 0
        isEnabled = setting("enabled")?.isTrue ?? true
        isActive = isEnabled && setting("active")?.isTrue ?? true
        isForEncryption =
            setting("keyUse")?.utf8.map(\.lowercased).elementsEqual("enc".utf8)
            ?? (kind == "rsa-enc-generated" || kind == "rsa-enc")
        let curve = setting("ecdsaEllipticCurveKey")
        algorithm = setting("algorithm") ?? Self.algorithm(kind, curve: curve)
        privateText =
            setting("privateKey") ?? setting("ecdsaPrivateKey") ?? setting("eddsaPrivateKey") ?? ""
        publicText = setting("ecdsaPublicKey") ?? setting("eddsaPublicKey")
        secretText = setting("secret")
        keyID = setting("kid")
        do {
            certificate = try setting("certificate").map(Certificate.init)
        } catch {
            throw .key(path: component.path, error)
        }
        withoutSecrets = Self.open(component.object)
    }

    /// The first value of each setting that has one.
    private static func settings(_ component: Representation) throws(RealmImportError)
        -> [String: String]
    {
        var settings: [String: String] = [:]
        for (name, values) in try component.lists("config") {
            if let value = values.first, !value.isEmpty { settings[name] = value }
        }
        return settings
    }

    private static func open(_ object: JSONObject) -> JSONObject {
        var object = object
        guard var config = object.object("config") else { return object }
        for name in ["privateKey", "ecdsaPrivateKey", "eddsaPrivateKey", "secret"] {
            config[name] = nil
        }
        object["config"] = .object(config)
        return object
    }

    private static func algorithm(_ kind: String, curve: String?) -> String {
        switch kind {
        case "ecdsa-generated":
            switch curve {
            case "P-384": "ES384"
            case "P-521": "ES512"
            default: "ES256"
            }
        case "eddsa-generated": "EdDSA"
        case "hmac-generated": "HS256"
        case "rsa-enc-generated", "rsa-enc": "RSA-OAEP"
        default: "RS256"
        }
    }

    /// `nil` where it does not sign here.
    var signatureAlgorithm: SignatureAlgorithm? {
        isForEncryption ? nil : SignatureAlgorithm(rawValue: algorithm)
    }

    /// - Throws: where the halves of a pair do not fit, or it cannot be read.
    func material() throws(RealmImportError) -> Material {
        if kind.hasPrefix("hmac-") {
            guard let secretText, let keyID, !Self.isMasked(secretText) else { return .lost }
            guard let secret = Base64URL.decode(secretText) else {
                throw .key(path: path, .malformed)
            }
            return .secret(secret, keyID: keyID)
        }
        guard ["rsa", "ecdsa", "eddsa"].contains(where: kind.hasPrefix) else { return .other }
        guard !privateText.isEmpty, !Self.isMasked(privateText) else { return .lost }
        do {
            let pair = try ForeignPrivateKey(privateText)
            if let certificate { try pair.check(certificate.publicKey) }
            if let publicText { try pair.check(try ForeignPublicKey(publicText)) }
            return .pair(pair)
        } catch {
            throw .key(path: path, error)
        }
    }

    private static func isMasked(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// As in the key set (RFC 7517 §4).
    func jwk(of pair: ForeignPrivateKey) -> JSONObject {
        var jwk = pair.publicKey.jwkMembers
        jwk["kid"] = .string(pair.publicKey.keyID)
        jwk["alg"] = .string(algorithm)
        jwk["use"] = .string(isForEncryption ? "enc" : "sig")
        for (name, value) in certificate?.jwkMembers ?? JSONObject() { jwk[name] = value }
        return jwk
    }
}

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
