import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
package import PorticoStores

/// Client scopes.
extension RealmAdministration {
    package func create(_ scope: ClientScope) async throws {
        try Self.check(scope)
        let conflict = AdminRefusal.conflict("Client Scope \(scope.name) already exists")
        let creation = try await change(or: conflict) { try await store.create(scope) }
        guard creation == .created else { throw conflict }
    }

    package func update(_ scope: ClientScope, replacing former: ClientScope) async throws {
        try Self.check(scope)
        let change = try await change(
            or: .conflict("Client Scope \(scope.name) already exists")
        ) { try await store.update(scope, replacing: former) }
        guard change == .changed else {
            throw AdminRefusal.notFound("Could not find client scope")
        }
    }

    /// Deletes a client scope, and takes it from everything that has it, grants and consents too:
    /// nothing is left that names it.
    package func delete(_ scope: ClientScope) async throws {
        let kept = try await store.snapshot()
        for former in kept.clients where former.realmID == scope.realmID {
            let client = former.without(scope.name)
            if client != former { try await update(client, replacing: former) }
        }
        for former in kept.realms where former.id == scope.realmID {
            var realm = former
            realm.kept.remove(
                scope.name,
                from: ["defaultDefaultClientScopes", "defaultOptionalClientScopes"]
            )
            if realm != former { try await update(realm, replacing: former) }
        }
        let change = try await change(or: .failed) {
            try await store.deleteScope(
                id: scope.id,
                realmID: scope.realmID,
                claims: StandardClaims.claims(of: scope.name)
            )
        }
        guard change == .changed else {
            throw AdminRefusal.notFound("Could not find client scope")
        }
    }

    /// RFC 6749 §3.3: a scope that no one can ask for is none.
    ///
    /// - Throws: ``AdminRefusal``
    package static func check(_ scope: ClientScope) throws {
        // `try?`: only whether it parses matters.
        guard (1...200).contains(scope.name.utf8.count),
            (try? Scope(scope.name))?.tokens == [scope.name], scope.name != "openid",
            scope.document.serialized().count <= 1 << 20
        else { throw AdminRefusal.invalid("Unexpected name \"\(PlainText.shown(scope.name))\"") }
    }
}

extension Client {
    /// Without a client scope.
    func without(_ scope: String) -> Client {
        var client = self
        client.defaultScopes.removeAll { sameBytes($0, scope) }
        client.optionalScopes.removeAll { sameBytes($0, scope) }
        client.kept.remove(scope, from: ["defaultClientScopes", "optionalClientScopes"])
        return client
    }
}

extension KeptRepresentation? {
    /// Removes a text from lists of texts.
    mutating func remove(_ text: String, from members: [String]) {
        let object = self.object
        for member in members {
            guard let texts = object.strings(member), texts.contains(where: { sameBytes($0, text) })
            else { continue }
            self[member] = .texts(texts.filter { !sameBytes($0, text) })
        }
    }
}
