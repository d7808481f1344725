import PorticoProtocol
import PorticoStores
import Testing

@Suite("Members of clients and realms") struct MemberTests {
    /// A value that the member does not have by default, and its form allows; `nil` where only its own code
    /// makes one.
    private static func other<Owner>(_ member: Member<Owner>) -> JSONValue? {
        let standard = member.value(of: .blank)
        let values: [JSONValue] =
            switch member.shape {
            case .flag, .state: [true, false]
            case .text: ["https://other.example/a"]
            case .texts(let form): [[.string(texts[form] ?? "https://other.example")]]
            case .choice(let words): words.map(JSONValue.string)
            case .choices(let words): [.array(words.map(JSONValue.string)), []]
            case .seconds(let bounds, _), .number(let bounds):
                [.integer(bounds.lowerBound), .integer(bounds.upperBound)]
            case .json: []
            }
        return values.first { $0 != standard }
    }

    /// Of lists whose texts have a form.
    private static let texts = [
        "team.bundle-id": "ABCDE12345.com.example.app", "provider=id": "google=a=b",
        "package=sha256": "com.example.app="
            + Array(repeating: "AB", count: 32).joined(separator: ":"),
        "name=number": "urn:a=b=2", "kind": "sign_in.ok",
    ]

    /// What tables of their own keep: it refers to other things by their ids.
    private static let inTables: Set = [
        "default_scopes", "optional_scopes", "login_token_targets", "default_roles",
        "default_groups", "default_client_scopes", "optional_client_scopes",
    ]

    private func roundTrip<Owner: MemberOwner & Equatable>(
        _ read: (JSONObject) throws -> Owner
    ) throws {
        var count = 0
        for member in Owner.members {
            guard let value = Self.other(member) else { continue }
            count += 1
            var owner = Owner.blank
            #expect(try member.set(value, of: &owner), "\(member.name)")
            #expect(owner != .blank, "\(member.name)")
            var document = JSONObject()
            owner.write(to: &document)
            #expect(owner.wholeDocument["\(member.name)"] != nil, "\(member.name)")
            if document["\(member.name)"] == nil {
                #expect(Self.inTables.contains("\(member.name)"))
            } else {
                #expect(try read(document) == owner, "\(member.name)")
            }
            // Where nothing is said, it is the default, and no part of what is kept.
            if member.standardValue != nil {
                #expect(try member.set(.null, of: &owner) && owner == .blank, "\(member.name)")
                owner.write(to: &document)
                #expect(document["\(member.name)"] == nil, "\(member.name)")
            }
            #expect(try !member.set(["no": "form"], of: &owner), "\(member.name)")
        }
        #expect(count > 15)
        #expect(Set(Owner.members.map { "\($0.name)" }).count == Owner.members.count)
    }

    @Test("each member of a client is written and read again; a default is left out")
    func client() throws {
        try roundTrip { try Client(id: "", realmID: "", clientID: "", document: $0) }
    }

    @Test("each member of a realm is written and read again; a default is left out")
    func realm() throws {
        try roundTrip { try Realm(id: "", name: "", issuer: "", document: $0) }
    }

    /// The properties of a value, and in place of some of them those of what they hold.
    private func count(_ value: Any, without columns: Set<String>, inside inner: Set<String>) -> Int
    {
        Mirror(reflecting: value).children.reduce(0) { sum, child in
            guard let label = child.label, !columns.contains(label) else { return sum }
            return sum
                + (inner.contains(label) ? Mirror(reflecting: child.value).children.count : 1)
        }
    }

    @Test("a property of a client without a member would be forgotten: none is")
    func properties() {
        let columns: Set = ["id", "realmID", "clientID", "source"]
        #expect(count(Client.blank, without: columns, inside: ["handOff"]) == Client.members.count)
    }

    @Test("the same of a realm, with its times")
    func realmProperties() {
        let inner: Set = ["lifetimes", "profile", "events"]
        let count = count(Realm.blank, without: ["id", "name", "issuer"], inside: inner)
        #expect(count == Realm.members.count)
    }

    @Test(
        "a member breaks its rule by itself: times have bounds, no default scope must be asked for"
    )
    func rules() throws {
        var client = Client.blank
        #expect(Client.members.allSatisfy { $0.refusal(of: client) == nil })
        for (name, value) in [
            ("access_token_lifetime", 9), ("access_token_lifetime", 86_401), ("stay_signed_in", 59),
            ("default_scopes", ["openid"]), ("default_scopes", ["offline_access"]),
            ("optional_scopes", ["a b"]), ("default_scopes", [""]),
            ("login_token_targets", [["client_id": ""]]),
            ("login_token_targets", [["client_id": "a"], ["client_id": "a"]]),
        ] as [(String, JSONValue)] {
            client = .blank
            let member = try #require(Client.members.first { "\($0.name)" == name })
            #expect(try member.set(value, of: &client))
            #expect(member.refusal(of: client).map { "\($0.member)" } == name)
        }
    }
}
