package import PorticoProtocol
package import PorticoStores

/// A client scope as Keycloak writes it (Keycloak `ClientScopeRepresentation`).
package struct ClientScopeRepresentation: Sendable {
    let scope: ClientScope

    package init(_ scope: ClientScope) {
        self.scope = scope
    }

    package var json: JSONObject {
        var json: JSONObject = ["id": .string(scope.id), "name": .string(scope.name)]
        for (name, value) in scope.representation where name != ClientScope.limited {
            json[name] = value
        }
        return json
    }
}
