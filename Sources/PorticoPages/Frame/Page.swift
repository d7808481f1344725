package import PorticoBytes
package import PorticoWeb

/// A page that a person sees: a typed view model, and what of it stands below the heading.
///
/// Every page works without scripts, and is rendered by `PageRenderer`, which adds what all pages
/// share: language, title, style, realm, reference.
package protocol Page: Sendable {
    /// The page's `h1`, from which its title is made as well.
    func heading(_ words: Words, _ frame: PageFrame) -> Phrase

    /// What has to be put right before the form can be sent again (WCAG 3.3.1).
    func problems(_ words: Words) -> ErrorSummary?

    /// Whether the title says "Error: " first.
    var isError: Bool { get }

    /// The pages that this one belongs to, if any.
    var navigation: PageNavigation? { get }

    /// Whether it has more room: for lists.
    var isWide: Bool { get }

    /// What runs on it: usually what shows that a button was pressed. Without scripts a page does
    /// everything that it is for.
    var script: InlineSource? { get }

    func content(_ words: Words, _ frame: PageFrame) -> HTML
}

extension Page {
    package func problems(_ words: Words) -> ErrorSummary? { nil }
    package var isError: Bool { false }
    package var navigation: PageNavigation? { nil }
    package var isWide: Bool { navigation != nil }
    package var script: InlineSource? { PressedButton.script }
}

/// A person as a page names them.
package struct PageAccount: Sendable {
    /// What people call them, where known.
    package let name: String?
    /// What they sign in with.
    package let userName: String

    package init(name: String?, userName: String) {
        self.name = name
        self.userName = userName
    }
}

/// Where a page's form goes and what it carries unseen.
package struct PageForm: Sendable {
    /// A path of ours.
    package let action: String
    /// The sealed request that the answer belongs to.
    package let request: String?
    /// The token that binds the form to the browser it was shown in.
    package let csrf: String
    /// Whatever else it carries.
    package let fields: [PageField]

    package init(action: String, request: String? = nil, csrf: String, fields: [PageField] = []) {
        self.action = action
        self.request = request
        self.csrf = csrf
        self.fields = fields
    }

    /// The same form for one thing of a list.
    package func with(_ name: String, _ value: String) -> PageForm {
        PageForm(
            action: action,
            request: request,
            csrf: csrf,
            fields: fields + [PageField(name, value)]
        )
    }
}

extension PageForm: HTMLAddress {
    /// Empty, which is the page's own address, where the action is no path of ours.
    package var href: String { PageLink(path: action)?.href ?? "" }
}

/// A value that a form carries unseen.
package struct PageField: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What stands around every page: whose it is, how to refer to it, where help is.
package struct PageFrame: Sendable {
    /// Something that everybody who uses this server should know.
    package enum Notice: Sendable {
        /// The public URL is http, on this machine only.
        case withoutHTTPS
    }

    /// The realm's display name; `nil` where no realm is known yet.
    package var realm: String?
    /// The request's id, which the log carries too.
    package var reference: String?
    package var help: PageLink?
    package var notice: Notice?
    /// Set by the renderer.
    package var theme = PageTheme.standard

    package init(
        realm: String? = nil,
        reference: String? = nil,
        help: PageLink? = nil,
        notice: Notice? = nil
    ) {
        self.realm = realm
        self.reference = reference
        self.help = help
        self.notice = notice
    }

    /// The realm's name as pages show it.
    var owner: String { realm ?? "Portico" }
}

/// A service whose refusals leave as pages for people and as JSON for programs, and whose faults say
/// nothing of themselves.
package protocol PageService: HTTPService where Context: PageContext {
    var page: PageResponder { get }
}

extension PageService {
    package var headers: SecurityHeaders { page.headers }

    package func methodNotAllowed(_ audience: Audience, _ context: Context) -> Response {
        page.refuse(MethodNotAllowed(), audience, context)
    }

    package func answer(_ error: any Error, _ audience: Audience, _ context: Context) -> Response {
        page.refuse(error as? any Refusal ?? Unavailable.failed, audience, context)
    }
}
