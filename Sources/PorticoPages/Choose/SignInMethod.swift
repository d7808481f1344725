/// A way to sign in: an identity provider, as a button shows it.
package struct SignInMethod: Sendable, Equatable {
    /// What routes name it by.
    package let name: String
    package let label: MethodLabel
    /// The path that starts it; not used where a form posts the name.
    package let action: String
    /// This browser signed in with it last.
    package let isLastUsed: Bool
    /// It is offered all the same: whether it answers is known only by trying.
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
    }

    package let kind: Kind
    package let displayName: String

    package init(kind: Kind, displayName: String) {
        self.kind = kind
        self.displayName = displayName
    }

    static let google = MethodLabel(kind: .google, displayName: "Google")
    static let facebook = MethodLabel(kind: .facebook, displayName: "Facebook")
    static let apple = MethodLabel(kind: .apple, displayName: "Apple")
    static let generic = MethodLabel(kind: .generic, displayName: "Example ID")
}

extension SignInMethod {
    static let samples: [SignInMethod] = [.google, .facebook, .apple, .example]

    static let google = SignInMethod(name: "google", label: .google, action: "/v1/auth/google")
    static let facebook = SignInMethod(
        name: "facebook",
        label: .facebook,
        action: "/v1/auth/facebook"
    )
    static let apple = SignInMethod(name: "apple", label: .apple, action: "/v1/auth/apple")
    static let example = SignInMethod(name: "example", label: .generic, action: "/v1/auth/example")
}
