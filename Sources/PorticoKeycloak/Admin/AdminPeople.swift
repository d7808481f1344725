import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `…/users`: people, and who they are.
enum AdminPeople {
    static var rows: [AdminRow] {
        [
            .get("users", .queryUsers, list),
            .post("users", .manageUsers, create),
            .get("users/count", .queryUsers, count),
            .get("users/{user}", .viewUsers, read),
            .put("users/{user}", .manageUsers, update),
            .delete("users/{user}", .manageUsers, delete),
            .get("groups/{group}/members", .viewUsers, members),
            .get("roles/{role}/users", .viewUsers, holders),
            .get("clients/{client}/roles/{role}/users", .viewUsers, holders),
            .get("clients/{client}/service-account-user", .viewClients, serviceAccount),
        ]
    }

    // MARK: Reading

    private static func list(_ call: AdminCall) async throws -> AdminAnswer {
        // A caller who may only look for people is shown none of them.
        guard call.rights.allows(.viewUsers) else { return .json([]) }
        let query = try call.query()
        let page = try call.page()
        if let ids = Self.ids(query) {
            var people: [Person] = []
            for id in ids.dropFirst(page.first).prefix(page.max) {
                if let person = try await call.people.person(id: id, realmID: call.realmID)?.person
                {
                    people.append(person)
                }
            }
            return try await answer(people, call)
        }
        let people = try await found(query, call, page)
        return try await answer(people, call)
    }

    private static func count(_ call: AdminCall) async throws -> AdminAnswer {
        guard call.rights.allows(.viewUsers) else { return .json(0) }
        let query = try call.query()
        guard try call.attributes(query) == nil else {
            return .json(.integer(Int64(try await found(query, call, (0, .max)).count)))
        }
        let count = try await call.people.count(try Self.query(query), realmID: call.realmID)
        return .json(.integer(Int64(count)))
    }

    /// `search=id:ID ID`: people by their ids.
    private static func ids(_ query: FormParameters) -> [String]? {
        guard let search = query["search"], search.utf8.starts(with: "id:".utf8) else { return nil }
        return search.utf8.dropFirst(3).split(separator: UInt8(ascii: " ")).prefix(100)
            .map { String(Substring($0)) }
    }

    private static func found(
        _ query: FormParameters,
        _ call: AdminCall,
        _ page: (first: Int, max: Int)
    )
        async throws -> [Person]
    {
        let wanted = try Self.query(query)
        guard let attributes = try call.attributes(query) else {
            return try await call.people.people(
                wanted,
                realmID: call.realmID,
                first: page.first,
                limit: page.max
            )
        }
        var narrowed = wanted
        narrowed.attributeValue = attributes.pairs.first?.value
        return try await withAttributes(attributes, narrowed, call, page)
    }

    /// Attributes are not in an index: so many people are looked at, a page at a time, and no more.
    private static func withAttributes(
        _ attributes: AttributeQuery,
        _ wanted: PersonQuery,
        _ call: AdminCall,
        _ page: (first: Int, max: Int)
    ) async throws -> [Person] {
        var found: [Person] = []
        let (end, isOverflow) = page.first.addingReportingOverflow(page.max)
        for first in stride(from: 0, to: Self.mostSearched, by: AdminCall.longestPage) {
            let people = try await call.people.people(
                wanted,
                realmID: call.realmID,
                first: first,
                limit: AdminCall.longestPage
            )
            found += people.filter { attributes.isMet(by: $0.attributes) }
            if people.count < AdminCall.longestPage || !isOverflow && found.count >= end {
                return Array(found.dropFirst(page.first).prefix(page.max))
            }
        }
        throw AdminRefusal.invalid(
            "More than \(Self.mostSearched) people have that value: search for a name too."
        )
    }

    /// The most people that one search for attributes reads.
    private static let mostSearched = 10_000

