import Foundation
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Exports of a real Keycloak, imported, exported and compared, in a folder outside the repository, as
/// in ``MovedRealmTests``. ``RealmExportTests`` has a realm of its own for the same rules.
private let fixtures = ProcessInfo.processInfo.environment["TEST_KEYCLOAK_FIXTURES"]

@Suite(
    "Exports of a real Keycloak",
    .enabled(if: fixtures != nil, "exports from outside, to be looked at by hand")
)
struct ExportedFixtureTests {
    /// What is not carried, by a part of the file's name and the paths of `compare_realms.py`: the
    /// import's report says so of each.
    private static let lost: [(file: String, line: String)] = [
        // Clients that prove themselves in a way that is not known here, or are none of OpenID
        // Connect; with their accounts.
        ("full", #"^clients/clientId=saml-app:"#),
        ("full", #"^clients/clientId=(\#(unknown))/secret:"#),
        ("full", #"^users/username=service-account-(\#(unknown)):"#),
        ("migration", #"^clients/clientId=migration-saml-client:"#),
        // Secrets that nothing is proven by: beside a key, and of Keycloak's own clients.
        ("full", #"^clients/clientId=jwt-client/secret:"#),
        ("", #"^clients/clientId=(account|broker|realm-management)/secret:"#),
        // Keys of kinds that nothing here uses, keys that the file does not hold, and those that
        // were made here for that reason.
        ("", #"^components/org.keycloak.keys.KeyProvider/name=(aes|portico )"#),
        ("partial", #"^components/org.keycloak.keys.KeyProvider/"#),
        ("26.3.0", #"^components/org.keycloak.keys.KeyProvider/"#),
        // Scopes that the file names and does not have.
        ("migration", #"^defaultDefaultClientScopes:"#),
        // Roles that the file names and does not have.
        ("android", #"^(groups/.*/realmRoles|users/.*/clientRoles|clientScopeMappings):"#),
        ("strimzi", #"^users/.*/(realmRoles|clientRoles):"#),
        // What Keycloak puts into every realm, and a file written by hand or in part has not.
        ("10.0.0", #"^(clients/clientId=|roles/client/)realm-management: null"#),
        ("android", #"^(clients/clientId=(\#(own))|roles): null"#),
        ("strimzi", #"^(clients/clientId=(\#(own))|roles/client/(\#(own))): null"#),
        ("strimzi", #"^roles/realm/name=(default-roles-kafka-authz|\#(ownRoles)): null"#),
        ("strimzi", #"^users/username=service-account-kafka: null"#),
    ]
    private static let own = Client.builtIn.sorted().joined(separator: "|")
    private static let ownRoles = "offline_access|uma_authorization"
    private static let unknown = "secret-jwt-client|x509-client|jwt-cert-client|jwt-url-client"

    private static func isSaid(_ line: String, of file: String) throws -> Bool {
        try lost.contains { place, pattern in
            try (place.isEmpty || file.contains(place))
                && Regex(pattern).firstMatch(in: line) != nil
        }
    }

    /// The same place as `compare_realms.py` calls it.
    private static func line(of difference: RealmDifference) -> String {
        let names = difference.path.steps.map { step in
            if case .name(let name) = step { name } else { "\(step)" }
        }
        var line = names.joined(separator: "/")
        for (list, key) in [
            ("clients", "clientId"), ("users", "username"), ("groups", "name"),
            (PartImport.keyComponents, "name"),
        ] {
            line = line.replacing("\(list)/", with: "\(list)/\(key)=")
        }
        return line + (line.hasSuffix(PartImport.keyComponents) ? "/:" : ":")
    }

    private func files() throws -> [URL] {
        let root = URL(filePath: try #require(fixtures))
        let folders = [root, root.deletingLastPathComponent().appending(path: "keycloak")]
        return try folders.flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
                .filter {
                    $0.hasSuffix(".json") && !$0.contains("passwords") && !$0.contains("users-")
                }
                .map { folder.appending(path: $0) }
        }
    }

    @Test(
        "KC-M-1: an export equals the original in what is carried, and importing that again changes nothing"
    )
    func equal() async throws {
        var count = 0
        for file in try files() {
            let bytes = Array(try Data(contentsOf: file))
            let ring = try KeyRing(random: .system)
            let name = file.lastPathComponent
            for imported in try await ExportSample.read(bytes, ring: ring) {
                let sample = try await ExportSample(imported.realm, ring)
                for line in try await sample.comparedByPython(with: file)
                where try !Self.isSaid(line, of: name) {
                    Issue.record("\(name) \(sample.realm.name): \(line)")
                }
                for difference in try await sample.diff(bytes).differences
                where try !Self.isSaid(Self.line(of: difference), of: name) {
                    Issue.record("\(name) \(sample.realm.name): diff: \(difference.path)")
                }
                let export = try await sample.bytes()
                #expect(try await sample.diff(export).differences == [])
                count += 1
            }
        }
        #expect(count == 16)
    }
}
