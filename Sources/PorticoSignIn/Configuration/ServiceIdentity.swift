/// Who runs the service, for its pages and emails.
package struct ServiceIdentity: Hashable, Sendable {
    package var name: String
    /// Contact for support: an email address or https address.
    package var contact: String?
    /// Its privacy notice and terms: https addresses.
    package var privacy: String?
    package var terms: String?
    /// Where people go after a sign-in that names no other place; `nil`: to the dashboard.
    package var home: String?
    /// Where a person with a new account goes first; `nil`: to our page.
    package var onboarding: Onboarding?

    package enum Onboarding: Hashable, Sendable {
        /// Straight to where the sign-in leads.
        case off
        /// A path of the operator's own page, which gets `return_to`.
        case at(String)

        /// `off`, or a path that a sign-in may lead to.
        package init?(_ text: String) {
            if text == "off" {
                self = .off
            } else if ServiceIdentity.isHome(text), text != LocalPath.onboarding.text,
                !text.utf8.contains(UInt8(ascii: "?"))
            {
                self = .at(text)
            } else {
                return nil
            }
        }
    }

    package init(
        name: String,
        contact: String? = nil,
        privacy: String? = nil,
        terms: String? = nil,
        home: String? = nil,
        onboarding: Onboarding? = nil
    ) {
        self.name = name
        self.contact = contact
        self.privacy = privacy
        self.terms = terms
        self.home = home
        self.onboarding = onboarding
    }

    /// Whether it is a path that a sign-in may lead to without being asked.
    package static func isHome(_ text: String) -> Bool {
        LocalPath(text).map { LocalPath.asked($0.text) == $0 && $0 != .dashboard } ?? false
    }
}
