import ArgumentParser
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoSystem

extension TokenCommand {
    struct Inspect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Decode a token and check it against its issuer's keys.",
            discussion: """
                The token is read from a file or from stdin, never from the command line. Exit \
                code 0 means: signed by the issuer, and not expired. With --offline it means: not \
                expired, and nobody has checked who signed it.
                """
        )

        @Argument(help: "The file with the token; - for stdin.") var file = "-"

        @Option(help: .value("url", "The issuer to expect; by default the one it names."))
        var issuer: String?

        @Flag(help: "Do not fetch keys: the signature stays unchecked.") var offline = false

        @Flag(help: "Write JSON; fields are added, never removed.") var json = false

        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            let inspection = try await inspect()
            if json {
                try console.data(inspection.json.serialized())
            } else {
                try console.data(inspection.text(console))
            }
            if let failure = inspection.failure { throw failure }
        }

        private func inspect() async throws -> TokenInspection {
            guard !TokenForm.isToken(file) else {
                throw Failure(
                    .usage,
                    "A token is never an argument: others can read what stands on a command line.",
                    "It comes from a file, or stdin: portico token inspect < FILE"
                )
            }
            // An opaque token may stand where the file's name belongs.
            let bytes = try FileInput.bytes(file, limit: 64 * 1024, called: "The file")
            let text = String(decoding: bytes.trimming { $0 <= 0x20 }, as: UTF8.self)
            guard !text.isEmpty else {
                throw Failure(
                    .tokenInvalid,
                    file == "-" ? "There was nothing on stdin." : "The file is empty.",
                    "For the token of the last sign-in: portico token | portico token inspect"
                )
            }
            let token: JWT
            let claims: JSONObject
            do {
                token = try JWT(parsing: text)
                claims = try token.uncheckedClaims()
            } catch {
                throw Failure(
                    .tokenInvalid,
                    "This is not a signed JWT: \(error)",
                    "An access token may also be opaque: only its provider can read it."
                )
            }
            var inspection = TokenInspection(
                header: token.header,
                claims: claims,
                expectedIssuer: issuer,
                now: Int64(Date().timeIntervalSince1970)
            )
            if offline {
                inspection.signature = .notAsked
            } else if let named = issuer ?? claims.string("iss") {
                let transport = OutboundClient()
                inspection.signature = await IssuerKeys(transport: transport).check(token, named)
                try await transport.shutdown()
            }
            return inspection
        }
    }
}
