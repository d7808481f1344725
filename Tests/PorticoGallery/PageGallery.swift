package import PorticoPages

/// A page in every state that it can be in, for tests and for changes of style.
package protocol PageWithStates: Page {
    static var gallery: [GalleryState] { get }
}

/// A page in one of its states.
package struct GalleryState: Sendable {
    /// A few words in lower case, unique within the page.
    package let name: String
    package let page: any Page

    init(_ name: String, _ page: any Page) {
        self.name = name
        self.page = page
    }
}

/// Pages by the names of their states.
func states(_ pages: KeyValuePairs<String, any Page>) -> [GalleryState] {
    pages.map { GalleryState($0.key, $0.value) }
}

/// Every page. A page that is not here is not tested.
package enum PageGallery {
    package static let pages: [any PageWithStates.Type] = [
        StartPage.self,
        SignInPage.self,
        SecondStepPage.self,
        RegistrationPage.self,
        ConsentPage.self,
        AccountWithoutDIDPage.self,
        AccountPage.self,
        ConfirmEmailPage.self,
        SignOutPage.self,
        SignedOutPage.self,
        ExpiredPage.self,
        ErrorPage.self,
        CookiesBlockedPage.self,
        FormPostPage.self,
        ChooseMethodPage.self,
        HandlePage.self,
        HandleHostPage.self,
        HandleAgainPage.self,
        HandlePopupPage.self,
        EmailCodePage.self,
        WelcomePage.self,
        RelayPage.self,
        FoundAccountPage.self,
        AddMethodPage.self,
        IdentityTakenPage.self,
        ConfirmItsYouPage.self,
        ReturnToAppPage.self,
        AlreadySignedInPage.self,
        BackendSignOutPage.self,
        BackendSignedOutPage.self,
        NotAnsweringPage.self,
        OpenInBrowserPage.self,
        HelpPage.self,
        ForgotPasswordPage.self,
        NewPasswordPage.self,
        ChangedPasswordPage.self,
        PasswordLinkPage.self,
        ActionLinkPage.self,
        CodeForOtherBrowserPage.self,
        DashboardPage.self,
        AccountOverviewPage.self,
        AccountDetailsPage.self,
        SignInMethodsPage.self,
        AccountDevicesPage.self,
        ConnectedAppsPage.self,
        SecondFactorsPage.self,
        AuthenticatorSetupPage.self,
        AppAddedPage.self, RecoveryCodesPage.self,
        DeleteAccountPage.self,
        AccountDeletedPage.self,
        OutboxPage.self,
    ]
}

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
        base: "/realms/demo",
        entries: [.overview, .details, .devices, .apps, .password, .secondFactors]
    )
}

extension PageNavigation {
    /// The same where they sign in with identity providers, too.
    static let sampleOfRealmWithMethods = ofRealm(
        "/realms/demo",
        hasMethods: true,
        hasPassword: true
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
