import PorticoAdministration
import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// Mappers as Keycloak writes them (Keycloak `ProtocolMapperRepresentation`): a word for the kind, and
/// settings that are texts, whatever they mean.
extension ClaimMapper {
    /// The longest setting that is read, in bytes; a fixed claim may be as long as any.
    static let longestSetting = 2048

    /// One that cannot be evaluated here is kept, and writes nothing.
    ///
    /// - Returns: `nil` for a mapper of another protocol.
    init?(_ mapper: Representation) throws(RealmImportError) {
        guard try mapper.text("protocol") ?? "openid-connect" == "openid-connect" else {
            return nil
        }
        let name = try mapper.string("name") ?? ""
        let id = try mapper.text("id") ?? name
        let word = try mapper.string("protocolMapper") ?? ""
        let settings = try MapperSettings(mapper)
        do throws(MapperFault) {
            self = try settings.mapper(id: id, name: name, word)
        } catch {
            // Where it wrote is known all the same: whose `sub` was whose (docs/decisions/0051).
            self.init(
                id: id,
                name: name,
                kind: .plain(.unknown),
                claim: settings.claim,
                targets: []
            )
        }
        kept = KeptRepresentation(mapper.object)
    }

    /// As it came; else as Keycloak would write it.
    package var representation: JSONObject {
        kept?.object ?? Self.members.json(of: self)
    }

    private typealias Line = MemberLine<ClaimMapper>

    /// What it does is read as a whole, from its word and its settings.
    static let members = MemberTable<ClaimMapper>(
        "ProtocolMapperRepresentation",
        [
            Line("id:text", by: .made { .string($0.id) }),
            Line("name:text", by: .made { .string($0.name) }),
            Line("protocol:text", by: .made { _ in "openid-connect" }),
            Line("protocolMapper:text", by: .made { .string($0.written.word) }),
            Line("consentRequired:bool", by: .made { _ in false }), Line("consentText:text"),
            Line("config:map", by: .made { .object($0.written.config) }),
        ]
    )

    /// Why the mapper writes nothing, for the operator; `nil` if it is evaluated.
    package var whyNotEvaluated: String? { fault.map { "\($0.words)" } }

    /// What was wrong with it when it was read.
    var fault: MapperFault? {
        guard kind == .plain(.unknown) else { return nil }
        do {
            let mapper = try Representation(.object(representation), path: "")
            let word = try mapper.string("protocolMapper") ?? ""
            _ = try MapperSettings(mapper).mapper(id: id, name: name, word)
        } catch let fault as MapperFault {
            return fault
        } catch {
            return .badValue
        }
        return .unknownKind
    }

    // MARK: Writing

    private var written: (word: String, config: JSONObject) {
        var settings = JSONObject()
        let word = kind.write(to: &settings)
        if let claim { settings["claim.name"] = .string(claim.text) }
        if case .fixedClaim(let value) = kind {
            settings["jsonType.label"] = .string(ClaimType(of: value).label)
        } else if claim != nil {
            settings["jsonType.label"] = .string(type.label)
        }
        if isMultivalued { settings["multivalued"] = "true" }
        var config = switches
        for (name, value) in settings.sorted(by: { $0.name < $1.name }) { config[name] = value }
        return (word, config)
    }

    private var switches: JSONObject {
        var switches = JSONObject()
        guard kind.hasSwitches else { return switches }
        for (target, name) in Target.switches where kind.traits.targets.contains(target) {
            let isOn = targets.contains(target)
            // A missing one is off, unless another one stands for it.
            let isSaid =
                switch target {
                case .accessToken, .introspection: true
                case .userInfo: targets.contains(.idToken)
                default: false
                }
            if isOn || isSaid { switches[name] = .string("\(isOn)") }
        }
        return switches
    }
}

/// Why a mapper of Keycloak's is not evaluated.
enum MapperFault: Error, Hashable, Sendable {
    case unknownKind
    case script
    /// A setting that the kind cannot do without.
    case missing
    case badValue
    case badPath
    case reservedClaim
    /// A setting of more than ``ClaimMapper/longestSetting`` bytes, or a longer fixed claim.
    case tooLarge

    /// One English sentence for the operator.
    var words: StaticString {
        switch self {
        case .unknownKind: "This kind of mapper is not known here."
        case .script: "A script is not run here."
        case .missing: "A setting is missing that this kind of mapper needs."
        case .badValue: "Its value is not of its type."
        case .badPath: "Its claim has no name that can be written."
        case .reservedClaim: "Only the server itself writes this claim."
        case .tooLarge: "A setting is too long."
        }
    }
}

/// The settings of a mapper that are there. Keycloak's files have empty texts for those that are not.
private struct MapperSettings {
    private var values: [String: String] = [:]

    init(_ mapper: Representation) throws(RealmImportError) {
        guard let config = try mapper.child("config") else { return }
        for (name, _) in config.object { values[name] = try config.text(name) }
    }

