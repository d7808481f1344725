import PorticoTestSupport
import Testing

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
