import Mustache

/// The stored properties of a view by name, as templates look them up.
///
/// The library reflects on every view in reach anew for each tag, which makes up nearly all of a
/// page's cost. Here each view is reflected on once.
final class ViewProperties: MustacheParent {
    private let view: Mirror
    private lazy var properties: [String: Any] = {
        var properties: [String: Any] = [:]
        for case (let name?, let value) in view.children {
            properties[name] = Self.value(value)
        }
        return properties
    }()

    init(_ view: some Sendable) {
        self.view = Mirror(reflecting: view)
    }

    private init(view: Mirror) {
        self.view = view
    }

    func child(named name: String) -> Any? {
        properties[name]
    }

    /// What a template makes of a property: text and truth as they are, nothing for `nil`, and a view of
    /// its own by its properties.
    private static func value(_ property: Any) -> Any? {
        if let text = property as? String { return text }
        if let isTrue = property as? Bool { return isTrue }
        if let shown = property as? ShownText { return shown }
        let view = Mirror(reflecting: property)
        return switch view.displayStyle {
        case .optional: view.children.first.flatMap { value($0.value) }
        case .collection: view.children.compactMap { value($0.value) }
        case .struct: ViewProperties(view: view)
        default: property
        }
    }
}
