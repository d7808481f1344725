import HTTPTypes
import NIOCore
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Admits senders who may administer a realm: they send an access token of it, or of `master`.
struct AdminAccess: Sendable {
    let operations: RealmAdministration
    let server: any AdministeredServer
    let senders: AdminSenders
    let publicURL: PublicURL
    /// Whether tokens of `master` reach into other realms.
    let hasMaster: Bool

    /// - Throws: 401 without a good token; 404 where there is no such realm; 403 for a token of
    ///   another realm, without the right, or from a page that the token's client does not name.
    func admit(_ context: AdminContext, needing right: AdminRight?) async throws -> AdminCall {
        var token = try await senders.token(context)
        token.request = [
            "realm": .string(RealmRepresentation(token.realm).id),
            "path": .string(PlainText.shown(context.pathOfRealm)),
        ]
        let origins =
            server.administeredRealm(named: token.realm.name)?.origins(of: token.client) ?? []
        context.scripts.note(origins)
        // Pages of an origin that the client does not name may not use its tokens either.
        if let origin = context.headers[.origin],
            !origins.contains(where: { sameBytes($0, origin) })
        {
            throw AdminRefusal.invalidOrigin
        }
        let name = context.parameters["realm"]
        let named = name.isEmpty ? token.realm.name : String(name)
        guard let realm = server.administeredRealm(named: named) else {
            throw AdminRefusal.notFound("Realm not found.")
        }
        guard let rights = rights(of: token, in: realm), right.map(rights.allows) ?? true else {
            throw AdminRefusal.forbidden
        }
        return AdminCall(
            context: context,
            token: token,
            served: realm,
            rights: rights,
            access: self,
            operations: operations
        )
    }

    /// The rights of a token's holder in a realm; `nil` where the token is of another realm.
    func rights(of token: Administrator.Token, in realm: any AdministeredRealm) -> AdminRights? {
        Administrator(token, in: realm.realm, hasMaster: hasMaster)
            .map { AdminRights($0, in: realm.realm, graph: realm.graph) }
    }
}

/// A request to the administration whose sender is known and has the right that its row asks for.
struct AdminCall: Sendable {
    let context: AdminContext
    let token: Administrator.Token
    let served: any AdministeredRealm
    /// What they may see. Operations judge what they may change.
    let rights: AdminRights
    let access: AdminAccess
    var operations: RealmAdministration

    var store: RealmStore { operations.store }
    var people: PersonStore { operations.people }
    var administrator: Administrator { rights.administrator }
    var realm: Realm { served.realm }
    var realmID: String { realm.id }
    var graph: RoleGraph { served.graph }
    var moment: Moment { context.moment }

    /// The id that exports and answers give the realm.
    var containerID: String { RealmRepresentation(realm).id }

    /// What they may see of another realm; `nil`: nothing.
    func rights(in realm: any AdministeredRealm) -> AdminRights? {
        access.rights(of: token, in: realm).flatMap { $0.administrator.hasRights ? $0 : nil }
    }

    /// The same request, of the realm as it is by now.
    var again: AdminCall {
        guard let realm = access.server.administeredRealm(named: realm.name),
            let rights = access.rights(of: token, in: realm)
        else { return self }
        return AdminCall(
            context: context,
            token: token,
            served: realm,
            rights: rights,
            access: access,
            operations: operations
        )
    }

    /// The id of something new.
    func newID() -> String { UniqueID(random: moment.random).text }

    /// Notes that something was done to the realm that changes nothing that is kept.
    func noteAction(_ reason: StaticString) async throws {
        try await operations.noteAction(in: realm, reason, by: administrator)
    }

    // MARK: What is sent

    /// A part of the path, decoded.
    func segment(_ name: String) throws -> String {
        guard let text = RequestTarget.decoded(context.parameters[name]) else {
            throw AdminRefusal.noSuchAddress
        }
        return text
    }

    /// Whether the address has that part.
    func has(_ name: String) -> Bool { !context.parameters[name].isEmpty }

