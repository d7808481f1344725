import Foundation
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak
@testable import PorticoProvider

/// An export of a realm of Keycloak's, as far as mappers need it: read by the test itself, so that
/// it does not depend on the import.
struct KeycloakExport {
    private let realm: JSONObject
    private let people: [String: JSONObject]
    private let clients: [String: JSONObject]
    private let scopes: [String: JSONObject]
    private var groups: [String: (names: [String], chain: [JSONObject])] = [:]
    /// What composite roles contain.
    private var parts: [RoleName: [RoleName]] = [:]

    init(_ file: URL) throws {
        realm = try JSONObject(
            parsing: Array(try Data(contentsOf: file)),
            limits: JSONLimits(size: 16 << 20)
        )
        people = Self.byName(realm, "users", "username")
        clients = Self.byName(realm, "clients", "clientId")
        scopes = Self.byName(realm, "clientScopes", "name")
        for group in Self.objects(realm, "groups") { add(group, to: [], []) }
        let roles = try #require(realm.object("roles"))
        for role in Self.objects(roles, "realm") { add(role, of: nil) }
        for member in roles.object("client") ?? [:] {
            for role in (member.value.array ?? []).compactMap(\.object) {
                add(role, of: member.name)
            }
        }
    }

    private static func objects(_ object: JSONObject, _ member: String) -> [JSONObject] {
        (object.array(member) ?? []).compactMap(\.object)
    }

    private static func byName(_ object: JSONObject, _ list: String, _ name: String)
        -> [String: JSONObject]
    {
        Dictionary(
            objects(object, list).compactMap { one in one.string(name).map { ($0, one) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private mutating func add(_ group: JSONObject, to names: [String], _ chain: [JSONObject]) {
        let names = names + [group.string("name") ?? ""]
        let chain = [group] + chain
        groups[names.map { "/" + $0 }.joined()] = (names, chain)
        for sub in Self.objects(group, "subGroups") { add(sub, to: names, chain) }
    }

    private mutating func add(_ role: JSONObject, of client: String?) {
        let name = RoleName(clientID: client, name: role.string("name") ?? "")
        parts[name] = role.object("composites").map { Self.roles($0, "realm", "client") } ?? []
    }

    private static func roles(_ object: JSONObject, _ realm: String, _ client: String) -> [RoleName]
    {
        (object.strings(realm) ?? []).map { RoleName(clientID: nil, name: $0) }
            + (object.object(client) ?? [:]).flatMap { member in
                (member.value.strings ?? []).map { RoleName(clientID: member.name, name: $0) }
            }
    }

    private func expanded(_ roles: [RoleName]) -> Set<RoleName> {
        var found: Set<RoleName> = []
        var rest = roles
        while let role = rest.popLast() {
            if found.insert(role).inserted { rest += parts[role] ?? [] }
        }
        return found
    }

    /// The roles that a client, or a scope, may see where it may not see all.
    private func limit(_ member: String, _ owner: String) -> [RoleName] {
        let realmRoles = Self.objects(realm, "scopeMappings")
            .filter { $0.string(member) == owner }
            .flatMap { Self.roles($0, "roles", "") }
        let clientRoles = (realm.object("clientScopeMappings") ?? [:]).flatMap { client in
            (client.value.array ?? []).compactMap(\.object).filter { $0.string(member) == owner }
                .flatMap { ($0.strings("roles") ?? []).map { (client.name, $0) } }
        }
        return realmRoles + clientRoles.map { RoleName(clientID: $0.0, name: $0.1) }
    }
}

extension KeycloakExport {
    private static func attributes(_ object: JSONObject) -> [String: [String]] {
        var attributes: [String: [String]] = [:]
        for member in object.object("attributes") ?? [:] {
            attributes[member.name] = member.value.strings
        }
        return attributes
    }

    /// The mappers of a request, and what they get.
    ///
    /// - Parameter granted: Scope names; those that are none of the client's are left out.
    func mapping(of username: String, client clientID: String, granted: [String]) throws
        -> (mappers: [ClaimMapper], input: MapperInput)
    {
        let user = try #require(people[username])
        let client = try #require(clients[clientID])
        let names = Set(
            (client.strings("defaultClientScopes") ?? [])
                + (client.strings("optionalClientScopes") ?? []).filter(granted.contains)
        )
        let own = names.compactMap { scopes[$0] }
        let mappers = (own + [client]).flatMap { Self.objects($0, "protocolMappers") }
            .filter { $0.string("protocol") == "openid-connect" }.map(MapperSamples.read)

        let memberships = (user.strings("groups") ?? []).compactMap { groups[$0] }
        let direct =
            Self.roles(user, "realmRoles", "clientRoles")
            + memberships.flatMap(\.chain).flatMap { Self.roles($0, "realmRoles", "clientRoles") }
        var roles = expanded(direct)
        if client.bool("fullScopeAllowed") != true {
            let ownRoles = parts.keys.filter { $0.clientID == clientID }
            let limits = names.flatMap { limit("clientScope", $0) }
            roles.formIntersection(expanded(limit("client", clientID) + limits + ownRoles))
        }
        var input = MapperInput(person: try person(user), roles: roles, clientID: clientID)
        input.groups = memberships.map {
            MemberGroup(names: $0.names, attributes: $0.chain.map(Self.attributes))
        }
        let redirects = client.strings("redirectUris") ?? []
        let patterns = RedirectPatterns(
            redirects,
            rootURL: client.string("rootUrl"),
            serverOrigin: "https://id.example.com"
        )
        input.allowedOrigins =
            OriginPatterns(client.strings("webOrigins") ?? [], redirects: patterns).claim
        input.sector = PairwiseSubject.sector(of: redirects)
        return (mappers.inOrder, input)
    }

    func isLightweight(_ clientID: String) -> Bool {
        clients[clientID]?.object("attributes")?
            .string("client.use.lightweight.access.token.enabled") == "true"
    }

    private func person(_ user: JSONObject) throws -> Person {
        var person = Person(
            id: try #require(user.string("id")),
            realmID: "realm",
            username: try #require(user.string("username")),
            createdAt: 0
        )
        person.email = user.string("email")
        person.isEmailVerified = user.bool("emailVerified") ?? false
        person.givenName = user.string("firstName")
        person.familyName = user.string("lastName")
        person.attributes = Self.attributes(user)
        return person
    }
}
