import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The cookies of one realm in one browser.
///
/// Realms on paths of one host share a cookie jar, so names carry the realm's id.
struct BrowserCookies: Sendable {
    private let policy: CookiePolicy
    private let owner: String
    private let sharesSession: Bool

    /// - Parameter sharesSession: Whether the realm's people have one session here and at the backend.
    init(_ policy: CookiePolicy, realmID: String, sharesSession: Bool) {
        self.policy = policy
        self.sharesSession = sharesSession
        owner = CookieName.owner(realmID)
    }

    private var session: CookieName { CookieName.session(of: sharesSession ? nil : owner) }
    private var device: CookieName { CookieName("device", owner) }
    private var reset: CookieName { CookieName("reset", owner) }
    private var former: CookieName { CookieName("former", owner) }

    /// The hash of the session cookie, if any.
    func sessionHash(_ headers: HTTPFields) -> Hash256? {
        policy.value(of: session, in: headers).flatMap { value in
            value.utf8.count == 43 ? Hash256(of: value) : nil
        }
    }

    /// Whether someone has signed in to the realm in this browser, by what it says itself.
    func isKnown(_ headers: HTTPFields) -> Bool {
        sessionHash(headers) != nil || device(headers) != nil
    }

    func device(_ headers: HTTPFields) -> String? {
        policy.value(of: device, in: headers)
    }

    /// What the form cookie was before (``FormerBrowser``).
    func former(_ headers: HTTPFields) -> String? {
        policy.value(of: former, in: headers)
    }

    func setFormer(_ value: String) throws -> HTTPField {
        try policy.set(former, to: value, for: FormerBrowser.lifetime)
    }

    /// Lives until the browser is closed, or as long as the session's own limit; the store decides how long
    /// the session is valid.
    func setSession(_ value: String, for seconds: Int64?) throws -> HTTPField {
        try policy.set(session, to: value, for: seconds.map { Int($0) })
    }

    /// Half a year: shows that a person has signed in from this browser.
    func setDevice(_ value: String) throws -> HTTPField {
        try policy.set(device, to: value, for: KnownDevice.lifetime)
    }

    /// The cookie of a browser that requested a link for a new password.
    func reset(_ headers: HTTPFields) -> String? {
        policy.value(of: reset, in: headers).flatMap { $0.utf8.count == 43 ? $0 : nil }
    }

    /// Whether this browser made the request.
    func hasAsked(_ wish: PasswordReset, _ headers: HTTPFields) -> Bool {
        reset(headers).map { Hash256(of: $0) == wish.browser } ?? false
    }

    /// Valid as long as the link: longer than a phone keeps a browser open.
    func setReset(_ value: String) throws -> HTTPField {
        try policy.set(reset, to: value, for: Int(PasswordResets.lifetime))
    }

    var removeReset: HTTPField { policy.remove(reset) }

    /// Removes the identity that waits to be added to an account, if the browser has one: someone else may
    /// have proven that.
    func removalOfPending(_ headers: HTTPFields) -> [HTTPField] {
        let pending = CookieName.pending(of: sharesSession ? nil : owner)
        return policy.isPresent(pending, in: headers) ? [policy.remove(pending)] : []
    }

    /// For a browser that has signed out.
    func endSession(_ headers: HTTPFields) -> [HTTPField] {
        [policy.remove(session)] + removalOfPending(headers) + SecurityHeaders.dropsPages
    }
}
