import ArgumentParser
import HTTPTypes
import Portico
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoSystem

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a fresh access token, or decode one.",
        subcommands: [Print.self, Inspect.self],
        defaultSubcommand: Print.self
    )

    struct Print: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a fresh access token, and nothing else, on stdout.",
            discussion: """
                The same as portico token alone. The token is refreshed first where it would expire \
                too soon. For example:
                  curl -H "Authorization: Bearer $(portico token)" https://api.example.com/
                """
        )

        @Option(
            help: .value(
                "time",
                "How long it must still be valid, such as 10m or 4m30s. Otherwise 60s, or half of its life."
            )
        )
        var minTtl: DurationText?

        @OptionGroup var session: SessionOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await session.withSession { session, _, _ in
                try console.data(try await token(of: session))
            }
        }

        private func token(of session: Session) async throws -> String {
            do throws(SignInError) {
                return try await session.token(validFor: minTtl.map { .seconds($0.seconds) })
            } catch {
                guard error.kind == .misconfigured(.tokenLifeTooShort),
                    let life = session.accessTokenLife.flatMap({ Int64(exactly: $0.rounded(.down)) }
                    )
                else { throw error }
                // One that is just issued has lost a moment by the time it is here.
                throw Failure(
                    .misconfigured,
                    error.description,
                    "Ask for less than \(DurationText(seconds: max(1, life)).text): --min-ttl"
                )
            }
        }
    }
}

extension TokenCommand {
    struct Inspect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Decode a token and check it against its issuer's keys.",
            discussion: """
                The token is read from a file or from stdin, never from the command line. Exit \
                code 0 means: signed by the issuer, and not expired. With --offline it means: not \
                expired; the signature is not checked.
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
                inspection.signature = try await Administration.withOutbound {
                    await IssuerKeys(transport: $0).check(token, named)
                }
            }
            return inspection
        }
    }
}

/// The contents of a token, and which checks it passed.
struct TokenInspection {
    enum Signature: Hashable {
        case valid
        case invalid(String)
        case unchecked(String)
        case notAsked
    }

    let header: JWSHeader
    let claims: JSONObject
    /// The issuer that it must have, if one was named.
    let expectedIssuer: String?
    /// Seconds since 1970.
    let now: Int64
    var signature = Signature.unchecked("The token names no issuer.")

    private enum Mark: String {
        case good = "✓"
        case note = "!"
        case bad = "✗"
    }

    // MARK: Checks

    private var hasExpired: Bool { claims.int64("exp").map { $0 <= now } ?? false }
    private var isEarly: Bool { claims.int64("nbf").map { $0 > now } ?? false }
    private var hasOtherIssuer: Bool {
        expectedIssuer.map { $0 != claims.string("iss") } ?? false
    }
    private var isBound: Bool { claims.object("cnf") != nil }
    private var audience: [String] {
        claims.string("aud").map { [$0] } ?? claims.strings("aud") ?? []
    }

    private var checks: [(Mark, String)] {
        var checks: [(Mark, String)] = []
        switch signature {
        case .valid: checks.append((.good, "signature valid"))
        case .invalid(let why): checks.append((.bad, "signature invalid: \(why)"))
        case .unchecked(let why): checks.append((.bad, "signature not checked: \(why)"))
        case .notAsked: checks.append((.note, "signature not checked"))
        }
        if claims.int64("exp") == nil {
            checks.append((.note, "no expiry"))
        } else {
            checks.append(hasExpired ? (.bad, "expired") : (.good, "not expired"))
        }
        if isEarly { checks.append((.bad, "not valid yet")) }
        if hasOtherIssuer { checks.append((.bad, "another issuer")) }
        checks.append(audience.isEmpty ? (.note, "no audience") : (.good, "audience given"))
        checks.append(isBound ? (.good, "bound to a key") : (.note, "no DPoP or mTLS binding"))
        return checks
    }

    var failure: Failure? {
        if case .invalid = signature {
            return Failure(.tokenInvalid, "The signature is not the issuer's. Do not trust it.")
        }
        if hasOtherIssuer { return Failure(.tokenInvalid, "Another issuer made this token.") }
        if hasExpired { return Failure(.tokenInvalid, "The token has expired.") }
        if isEarly { return Failure(.tokenInvalid, "The token is not valid yet.") }
        if case .unchecked(let why) = signature {
            return Failure(.tokenInvalid, "The signature could not be checked.", printable(why))
        }
        return nil
    }

    // MARK: Output

    func text(_ console: Console) -> String {
        let head = [header.algorithm.rawValue, header.keyID.map { "kid \($0)" }, header.type]
        let fields: [(name: String, value: String?)] = [
            ("header", head.compactMap { $0 }.joined(separator: " · ")),
            ("issuer", claims.string("iss")),
            ("audience", audience.isEmpty ? nil : audience.joined(separator: " ")),
            ("subject", claims.string("sub")),
            ("client", claims.string("client_id") ?? claims.string("azp")),
            ("scope", claims.string("scope")),
            ("issued", time("iat")),
            ("expires", time("exp")),
        ]
        let marks = checks.map { mark, words in
            let colour: Console.Colour =
                switch mark {
                case .good: .green
                case .note: .yellow
                case .bad: .red
                }
            return "\(console.coloured(mark.rawValue, colour)) \(printable(words))"
        }
        return Description(json: [:], fields: fields).text + "\n" + marks.joined(separator: "   ")
    }

    var json: JSONObject {
        var result = JSONObject()
        result["header"] = .object(header.members)
        result["claims"] = .object(claims)
        var checked = JSONObject()
        switch signature {
        case .valid: checked["signature"] = "valid"
        case .invalid: checked["signature"] = "invalid"
        case .unchecked, .notAsked: checked["signature"] = "unchecked"
        }
        checked["expired"] = .bool(hasExpired)
        checked["early"] = .bool(isEarly)
        checked["issuer_expected"] = .bool(!hasOtherIssuer)
        checked["audience"] = .bool(!audience.isEmpty)
        checked["bound"] = .bool(isBound)
        result["checks"] = .object(checked)
        return result
    }

    private func time(_ claim: String) -> String? {
        claims.int64(claim).map { "\(Times.standard($0)) (\(Times.relative($0, at: now)))" }
    }
}

/// Fetches the keys of any issuer, to check a token.
struct IssuerKeys {
    let transport: any HTTPTransport

    func check(_ token: JWT, _ issuer: String) async -> TokenInspection.Signature {
        let metadata: ProviderMetadata
        var options = SignInClient.Options.allowInsecureLoopback
        // This is no sign-in.
        options.pkceUnannounced = true
        do {
            metadata = try await SignInClient(
                issuer: issuer,
                clientID: SessionChoice.standardClientID,
                options: options,
                transport: transport
            ).provider()
        } catch {
            return .unchecked("\(error)")
        }
        guard let uri = metadata.keySetURI, let address = HTTPAddress(uri) else {
            return .unchecked("The issuer publishes no keys.")
        }
        do {
            let reply = try await transport.send(
                HTTPRequest(.get, to: address),
                body: [],
                limits: HTTPLimits(bytes: 256 * 1024, seconds: 10)
            )
            guard reply.response.status == .ok else {
                return .unchecked("The issuer's keys cannot be fetched.")
            }
            let keys = try JWKSet(parsing: reply.body)
            _ = try token.verified(
                by: keys.keys,
                allowing: Set(SignatureAlgorithm.allCases),
                types: Set(JWTType.allCases)
            )
            return .valid
        } catch let error as JOSEError {
            return .invalid("\(error)")
        } catch {
            return .unchecked("\(error)")
        }
    }
}
