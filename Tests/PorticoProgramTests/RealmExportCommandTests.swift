import Foundation
import PorticoTestSupport
import Testing

@Suite("portico realm export")
struct RealmExportCommandTests {
    @Test("a file is its owner's alone, and what was there stays until it is whole")
    func owner() throws {
        let portico = try PorticoProcess()
        let html = String(repeating: "x", count: 3_000_000)
        let realm = portico.home.appending(path: "acme.json")
        try Data(#"{"realm": "acme", "enabled": true, "displayNameHtml": "\#(html)"}"#.utf8)
            .write(to: realm)
        try portico.done(["realm", "import", realm.path])
        let file = portico.home.appending(path: "out.json")
        try Data("old".utf8).write(to: file)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644],
            ofItemAtPath: file.path
        )
        let arguments = ["realm", "export", "acme", "--with-keys", "-o", file.path]
        let running = try portico.start(arguments, longestFile: 2_000_000)
        #expect(running.process.waitUntilExit().status == 1)
        #expect(running.stderr.contains("cannot be written"))
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
        try portico.done(arguments)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("\"realm\":\"acme\""))
        let names = try FileManager.default.contentsOfDirectory(atPath: portico.home.path)
        #expect(!names.contains { $0.hasSuffix(".new") })
    }
}
