import Foundation
import PorticoSQL
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("SQLite: the file") struct DatabaseFileTests {
    @Test("a new database file and its folder are for their owner only")
    func modes() async throws {
        let stores = try TestDatabase.inFile()
        let file = try #require(stores.file)
        _ = try await stores.realms.version()
        let folder = URL(filePath: file).deletingLastPathComponent().path
        #expect(try mode(of: folder) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            #expect(try mode(of: folder + "/" + name) == 0o600, "\(name)")
        }
    }

    private func mode(of path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
