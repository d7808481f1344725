import PorticoPages

extension PageForm {
    static let sample = PageForm(
        action: "/realms/demo/login-actions/sign-in",
        request: "AaBbCcDdEeFfGg-sealed-request_0123456789",
        csrf: "cross-site-token_0123456789"
    )
}

extension PageAccount {
    static let sample = PageAccount(name: "Ann Example", userName: "ann@example.com")
}

extension PageNavigation {
    /// Of the people of a realm at the Provider.
    static let sampleOfRealm = PageNavigation(
        base: "/realms/demo/account",
        entries: [.apps, .devices, .password, .secondFactors]
    )
}

extension MethodLabel {
    static let google = MethodLabel(kind: .google, displayName: "Google")
    static let facebook = MethodLabel(kind: .facebook, displayName: "Facebook")
    static let apple = MethodLabel(kind: .apple, displayName: "Apple")
    static let generic = MethodLabel(kind: .generic, displayName: "Example ID")
}

extension SignInMethod {
    static let samples: [SignInMethod] = [.google, .facebook, .apple, .example]

    static let handle = SignInMethod(name: "atproto", label: .handle, action: "/mobile-auth")

    static let google = SignInMethod(name: "google", label: .google, action: "/v1/auth/google")
    static let facebook = SignInMethod(
        name: "facebook",
        label: .facebook,
        action: "/v1/auth/facebook"
    )
    static let apple = SignInMethod(name: "apple", label: .apple, action: "/v1/auth/apple")
    static let example = SignInMethod(name: "example", label: .generic, action: "/v1/auth/example")
}
