package import PorticoProtocol
package import PorticoStores

/// A role as Keycloak writes it (Keycloak `RoleRepresentation`).
package struct RoleRepresentation: Sendable {
    var role: Role
    /// The roles that it contains itself.
    var parts: [RoleName]
    /// The realm's id in representations, or that of the client.
    let containerID: String

    package init(_ role: Role, parts: [RoleName] = [], containerID: String = "") {
        self.role = role
        self.parts = parts
        self.containerID = containerID
    }

    typealias Line = MemberLine<RoleRepresentation>

    static let members = MemberTable<RoleRepresentation>(
        "RoleRepresentation",
        [
            Line("id:text", by: .made { .string($0.role.id) }),
            Line("name:text", by: .made { .string($0.role.name) }),
            Line("description:text", by: .string(\.role.description)),
            Line("scopeParamRequired:bool"),
            Line("composite:bool-", by: .made { .bool(!$0.parts.isEmpty) }),
            Line("composites:parts", by: .composites),
            Line("clientRole:bool-", by: .made { .bool($0.role.clientID != nil) }),
            Line("containerId:text-", by: .made { .string($0.containerID) }),
            Line("attributes:map", by: .lists(\.role.attributes).always),
        ]
    )

    package var json: JSONObject { Self.members.json(of: self) }
}

extension MemberCodec where Owner == RoleRepresentation {
    fileprivate static var composites: MemberCodec {
        MemberCodec(
            read: { said, owner, _ throws(RealmImportError) in
                owner.parts = try said.whole.child(said.name)?.roles("realm", "client") ?? []
            },
            isSame: { owner, _ in owner.parts.isEmpty },
            written: { owner in
                var composites = JSONObject()
                let (own, byClient) = (owner.parts.ofRealm, owner.parts.byClient)
                if !own.isEmpty { composites["realm"] = .texts(own) }
                if !byClient.isEmpty { composites["client"] = .object(byClient) }
                return .object(composites)
            }
        )
    }
}