    private static func query(_ query: FormParameters) throws -> PersonQuery {
        var wanted = PersonQuery()
        wanted.anything = try Self.words(query["search"] ?? "")
        wanted.username = query["username"]
        wanted.email = query["email"]
        wanted.givenName = query["firstName"]
        wanted.familyName = query["lastName"]
        wanted.isExact = query["exact"] == "true"
        wanted.isEnabled = query["enabled"].map { $0 == "true" }
        wanted.isEmailVerified = query["emailVerified"].map { $0 == "true" }
        wanted.provider = query["idpAlias"]
        wanted.subject = query["idpUserId"]
        return wanted
    }

    /// `ann lee "ann"`: what stands in quotes is meant exactly, and may have blanks.
    private static func words(_ text: String) throws -> [PersonQuery.Word] {
        var words: [PersonQuery.Word] = []
        for (index, part) in text.utf8.split(
            separator: UInt8(ascii: "\""),
            omittingEmptySubsequences: false
        ).enumerated() {
            let part = String(Substring(part))
            if index.isMultiple(of: 2) {
                words += part.split(whereSeparator: \.isWhitespace).map { .beginning(String($0)) }
            } else if !part.isEmpty {
                words.append(.whole(part))
            }
        }
        guard words.count <= PersonQuery.mostWords else {
            throw AdminRefusal.invalid("search has at most \(PersonQuery.mostWords) words.")
        }
        return words
    }

    private static func read(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.personWithRoles()
        var json = try await call.json(of: person)
        if try call.query()["userProfileMetadata"] == "true" {
            json["userProfileMetadata"] = .object(try await AdminUserProfile.metadata(call))
        }
        return .object(json)
    }

    private static func members(_ call: AdminCall) async throws -> AdminAnswer {
        let group = try call.group()
        let page = try call.page()
        let people = try await call.people.members(
            of: group.id,
            realmID: call.realmID,
            first: page.first,
            limit: page.max
        )
        return try await answer(people, call)
    }

    private static func holders(_ call: AdminCall) async throws -> AdminAnswer {
        let role = try await call.role()
        let page = try call.page()
        let people = try await call.people.holders(
            of: role.id,
            realmID: call.realmID,
            first: page.first,
            limit: page.max
        )
        return try await answer(people, call)
    }

    private static func serviceAccount(_ call: AdminCall) async throws -> AdminAnswer {
        let client = try await call.client()
        guard
            let account = try await call.people.serviceAccount(of: client.id, realmID: call.realmID)
        else { throw AdminRefusal.invalid("Service account not enabled for the client.") }
        var json = try await call.json(of: account.person)
        json["access"] = nil
        json["serviceAccountClientId"] = nil
        return .object(json)
    }

    private static func answer(_ people: [Person], _ call: AdminCall) async throws -> AdminAnswer {
        let isBrief = try call.query()["briefRepresentation"] == "true"
        var objects: [JSONObject] = []
        for person in people {
            objects.append(isBrief ? call.brief(person) : try await call.json(of: person))
        }
        return .list(objects)
    }

    // MARK: Writing

    private static func create(_ call: AdminCall) async throws -> AdminAnswer {
        let representation = try call.representation(.person)
        let fields = PersonFields(representation, call)
        let person = try await call.operations.create(
            try fields.new(),
            password: try fields.password(),
            demanding: try await call.defaultActions(),
            by: call.administrator,
            at: call.moment
        )
        return .created(path: call.path(person.id))
    }

    private static func update(_ call: AdminCall) async throws {
        let former = try await call.person()
        let (changed, password) = try Self.said(of: former, call)
        try await call.operations.update(
            changed,
            replacing: former,
            password: password,
            by: call.administrator,
            at: call.moment
        )
    }

    /// What the request makes of a person, and their password.
    private static func said(of former: Person, _ call: AdminCall) throws -> (Person, NewPassword?)
    {
        let fields = PersonFields(try call.representation(.person), call)
        return (try fields.changed(former), try fields.password())
    }

    private static func delete(_ call: AdminCall) async throws {
        try await call.operations.delete(
            try await call.person(),
            by: call.administrator
        )
    }
}

