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
