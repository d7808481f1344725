package import HTTPTypes
import PorticoBytes
package import PorticoProtocol

/// Hosts of the AT Protocol with their authorization servers, the directory of DIDs and the DNS, in
/// this process: as far as a sign-in by handle meets them. It keeps what it was asked.
package final class TestHosts: HTTPTransport, TextRecordResolver {
    package struct Person: Hashable, Sendable {
        package var did: String
        package var handle: String
        /// Its host's name.
        package var host: String

        package static let ann = Person(
            did: "did:plc:annannannannannannannann",
            handle: "ann.example.com",
            host: "pds.example.com"
        )
        /// At another host.
        package static let bob = Person(
            did: "did:plc:bobbobbobbobbobbobbobbob",
            handle: "bob.example.com",
            host: "other.example.com"
        )
        /// At Ann's.
        package static let cat = Person(
            did: "did:plc:catcatcatcatcatcatcatcat",
            handle: "cat.example.com",
            host: "pds.example.com"
        )
    }

    package enum Fault: Hashable, Sendable {
        /// The next answer of the token endpoint says another `sub`.
        case otherSubject(String)
        case bearer, withoutScope, withoutAtproto, withoutSubject, withoutNonce
        case refusesClient, serverError, endlessNonce
        /// With this error.
        case refuses(String)
        /// PAR answers no `request_uri`.
        case nothingPushed
    }

    /// A request to an authorization server.
    package struct Asked: Sendable {
        package let host: String
        package let path: String
        package let form: [String: String]
        /// Of its proof.
        package let proof: JSONObject
        package let thumbprint: String
        /// The header and the claims of its client assertion.
        package let assertion: (header: JSONObject, claims: JSONObject)?

        package func isGrant(_ type: String) -> Bool { form["grant_type"] == type }
    }

    fileprivate struct Pushed {
        let host: String
        let form: [String: String]
        let thumbprint: String
    }

    fileprivate struct State {
        var people: [Person] = [.ann, .bob, .cat]
        /// The authorization server of each host.
        var issuers = [
            "pds.example.com": "pds.example.com", "other.example.com": "other.example.com",
        ]
        var away: Set<String> = []
        var unknown: Set<String> = []
        var isBusy = false
        var unconfirmed: Set<String> = []
        var fault: Fault?
        var asked: [Asked] = []
        var looked: [String] = []
        var pushed: [String: Pushed] = [:]
        var codes: [String: (pushed: Pushed, did: String)] = [:]
        var refreshes: [String: (did: String, thumbprint: String)] = [:]
        var revoked: [String] = []
        var count = 0
    }

    private let state = Locked(State())
    private let meanwhile = Locked<(@Sendable () async -> Void)?>(nil)
    private let clock: StoppedClock

    fileprivate static let nonce = "nonce-1"

    package init(_ clock: StoppedClock) {
        self.clock = clock
    }

    package var asked: [Asked] { state.withLock(\.asked) }
    /// The addresses that were read.
    package var looked: [String] { state.withLock(\.looked) }
    package var revoked: [String] { state.withLock(\.revoked) }

    package func forgetRequests() {
        state.withLock {
            $0.asked = []
            $0.looked = []
        }
    }

    package func set(_ fault: Fault?) { state.withLock { $0.fault = fault } }
    package func setAway(_ host: String, _ isAway: Bool = true) {
        state.withLock {
            if isAway { $0.away.insert(host) } else { $0.away.remove(host) }
        }
    }
    /// From now on there is no host of that name.
    package func setUnknown(_ host: String) {
        state.withLock { _ = $0.unknown.insert(host) }
    }
    /// Whether no request goes out.
    package func setBusy(_ isBusy: Bool) { state.withLock { $0.isBusy = isBusy } }
    package func setIssuer(of host: String, _ issuer: String?) {
        state.withLock { $0.issuers[host] = issuer }
    }
    package func move(_ person: Person, to host: String) {
        state.withLock { state in
            for index in state.people.indices where state.people[index].did == person.did {
                state.people[index].host = host
            }
        }
    }
    /// From now on the person's account names no handle.
    package func unconfirm(_ person: Person) {
        state.withLock { _ = $0.unconfirmed.insert(person.did) }
    }
    /// Happens before a token request is answered.
    package func beforeTokens(_ body: (@Sendable () async -> Void)?) {
        meanwhile.withLock { $0 = body }
    }

    /// The person's answer on the server's page: where the browser is sent back to, a path of ours.
    ///
    /// - Parameter location: Where our server sent the browser.
    package func approve(
        _ location: String?,
        as person: Person,
        changing changes: [String: String?] = [:]
    )
        throws -> String
    {
        let pushed = try pushed(location)
        let code = state.withLock { state in
            state.count += 1
            state.codes["code-\(state.count)"] = (pushed, person.did)
            return "code-\(state.count)"
        }
        return answer(to: pushed, ["code": code], changes)
    }

    package func refuse(
        _ location: String?,
        _ error: String = "access_denied",
        _ description: String? = nil,
        changing changes: [String: String?] = [:]
    ) throws -> String {
        let description = description ?? "The user rejected the request"
        return answer(
            to: try pushed(location),
            ["error": error, "error_description": description],
            changes
        )
    }

    private func pushed(_ location: String?) throws -> Pushed {
        let reply = Reply(status: 302, headers: [.location: location ?? ""], body: [])
        guard let uri = reply.redirected["request_uri"],
            let pushed = state.withLock({ $0.pushed[uri] })
        else { throw NotPushed() }
        return pushed
    }

    struct NotPushed: Error {}

    private func answer(
        to pushed: Pushed,
        _ parameters: [String: String],
        _ changes: [String: String?]
    ) -> String {
        var all = parameters
        all["state"] = pushed.form["state"]
        all["iss"] = "https://\(pushed.host)"
        for (name, value) in changes { all[name] = value }
        let query = all.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        return FormEncoding.appending(query, to: "/oauth/callback")
    }
}

