import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Imports Keycloak's protocol mappers (Keycloak `ProtocolMapperRepresentation`) of the kinds that
/// Portico supports as claim mappers. The rest is reported.
struct MapperImport {
    let subject: String
    private(set) var mappers: [ClaimMapper] = []

    init(subject: String) {
        self.subject = subject
    }

    /// Their claims are in tokens anyway, or are never written.
    private static let builtIn: Set<String> = [
        "oidc-full-name-mapper", "oidc-address-mapper", "oidc-sub-mapper", "oidc-acr-mapper",
        "oidc-amr-mapper", "oidc-allowed-origins-mapper", "oidc-usermodel-property-mapper",
        "oidc-audience-resolve-mapper", "oidc-session-state-mapper",
    ]

    /// Claims that the scope tokens `profile`, `email`, `phone` and `roles` request in Portico too.
    private static let standardClaims: Set<String> = [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username",
        "profile", "picture", "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
        "email", "email_verified", "phone_number", "phone_number_verified", "auth_time",
        "realm_access.roles", "resource_access.${client_id}.roles",
    ]

    mutating func add(_ representations: [Representation], report: inout ImportReport)
        throws(RealmImportError)
    {
        for representation in representations {
            try add(representation, report: &report)
        }
    }

    private mutating func add(_ mapper: Representation, report: inout ImportReport)
        throws(RealmImportError)
    {
        let name = PlainText.shown(try mapper.text("name") ?? "")
        let kind = try mapper.text("protocolMapper") ?? ""
        let config = try Configuration(mapper)
        if Self.builtIn.contains(kind) || config.claim.map(Self.standardClaims.contains) ?? false {
            report.add(.ignored, subject, "mapper \(name): its claim is built in, or not written")
            return
        }
        switch config.source(kind) {
        case .success(let source):
            mappers.append(ClaimMapper(source, into: config.targets))
            report.add(.read, subject, "mapper \(name)")
        case .failure(let reason):
            report.add(.skipped, subject, "mapper \(name): \(reason.words)")
        }
    }

    private struct Unsupported: Error {
        let words: StaticString
    }

    /// The settings of a mapper: texts, whatever their meaning.
    private struct Configuration {
        /// `claim.name` as in the file.
        let claim: String?
        private let claimType: String
        private let attribute: String?
        private let prefix: String?
        private let clientID: String?
        private let audience: String?
        private let value: String?
        private let isMultivalued: Bool
        let targets: Set<ClaimMapper.Target>

        init(_ mapper: Representation) throws(RealmImportError) {
            let config = try mapper.child("config")
            claim = try config?.setting("claim.name")
            claimType = try config?.setting("jsonType.label") ?? "String"
            attribute = try config?.setting("user.attribute")
            let realmPrefix = try config?.setting("usermodel.realmRoleMapping.rolePrefix")
            let clientPrefix = try config?.setting("usermodel.clientRoleMapping.rolePrefix")
            prefix = realmPrefix ?? clientPrefix
            clientID = try config?.setting("usermodel.clientRoleMapping.clientId")
            let client = try config?.setting("included.client.audience")
            let custom = try config?.setting("included.custom.audience")
            audience = client ?? custom
            value = try config?.setting("claim.value")
            isMultivalued = try config?.setting("multivalued") == "true"
            let inIDToken = try config?.setting("id.token.claim") == "true"
            // If UserInfo is not mentioned, it follows the ID Token (Keycloak
            // `OIDCAttributeMapperHelper`).
            let inUserInfo = try config?.setting("userinfo.token.claim").map { $0 == "true" }
            var targets: Set<ClaimMapper.Target> = []
            if try config?.setting("access.token.claim") == "true" { targets.insert(.accessToken) }
            if inIDToken { targets.insert(.idToken) }
            if inUserInfo ?? inIDToken { targets.insert(.userInfo) }
            self.targets = targets
        }

        func source(_ kind: String) -> Result<ClaimMapper.Source, Unsupported> {
            Result { () throws(Unsupported) in
                switch kind {
                case "oidc-audience-mapper":
                    guard let audience else { throw Unsupported(words: "it names no audience") }
                    guard targets.contains(.accessToken) else { throw Self.nowhere }
                    return .audience(audience)
                case "oidc-usermodel-realm-role-mapper":
                    return .realmRoles(claim: try flatClaim(roles: true))
                case "oidc-usermodel-client-role-mapper":
                    guard let clientID else {
                        throw Unsupported(words: "it names no client whose roles it writes")
                    }
                    return .clientRoles(clientID: clientID, claim: try flatClaim(roles: true))
                case "oidc-usermodel-attribute-mapper":
                    guard let attribute else { throw Unsupported(words: "it names no attribute") }
                    guard claimType == "String" else { throw Self.otherType }
                    return .attribute(
                        name: attribute,
                        claim: try flatClaim(),
                        isMultivalued: isMultivalued
                    )
                case "oidc-hardcoded-claim-mapper":
                    return .fixed(claim: try flatClaim(), value: try fixedValue())
                default: throw Unsupported(words: "this kind is not known here")
                }
            }
        }

        private static let nowhere = Unsupported(words: "it writes to no token")
        private static let otherType = Unsupported(words: "its type of claim is not known here")

        /// `\.` is a dot; a plain dot nests, which no mapper in Portico does.
        private func flatClaim(roles: Bool = false) throws(Unsupported) -> String {
            guard !targets.isEmpty else { throw Self.nowhere }
            guard let claim else { throw Unsupported(words: "it names no claim") }
            guard !roles || prefix == nil else {
                throw Unsupported(words: "a prefix before role names is not known here")
            }
            var flat = ""
            var isEscaped = false
            for character in claim {
                if isEscaped || character != "\\" && character != "." {
                    flat.append(character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else {
                    throw Unsupported(words: "a claim within a claim is not known here")
                }
            }
            guard !flat.contains("${"), flat.utf8.count <= 200 else {
                throw Unsupported(words: "its claim has no name that can be written")
            }
            guard !ClaimMapper.isReserved(flat) else {
                throw Unsupported(words: "only the server itself writes this claim")
            }
            return flat
        }

        private func fixedValue() throws(Unsupported) -> JSONValue {
            let text = value ?? ""
            let value: JSONValue? =
                switch claimType {
                case "String": .string(text)
                case "int", "long": Int64(text).map(JSONValue.integer)
                case "boolean": text == "true" ? true : text == "false" ? false : nil
                // `try?`: a text that cannot be parsed has no value.
                case "JSON": try? JSONValue(parsing: Array(text.utf8))
                default: nil
                }
            guard let value else { throw Self.otherType }
            return value
        }
    }
}
