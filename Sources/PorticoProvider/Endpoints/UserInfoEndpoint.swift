import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/userinfo` (OpenID Connect Core §5.3, RFC 6750 §2, RFC 9449 §7).
struct UserInfoEndpoint: Sendable {
    let userInfo: UserInfo
    let proofs: ProofCheck
    let headers: SecurityHeaders

    func get(_ context: RealmContext) async throws -> Response {
        try await answer(try Self.header(context), context)
    }

    /// RFC 6750 §2.2: a form body may carry the token, instead of the header. One that is bound to
    /// a key comes in the header only.
    func post(_ context: RealmContext) async throws -> Response {
        let header = try Self.header(context)
        let body = try Self.body(context)
        guard header == nil || body == nil else {
            throw ResourceRefusal(
                OAuthError(.invalidRequest, "The access token is sent in more than one place.")
            )
        }
        return try await answer(header ?? body, context)
    }

    private func answer(_ token: PresentedToken?, _ context: RealmContext) async throws -> Response
    {
        guard let token else { throw ResourceRefusal(nil) }
        try await context.noteClient(of: token.text)
        do {
            let answer = try await userInfo(
                token.text,
                with: try proof(of: token, context),
                in: context.realm,
                at: context.moment
            )
            guard let key = context.realm.userInfoKey(for: answer.client, at: context.now) else {
                return Response(json: .object(answer.claims), headers: headers)
            }
            return try signed(answer, by: key, context)
        } catch let error as OAuthError {
            throw ResourceRefusal(error, token.scheme)
        }
    }

    /// The proof that the scheme asks for; with the other scheme nothing is proved.
    private func proof(of token: PresentedToken, _ context: RealmContext) throws(OAuthError)
        -> DPoPProof?
    {
        guard token.scheme == .dpop else { return nil }
        let address = context.realm.urls.userInfo
        guard let proof = try proofs(context, at: address, token: token.text) else {
            throw ProofCheck.missing
        }
        return proof
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

    private static func header(_ context: RealmContext) throws(ResourceRefusal) -> PresentedToken? {
        do throws(OAuthError) {
            return try PresentedToken(context.authorization)
        } catch {
            throw ResourceRefusal(error)
        }
    }

    private static func body(_ context: RealmContext) throws -> PresentedToken? {
        guard context.headers[.contentType] != nil else { return nil }
        do {
            let form = try context.form()
            return try form.value("access_token").map(PresentedToken.init(bearer:))
        } catch let error as OAuthError {
            throw ResourceRefusal(error)
        }
    }
}

extension RealmContext {
    /// Notes the client of an access token, which matters only for scripts: whether the token is
    /// valid is checked besides.
    func noteClient(of token: String) async throws {
        guard headers[.origin] != nil else { return }
        // `try?`: a malformed token names no client.
        let claims = try? JWT(parsing: token).uncheckedClaims()
        guard let clientID = claims?.string("azp") else { return }
        asking.note(try await realm.client(clientID: clientID))
    }
}

/// A protected resource that takes no proofs refuses: the challenge names the scheme (RFC 6750 §3).
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
        [.wwwAuthenticate: BearerChallenge(error, issuer: realm).value]
    }
}