    private subscript(key: String) -> String? { values[key] }

    /// Compared exactly, as in Keycloak: `True` is off.
    private func isOn(_ key: String) -> Bool { values[key] == "true" }

    private func required(_ key: String) throws(MapperFault) -> String {
        guard let value = values[key] else { throw .missing }
        return value
    }

    func mapper(id: String, name: String, _ word: String) throws(MapperFault) -> ClaimMapper {
        for (key, value) in values {
            let longest = key == "claim.value" ? ClaimType.longest : ClaimMapper.longestSetting
            guard value.utf8.count <= longest else { throw .tooLarge }
        }
        let kind = try kind(word)
        let claim = try claim(of: kind)
        var targets = kind.traits.targets
        if kind.hasSwitches { targets = targets.intersection(named(of: kind)) }
        if let claim, !Self.addsAudience(kind, claim) {
            let writable = targets.filter {
                !ReservedClaims.contain(claim.root, in: $0, writtenBy: kind)
            }
            guard !writable.isEmpty || targets.isEmpty else { throw .reservedClaim }
            targets = writable
        }
        return ClaimMapper(
            id: id,
            name: name,
            kind: kind,
            claim: claim,
            type: ClaimType(label: self["jsonType.label"]),
            // A list of groups is one even where the setting is missing.
            isMultivalued: isOn("multivalued") || word == Self.groups,
            targets: targets
        )
    }

    /// A fixed claim `aud`: from before there was a mapper for audiences.
    private static func addsAudience(_ kind: ClaimMapper.Kind, _ claim: ClaimPath) -> Bool {
        if case .fixedClaim = kind { claim.names == ["aud"] } else { false }
    }

    /// The targets that the switches name.
    private func named(of kind: ClaimMapper.Kind) -> ClaimMapper.Targets {
        var on: [ClaimMapper.Target: Bool] = [:]
        for (target, name) in ClaimMapper.Target.switches { on[target] = values[name] == "true" }
        func isMissing(_ name: String) -> Bool { values[name] == nil }
        // What is meant where a switch is missing: some kinds are for access tokens, and others are
        // from before two of the switches (Keycloak `OIDCAttributeMapperHelper`).
        let isForAccess = kind == .plain(.audienceResolve) || kind == .plain(.allowedOrigins)
        if isMissing("access.token.claim") { on[.accessToken] = isForAccess }
        if isMissing("userinfo.token.claim") { on[.userInfo] = on[.idToken] }
        if isMissing("introspection.token.claim") {
            on[.introspection] = isForAccess || on[.accessToken] == true
        }
        return ClaimMapper.Targets(on.filter(\.value).keys)
    }

    private static let groups = "oidc-group-membership-mapper"

    private func kind(_ word: String) throws(MapperFault) -> ClaimMapper.Kind {
        for plain in ClaimMapper.PlainKind.allCases {
            if let own = plain.word, sameBytes(own, word) { return .plain(plain) }
        }
        return switch word {
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
        case "oidc-address-mapper":
            .address(
                ClaimMapper.Kind.usualAddress.mapValues { self["user.attribute.\($0)"] ?? $0 }
            )
        case Self.groups: .groups(withPath: isOn("full.path"))
        case "oidc-audience-mapper": .audience(try audience)
        case "oidc-hardcoded-claim-mapper": .fixedClaim(try fixedValue)
        case "oidc-hardcoded-role-mapper": .fixedRole(RoleName(parsing: try required("role")))
        case "oidc-role-name-mapper":
            .renamedRole(
                RoleName(parsing: try required("role")),
                to: RoleName(parsing: try required("new.role.name"))
            )
        case "oidc-usersessionmodel-note-mapper": .note(try required("user.session.note"))
        case "oidc-sha256-pairwise-sub-mapper":
            .pairwise(
                PairwiseSubject(
                    salt: try required("pairwiseSubAlgorithmSalt"),
                    sector: self["sectorIdentifierUri"].flatMap(PairwiseSubject.host)
                )
            )
        default:
            throw word.utf8.starts(with: "script-".utf8)
                || word == "oidc-script-based-protocol-mapper" ? .script : .unknownKind
        }
    }

    private var audience: String {
        get throws(MapperFault) {
            if let client = self["included.client.audience"] { return client }
            return try required("included.custom.audience")
        }
    }

    /// An empty text is a value here.
    private var fixedValue: JSONValue {
        get throws(MapperFault) {
            let type = ClaimType(label: self["jsonType.label"])
            guard let value = type.value(self["claim.value"] ?? "") else { throw .badValue }
            return value
        }
    }

    var claim: ClaimPath? { self["claim.name"].flatMap { ClaimPath($0) } }

    private func claim(of kind: ClaimMapper.Kind) throws(MapperFault) -> ClaimPath? {
        guard kind.traits.place == .named else { return nil }
        guard let claim = ClaimPath(try required("claim.name")) else { throw .badPath }
        return claim
    }
}

