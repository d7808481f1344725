import PorticoBytes
import PorticoProtocol
import PorticoStores

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
