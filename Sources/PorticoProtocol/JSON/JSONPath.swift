import PorticoBytes

/// Where in a JSON text a value stands: `clients[2].secret`, `roles["a b"]`.
package struct JSONPath: Hashable, Sendable {
    package var steps: [Step]

    package enum Step: Hashable, Sendable {
        case name(String)
        case index(Int)
    }

    package init(_ steps: [Step] = []) {
        self.steps = steps
    }

    package static func + (path: JSONPath, step: Step) -> JSONPath {
        JSONPath(path.steps + [step])
    }
}

extension JSONPath: CustomStringConvertible {
    /// One line of text: a name that is not plain is quoted and escaped, and cut at 100 bytes.
    package var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .name(let name) where Self.isPlain(name):
                text += text.isEmpty ? name : ".\(name)"
            case .name(let name): text += "[\(Self.quoted(name))]"
            }
        }
        return text
    }

    private static func isPlain(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || [0x2D, 0x5F].contains($0) }
    }

    private static func quoted(_ name: String) -> String {
        var short = ""
        for scalar in name.unicodeScalars {
            guard short.utf8.count + 4 <= 100 else {
                short += "…"
                break
            }
            // What ends a line or turns its direction is no part of a report.
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: short += "\u{FFFD}"
            default: short.unicodeScalars.append(scalar)
            }
        }
        return "\"" + short.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension JSONPath {
    /// Where within a value the last of these bytes stands: its beginning, right so far.
    init(within bytes: UnsafeBufferPointer<UInt8>) {
        var open: [(step: Step?, isObject: Bool)] = []
        var position = 0
        scan: while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "{"): open.append((nil, isObject: true))
            case UInt8(ascii: "["): open.append((.index(0), isObject: false))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
            case UInt8(ascii: ","):
                guard let last = open.popLast() else { break scan }
                if case .index(let index)? = last.step {
                    open.append((.index(index + 1), isObject: false))
                } else {
                    open.append((nil, isObject: last.isObject))
                }
            case UInt8(ascii: "\""):
                let rest = UnsafeBufferPointer(rebasing: bytes[position...])
                let (result, end) = JSONParser.prefix(of: rest, JSONLimits(size: rest.count))
                guard case .success(.string(let name)) = result else { break scan }
                if let last = open.last, last.isObject, last.step == nil {
                    open[open.count - 1].step = .name(name)
                }
                position += end - 1
            default: break
            }
            position += 1
        }
        self.init(open.compactMap(\.step))
    }
}
