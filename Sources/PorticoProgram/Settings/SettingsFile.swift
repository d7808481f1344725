import CYAML
import PorticoBytes
import PorticoSystem

/// The values of a settings file (YAML 1.1), read by libyaml: by key, with a period for each level
/// of nesting.
struct SettingsFile {
    enum Value {
        case text(String)
        case list([String])
    }

    struct Unreadable: Error {
        let lines: [String]
        var isMissing = false
    }

    static let longest = 1024 * 1024
    /// An alias may lead back to what holds it.
    private static let deepest = 8

    private(set) var values: [String: Value] = [:]

    init() {}

    init(_ path: String) throws(Unreadable) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .system(errno, isMissing: errno == ENOENT || errno == ENOTDIR)
        }
        defer { close(descriptor) }
        let bytes: [UInt8]
        do {
            bytes = try FileBytes.read(descriptor, limit: Self.longest)
        } catch {
            guard case .system(let reason) = error else {
                throw Unreadable(lines: ["It is longer than \(Self.longest / 1024) KiB."])
            }
            throw .system(reason)
        }
        try self.init(bytes)
    }

    init(_ bytes: [UInt8]) throws(Unreadable) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else { throw Unreadable(lines: ["no memory"]) }
        defer { yaml_parser_delete(parser) }
        let input = UnsafeMutablePointer<UInt8>.allocate(capacity: max(bytes.count, 1))
        defer { input.deallocate() }
        input.update(from: bytes, count: bytes.count)
        yaml_parser_set_input_string(parser, input, bytes.count)

        let document = try Self.document(parser)
        defer { Self.end(document) }
        guard let root = yaml_document_get_root_node(document), Self.text(root.pointee) != "" else {
            return
        }
        guard root.pointee.type == YAML_MAPPING_NODE else {
            throw Unreadable(lines: ["Top level YAML value is not a mapping."])
        }
        try read(root.pointee, named: [], in: document)
        let next = try Self.document(parser)
        defer { Self.end(next) }
        guard yaml_document_get_root_node(next) == nil else {
            throw Unreadable(lines: ["The file has more than one document."])
        }
    }

    private mutating func read(
        _ mapping: yaml_node_t,
        named path: [String],
        in document: UnsafeMutablePointer<yaml_document_t>
    ) throws(Unreadable) {
        let pairs = mapping.data.mapping.pairs
        for pair in UnsafeBufferPointer(start: pairs.start, count: pairs.top - pairs.start) {
            guard let key = yaml_document_get_node(document, pair.key)?.pointee,
                let node = yaml_document_get_node(document, pair.value)?.pointee,
                let name = Self.text(key), path.count < Self.deepest
            else { throw Self.malformed(mapping, "a key must be a plain text, and not too deep") }
            let path = path + [name]
            if node.type == YAML_MAPPING_NODE {
                try read(node, named: path, in: document)
                continue
            }
            let full = path.joined(separator: ".")
            guard values.updateValue(try Self.value(node, in: document), forKey: full) == nil else {
                throw Self.malformed(key, "\(full) is set a second time")
            }
        }
    }

    private static func value(
        _ node: yaml_node_t,
        in document: UnsafeMutablePointer<yaml_document_t>
    ) throws(Unreadable) -> Value {
        if let text = text(node) { return .text(text) }
        let items = node.data.sequence.items
        var list: [String] = []
        for item in UnsafeBufferPointer(start: items.start, count: items.top - items.start) {
            guard let item = yaml_document_get_node(document, item)?.pointee, let text = text(item)
            else { throw malformed(node, "a list holds plain values only") }
            list.append(text)
        }
        return .list(list)
    }

    private static func text(_ node: yaml_node_t) -> String? {
        guard node.type == YAML_SCALAR_NODE else { return nil }
        let scalar = node.data.scalar
        let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: libyaml

    private static func document(_ parser: UnsafeMutablePointer<yaml_parser_t>)
        throws(Unreadable) -> UnsafeMutablePointer<yaml_document_t>
    {
        let document = UnsafeMutablePointer<yaml_document_t>.allocate(capacity: 1)
        guard yaml_parser_load(parser, document) == 1 else {
            document.deallocate()
            throw problem(parser.pointee)
        }
        return document
    }

    private static func end(_ document: UnsafeMutablePointer<yaml_document_t>) {
        yaml_document_delete(document)
        document.deallocate()
    }

    private static func problem(_ parser: yaml_parser_t) -> Unreadable {
        let problem = parser.problem.map { String(cString: $0) } ?? "not YAML"
        var lines = ["\(place(parser.problem_mark)): \(problem)"]
        if let context = parser.context {
            lines.append("\(place(parser.context_mark)): \(String(cString: context))")
        }
        return Unreadable(lines: lines)
    }

    private static func malformed(_ node: yaml_node_t, _ problem: String) -> Unreadable {
        Unreadable(lines: ["\(place(node.start_mark)): \(problem)"])
    }

    private static func place(_ mark: yaml_mark_t) -> String {
        "line \(mark.line + 1), column \(mark.column + 1)"
    }
}

extension SettingsFile.Unreadable {
    fileprivate static func system(_ reason: Int32, isMissing: Bool = false) -> Self {
        Self(lines: [systemReason(reason)], isMissing: isMissing)
    }
}