extension ClaimMapper.Target {
    /// Keycloak's switches.
    fileprivate static let switches: [(target: ClaimMapper.Target, name: String)] = [
        (.accessToken, "access.token.claim"), (.introspection, "introspection.token.claim"),
        (.idToken, "id.token.claim"), (.userInfo, "userinfo.token.claim"),
        (.lightweightAccessToken, "lightweight.claim"),
        (.tokenResponse, "access.tokenResponse.claim"),
    ]
}

extension ClaimMapper.PlainKind {
    /// Keycloak's word for it; `portico-…` where Keycloak has none of this kind. `nil`: it is known by no
    /// word.
    fileprivate var word: String? {
        switch self {
        case .roleList: "portico-role-list-mapper"
        case .fullName: "oidc-full-name-mapper"
        case .audienceResolve: "oidc-audience-resolve-mapper"
        case .allowedOrigins: "oidc-allowed-origins-mapper"
        case .acr: "oidc-acr-mapper"
        case .amr: "oidc-amr-mapper"
        case .sub: "oidc-sub-mapper"
        case .sessionState: "oidc-session-state-mapper"
        case .nonce: "oidc-nonce-backwards-compatible-mapper"
        case .claimsParameter: "oidc-claims-param-token-mapper"
        case .claimsParameterValue: "oidc-claims-param-value-idtoken-mapper"
        case .unknown: nil
        }
    }
}

extension ClaimMapper.Kind {
    /// Others write wherever they can.
    fileprivate var hasSwitches: Bool {
        switch self {
        case .renamedRole, .fixedRole, .pairwise, .plain(.nonce): false
        default: true
        }
    }

    /// Writes the settings of the kind.
    ///
    /// - Returns: Keycloak's word for it.
    fileprivate func write(to config: inout JSONObject) -> String {
        func set(_ name: String, _ value: String) {
            if !value.isEmpty { config[name] = .string(value) }
        }
        switch self {
        case .attribute(let name, let aggregates):
            set("user.attribute", name)
            if aggregates { set("aggregate.attrs", "true") }
            return "oidc-usermodel-attribute-mapper"
        case .property(let name):
            set("user.attribute", name)
            return "oidc-usermodel-property-mapper"
        case .realmRoles(let prefix):
            set("usermodel.realmRoleMapping.rolePrefix", prefix)
            return "oidc-usermodel-realm-role-mapper"
        case .clientRoles(let clientID, let prefix):
            set("usermodel.clientRoleMapping.clientId", clientID ?? "")
            set("usermodel.clientRoleMapping.rolePrefix", prefix)
            return "oidc-usermodel-client-role-mapper"
        case .address(let members):
            for (member, name) in members.sorted(by: { $0.key < $1.key }) {
                if let usual = Self.usualAddress[member], usual != name {
                    set("user.attribute.\(usual)", name)
                }
            }
            return "oidc-address-mapper"
        case .groups(let withPath):
            set("full.path", "\(withPath)")
            return "oidc-group-membership-mapper"
        case .audience(let audience):
            set("included.custom.audience", audience)
            return "oidc-audience-mapper"
        case .fixedClaim(let value):
            set("claim.value", value.string ?? String(decoding: value.serialized(), as: UTF8.self))
            return "oidc-hardcoded-claim-mapper"
        case .fixedRole(let role):
            set("role", role.mapped)
            return "oidc-hardcoded-role-mapper"
        case .renamedRole(let role, let name):
            set("role", role.mapped)
            set("new.role.name", name.mapped)
            return "oidc-role-name-mapper"
        case .note(let name):
            set("user.session.note", name)
            return "oidc-usersessionmodel-note-mapper"
        case .pairwise(let pairwise):
            set("pairwiseSubAlgorithmSalt", pairwise.salt)
            if let sector = pairwise.sector { set("sectorIdentifierUri", "https://\(sector)") }
            return "oidc-sha256-pairwise-sub-mapper"
        case .plain(let kind): return kind.word ?? ""
        }
    }
}

extension ClaimType {
    private static let labels: [(label: String, type: ClaimType)] = [
        ("int", .int32), ("long", .int64), ("boolean", .boolean), ("JSON", .json),
    ]

    /// - Parameter label: One that is not known, and none, is a text.
    fileprivate init(label: String?) {
        self = Self.labels.first { $0.label == label }?.type ?? .text
    }

    fileprivate init(of value: JSONValue) {
        switch value {
        case .string: self = .text
        case .bool: self = .boolean
        case .integer: self = .int64
        default: self = .json
        }
    }

    fileprivate var label: String { Self.labels.first { $0.type == self }?.label ?? "String" }
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

    /// The same, written.
    var mapped: String { clientID.map { "\($0).\(name)" } ?? name }
}
