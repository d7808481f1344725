/// The pages that others lead to.
enum BackendPath: String, CaseIterable, Sendable {
    case root = "/"
    case login = "/login"
    case signup = "/signup"
    /// A proven person is asked what an account with their address means.
    case joining = "/login/account"
    /// The code that proves a mailbox.
    case code = "/login/code"
    /// Whether the browser keeps cookies, asked where an answer finds none.
    case cookies = "/login/cookies"
    case onboarding = "/onboarding"
    case dashboard = "/dashboard"
    case signOut = "/logout"
    /// Behind a claimed https redirect whose app did not open.
    case appCallback = "/auth/callback"
    case help = "/help"
    case accountOverview = "/account"
    case accountDetails = "/account/details"
    case accountEmail = "/account/email"
    case accountWays = "/account/ways"
    case accountDevices = "/account/devices"
    case accountDelete = "/account/delete"
    /// A person who is signed in proves once more who they are.
    case confirmItsYou = "/account/confirm"
    /// The code that proves it.
    case confirmCode = "/account/confirm/code"
}
