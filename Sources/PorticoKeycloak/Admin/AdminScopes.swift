import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `…/client-scopes`, and which of them new clients get.
enum AdminScopes {
    static var rows: [AdminRow] {
        [
            .get("client-scopes", .viewScopes, list),
            .post("client-scopes", .manageClients, create),
            .get("client-scopes/{scope}", .viewScopes, read),
            .put("client-scopes/{scope}", .manageClients, update),
            .delete("client-scopes/{scope}", .manageClients, delete),
        ]
            + ScopeList.rows(
                "default-default-client-scopes",
                "default-optional-client-scopes",
                .viewScopes,
                { ScopeList($0.realm) },
                setDefault
            )
    }

    private static func list(_ call: AdminCall) async throws -> AdminAnswer {
        let scopes = try await call.store.scopes(realmID: call.realmID)
        return .list(scopes.map { ClientScopeRepresentation($0).json })
    }

    private static func read(_ call: AdminCall) async throws -> AdminAnswer {
        .object(ClientScopeRepresentation(try await call.scope()).json)
    }

    private static func create(_ call: AdminCall) async throws -> AdminAnswer {
        let representation = try call.representation(.scope)
        guard let name = try representation.text("name") else {
            throw AdminRefusal.invalid("Client Scope name cannot be empty")
        }
        var scope = ClientScope(
            id: call.newID(),
            realmID: call.realmID,
            name: name
        )
        try Self.read(representation, over: ["protocol": "openid-connect"], to: &scope, call)
        try await call.operations.create(scope, by: call.administrator)
        return .created(path: call.path(scope.id))
    }

    private static func update(_ call: AdminCall) async throws {
        let former = try await call.scope()
        let representation = try call.representation(.scope)
        // Grants and consents name scopes by it: a later one of that name would be theirs.
        if let name = try representation.text("name"), !sameBytes(name, former.name) {
            throw AdminRefusal.invalid("A client scope keeps its name: make another one.")
        }
        var scope = former
        let json = ClientScopeRepresentation(former).json
        try Self.read(representation, over: json, to: &scope, call)
        try await call.operations.update(scope, replacing: former, by: call.administrator)
    }

    private static func delete(_ call: AdminCall) async throws {
        try await call.operations.delete(
            try await call.scope(),
            by: call.administrator
        )
    }

    /// Changes what is said besides id and name.
    ///
    /// - Parameter before: What it says already.
    private static func read(
        _ representation: Representation,
        over before: JSONObject,
        to scope: inout ClientScope,
        _ call: AdminCall
    ) throws {
        var json = before
        for (name, value) in representation.object {
            json[name] =
                name == "attributes" ? value.object.map { .object($0.withoutEmptyTexts) } : value
        }
        if let mappers = representation.object.array(MapperList.member) {
            let known = MapperOwner.scope(scope).representations
            json[MapperList.member] = .array(
                try mappers.map { value in
                    if let object = value.object, known.contains(object) { return value }
                    return .object(try MapperFields.registrable(value, at: call.moment).json)
                }
            )
        }
        try scope.read(Representation(.object(json), path: ""))
    }

    /// What new clients get.
    private static func setDefault(_ call: AdminCall, _ list: ScopeList, _ isGiven: Bool)
        async throws
    {
        var realm = call.realm
        realm.defaultClientScopes = list.defaults
        realm.optionalClientScopes = list.optionals
        try await call.operations.update(
            realm,
            replacing: call.realm,
            givingNewClients: isGiven ? try await call.scope() : nil,
            by: call.administrator
        )
    }
}

/// The scopes that a client has, or new clients get: each by default, or where it is asked for.
struct ScopeList: Sendable {
    private(set) var defaults: [String]
    private(set) var optionals: [String]
    /// Whether what needs consent is asked for, whatever the address says (OpenID Connect Core §11).
    private let isOfClient: Bool

    init(_ client: Client) {
        (defaults, optionals) = (client.defaultScopes, client.optionalScopes)
        isOfClient = true
    }

    init(_ realm: Realm) {
        (defaults, optionals) = (realm.defaultClientScopes, realm.optionalClientScopes)
        isOfClient = false
    }

    /// The addresses of both lists.
    ///
    /// - Parameters:
    ///   - find: The lists as they are.
    ///   - write: Keeps them changed.
    static func rows(
        _ defaults: String,
        _ optionals: String,
        _ view: AdminRight,
        _ find: @escaping @Sendable (AdminCall) async throws -> ScopeList,
        _ write: @escaping @Sendable (AdminCall, ScopeList, Bool) async throws -> Void
    ) -> [AdminRow] {
        [(defaults, true), (optionals, false)].flatMap { base, isDefault -> [AdminRow] in
            func change(_ isGiven: Bool) -> AdminRow.Deed {
                { call in
                    var list = try await find(call)
                    list.set(try await call.scope().name, isGiven, isDefault: isDefault)
                    try await write(call, list, isGiven)
                }
            }
            return [
                .get(base, view) { call in
                    let list = try await find(call)
                    return .list(try await list.shown(isDefault: isDefault, call))
                },
                .put("\(base)/{scope}", .manageClients, change(true)),
                .delete("\(base)/{scope}", .manageClients, change(false)),
            ]
        }
    }

    /// Gives a scope, which is in one list then, or takes it from one.
    private mutating func set(_ name: String, _ isGiven: Bool, isDefault: Bool) {
        defaults.removeAll { sameBytes($0, name) && (isGiven || isDefault) }
        optionals.removeAll { sameBytes($0, name) && (isGiven || !isDefault) }
        guard isGiven else { return }
        if isDefault, !isOfClient || name != "offline_access" {
            defaults.append(name)
        } else {
            optionals.append(name)
        }
    }

    private func shown(isDefault: Bool, _ call: AdminCall) async throws -> [JSONObject] {
        let names = isDefault ? defaults : optionals
        return try await call.store.scopes(realmID: call.realmID)
            .filter { names.contains($0.name) }
            .map { scope in
                var json: JSONObject = ["id": .string(scope.id), "name": .string(scope.name)]
                if !isOfClient { json["protocol"] = scope.kept["protocol"] ?? "openid-connect" }
                return json
            }
    }
}

extension AdminCall {
    /// The client scope that the path names by its id.
    func scope() async throws -> ClientScope {
        let id = try segment("scope")
        guard
            let scope = try await store.scopes(realmID: realmID).first(where: {
                sameBytes($0.id, id)
            })
        else { throw AdminRefusal.notFound("Could not find client scope") }
        return scope
    }
}
