import PorticoBytes
package import PorticoProtocol

/// An authorization server that keeps to the profile of the AT Protocol (RFC 8414 §2; AT Protocol,
/// OAuth, Authorization Server Metadata).
package struct AuthorizationServer: Hashable, Sendable {
    package let issuer: ServerOrigin
    package let authorization: HTTPAddress
    package let token: HTTPAddress
    package let pushed: HTTPAddress
    package let revocation: HTTPAddress?
    /// The hosts that it gives tokens for, if it lists them. The list may be long, and is not kept.
    package internal(set) var protectedResources: [String]?

    /// The longest address of an endpoint, in bytes.
    private static let longest = 2048

    /// The first rule that a server's metadata breaks.
    package enum Refusal: Error, Hashable, CaseIterable, Sendable {
        case notJSON
        case issuer
        case authorizationEndpoint
        case tokenEndpoint
        case pushedEndpoint
        case revocationEndpoint
        case pushedRequestsNotRequired
        case responseTypes
        case grantTypes
        case challengeMethods
        case authenticationMethods
        case assertionAlgorithms
        case scopes
        case issuerInResponses
        case proofAlgorithms
        case clientDocuments
    }

    /// - Parameter origin: Where the document was found; the server's issuer, byte for byte.
    package init(parsing document: [UInt8], of origin: ServerOrigin) throws(Refusal) {
        let json: JSONObject
        do {
            json = try JSONObject(parsing: document, limits: .foreign(size: 65536, depth: 16))
        } catch {
            throw .notJSON
        }
        // RFC 8414 §3.3: without this check, any document could set this issuer's endpoints.
        guard let issuer = json.string("issuer"), sameBytes(issuer, origin.text) else {
            throw .issuer
        }
        func endpoint(_ name: String, _ refusal: Refusal) throws(Refusal) -> HTTPAddress {
            guard let text = json.string(name), text.utf8.count <= Self.longest,
                text.dropping("\(origin.text)/") != nil,
                let address = HTTPAddress(text)
            else { throw refusal }
            return address
        }
        func require(_ name: String, _ wanted: [String], _ refusal: Refusal) throws(Refusal) {
            guard let listed = json.strings(name),
                wanted.allSatisfy({ word in listed.contains { sameBytes($0, word) } })
            else { throw refusal }
        }
        func require(_ name: String, _ refusal: Refusal) throws(Refusal) {
            guard json.bool(name) == true else { throw refusal }
        }
        authorization = try endpoint("authorization_endpoint", .authorizationEndpoint)
        token = try endpoint("token_endpoint", .tokenEndpoint)
        pushed = try endpoint("pushed_authorization_request_endpoint", .pushedEndpoint)
        revocation =
            try json["revocation_endpoint"] == nil
            ? nil : endpoint("revocation_endpoint", .revocationEndpoint)
        try require("require_pushed_authorization_requests", .pushedRequestsNotRequired)
        try require("response_types_supported", ["code"], .responseTypes)
        try require("grant_types_supported", ["authorization_code", "refresh_token"], .grantTypes)
        try require("code_challenge_methods_supported", ["S256"], .challengeMethods)
        try require(
            "token_endpoint_auth_methods_supported",
            ["none", "private_key_jwt"],
            .authenticationMethods
        )
        let algorithms = "token_endpoint_auth_signing_alg_values_supported"
        try require(algorithms, ["ES256"], .assertionAlgorithms)
        // RFC 8414 §2: a server that takes unsigned assertions authenticates no client.
        guard json.strings(algorithms)?.contains(where: { sameBytes($0, "none") }) == false else {
            throw .assertionAlgorithms
        }
        try require("scopes_supported", ["atproto"], .scopes)
        try require("authorization_response_iss_parameter_supported", .issuerInResponses)
        try require("dpop_signing_alg_values_supported", ["ES256"], .proofAlgorithms)
        try require("client_id_metadata_document_supported", .clientDocuments)
        self.issuer = origin
        protectedResources = json.strings("protected_resources")
    }
}

/// What a host says of itself as a resource (RFC 9728 §2; AT Protocol, OAuth): which server gives
/// tokens for it.
struct ProtectedResource: Hashable, Sendable {
    let authorizationServer: ServerOrigin

    /// - Parameter host: Where the document was found.
    /// - Returns: `nil` unless it is that host's own, with exactly one server.
    init?(parsing document: [UInt8], of host: ServerOrigin, _ rules: IdentityRules) {
        do {
            let json = try JSONObject(parsing: document, limits: .foreign(size: 65536, depth: 16))
            // RFC 9728 §3.3: of another resource, it must not be used.
            if let resource = json["resource"] {
                guard let text = resource.string, sameBytes(text, host.text) else { return nil }
            }
            guard let servers = json.strings("authorization_servers"), servers.count == 1 else {
                return nil
            }
            authorizationServer = try ServerOrigin(servers[0], rules)
        } catch {
            return nil
        }
    }
}
