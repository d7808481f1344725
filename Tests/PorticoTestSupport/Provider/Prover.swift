package import HTTPTypes
import PorticoBytes
package import PorticoProtocol
import PorticoWeb

/// A client of the Provider under test that has a key, and proves it with each request.
///
/// Sign-ins and UserInfo are those of the realm `test`.
package struct Prover: Sendable {
    package let server: ProviderUnderTest
    package let key: DPoPKey
    private let realm: String

    package init(_ server: ProviderUnderTest, realm: String = "test") throws {
        self.server = server
        self.realm = realm
        key = try DPoPKey(random: .system)
    }

    /// The nonce of the server's newest answer.
    package func nonce() async throws -> String? {
        try await server.send(.get, server.path(of: "token", realm)).headers[.nonce]
    }

    /// A proof as it should be, for an endpoint of the realm.
    package func proof(
        _ method: HTTPRequest.Method,
        _ endpoint: String,
        token: String? = nil
    ) async throws -> String {
        try proof(method, endpoint, token: token, nonce: try await nonce())
    }

    package func proof(
        _ method: HTTPRequest.Method,
        _ endpoint: String,
        token: String? = nil,
        nonce: String?
    ) throws -> String {
        let path = server.path(of: endpoint, realm)
        guard let address = HTTPAddress("https://\(server.authority)\(path)") else {
            preconditionFailure("It is an address.")
        }
        return try key.proof(
            method,
            address,
            token: token.map { SecretText($0) },
            nonce: nonce,
            at: Moment(now: server.clock.now, random: .system)
        )
    }

    /// A form post to an endpoint, with a proof.
    package func post(
        _ endpoint: String,
        _ form: [(String, String)],
        basic: (String, String)? = nil
    ) async throws -> Reply {
        let proof = try await proof(.post, endpoint)
        return try await server.post(endpoint, form, proof: proof, basic: basic, realm: realm)
    }

    /// A whole sign-in whose code is redeemed with a proof: the token response.
    package func tokens(
        _ client: String = "native1",
        scope: String = "openid profile email",
        _ changes: [(String, String)] = [],
        basic: (String, String)? = nil
    ) async throws -> Reply {
        let code = try await server.code("alice", client, scope: scope, changes)
        return try await redeem(code, client, basic: basic)
    }

    package func redeem(
        _ code: String,
        _ client: String = "native1",
        _ changes: [(String, String)] = [],
        basic: (String, String)? = nil
    ) async throws -> Reply {
        let own = basic == nil ? changes : changes + [("client_id", "")]
        return try await post("token", TestFlow.redemption(code, client, own), basic: basic)
    }

    package func refresh(
        _ token: String,
        _ client: String = "native1",
        basic: (String, String)? = nil
    ) async throws -> Reply {
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)]
        return try await post(
            "token",
            basic == nil ? form + [("client_id", client)] : form,
            basic: basic
        )
    }

    package func userInfo(_ token: String) async throws -> Reply {
        try await server.userInfo(
            "DPoP " + token,
            proofs: [try await proof(.get, "userinfo", token: token)]
        )
    }
}

extension ProviderUnderTest {
    /// A form post to an endpoint of the realm.
    package func post(
        _ endpoint: String,
        _ form: [(String, String)],
        proof: String?,
        basic: (String, String)? = nil,
        headers: HTTPFields = [:],
        realm: String = "test"
    ) async throws -> Reply {
        var headers = headers
        if let proof { headers[.proof] = proof }
        if let basic { headers[.authorization] = Self.basic(basic.0, basic.1) }
        return try await post(path(of: endpoint, realm), form, headers: headers)
    }

    package func userInfo(_ authorization: String?, proofs: [String]) async throws -> Reply {
        var headers = HTTPFields()
        headers[.authorization] = authorization
        for proof in proofs { headers.append(HTTPField(name: .proof, value: proof)) }
        return try await send(.get, Self.path("userinfo"), headers: headers)
    }
}

extension HTTPField.Name {
    package static let proof = known("DPoP")
    package static let nonce = known("DPoP-Nonce")
}
