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
    func cookies(_ context: RealmContext) async throws -> Response {
        try await frame(.cookies, context)
    }

    /// `GET …/login-status-iframe.html`.
    func page(_ context: RealmContext) async throws -> Response {
        try await frame(.loginStatus, context)
    }

    private func frame(_ page: HiddenFrame, _ context: RealmContext) async throws -> Response {
        let asking = context.headers[.referer].flatMap(HTTPAddress.init)?.webOrigin
        let origins = try await context.realm.frameOrigins(askedBy: asking)
        var response = Response(
            page: page.bytes,
            policy: .framed(by: origins, script: page.hash),
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
            let clientID = form["client_id"],
            let client = try await realm.client(clientID: clientID),
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
