import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

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
    private static let secrets: Set<String> = [
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
