import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoWeb

/// Lets those in who may administer a realm: they send an access token of it, or of `master`.
struct AdminAccess: Sendable {
    let realms: RealmDirectory
    let bearer: BearerReader
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
        guard let rights = AdminRights(bearer, in: realm, hasMaster: hasMaster) else {
            throw AdminRefusal.forbidden
        }
        if let right, !rights.allows(right) { throw AdminRefusal.forbidden }
        return AdminCall(
            context: context,
            bearer: bearer,
            realm: realm,
            rights: rights,
            isServerAdministrator: hasMaster && AdminRights.isServerAdministrator(bearer)
        )
    }

    private func bearer(of context: AdminContext) async throws -> Bearer {
        guard let token = Self.token(context.authorization), let issuer = Self.issuer(of: token),
            let realm = realms.realms.first(where: { sameBytes($0.issuer, issuer) }),
            let bearer = try await bearer(token, in: realm, at: context.moment)
        else { throw AdminRefusal.unauthorized }
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

    /// RFC 6750 §2.1: one header, and nothing else.
    static func token(_ authorization: [String]) -> String? {
        guard authorization.count == 1 else { return nil }
        let parts = authorization[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.count == 6, parts[0].lowercased() == "bearer",
            (1...16_384).contains(parts[1].utf8.count)
        else { return nil }
        return String(parts[1])
    }

    /// The realm to ask. Nothing is believed yet: that realm's keys decide.
    private static func issuer(of token: String) -> String? {
        // `try?`: whatever is wrong, it is not a token of ours.
        try? JWT(parsing: token, limit: 16_384).uncheckedClaims().string("iss")
    }
}
