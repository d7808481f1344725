/// The elements used in pages.
package enum HTMLTag: String, Sendable {
    case a, bdi, body, button, circle, dd, details, div, dl, dt, footer, form, h1, h2, header, img
    case input, label, li, link, main, meta, nav, p, path, section, span, strong, summary, svg, text
    case title, ul
    case lineBreak = "br"

    /// The attribute with the address that an element links to or loads.
    var address: String? {
        switch self {
        case .a, .link: "href"
        case .form: "action"
        case .button: "formaction"
        case .img: "src"
        default: nil
        }
    }

    var isVoid: Bool {
        switch self {
        case .img, .input, .link, .meta, .lineBreak: true
        default: false
        }
    }

    /// Inline content, where white space would be visible.
    var isPhrasing: Bool {
        switch self {
        case .a, .bdi, .img, .input, .lineBreak, .span, .strong, .circle, .path, .svg, .text: true
        default: false
        }
    }

    var startsLine: Bool {
        switch self {
        case .body, .details, .div, .dl, .footer, .form, .header, .main, .nav, .section, .ul: true
        default: false
        }
    }
}

/// Attributes in order. An attribute with the value `nil` is left out; one without a value is
/// empty.
///
/// Attributes with an address are not among the names: ``HTML/element(_:to:_:_:)`` has a parameter
/// for it. Neither are `style` and event handlers, which the pages' policy refuses.
package struct HTMLAttributes: Sendable, ExpressibleByDictionaryLiteral {
    package enum Name: String, Sendable {
        case alt, autocapitalize, autocomplete, autofocus, checked, content, dir, formnovalidate
        case height, hidden, id, inputmode, method, name, readonly, rel, required, role, spellcheck
        case tabindex
        case type, value, width
        case `class`
        case `for`
        case ariaCurrent = "aria-current"
        case ariaDescribedBy = "aria-describedby"
        case ariaHidden = "aria-hidden"
        case ariaInvalid = "aria-invalid"
        case ariaLabel = "aria-label"
        case ariaLabelledBy = "aria-labelledby"
        // For SVG.
        case cx, cy, d, fill, r, viewBox, x, xmlns, y
        case fontSize = "font-size"
        case textAnchor = "text-anchor"
    }

    let pairs: [(Name, String?)]

    package init(dictionaryLiteral pairs: (Name, String?)...) {
        self.pairs = pairs
    }
}

/// An address that may be used in a page. Only types with values that a browser neither runs nor
/// reads as a page (`javascript:`, `data:`) conform.
package protocol HTMLAddress: Sendable {
    var href: String { get }
}
