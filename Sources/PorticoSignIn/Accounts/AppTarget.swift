import PorticoBytes
package import PorticoProtocol
import PorticoStores
package import PorticoWeb

/// The app that receives a session, and how (docs/decisions/0013): the redirect URI is one that the
/// app registered (RFC 8252 §8.4), never one from the request alone.
package struct AppTarget: Hashable, Sendable {
    package let app: String
    /// Checked: as requested, which differs from the registered one at most in a loopback port.
    package let redirectURI: String
    /// The app's own, returned unchanged.
    package let state: String?
    /// `nil` only if the app has the compatibility mode (docs/decisions/0013).
    package let challenge: CodeChallenge?

    /// The redirect URI with parameters added to its query (RFC 6749 §4.1.2).
    package func location(_ parameters: [(name: String, value: String)]) -> Redirect? {
        let echoed = state.map { [(name: "state", value: $0)] } ?? []
        return Redirect(to: FormEncoding.appending(parameters + echoed, to: redirectURI))
    }

    /// Whether the operating system passes the address to one app only: the person then need not
    /// press a button (docs/decisions/0013).
    var isClaimed: Bool { RedirectURI(redirectURI).kind == .https }
}

extension AppTarget {
    /// The target named in a request's parameters, checked against the registration.
    ///
    /// - Throws: `invalid_app` if the app or redirect is not registered; `invalid_request` and
    ///   `missing_parameter` if the challenge is missing or malformed (SEED-ADR-15).
    package init(_ query: FormParameters, in apps: AppRegister) throws(ServiceError) {
        // Without a challenge it can only be for an app that takes its session without one.
        let hasChallenge = query.contains("code_challenge")
        let app = try apps.app(named: query["app"]) { hasChallenge || $0 == .sessionToken }
        let redirectURI = try Self.redirectURI(query["redirect_uri"], of: app)
        if let method = query["code_challenge_method"], method != "S256" {
            throw ServiceError(.invalidRequest, "code_challenge_method must be S256.")
        }
        let challenge: CodeChallenge?
        if let text = query["code_challenge"] {
            guard let parsed = CodeChallenge(text) else {
                throw ServiceError(.invalidRequest, "code_challenge is not a SHA-256 in base64url.")
            }
            challenge = parsed
        } else {
            guard app.handOff.form == .sessionToken else {
                throw ServiceError(.missingParameter, "code_challenge is required.")
            }
            challenge = nil
        }
        let state = query["state"]
        guard (state?.utf8.count ?? 0) <= 1024 else {
            throw ServiceError(.invalidRequest, "state is longer than 1024 bytes.")
        }
        self.init(app: app.clientID, redirectURI: redirectURI, state: state, challenge: challenge)
    }

    /// A request may leave it out if only one can be meant: a loopback literal cannot, without its port.
    private static func redirectURI(_ requested: String?, of app: Client) throws(ServiceError)
        -> String
    {
        guard let requested else {
            let whole = app.redirectURIs.filter { $0.kind != .loopback }
            let meant = whole.isEmpty ? app.redirectURIs : whole
            guard meant.count == 1, let only = meant.first else {
                throw ServiceError(.missingParameter, "redirect_uri is required for this app.")
            }
            return only.text
        }
        guard app.permits(requested) else {
            throw ServiceError(.invalidApp, "redirect_uri is not registered for this app.")
        }
        return requested
    }
}

extension Client {
    /// Whether a session may be handed off there: byte-exact, except for the port of a loopback literal (RFC
    /// 8252 §8.4, docs/decisions/0031).
    package func permits(_ requested: String) -> Bool {
        let uri = RedirectURI(requested)
        return redirectURIs.contains { $0.permits(uri) }
    }
}

extension AppTarget {
    func write(to writer: inout ByteWriter) {
        writer.text(app)
        writer.text(redirectURI)
        writer.optionalText(state)
        writer.sized(challenge?.hash.bytes ?? [])
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        app = try reader.text()
        redirectURI = try reader.text()
        state = try reader.optionalText()
        let challenge = try reader.sized()
        self.challenge = challenge.isEmpty ? nil : CodeChallenge(hash: Hash256(kept: challenge))
    }
}
