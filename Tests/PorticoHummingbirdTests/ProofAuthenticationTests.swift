import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico
@testable import PorticoHummingbird

@Suite("A service that admits access tokens with proofs of possession")
struct ProofAuthenticationTests {
    /// Not where the service listens: a proxy is before it.
    private static let publicURL = "https://notes.example.com/api"
    private let clock = StoppedClock()
    private let issuer: ScriptedIssuer
    private let key: DPoPKey

    init() throws {
        issuer = try ScriptedIssuer(clock)
        key = try DPoPKey(random: .system)
    }

    private func authenticator(
        types: [String] = ["at+jwt"],
        nonceKey: [UInt8]? = nil
    ) throws -> PersonAuthenticator<BasicPersonContext> {
        let clock = clock
        return PersonAuthenticator(
            try .accessToken(
                issuer: ScriptedIssuer.address,
                audience: "notes",
                scopes: ["notes.read"],
                roles: .keycloak,
                algorithms: ["ES256"],
                types: types,
                proofs: ProofsOfPossession(publicURL: Self.publicURL, nonceKey: nonceKey),
                allowInsecureLoopback: false,
                transport: issuer,
                clock: Clock { clock.now }
            )
        )
    }

    /// A token that is bound to the key.
    private func token(_ changes: JSONObject = [:], type: JWTType = .accessToken) throws -> String {
        var bound: JSONObject = ["cnf": ["jkt": .string(key.thumbprint.text)]]
        for (name, value) in changes { bound[name] = value }
        return try issuer.token(bound, type: type)
    }

    private func proof(
        _ token: String?,
        _ method: HTTPRequest.Method = .get,
        _ address: String = publicURL + "/me",
        by other: DPoPKey? = nil,
        nonce: String? = nil,
        after seconds: Double = 0
    ) throws -> String {
        try (other ?? key).proof(
            method,
            try #require(HTTPAddress(address)),
            token: token.map { SecretText($0) },
            nonce: nonce,
            at: Moment(now: clock.now.addingTimeInterval(seconds), random: .system)
        )
    }

    private static func fields(_ token: String, _ proofs: String...) -> [String] {
        ["Authorization: DPoP \(token)"] + proofs.map { "DPoP: \($0)" }
    }

