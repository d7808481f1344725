import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// A realm in a database, and what an export of it says.
struct ExportSample {
    let database: TestDatabase
    let ring: KeyRing
    let realm: Realm

    /// After everything that a file says was made.
    static let moment = Moment(now: Date(timeIntervalSince1970: 1_800_000_000), random: .system)
    static let now = moment.seconds

    static let harbourFile = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/harbour.json")

    /// The realm of our own file that has a bit of everything.
    static func harbour() async throws -> ExportSample {
        try await ExportSample(Array(try Data(contentsOf: harbourFile)))
    }

    static func read(_ file: [UInt8], ring: KeyRing) async throws -> [ReadRealm] {
        try await ReadRealm.all([RealmFile(file)], .underTest(ring), at: moment)
    }

    init(_ file: [UInt8]) async throws {
        let ring = try KeyRing(random: .system)
        let imported = try await Self.read(file, ring: ring)
        try #require(imported.count == 1)
        try await self.init(imported[0].realm, ring)
    }

    init(_ new: NewRealm, _ ring: KeyRing) async throws {
        self.ring = ring
        database = try TestDatabase.inMemory()
        #expect(try await database.realms.create(new) == .created)
        realm = new.realm
    }

    func bytes(people: Bool = true, secrets: Bool = true) async throws -> [UInt8] {
        let export = RealmExport(realms: database.realms, people: database.people, ring: ring)
        var bytes: [UInt8] = []
        let summary = try await export(
            realm.id,
            RealmExport.Contents(people: people, secrets: secrets),
            at: Self.now
        ) { bytes += $0 }
        #expect(summary != nil)
        return bytes
    }

    func json(people: Bool = true, secrets: Bool = true) async throws -> JSONObject {
        let bytes = try await bytes(people: people, secrets: secrets)
        return try JSONObject(parsing: bytes, limits: JSONLimits(size: 16 << 20, depth: 64))
    }

    func diff(_ file: [UInt8]) async throws -> RealmDiff.Report {
        let diff = RealmDiff(.underTest(ring), realms: database.realms, people: database.people)
        let place = try RealmSource.compared([RealmFile(file)]).first { $0.name == realm.name }
        let report = try await diff(realm, try #require(place), at: Self.moment)
        return try #require(report)
    }

    func diff(_ json: JSONObject) async throws -> [String] {
        let report = try await diff(json.serialized())
        return report.differences.map { "\($0.kind.rawValue) \($0.path)" }.sorted()
    }

    /// The lines of `Tests/Peers/compare_realms.py`, which shares no code with the export.
    func comparedByPython(with original: URL) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "portico-export-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // `try?`: the system clears it.
        let file = folder.appending(path: "export.json")
        try Data(try await bytes()).write(to: file)
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "Peers/compare_realms.py")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path(), original.path(), file.path()]
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(),
            as: UTF8.self
        )
        process.waitUntilExit()
        let lines = text.split(separator: "\n").map(String.init)
        #expect(process.terminationStatus == (lines.isEmpty ? 0 : 1))
        return lines
    }
}

/// Bytes in memory, a chunk at a time.
struct BytesSource: ByteSource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    mutating func next(upTo limit: Int) throws(FileBytes.Refusal) -> [UInt8] {
        defer { rest = rest.dropFirst(limit) }
        return Array(rest.prefix(limit))
    }
}
