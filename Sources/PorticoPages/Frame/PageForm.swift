import PorticoBytes

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

    package init(
        action: String,
        request: String? = nil,
        csrf: String,
        fields: [PageField] = []
    ) {
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