    @Test("RFC9449-7.1: a bound token with a proof is admitted, and a Bearer one as before")
    func good() async throws {
        let (bound, free) = (try token(), try issuer.token())
        try await RunningService.run(authenticator()) { [self] service in
            for address in [Self.publicURL + "/me", "https://NOTES.example.com:443/api/me?x=y"] {
                let fields = Self.fields(bound, try proof(bound, .get, address))
                let answer = try await service.send("/me?a=b", "GET", fields)
                #expect(answer.status == 200, "\(answer.body)")
                #expect(answer.body == "alice accessToken alice@example.com")
                #expect(answer.field("DPoP-Nonce") == nil)
            }
            let post = Self.fields(bound, try proof(bound, .post, Self.publicURL + "/notes"))
            #expect(try await service.send("/notes", "POST", post).status == 200)
            #expect(try await service.send("/me", bearer: free).status == 200)
            // Without a proof there is no challenge with an error, and the first one is for proofs.
            let missing = try await service.send("/me")
            #expect(missing.status == 401)
            #expect(
                missing.challenges == [
                    #"DPoP realm="https://id.example.com", algs="ES256 EdDSA RS256 PS256""#,
                    #"Bearer realm="https://id.example.com""#,
                ]
            )
        }
    }

    @Test("RFC9449-4.3: a proof that is missing, or wrong in one thing, is 401 invalid_dpop_proof")
    func wrong() async throws {
        let (token, other) = (try token(), try issuer.token())
        let right = try proof(token)
        try await RunningService.run(authenticator()) { [self] service in
            let local = "http://127.0.0.1:\(service.port)"
            let wrong: [[String]] = [
                [], [right, right], ["\(right), \(right)"], ["x"], [""],
                [try proof(nil)], [try proof(other)],
                [try proof(token, .post)], [try proof(token, .get, Self.publicURL + "/edit")],
                [try proof(token, .get, Self.publicURL + "/me/")],
                [try proof(token, .get, "https://notes.example.com/me")],
                [try proof(token, .get, local + "/me")],
                [try proof(token, .get, local + "/api/me")],
                [try proof(token, .get, "http://notes.example.com/api/me")],
                [try proof(token, after: -191)], [try proof(token, after: 181)],
            ]
            for proofs in wrong {
                let fields = ["Authorization: DPoP \(token)"] + proofs.map { "DPoP: \($0)" }
                let answer = try await service.send("/me", "GET", fields)
                #expect(answer.status == 401 && answer.error == "invalid_dpop_proof", "\(proofs)")
                let challenges = answer.challenges
                #expect(challenges.first?.contains(#"error="invalid_dpop_proof""#) == true)
                #expect(challenges.last == #"Bearer realm="https://id.example.com""#)
            }
            #expect(try await service.send("/me", "GET", Self.fields(token, right)).status == 200)
        }
    }

    @Test("RFC9449-7.1, RFC9449-7.2: token and proof belong together, whatever else is right")
    func binding() async throws {
        let thief = try DPoPKey(random: .system)
        let bound = try token()
        let other = try token(["cnf": ["jkt": .string(thief.thumbprint.text)]])
        let certificate = try token(["cnf": ["jkt": .string(key.thumbprint.text), "x5t#S256": "x"]])
        let (empty, free) = (try token(["cnf": [:]]), try issuer.token())
        try await RunningService.run(authenticator()) { [self] service in
            for (token, proof) in [
                (bound, try proof(bound, by: thief)), (other, try proof(other)),
                (certificate, try proof(certificate)), (empty, try proof(empty)),
                (free, try proof(free)),
            ] {
                let answer = try await service.send("/me", "GET", Self.fields(token, proof))
                #expect(answer.status == 401 && answer.error == "invalid_token")
                #expect(answer.challenges.first?.contains(#"error="invalid_token""#) == true)
            }
            // A stolen token is of no use to who cannot prove its key, with a proof beside it or not.
            for fields in [[], ["DPoP: \(try proof(bound))"]] {
                let answer = try await service.send(
                    "/me",
                    "GET",
                    ["Authorization: Bearer \(bound)"] + fields
                )
                #expect(answer.status == 401 && answer.error == "invalid_token")
                #expect(answer.challenges.last?.contains(#"error="invalid_token""#) == true)
                #expect(answer.challenges.first?.contains("error") == false)
            }
            let both = Self.fields(bound, try proof(bound)) + ["Authorization: Bearer \(free)"]
            #expect(try await service.send("/me", "GET", both).status == 401)
        }
    }

    @Test("RFC9449-11.1-1: a proof is good once, and one of a refused request is not used up")
    func once() async throws {
        let token = try token()
        let late = try self.token(["exp": .integer(clock.seconds - 60)])
        try await RunningService.run(authenticator()) { [self] service in
            let proof = try proof(token)
            let unused = try await service.send("/me", "GET", Self.fields(late, proof))
            #expect(unused.status == 401)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await service.send("/me", "GET", Self.fields(token, proof)).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 401 } == 7)
            let again = try await service.send("/me", "GET", Self.fields(token, proof))
            #expect(again.error == "invalid_dpop_proof")
            let next = Self.fields(token, try self.proof(token))
            #expect(try await service.send("/me", "GET", next).status == 200)
        }
    }

    @Test("RFC9449-9: with a key for nonces each proof needs one, which each answer brings")
    func nonces() async throws {
        let token = try token()
        let nonceKey = RandomSource.system.bytes(32)
        let (one, other) = (
            try authenticator(nonceKey: nonceKey), try authenticator(nonceKey: nonceKey)
        )
        try await RunningService.run(one) { [self] service in
            let first = try await service.send("/me", "GET", Self.fields(token, try proof(token)))
            #expect(first.status == 401 && first.error == "use_dpop_nonce")
            #expect(first.challenges.first?.contains(#"error="use_dpop_nonce""#) == true)
            let nonce = try #require(first.field("DPoP-Nonce"))
            let fields = Self.fields(token, try proof(token, nonce: nonce))
            let answer = try await service.send("/me", "GET", fields)
            #expect(answer.status == 200)
            #expect(answer.field("DPoP-Nonce") != nil)
            // Another process of the service knows it, too.
            try await RunningService.run(other) { service in
                let fields = Self.fields(token, try proof(token, nonce: nonce))
                #expect(try await service.send("/me", "GET", fields).status == 200)
            }
            clock.advance(by: 181)
            let late = Self.fields(token, try proof(token, nonce: nonce))
            #expect(try await service.send("/me", "GET", late).error == "use_dpop_nonce")
        }
    }

    @Test("Keycloak’s tokens say DPoP where they are bound, and Bearer where they are not")
    func kinds() async throws {
        let bound = try token(["typ": "DPoP"], type: .jwt)
        let wrong = try token(["typ": "Bearer"], type: .jwt)
        let free = try issuer.token(["typ": "DPoP"], type: .jwt)
        try await RunningService.run(authenticator(types: ["JWT"])) { [self] service in
            let right = Self.fields(bound, try proof(bound))
            #expect(try await service.send("/me", "GET", right).status == 200)
            let other = Self.fields(wrong, try proof(wrong))
            #expect(try await service.send("/me", "GET", other).status == 401)
            #expect(try await service.send("/me", bearer: free).status == 401)
        }
    }

    @Test("An address that is not https, or a short key, is told at the start")
    func configuration() throws {
        for url in [
            "", "notes", "http://notes.example.com", "https://a.example?x", "http://localhost:8080",
        ] {
            #expect(throws: SignInError(.misconfigured(.verificationInvalid)), "\(url)") {
                try ProofsOfPossession(publicURL: url)
            }
        }
        #expect(throws: SignInError(.misconfigured(.verificationInvalid))) {
            try ProofsOfPossession(
                publicURL: Self.publicURL,
                nonceKey: Array(repeating: 1, count: 31)
            )
        }
        let local = try ProofsOfPossession(
            publicURL: "http://localhost:8080/",
            nonceKey: Array(repeating: 77, count: 32),
            allowInsecureLoopback: true
        )
        #expect(!"\(local)".contains("77") && local.publicURL == "http://localhost:8080")
    }
}

extension RawExchange {
    /// The values of all `WWW-Authenticate` fields.
    fileprivate var challenges: [String] {
        head.split(separator: "\r\n").compactMap { line in
            guard line.lowercased().hasPrefix("www-authenticate: ") else { return nil }
            return String(line.dropFirst("www-authenticate: ".count))
        }
    }
}
