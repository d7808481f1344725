import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// `GET /v1/auth/session` and `POST /v1/auth/logout`.
struct SessionEndpoint: Sendable {
    let check: SessionCheck
    let departure: AccountDeparture
    let signOut: BrowserSignOut
    let headers: SecurityHeaders

    /// Who is signed in, by whichever cookie or token, for the front end and for a proxy's
    /// `auth_request`. Every request to a team's services makes this call.
    func get(_ context: SignInContext) async throws -> Response {
        let live = try await check.ofAnyKind(context)
        let person = live.person
        var extra: HTTPFields = [
            .porticoUser: person.id, .porticoSession: live.session.id,
        ]
        if let email = person.email, Self.isWritable(email) {
            extra[.porticoEmail] = email
            extra[.porticoEmailVerified] = person.isEmailVerified ? "true" : "false"
        }
        if case .app(let name, _) = live.session.form { extra[.porticoApp] = name }
        return Response(
            json: [
                "authenticated": true,
                "user": AccountView.user(live),
                "session": AccountView.session(live.session),
            ],
            headers: headers,
            adding: extra
        )
    }

    /// Ends this session, or all of the account's. A browser's request must come from our page
    /// (WEB-CSRF-1); an app's token is proof enough. Signing out twice is not an error, but an app must
    /// be told that nothing was ended. Providers' tokens are revoked too (``AccountDeparture``).
    func logout(_ context: SignInContext) async throws -> Response {
        let isEverywhere = try context.query()["everywhere"] == "true"
        let done = Response(json: ["success": true], headers: headers)
        guard context.headers.contains(.authorization) else {
            guard RequestOrigin.permitsChange(context.headers) else {
                throw ServiceError(.forbidden, "Send the header X-Portico: 1.")
            }
            let answer = try await signOut.whose.leaving(context)
            return done.adding(try await signOut(answer, everywhere: isEverywhere, context))
        }
        let live = try await check.ofAnyKind(context)
        if isEverywhere {
            try await departure.signOutEverywhere(live.person.id, at: context.now)
        } else {
            try await departure.signOut(live.session.id, of: live.person.id, at: context.now)
        }
        return done.adding(signOut.whose.cookies.removal(context.headers))
    }

    /// Printable ASCII: what a header can hold without loss.
    private static func isWritable(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isVisible }
    }
}

extension HTTPField.Name {
    static let porticoUser = known("X-Portico-User")
    static let porticoSession = known("X-Portico-Session")
    static let porticoEmail = known("X-Portico-Email")
    static let porticoEmailVerified = known("X-Portico-Email-Verified")
    static let porticoApp = known("X-Portico-App")
}
