import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

/// Realms and clients are kept as documents that another version of the program may have written.
@Suite("Kept documents") struct KeptDocumentTests {
    @Test("what a newer program put into a document survives an older one's update")
    func unknownMembers() async throws {
        let stores = try await furnished()
        try await setSettings(of: "clients", in: stores) { $0["newer"] = ["a": 1] }
        try await setSettings(of: "realms", in: stores) { $0["newer"] = true }
        var snapshot = try await stores.realms.snapshot()
        snapshot.clients[0].name = "Changed"
        snapshot.realms[0].displayName = "Changed"
        #expect(try await stores.realms.update(snapshot.clients[0]) == .changed)
        #expect(try await stores.realms.update(snapshot.realms[0]) == .changed)
        let client = try await settings(of: "clients", in: stores)
        #expect(client["newer"] == ["a": 1])
        #expect(client.string("client_name") == "Changed")
        let realm = try await settings(of: "realms", in: stores)
        #expect(realm["newer"] == true)
        #expect(realm.string("display_name") == "Changed")
    }

    @Test(
        "a member of another type or unknown in kind is an error, and so is one that must be there",
        arguments: [
            ("requires_consent", "true"), ("requires_consent", 1), ("client_name", nil),
            ("token_endpoint_auth_method", "newer"), ("token_endpoint_auth_method", nil),
            ("type", "newer"), ("type", nil),
            ("redirect_uris", "https://a"), ("redirect_uris", [1]), ("grant_types", ["newer"]),
            ("secret", ["sha256": "AA"]), ("secret", ["md5": "AA"]), ("secret", "plain"),
            ("id_token_signed_response_alg", "none"), ("code_protection", "newer"),
            ("access_token_type", "newer"), ("strict_authentication", 1),
            ("access_token_lifetime", 1.5), ("enabled", "yes"), ("stay_signed_in", "newer"),
            ("mappers", [["id": "1", "name": "m", "kind": "newer", "into": []]]), ("mappers", [1]),
            ("token_form", "newer"), ("redirect_rule", "newer"), ("compatibility", ["newer"]),
            ("backchannel_logout_uri", "/logout"),
            ("backchannel_logout_session_required", "yes"), ("hand_off", "newer"),
            ("apple_app_ids", ["com.example"]), ("android_apps", ["com.example.app=AA:BB"]),
            ("native_audiences", ["google"]), ("native_audiences", ["=a"]),
            ("store_links", ["http://store.example"]), ("acr_levels", ["gold"]),
        ] as [(String, JSONValue?)]
    )
    func strict(_ member: String, _ value: JSONValue?) async throws {
        let stores = try await furnished()
        try await setSettings(of: "clients", in: stores) { $0[member] = value }
        await #expect(throws: DocumentError.self) { try await stores.realms.snapshot() }
    }

    @Test("text that is no JSON object is an error", arguments: ["", "[]", "{\"a\":1,\"a\":2}"])
    func damaged(_ text: String) async throws {
        let stores = try await furnished()
        try await stores.database.write { transaction in
            _ = try transaction.run("UPDATE realms SET settings = $1", [.text(text)])
        }
        await #expect(throws: JSONError.self) { try await stores.realms.snapshot() }
    }

    private func furnished() async throws -> TestDatabase {
        let stores = try TestDatabase.inMemory()
        let realm = Realm(id: "realm", name: "r", displayName: "", issuer: "https://id.example/r")
        let client = Client(
            id: "client",
            realmID: "realm",
            clientID: "c",
            name: "",
            type: .public,
            authentication: .none
        )
        let new = NewRealm(realm: realm, keys: [], clients: [client])
        #expect(try await stores.realms.create(new) == .created)
        return stores
    }

    private func settings(of table: String, in stores: TestDatabase) async throws -> JSONObject {
        try await stores.database.write { transaction in
            let sql: SQLText =
                table == "realms" ? "SELECT settings FROM realms" : "SELECT settings FROM clients"
            return try #require(try transaction.first(sql, []) { try $0.document(0) })
        }
    }

    private func setSettings(
        of table: String,
        in stores: TestDatabase,
        _ change: (inout JSONObject) -> Void
    ) async throws {
        var document = try await settings(of: table, in: stores)
        change(&document)
        let value = SQLValue(document)
        try await stores.database.write { transaction in
            let sql: SQLText =
                table == "realms"
                ? "UPDATE realms SET settings = $1" : "UPDATE clients SET settings = $1"
            _ = try transaction.run(sql, [value])
        }
    }
}
