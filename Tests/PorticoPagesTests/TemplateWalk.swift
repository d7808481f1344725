import PorticoPages
import PorticoTestSupport

/// A tag of a template, with what stands inside it.
struct TemplateNode {
    enum Kind {
        case variable(String)
        case unescaped(String)
        case section(String)
        case inverted(String)
        case partial(String)
        case dynamicPartial(String)
    }

    struct Unbalanced: Error { let tag: String }

    let kind: Kind
    /// Its place among the tags of its template.
    let index: Int
    var children: [TemplateNode] = []

    var all: [TemplateNode] { [self] + children.flatMap(\.all) }

    static func parse(_ text: String) throws -> [TemplateNode] {
        var open: [(name: String, node: TemplateNode)] = []
        var top: [TemplateNode] = []
        func add(_ node: TemplateNode) {
            if open.isEmpty {
                top.append(node)
            } else {
                open[open.count - 1].node.children.append(node)
            }
        }
        for (index, match) in text.matches(of: /\{\{([#^\/&>]?)(\*?)([^}]*)\}\}/).enumerated() {
            let name = String(match.output.3)
            switch match.output.1 {
            case "#": open.append((name, TemplateNode(kind: .section(name), index: index)))
            case "^": open.append((name, TemplateNode(kind: .inverted(name), index: index)))
            case "/":
                guard let last = open.popLast(), last.name == name else {
                    throw Unbalanced(tag: name)
                }
                add(last.node)
            case "&": add(TemplateNode(kind: .unescaped(name), index: index))
            case ">" where match.output.2 == "*":
                add(TemplateNode(kind: .dynamicPartial(name), index: index))
            case ">": add(TemplateNode(kind: .partial(name), index: index))
            default: add(TemplateNode(kind: .variable(name), index: index))
            }
        }
        guard open.isEmpty else { throw Unbalanced(tag: open[0].name) }
        return top
    }
}

/// Goes through the templates as the library does, and notes each tag that nothing answers to.
struct TemplateWalk {
    private(set) var problems: Set<String> = []
    private var reached: Set<String> = []

    /// The tags that have not been met with a value yet.
    var unreached: Set<String> {
        // A template that does not parse has been reported by `walk`.
        let all = PageTemplate.allCases.flatMap { template in
            ((try? TemplateNode.parse(template.text)) ?? []).flatMap(\.all)
                .map { "\(template) \($0.kind)@\($0.index)" }
        }
        return Set(all).subtracting(reached)
    }

    mutating func walk<P: Page>(_ page: P, frame: PageFrame) throws {
        try walk(.layout, [PageLayout(page, in: .english, frame: frame)])
    }

    private mutating func walk(_ template: PageTemplate, _ stack: [Any]) throws {
        for node in try TemplateNode.parse(template.text) { try walk(node, template, stack) }
    }

    private mutating func walk(_ node: TemplateNode, _ template: PageTemplate, _ stack: [Any])
        throws
    {
        let tag = "\(template) \(node.kind)@\(node.index)"
        reached.insert(tag)
        switch node.kind {
        case .variable(let name), .unescaped(let name):
            let value = resolve(name, stack, tag)
            if !(value is String || value is ShownText) { problems.insert("\(tag) is no text") }
        case .inverted(let name):
            guard let value = resolve(name, stack, tag) as? Bool else {
                problems.insert("\(tag) is no choice")
                return
            }
            if !value { try walk(node.children, template, stack) }
        case .section(let name):
            switch resolve(name, stack, tag) {
            case nil: break
            case let value as Bool: if value { try walk(node.children, template, stack) }
            case let values as [Any]:
                for value in values { try walk(node.children, template, stack + [value]) }
            case let value?: try walk(node.children, template, stack + [value])
            }
        case .partial(let name): try walk(partial: name, stack, tag)
        case .dynamicPartial(let name):
            try walk(partial: resolve(name, stack, tag) as? String ?? "", stack, tag)
        }
    }

    private mutating func walk(_ nodes: [TemplateNode], _ template: PageTemplate, _ stack: [Any])
        throws
    {
        for node in nodes { try walk(node, template, stack) }
    }

    private mutating func walk(partial name: String, _ stack: [Any], _ tag: String) throws {
        guard let template = PageTemplate(rawValue: name) else {
            problems.insert("\(tag): no such template")
            return
        }
        try walk(template, stack)
    }

    /// What the library would find; a name that no value in reach has is a problem, and so is one that is
    /// empty here but would be taken from further out.
    private mutating func resolve(_ name: String, _ stack: [Any], _ tag: String) -> Any? {
        if name == "." { return stack.last }
        let names = name.split(separator: ".").map(String.init)
        let levels = name.hasPrefix(".") ? stack.suffix(1) : stack[...]
        let answers = levels.reversed().compactMap { Self.member(names[0], of: $0) }
        guard let answer = answers.first else {
            problems.insert("\(tag): nothing answers")
            return nil
        }
        if answer.value == nil, answers.contains(where: { $0.value != nil }) {
            problems.insert("\(tag): would be taken from further out")
        }
        var value = answer.value
        for name in names.dropFirst() {
            guard let object = value, let inner = Self.member(name, of: object) else {
                problems.insert("\(tag): nothing answers to \(name)")
                return nil
            }
            value = inner.value
        }
        return value
    }

    /// The stored property of that name: absent, or there with perhaps no value.
    private static func member(_ name: String, of object: Any) -> (value: Any?, Void)? {
        guard let child = Mirror(reflecting: object).children.first(where: { $0.label == name })
        else {
            return nil
        }
        let mirror = Mirror(reflecting: child.value)
        guard mirror.displayStyle == .optional else { return (child.value, ()) }
        return (mirror.children.first?.value, ())
    }
}
