package import PorticoAdministration
import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// Something that a person proves themselves with, as Keycloak writes it (Keycloak
/// `CredentialRepresentation`).
package struct CredentialRepresentation: Sendable {
    /// `secretData` is a secret.
    package let json: JSONObject

    /// A password by its hash; `nil` for one in a form that cannot be read.
    package init?(_ password: PasswordHash) {
        guard let texts = KeycloakHash.texts(of: password) else { return nil }
        json = [
            "type": "password", "secretData": .string(texts.secretData),
            "credentialData": .string(texts.credentialData),
        ]
    }

    /// A second factor. Recovery codes that are spent are not in it: they open nothing elsewhere
    /// either.
    ///
    /// - Throws: where the key ring does not fit.
    package init(_ credential: Credential, seal: CredentialSeal) throws {
        var data = credential.parameters
        let type = data.string("type") ?? credential.kind.rawValue
        data["type"] = nil
        var secret = try seal.open(credential.sealedSecret, of: credential.id).reveal()
        if credential.kind == .recoveryCodes {
            (secret, data) = Self.unspent(secret, data, used: credential.used)
        }
        var json: JSONObject = ["id": .string(credential.id), "type": .string(type)]
        if !credential.label.isEmpty { json["userLabel"] = .string(credential.label) }
        if credential.createdAt > 0 { json["createdDate"] = .integer(credential.createdAt) }
        json["secretData"] = .string(secret)
        json["credentialData"] = .string(String(decoding: data.serialized(), as: UTF8.self))
        self.json = json
    }

    private static func unspent(_ secret: String, _ data: JSONObject, used: Int64)
        -> (String, JSONObject)
    {
        // `try?`: what cannot be read can neither be spent nor be asked for.
        guard used != 0, var object = try? JSONValue(parsing: Array(secret.utf8)).object,
            let codes = object.array("codes")
        else { return (secret, data) }
        let left = codes.enumerated().filter { $0.offset >= 63 || used & (1 << $0.offset) == 0 }
        object["codes"] = .array(left.map(\.element))
        var data = data
        if data["remainingCodes"] != nil { data["remainingCodes"] = .integer(Int64(left.count)) }
        return (String(decoding: object.serialized(), as: UTF8.self), data)
    }
}