extension TestHosts {
    package func texts(at name: String) async throws(TextRecordError) -> [String] {
        state.withLock { state in
            state.people.filter { name == "_atproto.\($0.handle)" }.map { "did=\($0.did)" }
        }
    }

    package func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address else { throw .malformed }
        guard !state.withLock(\.isBusy) else { throw .busy }
        guard !state.withLock({ $0.away.contains(address.host) }) else { throw .unreachable }
        guard !state.withLock({ $0.unknown.contains(address.host) }) else { throw .noSuchHost }
        guard request.method == .post else { return read(address) }
        if address.path == "/oauth/token", let body = meanwhile.withLock({ $0 }) { await body() }
        return posted(request, address, body)
    }

    private func read(_ address: HTTPAddress) -> HTTPReply {
        state.withLock { state in
            state.looked.append(address.text)
            let host = address.host
            switch address.path {
            case "/.well-known/oauth-protected-resource":
                guard let issuer = state.issuers[host] else { return Self.reply(404, [:]) }
                return Self.reply(
                    200,
                    [
                        "resource": .string("https://\(host)"),
                        "authorization_servers": [.string("https://\(issuer)")],
                    ]
                )
            case "/.well-known/oauth-authorization-server":
                guard state.issuers.values.contains(host) else { return Self.reply(404, [:]) }
                return Self.reply(200, Self.metadata(host))
            case let path where host == "plc.directory":
                let person = state.people.first { path == "/\($0.did)" }
                guard let person else { return Self.reply(404, [:]) }
                let names = state.unconfirmed.contains(person.did) ? [] : ["at://\(person.handle)"]
                return Self.reply(
                    200,
                    [
                        "id": .string(person.did),
                        "alsoKnownAs": .array(names.map { .string($0) }),
                        "service": [
                            [
                                "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
                                "serviceEndpoint": .string("https://\(person.host)"),
                            ]
                        ],
                    ]
                )
            default: return Self.reply(404, [:])
            }
        }
    }

    /// What a server of the profile says of itself.
    package static func metadata(_ host: String) -> JSONObject {
        let origin = "https://\(host)"
        return [
            "issuer": .string(origin),
            "authorization_endpoint": .string("\(origin)/oauth/authorize"),
            "token_endpoint": .string("\(origin)/oauth/token"),
            "pushed_authorization_request_endpoint": .string("\(origin)/oauth/par"),
            "revocation_endpoint": .string("\(origin)/oauth/revoke"),
            "require_pushed_authorization_requests": true,
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
            "scopes_supported": ["atproto", "transition:generic"],
            "authorization_response_iss_parameter_supported": true,
            "dpop_signing_alg_values_supported": ["ES256"],
            "client_id_metadata_document_supported": true,
        ]
    }

    private static func reply(_ status: Int, _ json: JSONObject, nonce: String? = nil)
        -> HTTPReply
    {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let nonce, let name = HTTPField.Name("DPoP-Nonce") { fields[name] = nonce }
        return HTTPReply(
            response: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: json.serialized()
        )
    }

    private func posted(_ request: HTTPRequest, _ address: HTTPAddress, _ body: [UInt8])
        -> HTTPReply
    {
        // `try?`: what is not right is refused as such.
        guard let form = try? FormParameters(decoding: body),
            let name = HTTPField.Name("DPoP"),
            let proof = try? DPoPJudge(nonce: nil)(
                request.headerFields[values: name],
                for: DPoPJudge.Request(method: .post, address: address.text),
                at: clock.seconds
            ),
            let claims = try? JWT(parsing: request.headerFields[name] ?? "").uncheckedClaims()
        else { return Self.refusal("invalid_dpop_proof") }
        // `try?`: as above.
        let jwt = form["client_assertion"].flatMap { try? JWT(parsing: $0) }
        let asked = Asked(
            host: address.host,
            path: address.path,
            form: Dictionary(form.all.map { ($0.name, $0.value) }) { first, _ in first },
            proof: claims,
            thumbprint: proof.thumbprint.text,
            assertion: jwt.flatMap { jwt in
                (try? jwt.uncheckedClaims()).map { (Self.header(of: form["client_assertion"]), $0) }
            }
        )
        return state.withLock { state in
            state.asked.append(asked)
            guard claims.string("nonce") == Self.nonce, state.fault != .endlessNonce else {
                return Self.refusal("use_dpop_nonce")
            }
            switch state.fault {
            case .refusesClient: return Self.refusal("invalid_client")
            case .refuses(let error): return Self.refusal(error)
            case .serverError: return Self.reply(500, [:], nonce: Self.nonce)
            default: break
            }
            switch address.path {
            case "/oauth/par": return state.push(asked)
            case "/oauth/token": return state.tokens(asked)
            case "/oauth/revoke":
                state.revoked.append(asked.form["token"] ?? "")
                return Self.reply(200, [:], nonce: Self.nonce)
            default: return Self.reply(404, [:])
            }
        }
    }

    private static func header(of token: String?) -> JSONObject {
        let first = token?.split(separator: ".").first.map { String($0) } ?? ""
        // `try?`: a header that is none has no members.
        return (try? JSONObject(parsing: Base64URL.decode(first) ?? [])) ?? [:]
    }

    fileprivate static func refusal(_ code: String) -> HTTPReply {
        reply(400, ["error": .string(code)], nonce: nonce)
    }

    fileprivate static func answer(_ json: JSONObject, status: Int = 200, nonce: Bool = true)
        -> HTTPReply
    {
        reply(status, json, nonce: nonce ? Self.nonce : nil)
    }
}

