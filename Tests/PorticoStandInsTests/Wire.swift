import Crypto
import Foundation
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// A relying party's ends of the wire, its browser among them, without any of its checks.
struct Wire: Sendable {
    static let redirectURI = "http://127.0.0.1:8080/v1/auth/callback"
    static let verifier = String(repeating: "v", count: 43)

    let standIns: StandIns
    let log: RequestLog<StandInCall>
    let clock: StoppedClock
    private let settings: [StandInKind: StandInSettings]
    private let client: OutboundClient

    /// With all four stand-ins on a port of their own, each with an application.
    static func run(_ body: @escaping @Sendable (Wire) async throws -> Void) async throws {
        let clock = StoppedClock()
        try await withStandIns(clock: Clock { clock.now }) { scripted in
            let standIns = scripted.standIns
            let settings = try StandInKind.allCases.map { kind in
                (kind, try standIns.registerDemo(at: kind, redirectURIs: [redirectURI]))
            }
            let client = OutboundClient()
            do {
                try await body(
                    Wire(
                        standIns: standIns,
                        log: scripted.log,
                        clock: clock,
                        settings: Dictionary(uniqueKeysWithValues: settings),
                        client: client
                    )
                )
            } catch {
                try await client.shutdown()
                throw error
            }
            try await client.shutdown()
        }
    }

    func settings(_ kind: StandInKind) throws -> StandInSettings {
        try #require(settings[kind])
    }

    func addresses(_ kind: StandInKind) -> StandInAddresses {
        StandInAddresses(kind, base: standIns.issuer(of: kind))
    }

    /// The person's id, for the application.
    func subject(of person: StandInPerson, at kind: StandInKind) throws -> String {
        let client = try #require(standIns.client(kind.demoClientID, at: kind))
        return StandInGrant.subject(of: person, for: client, at: kind)
    }
}

extension Wire {
    func send(
        _ method: HTTPRequest.Method,
        _ address: String,
        _ body: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        let address = try #require(HTTPAddress(address))
        var request = HTTPRequest(
            method: method,
            scheme: "http",
            authority: address.authority,
            path: address.target,
            headerFields: headers
        )
        if body != nil {
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        }
        let reply = try await client.send(
            request,
            body: Array((body ?? "").utf8),
            limits: HTTPLimits(bytes: 60_000_000, seconds: 30)
        )
        return Reply(
            status: reply.response.status.code,
            headers: reply.response.headerFields,
            body: reply.body
        )
    }

    func get(_ address: String, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.get, address, headers: headers)
    }

    func get(_ address: String, bearer: String) async throws -> Reply {
        try await get(address, headers: [.authorization: "Bearer \(bearer)"])
    }

    func post(_ address: String, _ form: [(String, String)], headers: HTTPFields = [:])
        async throws -> Reply
    {
        try await send(.post, address, Self.encoded(form), headers: headers)
    }

    static func encoded(_ form: [(String, String)]) -> String {
        String(decoding: FormEncoding.encode(form.map { (name: $0.0, value: $0.1) }), as: UTF8.self)
    }
}

extension Wire {
    /// What a relying party asks for, when it asks well.
    func request(_ kind: StandInKind, _ changes: [(String, String?)] = []) throws -> [(
        String, String
    )] {
        var request = [
            ("client_id", try settings(kind).clientID), ("redirect_uri", Self.redirectURI),
            ("response_type", "code"), ("state", "s t&a=te"), ("nonce", "n-1"),
        ]
        switch kind {
        case .google, .openID:
            request += [("scope", "openid email profile")] + Self.challenge
        case .facebook: request += [("scope", "openid,email,public_profile")] + Self.challenge
        case .apple: request += [("scope", "name email"), ("response_mode", "form_post")]
        }
        for (name, value) in changes {
            request.removeAll { $0.0 == name }
            if let value { request.append((name, value)) }
        }
        return request
    }

    private static var challenge: [(String, String)] {
        [
            ("code_challenge", CodeVerifier(verifier)?.challenge.text ?? ""),
            ("code_challenge_method", "S256"),
        ]
    }

    /// The address that the browser is sent to.
    func address(_ kind: StandInKind, _ changes: [(String, String?)] = []) throws -> String {
        FormEncoding.appending(
            try request(kind, changes).map { (name: $0.0, value: $0.1) },
            to: addresses(kind).authorization
        )
    }

    /// Presses a person's button and takes the parameters that come back, by redirect or by form.
    func answer(
        _ kind: StandInKind,
        as person: StandInPerson = .ann,
        _ changes: [(String, String?)] = [],
        pressing fields: [(String, String)] = []
    ) async throws -> [String: String] {
        let buttons = fields.isEmpty ? [("person", person.id)] : fields
        let reply = try await post(address(kind, changes), buttons)
        guard reply.status == 200 else {
            // A fragment stays in the browser.
            let location = reply.location.map { String($0.prefix { $0 != "#" }) }
            let headers: HTTPFields = location.map { [.location: $0] } ?? [:]
            return Reply(status: reply.status, headers: headers, body: []).redirected
        }
        return Dictionary(reply.hiddenFields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The fields of a token request, when all is well.
    func redemption(_ kind: StandInKind, _ code: String, _ changes: [(String, String?)] = [])
        throws -> [(String, String)]
    {
        var form = [
            ("grant_type", "authorization_code"), ("code", code),
            ("redirect_uri", Self.redirectURI), ("client_id", try settings(kind).clientID),
            ("client_secret", try clientSecret(kind)), ("code_verifier", Self.verifier),
        ]
        for (name, value) in changes {
            form.removeAll { $0.0 == name }
            if let value { form.append((name, value)) }
        }
        return form
    }

    func redeem(_ kind: StandInKind, _ code: String, _ changes: [(String, String?)] = [])
        async throws -> Reply
    {
        try await post(addresses(kind).token, redemption(kind, code, changes))
    }

    /// A whole sign-in.
    func tokens(
        _ kind: StandInKind,
        as person: StandInPerson = .ann,
        _ changes: [(String, String?)] = []
    ) async throws -> JSONObject {
        let code = try #require(await answer(kind, as: person, changes)["code"])
        let reply = try await redeem(kind, code)
        #expect(reply.status == 200)
        return reply.json
    }

    /// The claims of an ID Token, its signature checked with the published keys.
    func claims(_ token: String?, _ kind: StandInKind) async throws -> JSONObject {
        let keys = try await get(addresses(kind).keys)
        return try JWT(parsing: #require(token)).verified(
            by: JWKSet(parsing: keys.body).keys,
            allowing: [.rs256],
            types: [.jwt]
        ).claims
    }
}

extension Wire {
    private func clientSecret(_ kind: StandInKind) throws -> String {
        try kind == .apple ? appleSecret() : settings(kind).secret.reveal()
    }

    /// The JWT that is Apple's client secret (PRV-A-10).
    func appleSecret(
        _ changes: [String: JSONValue?] = [:],
        key other: SigningKey? = nil
    ) throws -> String {
        let settings = try settings(.apple)
        let team = try #require(settings.team)
        let pem = try P256.Signing.PrivateKey(pemRepresentation: settings.secret.reveal())
        let key = try SigningKey(.es256, stored: Array(pem.rawRepresentation), keyID: team.keyID)
        var claims: JSONObject = [
            "iss": .string(team.id), "sub": .string(settings.clientID),
            "aud": "https://appleid.apple.com", "iat": .integer(clock.seconds),
            "exp": .integer(clock.seconds + 300),
        ]
        for (name, value) in changes { claims[name] = value }
        return try (other ?? key).sign(claims: claims, type: .jwt)
    }
}
