import PorticoAdministration
package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores

/// What of a realm is secret and goes into a representation: as it is, or masked as in Keycloak's
/// partial exports (docs/decisions/0038).
package struct RealmSecrets: Sendable {
    /// Whether they are written as they are.
    package let areShown: Bool
    private let clients: ClientSecretSeal
    private let keys: SigningKeySeal
    private let kept: KeptKeySeal
    private let parts: RealmPartSeal

    package init(ring: KeyRing, areShown: Bool) {
        self.areShown = areShown
        clients = ClientSecretSeal(ring: ring)
        keys = SigningKeySeal(ring: ring)
        kept = KeptKeySeal(ring: ring)
        parts = RealmPartSeal(ring: ring)
    }

    /// What stands in place of a secret.
    package static let mask = "**********"

    /// `nil` where the client has none; a mask also where only its hash is kept.
    ///
    /// - Throws: where the key ring does not fit. So do the others.
    package func secret(of client: Client) throws -> SecretText? {
        guard let kept = client.secret else { return nil }
        let mask = SecretText(Self.mask)
        return areShown ? try clients.open(kept, of: client) ?? mask : mask
    }

    /// The part as its file had it.
    func whole(_ part: RealmPart) throws -> JSONObject {
        guard let sealed = part.sealed else { return part.document }
        let secrets = try parts.open(sealed, of: part.kind, id: part.id, realmID: part.realmID)
        return Self.join(areShown ? secrets : Self.masked(secrets), to: part.document)
    }

    /// PKCS#1 or PKCS#8; `nil` where it is not shown.
    func privateKey(of record: SigningKeyRecord) throws -> String? {
        areShown ? Base64.encode(try keys.open(record).revealForeign()) : nil
    }

    /// In the form of its file; `nil` where it is not shown or not kept.
    func secret(of key: KeptKey) throws -> String? {
        guard areShown, let sealed = key.sealed else { return nil }
        let bytes = try kept.open(sealed, of: key.keyID, realmID: key.realmID)
        return key.kind == .hmac ? Base64URL.encode(bytes) : String(validUTF8: bytes)
    }

    static func join(_ secrets: JSONObject, to document: JSONObject) -> JSONObject {
        var whole = document
        for (name, value) in secrets {
            if let inner = value.object, let config = whole.object(name) {
                whole[name] = .object(join(inner, to: config))
            } else {
                whole[name] = value
            }
        }
        return whole
    }

    /// What was shown masked, with the secrets in place. A list with a mask in it is as it was.
    ///
    /// - Parameter kept: As it was, with its secrets.
    static func unmasked(_ object: JSONObject, by kept: JSONObject) -> JSONObject {
        var whole = JSONObject()
        for (name, value) in object {
            if let inner = value.object {
                whole[name] = .object(unmasked(inner, by: kept.object(name) ?? JSONObject()))
            } else if isMask(value) {
                whole[name] = kept[name]
            } else {
                whole[name] = value
            }
        }
        return whole
    }

    private static func isMask(_ value: JSONValue) -> Bool {
        switch value {
        case .array(let values): values.contains(where: isMask)
        case .object(let object): object.contains { isMask($0.value) }
        default: value.string.map(isMask) ?? false
        }
    }

    /// Keycloak's has ten characters. A wildcard is none.
    static func isMask(_ text: String) -> Bool {
        text.utf8.count >= 4 && text.utf8.allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// The values of components are arrays.
    private static func masked(_ secrets: JSONObject) -> JSONObject {
        var masked = JSONObject()
        for (name, value) in secrets {
            masked[name] =
                switch value {
                case .object(let inner): .object(Self.masked(inner))
                case .array(let values): .array(values.map { _ in .string(mask) })
                default: .string(mask)
                }
        }
        return masked
    }
}

/// Parts the secrets of Keycloak's representations from the rest, and seals them for the database
/// (docs/decisions/0038).
struct RealmPartSeal: Sendable {
    private let seal: SealedAtRest

    init(ring: KeyRing) {
        seal = SealedAtRest(ring: ring, purpose: "realm part")
    }

    /// The longest sealed text that opens again, in bytes.
    static let longest = 1 << 20

    /// Members of an object, or of its `config`, that are secrets in Keycloak.
    static let secrets: Set<String> = [
        "clientSecret", "password", "bindCredential", "secret", "privateKey", "keystorePassword",
        "keyPassword", "authTokenValue", "authTokenClientSecret", "secret.key", "api.key",
    ]

    /// - Returns: The object without its secrets, and the secrets: those of `config` in a `config`.
    static func parted(_ object: JSONObject) -> (rest: JSONObject, secrets: JSONObject) {
        var (rest, secrets) = split(object)
        if let config = object.object("config") {
            let (open, closed) = split(config)
            rest["config"] = .object(open)
            if !closed.isEmpty { secrets["config"] = .object(closed) }
        }
        return (rest, secrets)
    }

    private static func split(_ object: JSONObject) -> (rest: JSONObject, secrets: JSONObject) {
        var (rest, closed) = (JSONObject(), JSONObject())
        for (name, value) in object {
            if secrets.contains(name) { closed[name] = value } else { rest[name] = value }
        }
        return (rest, closed)
    }

    /// - Parameter whole: With its secrets, which are sealed.
    func part(
        _ whole: JSONObject,
        of kind: String,
        id: String,
        realmID: String,
        random: RandomSource
    ) -> RealmPart {
        let (document, secrets) = Self.parted(whole)
        var part = RealmPart(realmID: realmID, kind: kind, id: id, document: document)
        if !secrets.isEmpty {
            part.sealed = seal(secrets, of: kind, id: id, realmID: realmID, random: random)
        }
        return part
    }

    func seal(
        _ secrets: JSONObject,
        of kind: String,
        id: String,
        realmID: String,
        random: RandomSource
    ) -> String {
        Base64URL.encode(
            seal.seal(secrets.serialized(), for: "\(realmID)/\(kind)/\(id)", random: random)
        )
    }

    /// - Throws: if the ring does not have the key it was sealed with, or the row was changed.
    func open(_ sealed: String, of kind: String, id: String, realmID: String) throws -> JSONObject {
        guard let bytes = Base64URL.decode(sealed) else { throw SealError.doesNotOpen }
        return try JSONObject(
            parsing: seal.open(bytes, for: "\(realmID)/\(kind)/\(id)"),
            limits: JSONLimits(size: 1 << 20, depth: 64)
        )
    }
}

/// What is kept of an imported realm and acts on nothing, as its file had it: an authentication
/// flow, a component, the settings for mail.
package struct RealmPartRepresentation: Sendable {
    package let json: JSONObject

    /// - Throws: where the key ring does not fit.
    package init(_ part: RealmPart, secrets: RealmSecrets) throws {
        var json = try secrets.whole(part)
        // Components stand under it in a file.
        if part.kind == "components" { json["providerType"] = nil }
        self.json = json
    }
}

/// Another provider that people signed in by, as its file had it (Keycloak
/// `IdentityProviderRepresentation`).
package struct IdentityProviderRepresentation: Sendable {
    package let json: JSONObject

    /// The ``RealmPart/kind`` of the parts that these are.
    package static let kind = "identityProviders"
    /// The same of its mappers.
    package static let mapperKind = "identityProviderMappers"

    /// - Throws: where the key ring does not fit.
    package init(_ part: RealmPart, secrets: RealmSecrets) throws {
        json = try secrets.whole(part).ordered(RepresentationMembers.identityProvider.order)
    }
}
