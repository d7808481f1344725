package import PorticoProtocol

/// A scope of a realm, which clients have by default or on request, with what it puts into their tokens.
package struct ClientScope: Hashable, Sendable {
    /// A UUID.
    package var id: String
    package var realmID: String
    /// The scope token (RFC 6749 §3.3).
    package var name: String
    /// For those who administer.
    package var description: String?
    package var mappers: [ClaimMapper] = []
    /// Whether `scope` of tokens and answers names it.
    package var isShown = true
    /// Whether people are asked for it, where they are asked at all.
    package var isAskedFor = true
    /// Whether it is only for people with a role that it shows (``RoleLimit``). The first such role limits
    /// it. Taking the last one off on purpose opens it; deleting the last one does not.
    package var isLimited = false
    /// Whether it is one of OpenID Connect: others are kept, and no client has them.
    package var isOffered = true
    /// What the file that it came from says besides.
    package var kept: KeptRepresentation?

    package init(id: String, realmID: String, name: String) {
        self.id = id
        self.realmID = realmID
        self.name = name
    }
}

/// A role that a client without full scope sees, by itself or by a scope that it is granted.
package struct RoleLimit: Hashable, Sendable {
    package enum Owner: Hashable, Sendable {
        /// Their ids.
        case client(String)
        case scope(String)
    }

    package var owner: Owner
    package var role: RoleName

    package init(owner: Owner, role: RoleName) {
        self.owner = owner
        self.role = role
    }
}

extension ClientScope {
    /// Id, realm, name and whether it is limited stand in columns of their own, the rest in the document.
    init(id: String, realmID: String, name: String, document: JSONObject) throws {
        let document = Document(document)
        self.init(id: id, realmID: realmID, name: name)
        description = try document.optional("description", \.string)
        mappers = try document.list("mappers", ClaimMapper.init(value:)) ?? []
        isShown = try document.required("shown", \.bool)
        isAskedFor = try document.required("asked_for", \.bool)
        isOffered = try document.required("offered", \.bool)
        kept = try document.optional("kept") { $0.string.map(KeptRepresentation.init(json:)) }
    }

    /// What is kept besides the columns.
    package var document: JSONObject {
        var document: JSONObject = [
            "mappers": .array(mappers.map(\.value)), "shown": .bool(isShown),
            "asked_for": .bool(isAskedFor), "offered": .bool(isOffered),
        ]
        document["description"] = description.map(JSONValue.string)
        document["kept"] = kept.map { .string($0.json) }
        return document
    }
}