    func query() throws -> FormParameters {
        do {
            return try FormParameters(query: context.target)
        } catch {
            throw AdminRefusal.invalid("The query is not form-encoded.")
        }
    }

    /// `first` and `max` of the query: how many are passed over, and how many are wanted.
    func page() throws -> (first: Int, max: Int) {
        let query = try query()
        return (
            try Self.number(query["first"], all: 0) ?? 0,
            min(
                try Self.number(query["max"], all: Self.longestPage) ?? Self.usualPage,
                Self.longestPage
            )
        )
    }

    static let usualPage = 100
    /// The most that one answer lists.
    static let longestPage = 1000

    private static func number(_ text: String?, all: Int) throws -> Int? {
        guard let text else { return nil }
        // A negative number means all there: as many as one answer lists.
        if text.utf8.first == UInt8(ascii: "-") { return all }
        guard let number = Int(digits: text.utf8, atMost: 10), number <= Int32.max else {
            throw AdminRefusal.noSuchAddress
        }
        return number
    }

    /// The body, one JSON text.
    func json() throws -> JSONValue {
        guard MediaType.isJSON(context.headers) else { throw AdminRefusal.unsupportedMediaType }
        do {
            let body = context.request.received.body.readableBytesView
            // RFC 8259 §8.1: a byte order mark may be passed over.
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            let limits = JSONLimits.foreign(size: body.count, depth: RealmImport.limits.depth)
            return try JSONValue(
                parsing: body.starts(with: mark) ? body.dropFirst(mark.count) : body,
                limits: limits.keepingDigits
            )
        } catch {
            throw AdminRefusal.unreadable
        }
    }

    /// The body, one object of a kind whose members are known.
    func representation(_ kind: RepresentationMembers) throws -> Representation {
        let representation = try object()
        try kind.check(representation)
        return representation
    }

    /// The body, one object.
    func object() throws -> Representation { try Representation(json(), path: "") }

    /// The body, an array of objects: the roles of a mapping.
    func representations() throws -> [Representation] {
        guard let values = try json().array else { throw AdminRefusal.unreadable }
        return try values.enumerated().map { try Representation($1, path: "[\($0)]") }
    }

    /// The body, an array of texts.
    func texts() throws -> [String] {
        guard let texts = try json().strings else { throw AdminRefusal.unreadable }
        return texts
    }

    /// The body, which is no JSON: one text.
    ///
    /// - Parameter length: The most bytes.
    func text(upTo length: Int) throws -> String {
        guard MediaType.isText(context.headers) else { throw AdminRefusal.unsupportedMediaType }
        let body = context.request.received.body.readableBytesView
        guard body.count <= length, let text = ForeignText.decoded(Array(body)) else {
            throw AdminRefusal.unreadable
        }
        return text
    }

    /// The path of the address, with a part after it.
    func path(_ last: String) -> String {
        var path = Array(context.path.utf8)
        path.append(UInt8(ascii: "/"))
        FormEncoding.appendPercentEncoded(last.utf8, to: &path)
        return String(decoding: path, as: UTF8.self)
    }

    func expect(_ condition: Bool) throws(AdminRefusal) {
        guard condition else { throw .forbidden }
    }

    // MARK: What addresses and bodies name

    /// The client that a part of the path names by its id.
    func client(_ segment: String = "client") async throws -> Client {
        guard let client = try await served.client(uuid: try self.segment(segment)) else {
            throw AdminRefusal.notFound("Could not find client")
        }
        return client
    }

    func group(_ segment: String = "group", or text: String = "Could not find group by id") throws
        -> Group
    {
        guard let group = graph.group(try self.segment(segment)) else {
            throw AdminRefusal.notFound(text)
        }
        return group.group
    }

    /// Whose roles the address is about; `nil`: the realm's.
    func roleOwner() async throws -> Client? {
        has("client") ? try await client() : nil
    }

