/// A piece of an HTML page, as bytes.
///
/// Foreign text enters only through ``text(_:)`` and the values of attributes, which escape it.
/// Elements and attributes are limited to ``HTMLTag`` and ``HTMLAttributes``, and addresses to
/// ``HTMLAddress``, so the structure of a page is fixed when it compiles.
package struct HTML: Sendable, Equatable {
    package private(set) var bytes: [UInt8] = []

    /// Joins pieces in order; `nil` is left out.
    package init(_ pieces: [HTML?]) {
        for case let piece? in pieces { bytes += piece.bytes }
    }

    private init() {}

    package static func text(_ text: String) -> HTML {
        var html = HTML()
        html.append(escaping: text)
        return html
    }

    package static func element(_ tag: HTMLTag, _ content: HTML?...) -> HTML {
        element(tag, nil, [:], content)
    }

    /// - Parameter address: The address that the element links to or loads: its `href`, `action`,
    ///   `formaction` or `src`.
    package static func element(
        _ tag: HTMLTag,
        to address: (any HTMLAddress)? = nil,
        _ attributes: HTMLAttributes,
        _ content: HTML?...
    ) -> HTML {
        element(tag, address, attributes, content)
    }

    private static func element(
        _ tag: HTMLTag,
        _ address: (any HTMLAddress)?,
        _ attributes: HTMLAttributes,
        _ content: [HTML?]
    ) -> HTML {
        var html = HTML()
        html.bytes.reserveCapacity(content.reduce(128) { $0 + ($1?.bytes.count ?? 0) })
        html.append("<")
        html.append(tag.rawValue)
        if let name = tag.address, let address {
            html.append(attribute: name, address.href)
        }
        for case (let name, let value?) in attributes.pairs {
            html.append(attribute: name.rawValue, value)
        }
        html.append(">")
        if tag.startsLine { html.append("\n") }
        for case let piece? in content { html.bytes += piece.bytes }
        if !tag.isVoid {
            html.append("</")
            html.append(tag.rawValue)
            html.append(">")
        }
        if !tag.isPhrasing { html.append("\n") }
        return html
    }

    /// The page's own style, inserted unescaped.
    package static func style(_ source: InlineSource) -> HTML { inline("style", source) }

    /// The page's own script, inserted unescaped.
    ///
    /// - Parameter nonce: What admits it, where its hash does not.
    package static func script(_ source: InlineSource, nonce: String? = nil) -> HTML {
        inline("script", source, nonce: nonce)
    }

    package static func meta(_ name: String, _ content: String) -> HTML {
        element(.meta, [.name: name, .content: content])
    }

    /// A whole page.
    package static func document(
        language: String,
        direction: String? = nil,
        head: HTML,
        body: HTML
    ) -> HTML {
        var html = HTML()
        html.bytes.reserveCapacity(head.bytes.count + body.bytes.count + 128)
        html.append("<!doctype html>\n<html")
        html.append(attribute: "lang", language)
        if let direction { html.append(attribute: "dir", direction) }
        html.append(">\n<head>\n<meta charset=\"utf-8\">\n")
        html.bytes += head.bytes
        html.append("</head>\n")
        html.bytes += body.bytes
        html.append("</html>\n")
        return html
    }

    private static func inline(
        _ name: String,
        _ source: InlineSource,
        nonce: String? = nil
    ) -> HTML {
        var html = HTML()
        html.append("<\(name)")
        if let nonce { html.append(attribute: "nonce", nonce) }
        html.append(">")
        html.append(source.text)
        html.append("</\(name)>\n")
        return html
    }

    private mutating func append(attribute name: String, _ value: String) {
        append(" ")
        append(name)
        append("=\"")
        append(escaping: value)
        append("\"")
    }

    private mutating func append(_ markup: String) {
        bytes.append(contentsOf: markup.utf8)
    }

    /// Escapes for both text and quoted attributes (HTML §13.1.2).
    ///
    /// Compares bytes, not characters: a quotation mark with a combining accent is a different
    /// character, but a browser sees the mark and would end the attribute.
    private mutating func append(escaping text: String) {
        var text = text
        text.withUTF8 { text in
            var start = text.startIndex
            for index in text.indices {
                guard let reference = Self.reference(for: text[index]) else { continue }
                bytes.append(contentsOf: text[start..<index])
                append(reference)
                start = index + 1
            }
            bytes.append(contentsOf: text[start...])
        }
    }

    private static func reference(for byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        // A browser reads a bare CR as LF, and ignores NUL.
        case 0x0D: "&#13;"
        case 0x00: "\u{FFFD}"
        default: nil
        }
    }
}
