import PorticoTestSupport
import Testing

/// Standard error goes into logs: what a person takes for an argument and is a token does not.
@Suite("A token on the command line") struct LiteralTokenTests {
    private static let signed = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJlMQ"
    private static let encrypted = "eyJlbmMiOiJBMjU2R0NNIn0.ZW5jcnlwdGVk.aXZpdg.Y2lwaGVydGV4dA.dGFn"
    private static let opaque = "3f9a-opaque-token-of-somebody"

    @Test(
        "It is said in no error, wherever it stands",
        arguments: [signed, encrypted, opaque, signed + signed, "x" + signed]
    )
    func unsaid(token: String) throws {
        let portico = try PorticoProcess()
        for arguments in [
            ["inspect", token], ["inspect", token, "--offline"], ["inspect", "./\(token)"],
            ["inspect", "Bearer", token], ["inspect", "Bearer \(token)"], ["inspect", "-", token],
            ["inspect", "--token", token], ["inspect", "--token=\(token)"],
            ["inspect", "--json", "-n", token], [token], ["print", token],
            ["--min-ttl", token], ["--min-ttl=\(token)"], ["inspect", "--\(token)"],
            ["inspect", "--\(token)=x"],
        ] {
            let outcome = try portico.run(["token"] + arguments)
            #expect(outcome.status != 0, "\(arguments)")
            #expect(!outcome.stderr.contains(token), "\(outcome.stderr)")
            for part in token.split(separator: ".") where part.utf8.count > 8 {
                #expect(!outcome.stderr.contains(part), "\(outcome.stderr)")
            }
            #expect(outcome.stdout.isEmpty)
            #expect(outcome.stderr.hasPrefix("✗ "))
        }
    }

    @Test("A signed or encrypted one is said in no error of any command")
    func everywhere() throws {
        let portico = try PorticoProcess()
        for token in [Self.signed, Self.encrypted] {
            for arguments in [
                ["userinfo", token], ["whoami", "--token=\(token)"], [token], ["logout", token],
                ["login", "--timeout", token], ["realm", token], ["userinfo", "--\(token)"],
            ] {
                let outcome = try portico.run(arguments)
                #expect(outcome.status == 2, "\(arguments)")
                #expect(!outcome.stderr.contains(token), "\(outcome.stderr)")
            }
        }
    }

    @Test("A token is told by its form, and a file by the lack of it")
    func files() throws {
        let portico = try PorticoProcess()
        for name in [
            "token.jwt", "a.b.c", "eyJhbGci", "e.y.j", "./access.token.txt", "tokens/mine",
        ] {
            let outcome = try portico.run(["token", "inspect", name])
            #expect(outcome.stderr.contains("The file cannot be read"), "\(outcome.stderr)")
        }
        for token in [Self.signed, Self.encrypted] {
            let outcome = try portico.run(["token", "inspect", token])
            #expect(outcome.status == 2)
            #expect(outcome.stderr.contains("portico token inspect < FILE"), "\(outcome.stderr)")
        }
        // What cannot be a name at all.
        let long = try portico.run(["token", "inspect", String(repeating: "a", count: 100_000)])
        #expect(long.status == 1)
        #expect(long.stderr.utf8.count < 500)
        #expect(try portico.run(["token", "insepct"]).stderr.contains("\"portico token inspect\""))
    }
}
