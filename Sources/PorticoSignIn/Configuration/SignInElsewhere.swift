package import HTTPTypes
package import PorticoPages
import PorticoProtocol

/// The identity providers that people of a realm can sign in with.
package struct SignInElsewhere: Sendable {
    /// Whether people of a realm, by its id, sign in at the backend: then their browsers' sessions are of both.
    package let isShared: @Sendable (_ realmID: String) -> Bool
    /// A realm's methods for a browser, in the operator's order.
    package let methods:
        @Sendable (_ realmID: String, _ realmName: String, _ headers: HTTPFields) -> [SignInMethod]

    package init(
        isShared: @escaping @Sendable (_ realmID: String) -> Bool,
        methods:
            @escaping @Sendable (
                _ realmID: String, _ realmName: String, _ headers: HTTPFields
            ) -> [SignInMethod]
    ) {
        self.isShared = isShared
        self.methods = methods
    }

    package static let nowhere = SignInElsewhere(
        isShared: { _ in false },
        methods: { _, _, _ in [] }
    )

    /// What the addresses of a realm's sign-ins with identity providers begin with.
    package func base(_ realmID: String, _ realmName: String) -> String {
        isShared(realmID) ? "" : "/realms/\(realmName)"
    }

    /// The most bytes of the path that people come back to: it waits in a cookie meanwhile.
    package static let longestReturn = 1500

    /// Where a person whom a provider has signed in proves who they are: there, or by a mailed code.
    ///
    /// - Parameters:
    ///   - path: What they come back to, below `base`.
    ///   - base: ``base(_:_:)``
    package static func proof(returningTo path: String, below base: String) -> String {
        FormEncoding.appending([(name: "return_to", value: path)], to: "\(base)/account/confirm")
    }

    /// The address that starts a method.
    ///
    /// - Parameters:
    ///   - path: What the person comes back to, with its query, below ``base(_:_:)``.
    ///   - asksAnew: Whether they must prove who they are, even if the provider knows them.
    ///   - hint: What they call themselves; may be empty.
    package static func address(
        of method: SignInMethod,
        returningTo path: String,
        asksAnew: Bool,
        hint: String
    ) -> String {
        var query = [(name: "return_to", value: path)]
        if asksAnew { query.append((name: "prompt", value: "login")) }
        if !hint.isEmpty { query.append((name: "login_hint", value: hint)) }
        return FormEncoding.appending(query, to: method.action)
    }
}
