import HTTPTypes
import PorticoBytes
package import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStores
package import PorticoWeb

/// The addresses of all realms, and what they share: finding the realm, and rendering errors.
package struct ProviderService: HTTPService {
    package let routes: RouteTable<RealmContext>
    package var headers: SecurityHeaders { page.headers }
    let realms: RealmDirectory
    package let page: PageResponder
    let events: SecurityEvents
    let nonces: DPoPNonces
    let cookies: CookiePolicy
    let elsewhere: SignInElsewhere

    package func context(_ request: RequestContext, _ parameters: PathParameters) -> RealmContext? {
        let name = parameters["realm"]
        let found =
            name.isEmpty
            ? request.realmHost.flatMap { realms.realm(at: $0) } ?? realmOfPasswords(request)
            : realm(named: name, for: request)
        guard let realm = found,
            !RealmPath.isElsewhere(request.target.path, realm.urls.endpoints)
        else { return nil }
        return RealmContext(request, realm)
    }

    /// Where a person's password can be changed, for programs that know only the host (W3C, A Well-Known
    /// URL for Changing Passwords §3).
    static let changePassword: RoutePath = "/.well-known/change-password"

    /// The realm that ``changePassword`` means at the public URL, which several realms may share: the
    /// one that this browser has signed in to; otherwise the only one there is, besides that of the
    /// administrators (docs/decisions/0083).
    private func realmOfPasswords(_ request: RequestContext) -> LiveRealm? {
        guard request.realmHost == nil,
            sameBytes(request.target.path, Self.changePassword.description)
        else { return nil }
        let here = realms.realms.filter { $0.host == nil }
        let known = here.filter {
            BrowserCookies(
                cookies,
                realmID: $0.id,
                sharesSession: elsewhere.isShared($0.id)
            )
            .isKnown(request.headers)
        }
        let people = here.filter { !sameBytes($0.name, "master") }
        let found = known.isEmpty ? people : known
        return found.count == 1 ? found.first : nil
    }

    /// A realm with a host of its own is there and nowhere else, and no other is there
    /// (docs/decisions/0059).
    private func realm(named name: Substring, for request: RequestContext) -> LiveRealm? {
        realms.realm(named: name).flatMap { $0.host == request.realmHost ? $0 : nil }
    }

    /// No other address exists below `/realms/` and `/.well-known/`, and what has a route is only
    /// where its realm is.
    package func notFound(_ request: RequestContext) -> Response? {
        let path = request.target.path.utf8
        let found = routes.find(request.target.path)?.address
        guard
            found != nil || path.starts(with: "/realms/".utf8)
                || path.starts(with: "/.well-known/".utf8)
        else { return nil }
        let name = request.target.segments.dropFirst().first ?? ""
        if let realm = realm(named: name, for: request), path.starts(with: "/realms/".utf8) {
            let audience = request.audience(at: nil, in: realm)
            return page.refuse(realm.notFound, audience, RealmContext(request, realm))
        }
        guard let address = found else {
            return page.refuse(NotFound(), request.audience(at: nil), PlainContext(request))
        }
        // As where there is a realm, its own address is a page only for who asks for one.
        let isProgram =
            request.target.segments.count == 2 && !AcceptedMedia.isPage(request.headers)
        let audience = isProgram ? .programs : request.audience(at: address.audience)
        return page.refuse(NoSuchRealm(), audience, PlainContext(request))
    }

    package func methodNotAllowed(_ audience: Audience, _ context: RealmContext) -> Response {
        page.refuse(
            context.realm.methodNotAllowed,
            context.request.audience(at: audience, in: context.realm),
            context
        )
    }

    package func answer(_ error: any Error, _ audience: Audience, _ context: RealmContext)
        -> Response
    {
        switch error {
        case let late as ErrorAfterSignIn:
            return answer(late.error, audience, context).adding(late.cookies)
        case let refusal as ProgramRefusal:
            return answer(refusal.error, .programs, context)
        case AuthorizationRefusal.redirect(let error, let target):
            if error.code == .serverError { events.sentBack(error, context) }
            return page.respond(target, target.failure(error), context)
                .logged(error: error.code.rawValue)
        case let long as TokenTooLong:
            events.notIssued(long, context)
            return page.refuse(long, audience, realm: context.realm.issuer, context)
        case let refusal as any Refusal:
            return page.refuse(refusal, audience, realm: context.realm.issuer, context)
        case is StoreBusy:
            return page.refuse(Unavailable.busy, audience, context)
        case let error as SQLError where error.whyUnwritable != nil:
            return page.refuse(Unavailable.cannotSave, audience, context)
        default:
            events.failed(error, context)
            return page.refuse(Unavailable.failed, audience, context)
        }
    }

    package func policy(_ scripts: ScriptOrigins, _ context: RealmContext) async -> CORSPolicy? {
        let named = context.asking.client.map { client in
            let registered = context.realm.live(client).origins
            let origins = Set(registered.origins)
            let sendsCookies = client.compatibility.contains(.credentials)
            return CORSPolicy.origins(
                origins,
                credentials: sendsCookies ? origins : [],
                others: registered.allowsAny
            )
        }
        return switch scripts {
        case .none: nil
        case .any: .anyone
        // Any site can be a client there, and its origin is registered nowhere.
        case .clients where context.realm.realm.profile.takesDocuments:
            if let named {
                named.withOthers
            } else {
                await policyWithoutClient(context)?.withOthers ?? .anyone
            }
        // Elsewhere only servers push, and apps that are no scripts.
        case .clients where RealmPath.isPushedAuthorization(context.target.path): nil
        case .clients:
            if let named { named } else { await policyWithoutClient(context) }
        case .knownClients: named
        }
    }

    /// What scripts may read where no client is named. Where no script asks, nothing is looked up.
    private func policyWithoutClient(_ context: RealmContext) async -> CORSPolicy? {
        let origin = context.headers[.origin]
        guard origin != nil || context.method == .options else { return .origins([]) }
        do {
            return try await context.realm.scripts(of: origin)
        } catch {
            // No script may read that the store cannot be asked.
            events.failed(error, context)
            return nil
        }
    }

    package func finish(_ response: inout Response, _ context: RealmContext) {
        response.logged.realm = context.realm.name
        guard RealmPath.takesProofs(context.target.path) else { return }
        // On every answer, refusals too (RFC 9449 §8.2).
        response.headers[.dpopNonce] = nonces.current(at: context.now)
        if response.headers[.accessControlAllowOrigin] != nil {
            response.headers[.accessControlExposeHeaders] = "DPoP-Nonce, WWW-Authenticate"
        }
    }
}

extension RequestContext {
    /// Who reads an answer that no route gives (`docs/errors.md`): programs, if only they use the
    /// address, or their headers say so.
    ///
    /// - Parameters:
    ///   - address: The audience of the routes there; `nil` if there are none.
    ///   - realm: The one that it is below.
    fileprivate func audience(at address: Audience?, in realm: LiveRealm? = nil) -> Audience {
        let isProgram =
            switch realm?.realm.errorStyle {
            case .phrase: !AcceptedMedia.isPage(headers)
            case .code, nil: AcceptedMedia.isJSON(headers)
            }
        return isProgram || address == .programs || RealmPath.isOfProtocol(target.path)
            ? .programs : .people
    }
}

/// The error for a missing realm, which programs recognise.
struct NoSuchRealm: Refusal {
    var name: String { "not_found" }
    var status: HTTPResponse.Status { .notFound }
    var json: JSONValue? { ["error": "Realm does not exist"] }

    func page(at moment: Moment) -> any Page { ErrorPage(issue: .notFound) }
}
