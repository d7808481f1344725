package import PorticoAdministration
import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// Something that a person proves themselves with, as Keycloak writes it (Keycloak
/// `CredentialRepresentation`).
package struct CredentialRepresentation: Sendable {
    var id: String?
    var type = "password"
    var label = ""
    /// Milliseconds since 1970.
    var createdAt: Int64 = 0
    /// `secretData`
    var secret: String?
    var data: String?
    /// A password in the clear.
    var value: String?
    var isTemporary = false

    typealias Line = MemberLine<CredentialRepresentation>

    static let members = MemberTable<CredentialRepresentation>(
        "CredentialRepresentation",
        [
            Line("id:text", by: .text(\.id)), Line("type:text", by: .type.always),
            Line("userLabel:text", by: .string(\.label)),
            Line("createdDate:integer?", by: .number(\.createdAt)),
            Line("secretData:text", by: .text(\.secret)),
            Line("credentialData:text", by: .text(\.data)), Line("priority:integer"),
            Line("value:text", by: .text(\.value)),
            Line("temporary:bool", by: .flag(\.isTemporary)),
            Line(
                """
                device hashedSaltedValue salt hashIterations:integer counter algorithm digits
                period config:map federationLink:text
                """
            ),
        ]
    )

    /// `secretData` is a secret.
    package var json: JSONObject { Self.members.json(of: self) }

    /// A password by its hash; `nil` for one in a form that cannot be read.
    package init?(_ password: PasswordHash) {
        guard let texts = KeycloakHash.texts(of: password) else { return nil }
        (secret, data) = (texts.secretData, texts.credentialData)
    }

    /// A second factor. Recovery codes that are spent are not in it: they open nothing elsewhere
    /// either.
    ///
    /// - Throws: where the key ring does not fit.
    package init(_ credential: Credential, seal: CredentialSeal) throws {
        var data = credential.parameters
        type = data.string("type") ?? credential.kind.rawValue
        data["type"] = nil
        var secret = try seal.open(credential.sealedSecret, of: credential.id).reveal()
        if credential.kind == .recoveryCodes {
            (secret, data) = Self.unspent(secret, data, used: credential.used)
        }
        (id, label, createdAt) = (credential.id, credential.label, credential.createdAt)
        (self.secret, self.data) = (secret, data.text)
    }

    /// A one-time password in the form from before Keycloak 8 gets that of today
    /// (`convertDeprecatedCredentialsFormat` there).
    init(_ said: Representation) throws(RealmImportError) {
        // What is read of a credential is told of elsewhere.
        var report = ImportReport(realm: "")
        try Self.members.read(said, of: "", to: &self, report: &report)
        guard secret == nil, ["otp", "totp", "hotp"].contains(type),
            let key = try said.text("hashedSaltedValue")
        else { return }
        var data: JSONObject = ["subType": .string(type == "hotp" ? "hotp" : "totp")]
        for name in ["digits", "period", "counter"] {
            data[name] = try said.integer(name).map(JSONValue.integer)
        }
        data["algorithm"] = try said.text("algorithm").map(JSONValue.string)
        let value: JSONObject = ["value": .string(key)]
        (type, secret, self.data) = ("otp", value.text, data.text)
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
        return (object.text, data)
    }
}

extension MemberCodec where Owner == CredentialRepresentation {
    /// A password where it is missing.
    fileprivate static var type: MemberCodec {
        value(
            \.type,
            read: { said, _, _ in said.text ?? "password" },
            written: { .string($0) }
        )
    }
}

extension NewPerson.Identity {
    typealias Line = MemberLine<NewPerson.Identity>

    /// A person's account at another provider (Keycloak `FederatedIdentityRepresentation`).
    static let members = MemberTable<NewPerson.Identity>(
        "FederatedIdentityRepresentation",
        [
            Line("identityProvider:text", by: .string(\.provider).always),
            Line("userId:text", by: .string(\.subject).always),
            Line("userName:text", by: .text(\.username)),
        ]
    )
}

/// What a person has let a client have (Keycloak `UserConsentRepresentation`).
struct ConsentRepresentation: Sendable {
    var clientID = ""
    var scopes: [String] = []
    /// Seconds since 1970.
    var createdAt: Int64 = 0
    var updatedAt: Int64 = 0

    typealias Line = MemberLine<ConsentRepresentation>

    static let members = MemberTable<ConsentRepresentation>(
        "UserConsentRepresentation",
        [
            Line("clientId:text", by: .string(\.clientID)),
            Line("grantedClientScopes:texts", by: .texts(\.scopes).always),
            Line("createdDate:integer", by: .time(\.createdAt)),
            Line("lastUpdatedDate:integer?", by: .time(\.updatedAt).always),
        ]
    )
}

extension MemberCodec where Owner == ConsentRepresentation {
    fileprivate static func time(_ path: Path<Int64>) -> MemberCodec {
        value(
            path,
            read: { said, _, _ in max(0, (said.integer ?? 0) / 1000) },
            written: { .milliseconds($0) }
        )
    }
}
