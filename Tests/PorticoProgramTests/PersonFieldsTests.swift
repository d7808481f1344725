import ArgumentParser
import Foundation
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("What is said of a person")
struct PersonFieldsTests {
    @Test(
        "OpenID Connect Core §5.1: a changed address is unverified until it is marked as verified",
        arguments: [
            (["--email", "new@example.com"], "new@example.com", false),
            (["--email", "new@example.com", "--email-verified"], "new@example.com", true),
            (["--email", ""], nil, false),
            (["--email", "Ann@Example.com"], "Ann@Example.com", true),
            (["--given-name", "Anna"], "ann@example.com", true),
            (["--no-email-verified"], "ann@example.com", false),
        ] as [([String], String?, Bool)]
    )
    func email(arguments: [String], email: String?, isVerified: Bool) throws {
        var person = Person(id: "1", realmID: "r", username: "ann", createdAt: 0)
        person.email = "ann@example.com"
        person.isEmailVerified = true
        try PersonFields.parse(arguments).apply(to: &person)
        #expect(person.email == email)
        #expect(person.isEmailVerified == isVerified)
    }

    @Test("decision 0064: --did is the attribute of that name; empty, it goes")
    func did() throws {
        let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
        var person = Person(id: "1", realmID: "r", username: "ann", createdAt: 0)
        try PersonFields.parse(["--did", did]).apply(to: &person)
        #expect(person.attributes == ["did": [did]])
        #expect(person.did == did)
        try PersonFields.parse(["--given-name", "Ann"]).apply(to: &person)
        #expect(person.did == did)
        try PersonFields.parse(["--did", ""]).apply(to: &person)
        #expect(person.attributes.isEmpty)
        for wrong in ["ann.example.com", "did:plc:short", "did:key:z6Mk", "did:web:localhost"] {
            #expect(throws: (any Error).self, "\(wrong)") {
                try PersonFields.parse(["--did", wrong])
            }
        }
    }
}

@Suite("Whom a command means") struct PersonNameTests {
    @Test("What is one person's user name and another's id names no one; each has another way")
    func nameOfAnother() throws {
        let portico = try PorticoProcess()
        func run(_ arguments: String..., status: Int32 = 0) throws -> PorticoProcess.Outcome {
            let outcome = try portico.run(arguments, input: "")
            #expect(outcome.status == status, "\(arguments): \(outcome.stderr)")
            return outcome
        }
        func created(_ name: String) throws -> String {
            let made = try run("user", "create", name, "--without-password")
            return made.stdout.filter { !$0.isNewline }
        }
        _ = try run("realm", "create", "acme", "--public-url", "https://id.example.com")
        let ann = try created("ann")
        _ = try run("user", "update", ann, "--given-name", "Ann")
        let other = try created(ann)
        for command in ["show", "update", "delete"] {
            let more = command == "update" ? ["--disable-user"] : []
            let outcome = try portico.run(["user", command, ann] + more, input: "")
            #expect(outcome.status == 2, "\(command)")
            #expect(outcome.stderr.contains("the username of one person and the id of another"))
            #expect(outcome.stderr.contains(other))
        }
        #expect(try run("user", "show", "ann").stdout.contains("Ann"))
        _ = try run("user", "delete", other, "--confirm", ann)
        #expect(try run("user", "show", ann).stdout.contains("Ann"))
    }
}

@Suite("A file, line by line") struct FileLinesTests {
    private func lines(_ text: String, limit: Int = 10) throws -> [FileLines.Line] {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "lines-\(ProcessInfo.processInfo.globallyUniqueString)")
        try Data(text.utf8).write(to: file)
        // `try?`: what stays behind goes with the folder of the run.
        defer { try? FileManager.default.removeItem(at: file) }
        let reader = try FileLines(file.path, limit: limit)
        var lines: [FileLines.Line] = []
        while let line = try reader.next() { lines.append(line) }
        return lines
    }

    private func text(_ text: String) -> FileLines.Line { .text(Array(text.utf8)) }

    @Test("lines come one by one, the last one also without its line feed")
    func whole() throws {
        #expect(try lines("") == [])
        #expect(try lines("\n") == [text("")])
        #expect(try lines("a\n\nb") == [text("a"), text(""), text("b")])
        #expect(try lines("a\r\nb\n") == [text("a\r"), text("b")])
    }

    @Test("a line that is too long is passed over, wherever the file is cut into pieces")
    func long() throws {
        let ten = String(repeating: "x", count: 10)
        #expect(try lines(ten + "\n" + ten + "x\n" + ten) == [text(ten), .tooLong, text(ten)])
        let large = String(repeating: "y", count: 200_000)
        #expect(
            try lines("a\n" + large + "\nb\n" + large) == [
                text("a"), .tooLong, text("b"), .tooLong,
            ]
        )
        // Over the edge of a piece.
        let edge = String(repeating: "z", count: 65_530)
        #expect(
            try lines(edge + "\nabcdefghij\n", limit: 65_530) == [text(edge), text("abcdefghij")]
        )
    }

    @Test("a file that is not there is said")
    func missing() {
        #expect(throws: Failure.self) { _ = try FileLines("/nowhere/at/all", limit: 10) }
    }
}