extension TestHosts.State {
    fileprivate mutating func push(_ asked: TestHosts.Asked) -> HTTPReply {
        count += 1
        let uri = "urn:ietf:params:oauth:request_uri:req-\(count)"
        pushed[uri] = .init(host: asked.host, form: asked.form, thumbprint: asked.thumbprint)
        if fault == .nothingPushed { return TestHosts.answer([:], status: 201) }
        return TestHosts.answer(["request_uri": .string(uri), "expires_in": 299], status: 201)
    }

    fileprivate mutating func tokens(_ asked: TestHosts.Asked) -> HTTPReply {
        let did: String
        if asked.isGrant("authorization_code") {
            // A code is good once, and spent even where it is presented wrongly.
            guard let code = codes.removeValue(forKey: asked.form["code"] ?? ""),
                code.pushed.thumbprint == asked.thumbprint, code.pushed.host == asked.host,
                code.pushed.form["redirect_uri"] == asked.form["redirect_uri"],
                code.pushed.form["client_id"] == asked.form["client_id"],
                let verifier = asked.form["code_verifier"].flatMap({ CodeVerifier($0) }),
                verifier.challenge.text == code.pushed.form["code_challenge"]
            else { return TestHosts.refusal("invalid_grant") }
            did = code.did
        } else {
            let known = refreshes.removeValue(forKey: asked.form["refresh_token"] ?? "")
            guard let known, known.thumbprint == asked.thumbprint else {
                return TestHosts.refusal("invalid_grant")
            }
            did = known.did
        }
        count += 1
        refreshes["refresh-\(count)"] = (did, asked.thumbprint)
        var json: JSONObject = [
            "access_token": .string("access-\(count)"), "token_type": "DPoP",
            "refresh_token": .string("refresh-\(count)"), "expires_in": 3599,
            "scope": "atproto transition:generic", "sub": .string(did),
        ]
        switch fault {
        case .otherSubject(let other): json["sub"] = .string(other)
        case .bearer: json["token_type"] = "Bearer"
        case .withoutScope: json["scope"] = nil
        case .withoutAtproto: json["scope"] = "transition:generic"
        case .withoutSubject: json["sub"] = nil
        default: break
        }
        return TestHosts.answer(json, nonce: fault != .withoutNonce)
    }
}
