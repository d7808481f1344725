import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoWeb

/// Lets those in who may administer a realm: they send an access token of it, or of `master`.
struct AdminAccess: Sendable {
    let realms: RealmDirectory
    let bearer: BearerReader
    let presented: PresentedAccess.Check
    let publicURL: PublicURL
    /// Whether tokens of `master` reach into other realms.
    let hasMaster: Bool

    /// - Throws: 401 without a good token; 404 where there is no such realm; 403 for a token of
    ///   another realm, without the right, or from a page that the token's client does not name.
    func admit(_ context: AdminContext, needing right: AdminRight?) async throws -> AdminCall {
        let bearer = try await bearer(of: context)
        let name = context.parameters["realm"]
        guard let realm = name.isEmpty ? bearer.realm : realms.kept(named: name) else {
            throw AdminRefusal.notFound("Realm not found.")
        }
        guard let call = AdminCall(context: context, bearer: bearer, realm: realm, access: self)
        else { throw AdminRefusal.forbidden }
        if let right, !call.rights.allows(right) { throw AdminRefusal.forbidden }
        return call
    }

    /// The rights of a token's holder in a realm; `nil` where the token is of another realm.
    func rights(of bearer: Bearer, in realm: LiveRealm, _ context: AdminContext) -> AdminRights? {
        let token = Administrator.Token(
            realm: bearer.realm.realm,
            client: bearer.client,
            sources: bearer.sources,
            person: bearer.person,
            roles: bearer.roles,
            address: context.address,
            request: [
                "realm": .string(RealmRepresentation(bearer.realm.realm).id),
                "path": .string(PlainText.shown(context.pathOfRealm)),
            ]
        )
        return Administrator(token, in: realm.realm, hasMaster: hasMaster)
            .map { AdminRights($0, in: realm.realm, graph: realm.graph) }
    }

    private func bearer(of context: AdminContext) async throws -> Bearer {
        let access: PresentedAccess
        do {
            // A proof names the address as it was asked (RFC 9449 §4.3-9).
            access = try presented(context, at: publicURL.origin + context.target.path)
        } catch {
            throw AdminRefusal.unauthorized(error, publicURL)
        }
        guard let issuer = Self.issuer(of: access.token),
            let realm = realms.realms.first(where: { sameBytes($0.issuer, issuer) }),
            let bearer = try await bearer(
                access.token,
                with: access.proof,
                in: realm,
                at: context.moment
            )
        else { throw AdminRefusal.unauthorized(access.unknown, publicURL) }
        let origins = realm.origins(of: bearer.client)
        context.scripts.note(origins)
        // Pages of an origin that the client does not name may not use its tokens either.
        if let origin = context.headers[.origin],
            !origins.contains(where: { sameBytes($0, origin) })
        {
            throw AdminRefusal.invalidOrigin
        }
        return bearer
    }

    /// The realm to ask. Nothing is believed yet: that realm's keys decide.
    private static func issuer(of token: String) -> String? {
        // `try?`: whatever is wrong, it is not a token of ours.
        try? JWT(parsing: token).uncheckedClaims().string("iss")
    }
}