extension AdminCall {
    /// The person that the path names.
    func person() async throws -> Person { try await personWithRoles().person }

    func personWithRoles() async throws -> PersonWithRoles {
        guard let person = try await people.person(id: try segment("user"), realmID: realmID) else {
            throw AdminRefusal.notFound("User not found")
        }
        return person
    }
}

/// A person as the administration shows them (Keycloak `UserRepresentation`).
extension AdminCall {
    func brief(_ person: Person) -> JSONObject {
        var object = UserRepresentation.json(person) { name in
            !["attributes", "requiredActions", "notBefore"].contains(name)
        }
        object["createdTimestamp"] = .integer(person.createdAt &* 1000)
        object["access"] = ["manage": .bool(rights.allows(.manageUsers))]
        return object
    }

    /// In a list.
    func json(of person: Person) async throws -> JSONObject {
        var object = brief(person)
        let access = object["access"]
        object["access"] = nil
        let whole = UserRepresentation.json(person)
        object["attributes"] = whole["attributes"]
        let factors = try await people.secondFactors(of: person.id, realmID: person.realmID)
        object["totp"] = .bool(factors.contains { $0.kind == .totp })
        object["disableableCredentialTypes"] = []
        for name in ["requiredActions", "notBefore"] { object[name] = whole[name] }
        if let id = person.serviceClientID, let client = try await served.client(uuid: id) {
            object["serviceAccountClientId"] = .string(client.clientID)
        }
        object["access"] = access
        return object
    }

    /// By themselves.
    func json(of person: PersonWithRoles) async throws -> JSONObject {
        var object = try await json(of: person.person)
        let mayChange = rights.allows(.manageUsers) && rights.mayChange(person)
        object["access"] = [
            "manageGroupMembership": .bool(mayChange), "resetPassword": .bool(mayChange),
            "view": true, "mapRoles": .bool(mayChange), "impersonate": false,
            "manage": .bool(mayChange),
        ]
        return object
    }
}

/// `q`: attributes that things are looked for by, `name:value name:"a value"` (Keycloak
/// `SearchQueryUtils`). All must be there.
struct AttributeQuery: Sendable {
    let pairs: [(name: String, value: String)]

    func isMet(by attributes: [String: [String]]) -> Bool {
        pairs.allSatisfy { name, value in
            attributes[name]?.contains { sameBytes($0, value) } ?? false
        }
    }

    /// Both a name and a value may stand in quotes, and then have blanks and colons.
    ///
    /// - Returns: `nil` for a text that is none.
    init?(_ text: String) {
        var rest = text.utf8[...]
        var pairs: [(name: String, value: String)] = []
        while true {
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            if rest.isEmpty { break }
            guard let name = Self.part(of: &rest, upTo: UInt8(ascii: ":")),
                rest.popFirst() == UInt8(ascii: ":"),
                let value = Self.part(of: &rest, upTo: UInt8(ascii: " ")), pairs.count < 20
            else { return nil }
            pairs.append((name, value))
        }
        guard !pairs.isEmpty else { return nil }
        self.pairs = pairs
    }

    /// - Parameter end: What ends one without quotes.
    private static func part(of rest: inout Substring.UTF8View, upTo end: UInt8) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            let part = rest.prefix { $0 != end && (end == UInt8(ascii: " ") || $0 != 0x20) }
            rest = rest[part.endIndex...]
            return String(Substring(part))
        }
        rest.removeFirst()
        var part: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                // What follows is the end of the part.
                return rest.first.map({ $0 == end }) ?? true ? String(validUTF8: part) : nil
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                part.append(escaped)
            default: part.append(byte)
            }
        }
        return nil
    }
}

extension AdminCall {
    /// Which attributes the query asks for; `nil`: it names none.
    func attributes(_ query: FormParameters) throws -> AttributeQuery? {
        guard let text = query["q"], !text.isEmpty else { return nil }
        guard let attributes = AttributeQuery(text) else {
            throw AdminRefusal.invalid(#"q has pairs of name:value, or name:"a value"."#)
        }
        return attributes
    }
}
