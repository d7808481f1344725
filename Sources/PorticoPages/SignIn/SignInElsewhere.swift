package import HTTPTypes
import PorticoProtocol

/// Where people of a realm can sign in besides its own page.
package struct SignInElsewhere: Sendable {
    /// Whether people of a realm, by its id, can: then their browsers' sessions are of both places.
    package let isShared: @Sendable (_ realmID: String) -> Bool
    /// The methods for a browser, in the operator's order.
    package let methods: @Sendable (_ headers: HTTPFields) -> [SignInMethod]

    package init(
        isShared: @escaping @Sendable (_ realmID: String) -> Bool,
        methods: @escaping @Sendable (_ headers: HTTPFields) -> [SignInMethod]
    ) {
        self.isShared = isShared
        self.methods = methods
    }

    package static let nowhere = SignInElsewhere(isShared: { _ in false }, methods: { _ in [] })

    /// The most bytes of the path that people come back to: it waits in a cookie meanwhile.
    package static let longestReturn = 1500

    /// Where a person whom a provider has signed in proves who they are: there, or by a mailed code.
    package static func proof(returningTo path: String) -> String {
        FormEncoding.appending([(name: "return_to", value: path)], to: "/account/confirm")
    }

    /// The address that starts a method.
    ///
    /// - Parameters:
    ///   - path: What the person comes back to, with its query.
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
