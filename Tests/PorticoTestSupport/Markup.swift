/// An element of a page, as a strict reader sees it: lower case names, every attribute quoted, every
/// element closed. A browser forgives more, so what this refuses is a mistake in a template.
package struct Markup: Sendable, Equatable {
    package enum Child: Sendable, Equatable {
        case element(Markup)
        case text(String)
    }

    package struct Malformed: Error, CustomStringConvertible {
        package let description: String
    }

    package let name: String
    package let attributes: [String: String]
    package var children: [Child] = []

    /// All elements in it in document order, itself first.
    package var all: [Markup] {
        [self]
            + children.flatMap { child -> [Markup] in
                if case .element(let element) = child { element.all } else { [] }
            }
    }

    /// Everything written in it.
    package var text: String {
        children.map { child in
            switch child {
            case .element(let element): element.text
            case .text(let text): text
            }
        }.joined()
    }

    /// Names of elements and attributes without what they contain: dynamic text cannot change it.
    package var shape: String {
        let inner = children.compactMap { child -> String? in
            if case .element(let element) = child { element.shape } else { nil }
        }
        return "<\(name) \(attributes.keys.sorted().joined(separator: " "))>\(inner.joined())</>"
    }

    package func all(_ name: String) -> [Markup] { all.filter { $0.name == name } }

    package func element(id: String) -> Markup? { all.first { $0.attributes["id"] == id } }

    package init(name: String, attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
    }

    /// - Parameter page: A whole page.
    package init(page: String) throws {
        let start = "<!doctype html>\n"
        guard page.hasPrefix(start) else { throw Malformed(description: "no doctype") }
        var reader = MarkupReader(Array(page.utf8.dropFirst(start.utf8.count)))
        self = try reader.element()
        guard reader.rest.allSatisfy({ $0 == UInt8(ascii: "\n") }), name == "html" else {
            throw Malformed(description: "something after the end")
        }
    }
}

/// Reads bytes, as a browser does: a combining mark hides nothing from it.
private struct MarkupReader {
    private let bytes: [UInt8]
    private var position = 0

    var rest: ArraySlice<UInt8> { bytes[position...] }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func element() throws -> Markup {
        try expect("<")
        var element = Markup(name: try name(), attributes: try attributes())
        switch element.name {
        case "meta", "input", "img", "link": return element
        case "style", "script":
            element.children = [.text(try raw(until: "</\(element.name)>"))]
            return element
        default: break
        }
        while true {
            if rest.starts(with: "</".utf8) {
                try expect("</\(element.name)>")
                return element
            }
            if rest.first == UInt8(ascii: "<") {
                element.children.append(.element(try self.element()))
            } else {
                element.children.append(.text(try text(until: UInt8(ascii: "<"))))
            }
        }
    }

    private mutating func attributes() throws -> [String: String] {
        var attributes: [String: String] = [:]
        while rest.first == UInt8(ascii: " ") {
            position += 1
            let name = try name()
            var value = ""
            if rest.first == UInt8(ascii: "=") {
                try expect("=\"")
                value = try text(until: UInt8(ascii: "\""))
                try expect("\"")
            }
            guard attributes.updateValue(value, forKey: name) == nil else {
                throw Markup.Malformed(description: "\(name) twice")
            }
        }
        try expect(">")
        return attributes
    }

    private mutating func name() throws -> String {
        // Of SVG's `viewBox`.
        let allowed = Array("abcdefghijklmnopqrstuvwxyz0123456789-B".utf8)
        let name = rest.prefix { allowed.contains($0) }
        guard !name.isEmpty else { throw malformed("a name") }
        position += name.count
        return String(decoding: name, as: UTF8.self)
    }

    /// Text with its references resolved; a bare `&` or `<` is a mistake.
    private mutating func text(until end: UInt8) throws -> String {
        var text: [UInt8] = []
        while let byte = rest.first, byte != end {
            guard byte != UInt8(ascii: "<"), byte != UInt8(ascii: ">"), byte != 0x0D, byte != 0
            else { throw malformed("escaped text") }
            if byte == UInt8(ascii: "&") {
                guard
                    let (reference, character) = Self.references.first(where: {
                        rest.starts(with: $0.0.utf8)
                    })
                else { throw malformed("a reference") }
                position += reference.utf8.count
                text.append(contentsOf: character.utf8)
            } else {
                text.append(byte)
                position += 1
            }
        }
        guard !rest.isEmpty else { throw malformed("an end") }
        return String(decoding: text, as: UTF8.self)
    }

    private static let references = [
        ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"),
        ("&#13;", "\r"),
    ]

    private mutating func raw(until end: String) throws -> String {
        let start = position
        while !rest.isEmpty, !rest.starts(with: end.utf8) { position += 1 }
        let raw = bytes[start..<position]
        try expect(end)
        return String(decoding: raw, as: UTF8.self)
    }

    private mutating func expect(_ text: String) throws {
        guard rest.starts(with: text.utf8) else { throw malformed(text) }
        position += text.utf8.count
    }

    private func malformed(_ expected: String) -> Markup.Malformed {
        let found = String(decoding: rest.prefix(60), as: UTF8.self)
        return Markup.Malformed(description: "expected \(expected), found: \(found)")
    }
}