    /// The role that the path names, by its id or by its name.
    func role() async throws -> Role {
        let roles = try await store.roles(realmID: realmID)
        let role: Role?
        if has("id") {
            let id = try segment("id")
            role = roles.first { sameBytes($0.id, id) }
        } else {
            let owner = try await roleOwner()
            let name = try segment("role")
            role = roles.first { $0.belongs(to: owner) && sameBytes($0.name, name) }
        }
        guard let role else { throw AdminRefusal.notFound("Could not find role") }
        return role
    }

    /// The roles in the body, by id, or by name where the address says whose.
    func namedRoles(of owner: Client?? = nil) async throws -> [RoleName] {
        let roles = try await store.roles(realmID: realmID)
        return try representations().map { named in
            let id = try named.text("id")
            let name = try named.text("name")
            let role = roles.first { role in
                guard owner.map({ role.belongs(to: $0) }) ?? true else { return false }
                if let id { return sameBytes(id, role.id) }
                return role.belongs(to: owner ?? nil)
                    && (name.map { sameBytes($0, role.name) } ?? false)
            }
            guard let role else { throw AdminRefusal.notFound("Role not found") }
            return role.roleName
        }
    }

    /// - Parameter isBrief: Without attributes, which are for those who may view the realm, or the
    ///   clients, where it is a role of one.
    func json(of role: Role, isBrief: Bool = true) async throws -> JSONObject {
        let owner = try await owner(of: role)?.id
        var json = RoleRepresentation(
            role,
            parts: graph.parts(of: role.roleName),
            containerID: owner ?? containerID
        ).json
        // Answers name what a role contains under an address of its own.
        json["composites"] = nil
        let mayView =
            rights.allows(.viewRealm) || role.clientID != nil && rights.allows(.viewClients)
        if isBrief || !mayView { json["attributes"] = nil }
        return json
    }

    func json(of roles: some Sequence<Role>, isBrief: Bool = true) async throws -> [JSONObject] {
        var objects: [JSONObject] = []
        for role in roles { objects.append(try await json(of: role, isBrief: isBrief)) }
        return objects
    }

    private func owner(of role: Role) async throws -> Client? {
        guard let clientID = role.clientID else { return nil }
        return try await served.client(named: clientID)
    }
}

/// The media type of a body.
enum MediaType {
    static func isJSON(_ headers: HTTPFields) -> Bool { isType("application/json", headers) }

    static func isText(_ headers: HTTPFields) -> Bool { isType("text/plain", headers) }

    private static func isType(_ wanted: String, _ headers: HTTPFields) -> Bool {
        let types = headers[values: .contentType]
        guard types.count == 1, headers[.contentEncoding] == nil else { return false }
        let type = types[0].prefix { $0 != ";" }
        return type.utf8.count <= 100 && String(type).trimmingBlanks.lowercased() == wanted
    }
}

extension JSONObject {
    /// Sets a member, or takes it away where the value is `null`. (In `value == .null ? nil : value` the
    /// `nil` is a `null`, too.)
    mutating func set(_ name: String, to value: JSONValue) {
        if value == .null { self[name] = nil } else { self[name] = value }
    }

    /// Without the settings that are empty texts: Keycloak keeps none, and shows none.
    var withoutEmptyTexts: JSONObject {
        var settings = self
        for (name, value) in self where value == .null || value == "" { settings[name] = nil }
        return settings
    }

    /// Those members alone.
    func only(_ names: [String]) -> JSONObject {
        var some = JSONObject()
        for name in names { some[name] = self[name] }
        return some
    }

    /// Sets a member of a representation; of attributes, those that are said.
    ///
    /// - Parameter empties: Whether an empty text takes an attribute away.
    mutating func change(_ name: String, to value: JSONValue, emptying empties: Bool = false) {
        guard name == "attributes", let changes = value.object else { return self[name] = value }
        var attributes = object(name) ?? JSONObject()
        for (key, value) in changes {
            attributes.set(key, to: empties && value == "" ? .null : value)
        }
        self[name] = .object(attributes)
    }
}
