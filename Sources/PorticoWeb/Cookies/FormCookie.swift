package import HTTPTypes
import PorticoBytes

/// The cookie of a browser without a session, which forms and sealed requests are bound to
/// (``FormToken``).
package struct FormCookie: Sendable {
    private let policy: CookiePolicy
    private let name: CookieName

    /// - Parameter owner: The service of the forms: services on one host share a cookie jar.
    package init(_ policy: CookiePolicy, of owner: String) {
        self.policy = policy
        name = CookieName("visit", owner)
    }

    /// The value from the browser, if it is one of ours.
    package func value(_ headers: HTTPFields) -> String? {
        policy.value(of: name, in: headers).flatMap { $0.utf8.count == 43 ? $0 : nil }
    }

    package func set(_ value: String) throws -> HTTPField {
        try policy.set(name, to: value)
    }

    /// The requesting browser, with a new value if it has none.
    package func browser(_ context: some ServiceContext) throws -> FormBrowser {
        if let known = value(context.headers) { return FormBrowser(value: known) }
        let new = FormToken.cookie(random: context.moment.random)
        return FormBrowser(value: new, cookies: [try set(new)])
    }
}

/// The browser that shows a form.
package struct FormBrowser: Sendable {
    package let value: String
    /// To be set with the page; empty if the browser already has the cookie.
    package let cookies: [HTTPField]

    package init(value: String, cookies: [HTTPField] = []) {
        self.value = value
        self.cookies = cookies
    }
}
