import Foundation
@testable import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoProvider

/// Realm files of Keycloak servers with the passwords of their people, in a folder outside the
/// repository with one named `keycloak` beside it:
/// `TEST_KEYCLOAK_FIXTURES=FOLDER swift test --filter KeycloakPersonTests`. Tests of this repository
/// have hashes of their own.
private let folder = ProcessInfo.processInfo.environment["TEST_KEYCLOAK_FIXTURES"]

@Suite(
    "People of real realm files",
    .enabled(if: folder != nil, "files from outside, to be looked at by hand")
)
struct KeycloakPersonTests {
    private func value(_ file: String) throws -> JSONValue {
        let url = URL(filePath: try #require(folder)).appending(path: file)
        return try JSONValue(
            parsing: Array(try Data(contentsOf: url)),
            limits: JSONLimits(size: 1 << 24)
        )
    }

    /// The hashes in a file by user name, of all its realms.
    private func hashes(_ file: String) throws -> [String: [PasswordHash]] {
        let value = try value(file)
        var hashes: [String: [PasswordHash]] = [:]
        for realm in value.array ?? [value] {
            for person in realm.object?.array("users") ?? [] {
                let name = try #require(person.object?.string("username"))
                for credential in person.object?.array("credentials") ?? []
                where credential.object?.string("type") == "password" {
                    let object = try #require(credential.object)
                    guard let hash = try KeycloakHash.hash(of: object) else { continue }
                    hashes[name, default: []].append(hash)
                    let texts = try #require(KeycloakHash.texts(of: hash))
                    for (member, text) in [
                        ("secretData", texts.secretData), ("credentialData", texts.credentialData),
                    ] {
                        // Old files lack empty parameters.
                        var exported = try JSONObject(parsing: text.utf8)
                        let original = try JSONObject(parsing: (object.string(member) ?? "").utf8)
                        if original["additionalParameters"] == nil {
                            exported["additionalParameters"] = nil
                        }
                        #expect(exported == original)
                    }
                }
            }
        }
        return hashes
    }

    private func check(_ password: String, of name: String, _ hashes: [PasswordHash]?) async throws
    {
        let hashing = PasswordHashing(threads: 2, mostWaiting: 100, random: .system)
        let hashes = try #require(hashes, "\(name)")
        for hash in hashes {
            let right = try #require(PasswordText(password))
            #expect(try await hashing.verify(right, against: hash, for: .server), "\(name)")
            let wrong = try #require(PasswordText(password + "x"))
            #expect(try await !hashing.verify(wrong, against: hash, for: .server), "\(name)")
            #expect(Argon2id.isOutdated(hash), "\(name)")
        }
        await hashing.shutDown()
    }

    @Test("Everybody of article and full whose password is known", arguments: ["article", "full"])
    func everybody(realm: String) async throws {
        let known = try #require(try value("\(realm)-passwords.json").object)
        let hashes = try hashes("\(realm)-realm.json")
        var checked = 0
        for list in ["people", "hashes"] {
            for (name, entry) in known.object(list) ?? [:] {
                guard let password = entry.string ?? entry.object?.string("password") else {
                    #expect(hashes[name] == nil)
                    continue
                }
                try await check(password, of: name, hashes[name])
                checked += 1
            }
        }
        #expect(checked == (realm == "full" ? 16 : 2))
    }

    @Test(
        "People of older files",
        arguments: [
            ("kc-unversioned__quarkus_default-tenant", "alice", "alice"),
            ("kc-unversioned__quarkus_default-tenant", "jdoe", "jdoe"),
            ("kc-unversioned__strimzi_kafka-authz", "alice", "alice-password"),
            ("kc-10.0.0__oauth2-proxy-users-0", "admin@example.com", "password"),
            ("kc-19.0.3__keycloak-testsuite_migration", "offline-test-user", "password2"),
            ("kc-24.0.4__keycloak-testsuite_migration", "offline-test-user", "password2"),
        ]
    )
    func older(file: String, name: String, password: String) async throws {
        try await check(password, of: name, try hashes("../keycloak/\(file).json")[name])
    }
}
