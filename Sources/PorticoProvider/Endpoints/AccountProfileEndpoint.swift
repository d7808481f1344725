import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET /realms/{realm}/account` by a program that has an access token: who the person is.
struct AccountProfileEndpoint: Sendable {
    let verifier: AccessTokenVerifier
    let headers: SecurityHeaders

    /// Whom a token has to be meant for: the client that stands for people's accounts.
    private static let audience = "account"
    /// Its roles. The person, as the client sees them, needs one.
    private static let roles = ["view-profile", "manage-account"]

    /// - Throws: ``BearerRefusal``, also if the token is not meant for the account; 403
    ///   `access_denied` if it says nothing of a role that may see the profile, or the client does not
    ///   see one any more.
    func get(_ context: RealmContext) async throws -> Response {
        let token = try Self.token(context.authorization)
        try await context.noteClient(of: token)
        let realm = context.realm
        guard let live = try await verifier.live(token, with: nil, in: realm, at: context.moment),
            let person = live.reading.person
        else {
            throw BearerRefusal(
                OAuthError(.invalidToken, "The access token is unknown, expired or revoked.")
            )
        }
        guard live.audiences.contains(where: { sameBytes($0, Self.audience) }) else {
            throw BearerRefusal(
                OAuthError(.invalidToken, "The access token is not meant for the account.")
            )
        }
        let roles = realm.graph.roles(of: person)
        let view = try await realm.view(of: live.client, scope: live.scope, roles: roles)
        guard
            try await !live.said(of: roles, in: realm).isDisjoint(with: Self.roles.map(Self.role))
        else {
            throw OAuthError(.accessDenied, "The client may not see the person's profile.")
        }
        let scope = Scope(
            tokens: live.scope.tokens.filter {
                realm.scope(named: $0)?.isPermitted(to: roles) ?? true
            }
        )
        return Response(
            json: .object(Self.profile(of: person.person, by: scope, seenBy: view)),
            headers: headers
        )
    }

    private static func role(_ name: String) -> RoleName {
        RoleName(clientID: audience, name: name)
    }

    /// A token that is bound to a key is not taken here.
    private static func token(_ authorization: [String]) throws(BearerRefusal) -> String {
        let token: PresentedToken?
        do throws(OAuthError) {
            token = try PresentedToken(authorization)
        } catch {
            throw BearerRefusal(error)
        }
        guard let token else { throw .missing }
        guard token.scheme == .bearer else { throw BearerRefusal(PresentedToken.malformed) }
        return token.text
    }

    /// `id` is the `sub` that the client knows; the rest is what its scope gives it elsewhere, too
    /// (OpenID Connect Core §5.4): of the attributes it sees those that it is told of there.
    /// Introspection tells APIs.
    private static func profile(of person: Person, by scope: Scope, seenBy view: TokenView)
        -> JSONObject
    {
        var profile: JSONObject = ["id": .string(view.client.subject(of: person.id))]
        if scope.contains(StandardClaims.profile) {
            profile["username"] = .string(person.username)
            profile["firstName"] = person.givenName.map(JSONValue.string)
            profile["lastName"] = person.familyName.map(JSONValue.string)
        }
        if scope.contains(StandardClaims.email) {
            profile["email"] = person.email.map(JSONValue.string)
            profile["emailVerified"] = .bool(person.isEmailVerified)
        }
        var attributes = JSONObject()
        for mapper in view.mappers
        where !mapper.targets.subtracting([.introspection]).isEmpty {
            guard case .attribute(let name, _) = mapper.kind,
                let values = person.attributes[name]
            else { continue }
            attributes[name] = .array(values.map(JSONValue.string))
        }
        profile["attributes"] = .object(attributes)
        return profile
    }
}
