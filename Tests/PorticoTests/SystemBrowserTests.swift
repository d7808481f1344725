import Foundation
import PorticoTestSupport
import Testing

@testable import Portico

/// A folder that is gone after the test.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = Guardian.shared.folder
            .appending(path: "portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        path = url.path
    }

    deinit {
        // `try?`: what is left behind lies in the system's folder for such things.
        try? FileManager.default.removeItem(atPath: path)
    }

    func script(_ lines: String) throws -> String {
        let file = "\(path)/program"
        try "#!/bin/sh\n\(lines)\n".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file)
        return file
    }

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
}

@Suite("The system browser")
struct SystemBrowserTests {
    @Test(
        "attack H16, RFC 8252 B.5: the address is one argument, whatever it holds",
        arguments: [
            "https://op.example.com/auth?state=a&x=$(id)", "https://op.example.com/;rm%20-rf%20~",
            "https://op.example.com/a;touch$IFS/tmp/x", "https://op.example.com/'&&id;'",
            "https://op.example.com/-o*?&", "http://127.0.0.1:8080/realms/demo?x=%22",
        ]
    )
    func oneArgument(address: String) async throws {
        let folder = try TemporaryFolder()
        let program = try folder.script(#"printf '%s\n%s' "$#" "$1" >"$(dirname "$0")/arguments""#)
        try await SystemBrowser(named: program).open(address)
        #expect(try folder.text("arguments") == "1\n\(address)")
    }

    @Test(
        "attack H16: only https, and http on this machine, is opened",
        arguments: [
            "http://op.example.com/", "http://localhost.evil.example/", "file:///etc/passwd",
            "javascript:alert(1)", "-https://op.example.com", "--help", "",
            "https://op.example.com/ --help", "https://op.example.com/\n", "ftp://a.example/",
            "https://user@op.example.com/", "com.example:/cb",
        ]
    )
    func refused(address: String) async throws {
        let folder = try TemporaryFolder()
        let program = try folder.script(#"touch "$(dirname "$0")/started""#)
        await #expect(throws: SignInError(.misconfigured(.addressNotOpenable))) {
            try await SystemBrowser(named: program).open(address)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/started"))
    }

    @Test("RFC 8252 §6, B.5: without a named browser, the system's own is used")
    func systemsOwn() {
        #if canImport(Darwin)
            #expect(SystemBrowser(named: nil).program == "/usr/bin/open")
        #else
            for name in [nil, ""] {
                #expect(SystemBrowser(named: name).program == "xdg-open")
            }
            #expect(SystemBrowser(named: "firefox").program == "firefox")
        #endif
    }

    @Test("A program that is missing, or fails, is told")
    func failing() async throws {
        let folder = try TemporaryFolder()
        for program in ["\(folder.path)/none", try folder.script("exit 3")] {
            await #expect(throws: SignInError(.misconfigured(.noBrowser))) {
                try await SystemBrowser(named: program).open("https://op.example.com/")
            }
        }
    }

    @Test("RFC 8252 §8.3: a browser that runs on does not keep our port open")
    func inheritsNothing() async throws {
        let folder = try TemporaryFolder()
        let receiver = try LoopbackReceiver(path: "/cb")
        let program = try folder.script("sleep 5 & exit 0")
        try await SystemBrowser(named: program).open("https://op.example.com/")
        let connection = RawSocket.connect(port: receiver.port)
        #expect(connection != nil)
        if let connection { RawSocket.close(connection) }
        receiver.close()
        #expect(RawSocket.connect(port: receiver.port) == nil)
    }
}
