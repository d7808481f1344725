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
            targets: Targets(targets),
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
    /// The kinds that have settings, by the names under which they are kept.
    package enum Form: String, CaseIterable, Hashable, Sendable {
        case attribute
        case property
        case realmRoles = "realm_roles"
        case clientRoles = "client_roles"
        case address
        case groups
        case audience
        case fixedClaim = "fixed_claim"
        case fixedRole = "fixed_role"
        case renamedRole = "renamed_role"
        case note
        case pairwise
    }

    fileprivate init(_ document: Document) throws {
        let kind = try document.required("kind", \.string)
        if let plain = ClaimMapper.PlainKind(rawValue: kind) {
            self = .plain(plain)
            return
        }
        guard let form = Form(rawValue: kind) else { throw DocumentError(member: "kind") }
        func prefix() throws -> String { try document.optional("prefix", \.string) ?? "" }
        switch form {
        case .attribute:
            self = .attribute(
                try document.required("attribute", \.string),
                aggregates: try document.optional("aggregates", \.bool) ?? false
            )
        case .property: self = .property(try document.required("property", \.string))
        case .realmRoles: self = .realmRoles(prefix: try prefix())
        case .clientRoles:
            self = .clientRoles(
                of: try document.optional("client_id", \.string),
                prefix: try prefix()
            )
        case .address:
            let members = try document.required("members", \.object)
            self = .address(
                Dictionary(
                    members.compactMap { member in member.value.string.map { (member.name, $0) } }
                ) { first, _ in first }
            )
        case .groups: self = .groups(withPath: try document.required("path", \.bool))
        case .audience: self = .audience(try document.required("audience", \.string))
        case .fixedClaim: self = .fixedClaim(document.object["value"] ?? .null)
        case .fixedRole: self = .fixedRole(try document.required("role", RoleName.init(value:)))
        case .renamedRole:
            self = .renamedRole(
                try document.required("role", RoleName.init(value:)),
                to: try document.required("to", RoleName.init(value:))
            )
        case .note: self = .note(try document.required("note", \.string))
        case .pairwise:
            self = .pairwise(
                PairwiseSubject(
                    salt: try document.required("salt", \.string),
                    sector: try document.optional("sector", \.string)
                )
            )
        }
    }

    fileprivate var document: JSONObject {
        let (name, settings) = kept
        var object: JSONObject = ["kind": .string(name)]
        for (name, value) in settings { object[name] = value }
        return object
    }

    private var kept: (name: String, settings: JSONObject) {
        func form(_ form: Form, _ settings: JSONObject) -> (name: String, settings: JSONObject) {
            (form.rawValue, settings)
        }
        switch self {
        case .attribute(let name, let aggregates):
            var object: JSONObject = ["attribute": .string(name)]
            if aggregates { object["aggregates"] = true }
            return form(.attribute, object)
        case .property(let name): return form(.property, ["property": .string(name)])
        case .realmRoles(let prefix): return form(.realmRoles, ["prefix": .string(prefix)])
        case .clientRoles(let clientID, let prefix):
            var object: JSONObject = ["prefix": .string(prefix)]
            object["client_id"] = clientID.map(JSONValue.string)
            return form(.clientRoles, object)
        case .address(let members):
            var attributes = JSONObject()
            for (member, name) in members.sorted(by: { $0.key < $1.key }) {
                attributes[member] = .string(name)
            }
            return form(.address, ["members": .object(attributes)])
        case .groups(let withPath): return form(.groups, ["path": .bool(withPath)])
        case .audience(let audience): return form(.audience, ["audience": .string(audience)])
        case .fixedClaim(let value): return form(.fixedClaim, ["value": value])
        case .fixedRole(let role): return form(.fixedRole, ["role": role.value])
        case .renamedRole(let role, let name):
            return form(.renamedRole, ["role": role.value, "to": name.value])
        case .note(let name): return form(.note, ["note": .string(name)])
        case .pairwise(let pairwise):
            var object: JSONObject = ["salt": .string(pairwise.salt)]
            object["sector"] = pairwise.sector.map(JSONValue.string)
            return form(.pairwise, object)
        case .plain(let plain): return (plain.rawValue, [:])
        }
    }

    /// The name under which it is kept.
    package var name: String { kept.name }
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
