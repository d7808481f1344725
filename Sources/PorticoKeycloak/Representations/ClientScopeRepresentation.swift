package import PorticoProtocol
package import PorticoStores

/// A client scope as Keycloak writes it (Keycloak `ClientScopeRepresentation`). What its file said
/// stands, as long as it still says what is kept here.
package struct ClientScopeRepresentation: Sendable {
    let scope: ClientScope

    package init(_ scope: ClientScope) {
        self.scope = scope
    }

    package var json: JSONObject {
        var json = scope.kept?.object ?? ["protocol": "openid-connect"]
        json["id"] = .string(scope.id)
        json["name"] = .string(scope.name)
        if let description = scope.description { json["description"] = .string(description) }
        for (name, isOn) in [
            (ClientScope.showing, scope.isShown), (ClientScope.asking, scope.isAskedFor),
        ] {
            let said = json.attribute(name)?.isTrue ?? true
            if said != isOn || scope.kept == nil { json.setAttribute(name, to: "\(isOn)") }
        }
        json[MapperList.member] = MapperList(scope.mappers, json).values.map(JSONValue.array)
        return json.ordered(RepresentationMembers.scope.order)
    }
}

extension ClientScope {
    fileprivate static let showing = "include.in.token.scope"
    fileprivate static let asking = "display.on.consent.screen"

    /// What a representation says besides id and name.
    mutating func read(_ representation: Representation) throws(RealmImportError) {
        let list = try MapperList(representation, former: mappers)
        mappers = list.mappers
        description = try representation.text("description")
        let attributes = try representation.child("attributes")
        isShown = try attributes?.text(Self.showing)?.isTrue ?? true
        isAskedFor = try attributes?.text(Self.asking)?.isTrue ?? true
        isOffered = try representation.text("protocol") ?? "openid-connect" == "openid-connect"
        var object = representation.object
        object["id"] = nil
        object["name"] = nil
        if description != nil { object["description"] = nil }
        object[MapperList.member] = list.others.map(JSONValue.array)
        kept = KeptRepresentation(object)
    }
}
