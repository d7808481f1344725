import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The hidden frames of adapters for browsers: whether our cookies reach us in a frame, and
/// whether the browser is still signed in (OpenID Connect Session Management §3.2).
struct LoginStatusEndpoint: Sendable {
    let flow: BrowserFlow

    /// `GET …/3p-cookies/step1.html` and `step2.html`.
    func cookies(_ context: RealmContext) throws -> Response { try frame(.cookies, context) }

    /// `GET …/login-status-iframe.html`.
    func page(_ context: RealmContext) throws -> Response { try frame(.loginStatus, context) }

    private func frame(_ page: HiddenFrame, _ context: RealmContext) throws -> Response {
        // Whose page it is, as far as the browser says, comes first: not all may fit.
        let asking = context.headers[.referer].flatMap(HTTPAddress.init)?.webOrigin
        let origins = context.realm.frameOrigins
        let known = origins.filter { origin in asking.map { sameBytes($0, origin) } ?? false }
        var response = Response(
            page: page.bytes,
            policy: .framed(by: known + origins, script: page.hash),
            headers: flow.page.headers
        )
        SecurityHeaders.allowFrames(&response.headers)
        return response
    }

    /// `GET …/login-status-iframe.html/init`, by the script of that page: 204 if the session is the
    /// one that the client knows, which may be none.
    ///
    /// - Throws: 403 `access_denied` for another caller, or an origin that the client has not
    ///   registered.
    func status(_ context: RealmContext) async throws -> Response {
        let realm = context.realm
        let form = try FormParameters(query: context.target)
        try form.refuseRepeats()
        // Its answers tell of a cookie: only our own page may ask.
        guard FetchSite.permitsPost(context.headers),
            let client = form["client_id"].flatMap(realm.client(clientID:)),
            client.compatibility.contains(.credentials), let origin = form["origin"],
            realm.live(client).origins.access(for: origin) == .full
        else { throw OAuthError(.accessDenied, "This page may not ask.") }
        let isKnown =
            switch (form["session_state"], try await flow.sessionID(context)) {
            case (let known?, let current?): sameBytes(known, current)
            case (nil, nil): true
            case (nil, _?), (_?, nil): false
            }
        guard isKnown else {
            return Response(json: ["session": "changed"], headers: flow.page.headers)
        }
        return Response(empty: .noContent, headers: flow.page.headers)
    }
}
