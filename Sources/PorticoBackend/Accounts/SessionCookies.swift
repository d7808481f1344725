import HTTPTypes
import PorticoBytes
import PorticoWeb

/// The BFF's own cookies besides those of attempts (docs/decisions/0029; WEB-COOKIE-8).
struct SessionCookies: Sendable {
    private let policy: CookiePolicy

    /// How many seconds a session lasts in a browser, and in one that is remembered.
    static let plain: Int64 = 86_400
    static let remembered: Int64 = 30 * 86_400

    init(_ policy: CookiePolicy) {
        self.policy = policy
    }

    private static let session = CookieName("session")
    private static let device = CookieName("device", "app")
    private static let last = CookieName("last", "app")

    enum Presented: Sendable {
        case none
        /// Not made by this server, or present twice.
        case malformed
        case hash(Hash256)
    }

    /// The session cookie of a request. Two with one name are an attack (WEB-COOKIE-7).
    func session(_ headers: HTTPFields) -> Presented {
        guard let value = policy.value(of: Self.session, in: headers) else {
            return policy.isPresent(Self.session, in: headers) ? .malformed : .none
        }
        return value.utf8.count == 43 ? .hash(Hash256(of: value)) : .malformed
    }

    func setSession(_ value: String, isRemembered: Bool) throws -> HTTPField {
        try policy.set(
            Self.session,
            to: value,
            for: Int(isRemembered ? Self.remembered : Self.plain)
        )
    }

    var removeSession: HTTPField { policy.remove(Self.session) }

    /// For a browser that has signed out: `sid` too, if it has one.
    func removal(_ headers: HTTPFields) -> [HTTPField] {
        guard policy.isPresent(SidCookie.name, in: headers) else { return [removeSession] }
        return [removeSession, policy.remove(SidCookie.name)]
    }

    /// The cookie that forms are bound to.
    var form: FormCookie { FormCookie(policy, of: "app") }

    /// Who has signed in from this browser, sealed: ``KnownDevice``.
    func device(_ headers: HTTPFields) -> String? {
        policy.value(of: Self.device, in: headers)
    }

    func setDevice(_ value: String) throws -> HTTPField {
        try policy.set(Self.device, to: value, for: KnownDevice.lifetime)
    }

    /// The provider last used in this browser.
    func lastProvider(_ headers: HTTPFields) -> String? {
        policy.value(of: Self.last, in: headers).flatMap { $0.utf8.count <= 64 ? $0 : nil }
    }

    func setLastProvider(_ name: String) throws -> HTTPField {
        try policy.set(Self.last, to: name, for: KnownDevice.lifetime)
    }
}
