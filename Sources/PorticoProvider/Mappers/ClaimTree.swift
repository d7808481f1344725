import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Claims that are being written, by name on every level: a write takes as long as what it writes,
/// however much is there.
struct ClaimTree {
    private enum Node {
        case value(JSONValue)
        case members(ClaimTree)

        var json: JSONValue {
            switch self {
            case .value(let value): value
            case .members(let tree): .object(tree.object)
            }
        }
    }

    /// In the order written.
    private var names: [String] = []
    private var nodes: [ExactText: Node] = [:]

    init() {}

    private init(_ object: JSONObject) {
        for member in object {
            names.append(member.name)
            nodes[ExactText(member.name)] = .value(member.value)
        }
    }

    var object: JSONObject {
        // Names are unique already: nothing is lost.
        JSONObject(
            unique: names.compactMap { name in
                nodes[ExactText(name)].map { (name, $0.json) }
            }
        ) ?? JSONObject()
    }

    /// Writes a value, over what is there. Where an object would have to be and something else is,
    /// nothing is written.
    mutating func set(_ value: JSONValue, at path: ClaimPath) {
        write(path.names[...]) { _ in value }
    }

    /// Writes values after those that are there, each once.
    mutating func add(_ values: [JSONValue], at path: ClaimPath) {
        write(path.names[...]) { former in
            let former: [JSONValue] =
                switch former {
                case nil: []
                case .array(let values)?: values
                case let value?: [value]
                }
            var seen: Set<JSONValue> = []
            return .array((former + values).filter { seen.insert($0).inserted })
        }
    }

    private mutating func write(_ path: ArraySlice<String>, _ change: (JSONValue?) -> JSONValue) {
        guard let name = path.first else { return }
        let key = ExactText(name)
        // Taken out, so that it has one owner and is not copied.
        let former = nodes.removeValue(forKey: key)
        if former == nil { names.append(name) }
        guard path.count > 1 else {
            nodes[key] = .value(change(former?.json))
            return
        }
        var inner: ClaimTree
        switch consume former {
        case nil: inner = ClaimTree()
        case .members(let tree)?: inner = tree
        case .value(.object(let object))?: inner = ClaimTree(object)
        case .value(let value)?:
            nodes[key] = .value(value)
            return
        }
        inner.write(path.dropFirst(), change)
        nodes[key] = .members(inner)
    }
}
