/// The pages that others link to.
package enum SignInPath: String, CaseIterable, Sendable {
    case root = "/"
    case login = "/login"
    /// A way back that a proxy can write, which cannot escape an address.
    case back = "/login/back"
    case signup = "/signup"
    /// Asks for an internet handle.
    case handle = "/mobile-auth"
    /// Asks a proven person about an account with their address.
    case joining = "/login/account"
    /// The code that proves a mailbox.
    case code = "/login/code"
    /// Checks whether the browser keeps cookies, after an answer arrived without any.
    case cookies = "/login/cookies"
    case onboarding = "/onboarding"
    case dashboard = "/dashboard"
    case signOut = "/logout"
    /// The page at a claimed https redirect if its app did not open.
    case appCallback = "/auth/callback"
    case help = "/help"
    case accountOverview = "/account"
    case accountDetails = "/account/details"
    case accountEmail = "/account/email"
    case accountWays = "/account/ways"
    case accountDevices = "/account/devices"
    case accountDelete = "/account/delete"
    case accountData = "/account/data"
    /// A signed-in person proves again who they are.
    case confirmItsYou = "/account/confirm"
    /// The code that proves it.
    case confirmCode = "/account/confirm/code"
}
