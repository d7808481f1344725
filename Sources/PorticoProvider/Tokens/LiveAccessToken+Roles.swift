import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The roles that an access token stands for at this server itself.
extension LiveAccessToken {
    /// Those that the person has now, the client sees, and the token says: no one has more by it than
    /// its bearer was told (RFC 9700 §2.3).
    ///
    /// - Parameter roles: The person's, with all that they contain.
    func said(of roles: Set<RoleName>, in realm: LiveRealm) async throws -> Set<RoleName> {
        try await seen(of: roles, in: realm).filter { says($0) && isMeant(for: $0, in: realm) }
    }

    /// Those that the client sees. A token of the standard form shows none where it is meant for
    /// other servers only, or has not the scope.
    func seen(of roles: Set<RoleName>, in realm: LiveRealm) async throws -> Set<RoleName> {
        let isForRoles = scope.contains(StandardScopes.roles) && names(realm.issuer)
        guard client.tokenForm != .standard || isForRoles else { return [] }
        return try await realm.view(of: client, scope: scope, roles: roles).visible(roles)
    }

    private func says(_ role: RoleName) -> Bool {
        let owner =
            role.clientID.map { claims.object("resource_access")?.object($0) }
            ?? claims.object("realm_access")
        return owner?.strings("roles")?.contains { sameBytes($0, role.name) } ?? false
    }

    /// Tokens that mappers write do not name the issuer, but the clients whose roles they have; a role of the
    /// realm is for all of it, unless the token is for others only.
    private func isMeant(for role: RoleName, in realm: LiveRealm) -> Bool {
        if names(realm.issuer) { return true }
        if let clientID = role.clientID { return names(clientID) }
        return audiences.isEmpty
            || audiences.contains { Client.isBuiltIn($0, in: realm.name) }
    }

    private func names(_ audience: String) -> Bool {
        audiences.contains { sameBytes($0, audience) }
    }
}
