/// Every page. A page that is not here is not tested.
package enum PageGallery {
    package static let pages: [any Page.Type] = [
        StartPage.self,
        SignInPage.self,
        ConsentPage.self,
        AccountPage.self,
        SignOutPage.self,
        SignedOutPage.self,
        ExpiredPage.self,
        ErrorPage.self,
        CookiesBlockedPage.self,
        FormPostPage.self,
    ]
}
