/// Where a page's form goes and what it carries unseen.
package struct PageForm: Sendable {
    /// A path of ours.
    package let action: String
    /// The sealed request that the answer belongs to.
    package let request: String?
    /// The token that binds the form to the browser it was shown in.
    package let csrf: String

    package init(action: String, request: String?, csrf: String) {
        self.action = action
        self.request = request
        self.csrf = csrf
    }

    static let sample = PageForm(
        action: "/realms/demo/login-actions/sign-in",
        request: "AaBbCcDdEeFfGg-sealed-request_0123456789",
        csrf: "cross-site-token_0123456789"
    )
}
