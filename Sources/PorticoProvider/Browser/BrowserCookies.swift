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
    private let realmID: String

    init(_ policy: CookiePolicy, realmID: String) {
        self.policy = policy
        self.realmID = Self.owner(realmID)
    }

    /// Eight characters of a UUID tell the realms of one server apart.
    static func owner(_ realmID: String) -> String { String(realmID.prefix(8)) }

    private var session: CookieName { CookieName("session", realmID) }
    private var device: CookieName { CookieName("device", realmID) }
    private var reset: CookieName { CookieName("reset", realmID) }

    /// The hash of the session cookie, where there is one.
    func sessionHash(_ headers: HTTPFields) -> Hash256? {
        policy.value(of: session, in: headers).flatMap { value in
            value.utf8.count == 43 ? Hash256(of: value) : nil
        }
    }

    func device(_ headers: HTTPFields) -> String? {
        policy.value(of: device, in: headers)
    }

    /// Lives as long as the browser is open; how long the session counts, the store says.
    func setSession(_ value: String) throws -> HTTPField {
        try policy.set(session, to: value)
    }

    /// Half a year: from this browser somebody has signed in.
    func setDevice(_ value: String) throws -> HTTPField {
        try policy.set(device, to: value, for: KnownDevice.lifetime)
    }

    /// The cookie of a browser in which a link for a new password was asked for.
    func reset(_ headers: HTTPFields) -> String? {
        policy.value(of: reset, in: headers).flatMap { $0.utf8.count == 43 ? $0 : nil }
    }

    /// Whether this is the browser that asked.
    func hasAsked(_ wish: PasswordReset, _ headers: HTTPFields) -> Bool {
        reset(headers).map { Hash256(of: $0) == wish.browser } ?? false
    }

    /// As long as the link is good: longer than a phone keeps a browser open.
    func setReset(_ value: String) throws -> HTTPField {
        try policy.set(reset, to: value, for: Int(PasswordResets.lifetime))
    }

    var removeReset: HTTPField { policy.remove(reset) }

    var removeSession: HTTPField { policy.remove(session) }
}
