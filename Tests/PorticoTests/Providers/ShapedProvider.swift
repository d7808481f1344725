import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol

@testable import Portico

/// A provider whose documents and answers have the shape of a known one's, written by hand after its
/// documentation. It checks what any provider checks: client, redirect URI and PKCE.
final class ShapedProvider: HTTPTransport {
    let shape: ProviderShape
    let clock = StoppedClock()
    private let state = Locked(State())

    private struct State {
        var codes: [String: FormParameters] = [:]
        var requests: [String] = []
        var serial = 0
    }

    /// One RSA key for all of them: making one takes a while.
    private static let key = Result {
        try SigningKey(generating: .rs256, keyID: "shaped", random: .system)
    }

    init(_ shape: ProviderShape) {
        self.shape = shape
    }

    var requests: [String] { state.withLock(\.requests) }

    func client(_ options: SignInClient.Options? = nil) -> SignInClient {
        let clock = clock
        return SignInClient(
            issuer: shape.issuer,
            clientID: shape.clientID,
            redirect: shape.redirect,
            scopes: shape.scopes,
            options: options ?? shape.options,
            storage: .inMemory,
            transport: self,
            now: { clock.now },
            random: .system
        )
    }

    /// The callback of a person who signed in.
    func authorize(_ address: String) throws -> String {
        let query = address.split(separator: "?", maxSplits: 1).last ?? ""
        let form = try FormParameters(decoding: query.utf8)
        let code = state.withLock { state in
            state.serial += 1
            state.codes["code-\(state.serial)"] = form
            return "code-\(state.serial)"
        }
        return FormEncoding.appending(
            [("code", code), ("state", try form.required("state"))] + shape.response,
            to: try form.required("redirect_uri")
        )
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address?.text else { throw .malformed }
        state.withLock { $0.requests.append(address) }
        do {
            switch address {
            case shape.discovery:
                return .text(200, "application/json", Array(shape.metadata.utf8))
            case shape.member("jwks_uri"): return try keys()
            case shape.member("token_endpoint"): return try token(FormParameters(decoding: body))
            default: return .text(404, nil, [])
            }
        } catch {
            throw .unreachable
        }
    }

    private func keys() throws -> HTTPReply {
        var key = try Self.key.get().verificationKey.jwk.object
        key["alg"] = nil
        for (name, value) in shape.keyMembers { key[name] = value }
        return .json(["keys": [.object(key)]])
    }

    private func token(_ form: FormParameters) throws -> HTTPReply {
        guard form["client_id"] == shape.clientID else { return .error(401, "invalid_client") }
        let serial = state.withLock { state in
            state.serial += 1
            return state.serial
        }
        var nonce: String?
        switch form["grant_type"] {
        case "authorization_code":
            let request = state.withLock { $0.codes.removeValue(forKey: form["code"] ?? "") }
            guard let request, request["redirect_uri"] == form["redirect_uri"],
                let challenge = request["code_challenge"].flatMap(CodeChallenge.init),
                let verifier = form["code_verifier"].flatMap(CodeVerifier.init),
                challenge.isMet(by: verifier)
            else { return .error(400, "invalid_grant") }
            nonce = request["nonce"]
        case "refresh_token" where form["refresh_token"]?.hasPrefix("R") == true: break
        default: return .error(400, "invalid_grant")
        }
        return .json(try answer(serial, nonce))
    }

    private func answer(_ serial: Int, _ nonce: String?) throws -> JSONObject {
        let now = NumericDate.seconds(clock.now)
        var claims: JSONObject = [
            "iss": .string(shape.issuer), "sub": "person-1", "aud": .string(shape.clientID),
            "iat": .integer(now), "exp": .integer(now + 3600),
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        for (name, value) in shape.claims { claims[name] = value }
        let idToken = try Self.key.get().sign(claims: claims, type: .jwt)
        var tokens: JSONObject = [
            "access_token": .string("A\(serial)"), "token_type": "Bearer", "expires_in": 3600,
            "id_token": .string(idToken), "scope": "openid profile",
        ]
        // The first answer has a refresh token; a later one only where the provider rotates.
        if nonce != nil || shape.rotates { tokens["refresh_token"] = .string("R\(serial)") }
        for (name, value) in shape.tokenMembers { tokens[name] = value }
        return tokens
    }
}

/// What is known of a provider's documents and answers.
struct ProviderShape: Sendable, CustomStringConvertible {
    let name: String
    let issuer: String
    var discovery: String
    let metadata: String
    var clientID = "notes-app"
    var redirect: Redirect
    var scopes: [ScopeToken] = [.openid, .profile, .email]
    var options = SignInClient.Options()
    /// Beside `code` and `state`.
    var response: [(name: String, value: String)] = []
    var claims: [String: JSONValue] = [:]
    var tokenMembers: [String: JSONValue] = [:]
    var keyMembers: [String: JSONValue] = [:]
    var rotates = true

    var description: String { name }

    func member(_ name: String) -> String? {
        // `try?`: what is no JSON has no members, and the test fails.
        let json = try? JSONObject(parsing: Array(metadata.utf8))
        return json?.string(name)
    }
}
