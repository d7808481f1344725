import PorticoProtocol
import PorticoStores

extension ProtocolMapper {
    /// - Throws: Why the mapper cannot be evaluated; its record may be kept all the same.
    init(_ record: ProtocolMapperRecord) throws(ProtocolMapperError) {
        for (key, value) in record.config {
            let longest = key == "claim.value" ? ClaimType.longest : Self.longestSetting
            guard value.utf8.count <= longest else { throw .tooLarge }
        }
        let settings = Settings(values: record.config.filter { !$0.value.isEmpty })
        let kind = try settings.kind(record.kind)
        let wanted =
            switch kind {
            // They have no switches.
            case .renamedRole, .fixedRole, .pairwise, .nonce: kind.possibleTargets
            case .audienceResolve, .allowedOrigins:
                MapperTarget.named(in: settings.values, isForAccess: true)
            default: MapperTarget.named(in: settings.values)
            }
        let claim = try settings.claim(of: kind)
        var targets = wanted.intersection(kind.possibleTargets)
        if let root = claim?.root, !Self.addsAudience(kind, claim) {
            let writable = targets.filter {
                !ReservedClaims.contain(root, in: $0, writtenBy: kind)
            }
            guard !writable.isEmpty || targets.isEmpty else { throw .reservedClaim(root) }
            targets = writable
        }
        self.init(
            id: record.id,
            name: record.name,
            kind: kind,
            claim: claim,
            type: ClaimType(settings["jsonType.label"]),
            // A list of groups is one even where the setting is missing.
            isMultivalued: settings.isOn("multivalued") || record.kind == Settings.groups,
            targets: targets
        )
    }

    /// A fixed claim `aud`: from before there was a mapper for audiences.
    static func addsAudience(_ kind: Kind, _ claim: ClaimPath?) -> Bool {
        guard case .fixedClaim = kind, let claim else { return false }
        return claim.names == ["aud"]
    }
}

/// The settings of a mapper that are there. Keycloak's files have empty texts for those that are
/// not.
private struct Settings {
    static let groups = "oidc-group-membership-mapper"

    let values: [String: String]

    subscript(key: String) -> String? { values[key] }

    /// Compared exactly, as in Keycloak.
    func isOn(_ key: String) -> Bool { values[key] == "true" }

    func required(_ key: String) throws(ProtocolMapperError) -> String {
        guard let value = values[key] else { throw .missing(key) }
        return value
    }

    func required(_ key: String, else other: String) throws(ProtocolMapperError) -> String {
        if let value = values[key] { return value }
        return try required(other)
    }

    func kind(_ word: String) throws(ProtocolMapperError) -> ProtocolMapper.Kind {
        switch word {
        case "oidc-usermodel-attribute-mapper":
            .attribute(try required("user.attribute"), aggregates: isOn("aggregate.attrs"))
        case "oidc-usermodel-property-mapper": .property(try required("user.attribute"))
        case "oidc-usermodel-realm-role-mapper":
            .realmRoles(prefix: self["usermodel.realmRoleMapping.rolePrefix"] ?? "")
        case "oidc-usermodel-client-role-mapper":
            .clientRoles(
                of: self["usermodel.clientRoleMapping.clientId"],
                prefix: self["usermodel.clientRoleMapping.rolePrefix"] ?? ""
            )
        case "oidc-full-name-mapper": .fullName
        case "oidc-address-mapper": .address(address)
        case Self.groups: .groups(withPath: isOn("full.path"))
        case "oidc-audience-mapper":
            .audience(try required("included.client.audience", else: "included.custom.audience"))
        case "oidc-audience-resolve-mapper": .audienceResolve
        case "oidc-hardcoded-claim-mapper": .fixedClaim(try fixedValue())
        case "oidc-hardcoded-role-mapper": .fixedRole(RoleName(parsing: try required("role")))
        case "oidc-role-name-mapper":
            .renamedRole(
                RoleName(parsing: try required("role")),
                to: RoleName(parsing: try required("new.role.name"))
            )
        case "oidc-usersessionmodel-note-mapper": .note(try required("user.session.note"))
        default: try otherKind(word)
        }
    }

    private func otherKind(_ word: String) throws(ProtocolMapperError) -> ProtocolMapper.Kind {
        switch word {
        case "oidc-allowed-origins-mapper": return .allowedOrigins
        case "oidc-acr-mapper": return .acr
        case "oidc-amr-mapper": return .amr
        case "oidc-sub-mapper": return .sub
        case "oidc-sha256-pairwise-sub-mapper":
            let salt = try required("pairwiseSubAlgorithmSalt")
            return .pairwise(
                PairwiseSubject(
                    salt: salt,
                    sector: self["sectorIdentifierUri"].flatMap(PairwiseSubject.host)
                )
            )
        case "oidc-session-state-mapper": return .sessionState
        case "oidc-nonce-backwards-compatible-mapper": return .nonce
        case "oidc-claims-param-token-mapper": return .claimsParameter
        case "oidc-claims-param-value-idtoken-mapper": return .claimsParameterValue
        default:
            guard word.utf8.count <= 200 else { throw .unknownKind("") }
            let isScript =
                word.utf8.starts(with: "script-".utf8)
                || word == "oidc-script-based-protocol-mapper"
            throw isScript ? .script(word) : .unknownKind(word)
        }
    }

    func claim(of kind: ProtocolMapper.Kind) throws(ProtocolMapperError) -> ClaimPath? {
        switch kind {
        case .attribute, .property, .realmRoles, .clientRoles, .groups, .fixedClaim, .note,
            .claimsParameterValue:
            try ClaimPath(try required("claim.name"))
        default: nil
        }
    }

    /// An empty text is a value here.
    private func fixedValue() throws(ProtocolMapperError) -> JSONValue {
        guard let value = ClaimType(self["jsonType.label"]).value(self["claim.value"] ?? "") else {
            throw .badValue
        }
        return value
    }

    private var address: [String: String] {
        var attributes: [String: String] = [:]
        for (member, name) in [
            ("formatted", "formatted"), ("street_address", "street"), ("locality", "locality"),
            ("region", "region"), ("postal_code", "postal_code"), ("country", "country"),
        ] {
            attributes[member] = self["user.attribute.\(name)"] ?? name
        }
        return attributes
    }
}

extension RoleName {
    /// A role as mappers name it: `role` of the realm, or `client.role`, whose last dot parts the
    /// two (Keycloak `KeycloakModelUtils.parseRole`).
    fileprivate init(parsing text: String) {
        let bytes = text.utf8
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")) else {
            self.init(clientID: nil, name: text)
            return
        }
        self.init(
            clientID: String(text[..<dot]),
            name: String(text[bytes.index(after: dot)...])
        )
    }
}
