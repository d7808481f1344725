import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// What a realm that comes from Keycloak keeps of Keycloak's rules (docs/decisions/0049). Only the
/// clients that came with it get them.
struct KeycloakRealm: Sendable {
    private let scopes: [ExactText: KeycloakScope]

    /// Of the scopes of OpenID Connect.
    let scopeNames: [String]
    /// The levels of authentication and their names (Keycloak `acr.loa.map`).
    let acrLevels: [String: Int64]
    /// The language of people whose browser prefers none that is spoken here.
    let defaultLocale: String?

    init(_ settings: JSONObject, scopes: [ClientScope], limits: [RoleLimit.Owner: Set<RoleName>]) {
        acrLevels = KeycloakAttributes(settings.object("attributes")).acrLevels ?? [:]
        defaultLocale =
            settings.bool("internationalizationEnabled") == true
            ? settings.string("defaultLocale") : nil
        scopeNames = scopes.filter {
            $0.representation.string("protocol") ?? "openid-connect" == "openid-connect"
        }.map(\.name).sorted()
        self.scopes = Dictionary(
            scopes.map { scope in
                let limits = limits[.scope(scope.id)] ?? []
                return (ExactText(scope.name), KeycloakScope(scope, limits: limits))
            }
        ) { first, _ in first }
    }

    /// Of all scopes.
    var scopeMappers: [ProtocolMapperRecord] { scopes.values.flatMap(\.mappers) }

    /// The scope of that name; `nil` also for `openid`, which is none in Keycloak.
    func scope(named name: String) -> KeycloakScope? {
        scopes[ExactText(name)]
    }

    /// Whether `sub` and `auth_time` are in tokens only by mappers: files from before version 25
    /// have no scope that brings them. Tokens had `session_state` and `nonce` then, too.
    var hasBasicScope: Bool { scope(named: "basic") != nil }

    /// Whether `acr` is in tokens only by a mapper.
    var hasACRScope: Bool { scope(named: "acr") != nil }
}

/// A client scope of such a realm.
package struct KeycloakScope: Sendable {
    let id: String
    let name: String
    package let mappers: [ProtocolMapperRecord]
    /// Whether `scope` of tokens and answers names it.
    let isShown: Bool
    /// Whether people are asked for it, where they are asked at all.
    let isAskedFor: Bool
    /// The roles that it shows to a client without full scope. Where there are any, only people with
    /// one of them get it.
    package let limits: Set<RoleName>
    /// Whether that holds even where none is left.
    private let isLimited: Bool

    /// - Parameter roles: A person's, with all that they contain.
    func isPermitted(to roles: Set<RoleName>) -> Bool {
        limits.isEmpty ? !isLimited : !limits.isDisjoint(with: roles)
    }

    init(_ scope: ClientScope, limits: Set<RoleName>) {
        id = scope.id
        name = scope.name
        mappers = scope.representation.protocolMappers
        let attributes = KeycloakAttributes(scope.representation.object("attributes"))
        isShown = attributes["include.in.token.scope"]?.isTrue ?? true
        isAskedFor = attributes["display.on.consent.screen"]?.isTrue ?? true
        self.limits = limits
        isLimited = scope.representation.bool(ClientScope.limited) ?? false
    }
}
