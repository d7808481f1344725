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
