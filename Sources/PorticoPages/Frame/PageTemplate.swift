/// The templates, which are part of the program: nothing is read from a disk.
package enum PageTemplate: String, Sendable, CaseIterable {
    // The frame, and parts that several pages use.
    case layout
    case summary
    case phrase
    case hidden
    case account

    // Pages.
    case signIn = "sign-in"
    case consent
    case chooseAccount = "choose-account"
    case signOut = "sign-out"
    case message
    case formPost = "form-post"

    package var text: String {
        String(decoding: bytes, as: UTF8.self)
    }

    private var bytes: [UInt8] {
        switch self {
        case .layout: PackageResources.layout_mustache
        case .summary: PackageResources.summary_mustache
        case .phrase: PackageResources.phrase_mustache
        case .hidden: PackageResources.hidden_mustache
        case .account: PackageResources.account_mustache
        case .signIn: PackageResources.sign_in_mustache
        case .consent: PackageResources.consent_mustache
        case .chooseAccount: PackageResources.choose_account_mustache
        case .signOut: PackageResources.sign_out_mustache
        case .message: PackageResources.message_mustache
        case .formPost: PackageResources.form_post_mustache
        }
    }
}
