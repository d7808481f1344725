public import HTTPTypes
import PorticoBytes
public import PorticoProtocol
import PorticoSystem

/// The endpoints of the provider, and the APIs of the app.
extension FakeProvider: HTTPTransport {
    public func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        // `try?`: a body that is no form has no parameters.
        let form = (try? FormParameters(decoding: body)) ?? FormParameters()
        guard let address = request.address else { throw .malformed }
        guard let step = step(address, form) else { return .unserved(address.text) }
        let isBearer = step == .userInfo || step == .api
        let key: JWKThumbprint?
        do throws(DPoPRefusal) {
            // Without a network, no one judges it.
            key = isOffline ? nil : try provenKey(of: request)
        } catch {
            return withNonce(.refusedProof(error, isResource: isBearer))
        }
        let failure = state.withLock { $0.script.failure(of: step) }
        let usual = { await self.usualReply(step, request, form, body, key, failure == .forged) }
        guard let failure else { return await usual() }
        return try await failure.reply(isBearer: isBearer, usual: usual)
    }

    private func step(_ address: HTTPAddress, _ form: FormParameters) -> Step? {
        switch address.text {
        case base + "/.well-known/openid-configuration": .metadata
        case base + "/keys": .keys
        case base + "/token": form["grant_type"] == "refresh_token" ? .refresh : .code
        case base + "/userinfo": .userInfo
        case base + "/revoke": .revocation
        default: state.withLock { $0.services[address] } == nil ? nil : .api
        }
    }

    private func usualReply(
        _ step: Step,
        _ request: HTTPRequest,
        _ form: FormParameters,
        _ body: [UInt8],
        _ key: JWKThumbprint?,
        _ isForged: Bool
    ) async -> HTTPReply {
        switch step {
        case .metadata: .json(metadata(isForged ? "https://other.example.com" : issuer))
        case .keys: keys(isForged)
        case .code: withNonce(redeem(form, key, isForged))
        case .refresh: withNonce(refresh(request, form, key, isForged))
        case .userInfo: withNonce(userInfo(person(of: request, key), isForged))
        case .revocation: withNonce(revoke(form))
        case .api: withNonce(await call(request, body, person(of: request, key)))
        case .authorization: .status(404)
        }
    }

    // MARK: Metadata and keys

    private func metadata(_ issuer: String) -> JSONObject {
        [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(base + "/auth"),
            "token_endpoint": .string(base + "/token"),
            "userinfo_endpoint": .string(base + "/userinfo"),
            "jwks_uri": .string(base + "/keys"),
            "revocation_endpoint": .string(base + "/revoke"),
            "end_session_endpoint": .string(base + "/logout"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "authorization_response_iss_parameter_supported": true,
            "claims_parameter_supported": true,
            "dpop_signing_alg_values_supported": ["ES256"],
        ]
    }

    private func keys(_ isForged: Bool) -> HTTPReply {
        let key = state.withLock { $0.key }
        let shown = isForged ? key.flatMap { Self.newKey(named: $0.keyID) } : key
        var reply = HTTPReply.json([:])
        reply.body = JWKSet(shown.map { [$0.verificationKey] } ?? []).serialized()
        return reply
    }

    static func newKey(_ number: Int) -> SigningKey? {
        newKey(named: "key-\(number)")
    }

    private static func newKey(named keyID: String) -> SigningKey? {
        // `try?`: a system without P-256; the library then misses the ID Token.
        try? SigningKey(generating: .es256, keyID: keyID, random: .system)
    }

    // MARK: Tokens

    /// RFC 6749 §4.1.3, RFC 7636 §4.6.
    private func redeem(_ form: FormParameters, _ key: JWKThumbprint?, _ isForged: Bool)
        -> HTTPReply
    {
        let grant = state.withLock { state in
            form["code"].flatMap { state.codes.removeValue(forKey: $0) }
        }
        guard let grant, form["client_id"] == grant.clientID,
            form["redirect_uri"] == grant.redirectURI,
            let verifier = form["code_verifier"].flatMap(CodeVerifier.init),
            grant.challenge?.isMet(by: verifier) == true,
            // RFC 9449 §10.
            !bindsTokens || grant.keyThumbprint == nil || grant.keyThumbprint == key?.text
        else { return .error("invalid_grant") }
        return signedIn(grant, key, isForged)
    }

    /// A session of the app that has no sign-in, for a preview.
    func signedIn(_ person: FakePerson) -> HTTPReply {
        signedIn(
            FakeGrant(
                clientID: "app",
                redirectURI: "",
                challenge: nil,
                nonce: nil,
                scope: "openid profile email",
                acr: nil,
                subject: person.subject,
                since: clock.now
            ),
            nil,
            false
        )
    }

    private func signedIn(_ grant: FakeGrant, _ key: JWKThumbprint?, _ isForged: Bool)
        -> HTTPReply
    {
        let index = state.withLock { state in
            state.serial += 1
            state.families.append(
                TokenFamily(number: state.serial, subject: grant.subject, key: key)
            )
            state.grants[state.serial] = grant
            return state.families.count - 1
        }
        return issue(index, nonce: grant.nonce, isForged)
    }

    /// RFC 6749 §6; RFC 9449 §5: with the same key, and another one ends nothing.
    private func refresh(
        _ request: HTTPRequest,
        _ form: FormParameters,
        _ key: JWKThumbprint?,
        _ isForged: Bool
    ) -> HTTPReply {
        let index = state.withLock { state -> Int? in
            let token = form["refresh_token"] ?? ""
            let isBound = state.families.contains { $0.has(token) && $0.key != key }
            return isBound ? nil : state.refresh(request, form, state.rotation ?? .reusable)
        }
        guard let index else { return .error("invalid_grant") }
        return issue(index, nonce: nil, isForged)
    }

    private func issue(_ index: Int, nonce: String?, _ isForged: Bool) -> HTTPReply {
        let now = clock.now
        return state.withLock { state in
            let family = state.families[index]
            guard let grant = state.grants[family.number], let person = state.person(grant.subject)
            else { return .error("invalid_grant") }
            state.serial += 1
            let accessToken = "access-\(state.serial)"
            let life = state.accessTokenLife.components.seconds
            state.families[index].issue(
                accessToken,
                until: now.addingTimeInterval(TimeInterval(life))
            )
            let seconds = NumericDate.seconds(now)
            var claims = person.claims(for: grant.scope.split(separator: " "))
            claims["iss"] = .string(issuer)
            claims["aud"] = .string(grant.clientID)
            claims["iat"] = .integer(seconds)
            claims["exp"] = .integer(seconds + max(life, 60))
            claims["auth_time"] = NumericDate.value(grant.since)
            claims["at_hash"] = .string(SignatureAlgorithm.es256.leftHalfHash(of: accessToken))
            if let acr = grant.acr { claims["acr"] = .string(acr) }
            if let nonce { claims["nonce"] = .string(nonce) }
            var answer: JSONObject = [
                "access_token": .string(accessToken),
                "token_type": family.key == nil ? "Bearer" : "DPoP",
                "expires_in": .integer(life), "scope": .string(grant.scope),
            ]
            let key = isForged ? state.key.flatMap { Self.newKey(named: $0.keyID) } : state.key
            // `try?`: without an ID Token the library refuses the answer.
            if let token = try? key?.sign(claims: claims, type: .jwt) {
                answer["id_token"] = .string(token)
            }
            if state.rotation != nil { answer["refresh_token"] = .string(family.refreshToken) }
            return .json(answer)
        }
    }

    /// RFC 7009 §2.1.
    private func revoke(_ form: FormParameters) -> HTTPReply {
        let token = form["token"] ?? ""
        state.withLock { $0.endFamilies { $0.has(token) } }
        return .status(200)
    }

    /// OpenID Connect Core §5.3.
    private func userInfo(_ person: FakePerson?, _ isForged: Bool) -> HTTPReply {
        guard let person else { return .refusedToken() }
        var claims = person.claims(for: ["profile", "email"])
        if isForged { claims["sub"] = "another-person" }
        return .json(claims)
    }

    private func call(_ request: HTTPRequest, _ body: [UInt8], _ person: FakePerson?) async
        -> HTTPReply
    {
        guard let person else { return .refusedToken() }
        let answer = request.address.flatMap { address in
            state.withLock { $0.services[address] }
        }
        return await answer?(FakeCall(request: request, body: body, person: person))
            ?? .status(404)
    }
}
