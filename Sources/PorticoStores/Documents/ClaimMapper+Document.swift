import PorticoProtocol

extension ClaimMapper {
    init(value: JSONValue) throws {
        guard let object = value.object else { throw DocumentError(member: "mappers") }
        let document = Document(object)
        let targets = try document.required("into") { value in
            value.array.map { $0.compactMap { $0.string.flatMap(Target.init) } }
        }
        self.init(try Source(document: document), into: Set(targets))
    }

    var value: JSONValue {
        var object = source.document
        object["into"] = .array(
            Target.allCases.filter(targets.contains).map { .string($0.rawValue) }
        )
        return .object(object)
    }
}

extension ClaimMapper.Source {
    fileprivate init(document: Document) throws {
        func claim() throws -> String { try document.required("claim", \.string) }
        switch try document.required("source", \.string) {
        case "realm_roles":
            self = .realmRoles(claim: try claim())
        case "client_roles":
            self = .clientRoles(
                clientID: try document.required("client_id", \.string),
                claim: try claim()
            )
        case "attribute":
            self = .attribute(
                name: try document.required("name", \.string),
                claim: try claim(),
                isMultivalued: try document.required("multivalued", \.bool)
            )
        case "fixed":
            self = .fixed(claim: try claim(), value: document.object["value"] ?? .null)
        case "audience":
            self = .audience(try document.required("audience", \.string))
        default:
            throw DocumentError(member: "source")
        }
    }

    fileprivate var document: JSONObject {
        switch self {
        case .realmRoles(let claim):
            ["source": "realm_roles", "claim": .string(claim)]
        case .clientRoles(let clientID, let claim):
            ["source": "client_roles", "client_id": .string(clientID), "claim": .string(claim)]
        case .attribute(let name, let claim, let isMultivalued):
            [
                "source": "attribute", "name": .string(name), "claim": .string(claim),
                "multivalued": .bool(isMultivalued),
            ]
        case .fixed(let claim, let value):
            ["source": "fixed", "claim": .string(claim), "value": value]
        case .audience(let audience):
            ["source": "audience", "audience": .string(audience)]
        }
    }
}
