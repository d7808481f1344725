import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/userinfo` (OpenID Connect Core §5.3, RFC 6750 §2).
struct UserInfoEndpoint: Sendable {
    let userInfo: UserInfo
    let headers: SecurityHeaders

    func get(_ context: RealmContext) async throws -> Response {
        guard let token = try Self.header(context.authorization) else {
            throw BearerRefusal.missing
        }
        return try await answer(token, context)
    }

    /// RFC 6750 §2.2: a form body may carry the token, instead of the header.
    func post(_ context: RealmContext) async throws -> Response {
        let header = try Self.header(context.authorization)
        let token = try Self.body(context)
        switch (header, token) {
        case (let token?, nil), (nil, let token?): return try await answer(token, context)
        case (nil, nil): throw BearerRefusal.missing
        case (_?, _?):
            throw BearerRefusal(
                OAuthError(.invalidRequest, "The access token is sent in more than one place.")
            )
        }
    }

    private func answer(_ token: String, _ context: RealmContext) async throws -> Response {
        context.noteClient(of: token)
        do {
            let answer = try await userInfo(token, in: context.realm, at: context.moment)
            guard let key = context.realm.userInfoKey(for: answer.client, at: context.now) else {
                return Response(json: .object(answer.claims), headers: headers)
            }
            return try signed(answer, by: key, context)
        } catch let error as OAuthError {
            throw BearerRefusal(error)
        }
    }

    /// OpenID Connect Core §5.3.2: for a client that has registered it, with `iss` and `aud`.
    private func signed(_ answer: UserInfo.Answer, by key: SigningKey, _ context: RealmContext)
        throws -> Response
    {
        var claims = answer.claims
        claims["iss"] = .string(context.realm.issuer)
        claims["aud"] = .string(answer.client.clientID)
        let token = try key.sign(claims: claims, type: .jwt)
        var response = Response(json: Array(token.utf8), headers: headers)
        response.headers[.contentType] = "application/jwt"
        return response
    }

    /// RFC 6750 §2.1: `Bearer` in any case, one space, `b64token`.
    static func header(_ values: [String]) throws(BearerRefusal) -> String? {
        guard let value = values.first else { return nil }
        let malformed = BearerRefusal(
            OAuthError(.invalidRequest, "The Authorization header is not one Bearer token.")
        )
        guard values.count == 1 else { throw malformed }
        let bytes = Array(value.utf8)
        guard bytes.count <= 8192, bytes.count > 7 else { throw malformed }
        let scheme = String(decoding: bytes.prefix(7), as: UTF8.self).lowercased()
        let token = bytes.dropFirst(7)
        guard scheme == "bearer ", token.allSatisfy(isTokenCharacter) else { throw malformed }
        return String(decoding: token, as: UTF8.self)
    }

    private static func body(_ context: RealmContext) throws -> String? {
        guard context.headers[.contentType] != nil else { return nil }
        do {
            let form = try context.form()
            return try form.value("access_token")
        } catch let error as OAuthError {
            throw BearerRefusal(error)
        }
    }

    /// `b64token` (RFC 6750 §2.1).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "+/=".utf8.contains(byte)
    }
}

extension RealmContext {
    /// Notes the client of an access token, which matters only for scripts: whether the token is
    /// valid is checked besides.
    func noteClient(of token: String) {
        guard headers[.origin] != nil else { return }
        // `try?`: a malformed token names no client.
        let claims = try? JWT(parsing: token, limit: 8192).uncheckedClaims()
        asking.note(claims?.string("azp").flatMap(realm.client(clientID:)))
    }
}

/// A protected resource refuses: the challenge names the scheme (RFC 6750 §3).
struct BearerRefusal: Refusal {
    /// `nil` if no authentication was sent: the challenge then has no error (RFC 6750 §3.1).
    private let error: OAuthError?

    init(_ error: OAuthError?) {
        self.error = error
    }

    static let missing = BearerRefusal(nil)

    var name: String { error?.code.rawValue ?? "unauthorized" }
    var status: HTTPResponse.Status { error?.status ?? .unauthorized }
    var json: JSONValue? { error?.json }

    func fields(realm: String) -> HTTPFields {
        let scope = error?.code == .insufficientScope ? "openid" : nil
        return [.wwwAuthenticate: BearerChallenge(error, issuer: realm, scope: scope).value]
    }
}
