/// The templates, which are part of the program: nothing is read from a disk.
package enum PageTemplate: String, Sendable, CaseIterable {
    // The frame, and parts that several pages use.
    case layout
    case summary
    case phrase
    case hidden
    case account
    case details

    // Blocks that pages are put together from, and the page that is nothing else.
    case sheet
    case line
    case section
    case facts
    case points
    case code
    case rows
    case form
    case field
    case check
    case button
    case buttons
    case steps
    case links
    case ways

    // Pages.
    case chooseWay = "choose-way"
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
        case .details: PackageResources.details_mustache
        case .sheet: PackageResources.sheet_mustache
        case .line: PackageResources.line_mustache
        case .section: PackageResources.section_mustache
        case .facts: PackageResources.facts_mustache
        case .points: PackageResources.points_mustache
        case .code: PackageResources.code_mustache
        case .rows: PackageResources.rows_mustache
        case .form: PackageResources.form_mustache
        case .field: PackageResources.field_mustache
        case .check: PackageResources.check_mustache
        case .button: PackageResources.button_mustache
        case .buttons: PackageResources.buttons_mustache
        case .steps: PackageResources.steps_mustache
        case .links: PackageResources.links_mustache
        case .ways: PackageResources.ways_mustache
        case .chooseWay: PackageResources.choose_way_mustache
        case .signIn: PackageResources.sign_in_mustache
        case .consent: PackageResources.consent_mustache
        case .chooseAccount: PackageResources.choose_account_mustache
        case .signOut: PackageResources.sign_out_mustache
        case .message: PackageResources.message_mustache
        case .formPost: PackageResources.form_post_mustache
        }
    }
}
