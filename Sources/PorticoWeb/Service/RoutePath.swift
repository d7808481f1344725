/// The path of a route: literal segments, `{name}` for one segment, and `{name...}` at the end for
/// the rest, without the slash before it; the rest may be empty.
package struct RoutePath: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)
        case rest(String)
    }

    package let description: String
    let segments: [Segment]
    /// Whether it is written with a slash at its end: then a path needs one, too.
    let endsInSlash: Bool

    package init(_ text: String) {
        description = text
        endsInSlash = text.utf8.count > 1 && text.utf8.last == UInt8(ascii: "/")
        segments = text.split(separator: "/").map { segment in
            guard segment.hasPrefix("{"), segment.hasSuffix("}") else {
                return .literal(String(segment))
            }
            let name = segment.dropFirst().dropLast()
            return name.hasSuffix("...")
                ? .rest(String(name.dropLast(3))) : .parameter(String(name))
        }
    }

    /// In the order of the path.
    var names: [String] {
        segments.compactMap { segment in
            switch segment {
            case .literal: nil
            case .parameter(let name), .rest(let name): name
            }
        }
    }

    package init(stringLiteral value: StaticString) {
        self.init("\(value)")
    }
}

/// The values of a route's names in a path.
package struct PathParameters: Sendable {
    private let values: [(name: String, value: Substring)]

    package init() {
        values = []
    }

    init(_ path: RoutePath, _ found: [Substring]) {
        values = Array(zip(path.names, found))
    }

    /// - Parameter name: One of the route's names, a literal. The value is empty for any other
    ///   name.
    package subscript(name: String) -> Substring {
        values.first { $0.name == name }?.value ?? ""
    }
}
