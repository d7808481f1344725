/// A sign-in method: an identity provider, as a button shows it.
package struct SignInMethod: Sendable, Equatable {
    /// What routes name it by.
    package let name: String
    package let label: MethodLabel
    /// The path that starts it; not used where a form posts the name.
    package let action: String
    /// This browser signed in with it last.
    package let isLastUsed: Bool
    /// It is still offered: only trying shows whether it answers.
    package let isNotResponding: Bool

    package init(
        name: String,
        label: MethodLabel,
        action: String = "",
        isLastUsed: Bool = false,
        isNotResponding: Bool = false
    ) {
        self.name = name
        self.label = label
        self.action = action
        self.isLastUsed = isLastUsed
        self.isNotResponding = isNotResponding
    }
}

/// What people call an identity provider, in its vendor's own words where it has some.
package struct MethodLabel: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case google, facebook, apple, generic
        /// Any host of the AT Protocol.
        case handle
    }

    package static let handle = MethodLabel(kind: .handle, displayName: "AT Protocol")

    package let kind: Kind
    package let displayName: String

    package init(kind: Kind, displayName: String) {
        self.kind = kind
        self.displayName = displayName
    }
}
