package import PorticoProtocol
package import PorticoStores

/// A client scope as Keycloak writes it (Keycloak `ClientScopeRepresentation`). What its file said
/// stands, as long as it still says what is kept here.
package struct ClientScopeRepresentation: Sendable {
    let scope: ClientScope

    package init(_ scope: ClientScope) {
        self.scope = scope
    }

    typealias Line = MemberLine<ClientScope>

    static let members = MemberTable<ClientScope>(
        "ClientScopeRepresentation",
        [
            Line("id:text", in: .apart, by: .made { .string($0.id) }),
            Line("name:text", in: .apart, by: .made { .string($0.name) }),
            Line("description:text", in: .held, by: .text(\.description)),
            Line("protocol:text", usual: "openid-connect", by: .isOffered),
            Line("attributes:map"),
            Line("protocolMappers:parts", in: .apart),
        ]
    )

    /// Texts under dotted names. Others are kept.
    static let attributes = MemberTable<ClientScope>(
        "attributes",
        [
            Line("include.in.token.scope", by: .isOn(\.isShown).always),
            Line("display.on.consent.screen", by: .isOn(\.isAskedFor).always),
        ]
    )

    package var json: JSONObject {
        let kept = scope.kept?.object ?? RepresentationMembers.scope.usual
        var json = kept
        Self.members.write(scope, over: kept, to: &json)
        let said = kept.object("attributes") ?? JSONObject()
        var attributes = said
        let isMade = scope.kept == nil
        Self.attributes.write(scope, over: said, to: &attributes, isWhole: isMade)
        if attributes != said { json["attributes"] = .object(attributes) }
        json[MapperList.member] = MapperList(scope.mappers, json).values.map(JSONValue.array)
        return json.ordered(RepresentationMembers.scope.order)
    }
}

extension ClientScope {
    /// What a representation says besides id and name.
    mutating func read(_ representation: Representation) throws(RealmImportError) {
        let list = try MapperList(representation, former: mappers)
        mappers = list.mappers
        // What is read of a scope is told of elsewhere.
        var report = ImportReport(realm: "")
        try ClientScopeRepresentation.members.read(
            representation,
            of: "",
            to: &self,
            report: &report
        )
        try ClientScopeRepresentation.attributes.read(
            try representation.textAttributes,
            of: "",
            to: &self,
            report: &report
        )
        var object = RepresentationMembers.scope.kept(of: representation.object)
        object[MapperList.member] = list.others.map(JSONValue.array)
        kept = KeptRepresentation(object)
    }
}

extension MemberCodec where Owner == ClientScope {
    /// Scopes of SAML are kept, and act on nothing.
    fileprivate static var isOffered: MemberCodec {
        MemberCodec(
            read: { said, scope, _ in
                scope.isOffered = said.text ?? "openid-connect" == "openid-connect"
            },
            isSame: { _, _ in true },
            written: { _ in nil }
        )
    }

    /// A text that means `true` where it is missing.
    fileprivate static func isOn(_ path: Path<Bool>) -> MemberCodec {
        value(
            path,
            read: { said, _, _ in said.text?.isTrue ?? true },
            written: { .string("\($0)") }
        )
    }
}
