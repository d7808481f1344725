import PorticoProtocol

extension ClaimMapper {
    init(value: JSONValue) throws {
        guard let object = value.object else { throw DocumentError(member: "mappers") }
        let document = Document(object)
        let targets = try document.required("into") { value in
            value.array.map { $0.compactMap { $0.string.flatMap(Target.init) } }
        }
        self.init(
            id: try document.required("id", \.string),
            name: try document.required("name", \.string),
            kind: try Kind(document),
            claim: try document.optional("claim") { $0.string.flatMap { ClaimPath($0) } },
            type: try document.optional("type") { $0.string.flatMap(ClaimType.init) } ?? .text,
            isMultivalued: try document.optional("multivalued", \.bool) ?? false,
            targets: Set(targets),
            kept: try document.optional("kept") { $0.string.map(KeptRepresentation.init(json:)) }
        )
    }

    var value: JSONValue {
        var object = kind.document
        object["id"] = .string(id)
        object["name"] = .string(name)
        object["claim"] = claim.map { .string($0.text) }
        object["type"] = type == .text ? nil : .string(type.rawValue)
        object["multivalued"] = isMultivalued ? true : nil
        object["into"] = .array(
            Target.allCases.filter(targets.contains).map { .string($0.rawValue) }
        )
        object["kept"] = kept.map { .string($0.json) }
        return .object(object)
    }
}

extension ClaimMapper.Kind {
    /// The kinds that say everything by their name.
    private static let plain: [(name: String, kind: ClaimMapper.Kind)] = [
        ("full_name", .fullName), ("role_list", .roleList), ("audience_resolve", .audienceResolve),
        ("allowed_origins", .allowedOrigins), ("acr", .acr), ("amr", .amr), ("sub", .sub),
        ("session_state", .sessionState), ("nonce", .nonce),
        ("claims_parameter", .claimsParameter),
        ("claims_parameter_value", .claimsParameterValue), ("unknown", .unknown),
    ]

    fileprivate init(_ document: Document) throws {
        let kind = try document.required("kind", \.string)
        func prefix() throws -> String { try document.optional("prefix", \.string) ?? "" }
        switch kind {
        case "attribute":
            self = .attribute(
                try document.required("attribute", \.string),
                aggregates: try document.optional("aggregates", \.bool) ?? false
            )
        case "property": self = .property(try document.required("property", \.string))
        case "realm_roles": self = .realmRoles(prefix: try prefix())
        case "client_roles":
            self = .clientRoles(
                of: try document.optional("client_id", \.string),
                prefix: try prefix()
            )
        case "address":
            let members = try document.required("members", \.object)
            self = .address(
                Dictionary(
                    members.compactMap { member in member.value.string.map { (member.name, $0) } }
                ) { first, _ in first }
            )
        case "groups": self = .groups(withPath: try document.required("path", \.bool))
        case "audience": self = .audience(try document.required("audience", \.string))
        case "fixed_claim": self = .fixedClaim(document.object["value"] ?? .null)
        case "fixed_role": self = .fixedRole(try document.required("role", RoleName.init(value:)))
        case "renamed_role":
            self = .renamedRole(
                try document.required("role", RoleName.init(value:)),
                to: try document.required("to", RoleName.init(value:))
            )
        case "note": self = .note(try document.required("note", \.string))
        case "pairwise":
            self = .pairwise(
                PairwiseSubject(
                    salt: try document.required("salt", \.string),
                    sector: try document.optional("sector", \.string)
                )
            )
        default:
            guard let plain = Self.plain.first(where: { $0.name == kind }) else {
                throw DocumentError(member: "kind")
            }
            self = plain.kind
        }
    }

    fileprivate var document: JSONObject {
        switch self {
        case .attribute(let name, let aggregates):
            var object: JSONObject = ["kind": "attribute", "attribute": .string(name)]
            if aggregates { object["aggregates"] = true }
            return object
        case .property(let name): return ["kind": "property", "property": .string(name)]
        case .realmRoles(let prefix):
            return ["kind": "realm_roles", "prefix": .string(prefix)]
        case .clientRoles(let clientID, let prefix):
            var object: JSONObject = ["kind": "client_roles", "prefix": .string(prefix)]
            object["client_id"] = clientID.map(JSONValue.string)
            return object
        case .address(let members):
            var attributes = JSONObject()
            for (member, name) in members.sorted(by: { $0.key < $1.key }) {
                attributes[member] = .string(name)
            }
            return ["kind": "address", "members": .object(attributes)]
        case .groups(let withPath): return ["kind": "groups", "path": .bool(withPath)]
        case .audience(let audience):
            return ["kind": "audience", "audience": .string(audience)]
        case .fixedClaim(let value): return ["kind": "fixed_claim", "value": value]
        case .fixedRole(let role): return ["kind": "fixed_role", "role": role.value]
        case .renamedRole(let role, let name):
            return ["kind": "renamed_role", "role": role.value, "to": name.value]
        case .note(let name): return ["kind": "note", "note": .string(name)]
        case .pairwise(let pairwise):
            var object: JSONObject = ["kind": "pairwise", "salt": .string(pairwise.salt)]
            object["sector"] = pairwise.sector.map(JSONValue.string)
            return object
        default:
            let plain = Self.plain.first { $0.kind == self }
            return ["kind": .string(plain?.name ?? "unknown")]
        }
    }
}

extension RoleName {
    init?(value: JSONValue) {
        guard let object = value.object, let name = object.string("name") else { return nil }
        self.init(clientID: object.string("client_id"), name: name)
    }

    var value: JSONValue {
        var object: JSONObject = ["name": .string(name)]
        object["client_id"] = clientID.map(JSONValue.string)
        return .object(object)
    }
}
