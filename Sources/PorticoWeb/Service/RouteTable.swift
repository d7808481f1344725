package import HTTPTypes

/// Finds the address of a service by path: a literal segment has priority over a named one, and
/// both over a rest.
package struct RouteTable<Context: Sendable>: Sendable {
    /// The routes at one path, one for each method.
    package struct Address: Sendable {
        package let routes: [Route<Context>]

        /// RFC 9110 §15.5.6.
        package var methods: [HTTPRequest.Method] { routes.map(\.method) }

        /// The audience of a refusal that belongs to no route.
        package var audience: Audience {
            routes.contains { $0.audience.isPeople } ? .people : .programs
        }

        package func route(for method: HTTPRequest.Method) -> Route<Context>? {
            routes.first { $0.method == method }
                ?? (method == .head ? routes.first { $0.method == .get && $0.answersHead } : nil)
        }
    }

    /// All routes, in the order of the list.
    package let routes: [Route<Context>]
    /// Whether a slash at the end of a path is no part of it: then every address has both spellings.
    package let ignoresLastSlash: Bool
    private let root: Node

    private final class Node: Sendable {
        let literals: [Substring: Node]
        let parameter: Node?
        let rest: Address?
        let address: Address?
        /// With a slash at the end.
        let slashed: Address?

        /// - Parameter depth: The number of segments up to this node.
        init(_ routes: [Route<Context>], depth: Int) throws(RouteCollision) {
            var here: [Route<Context>] = []
            var rest: [Route<Context>] = []
            var literals: [Substring: [Route<Context>]] = [:]
            var named: [Route<Context>] = []
            for route in routes {
                guard route.path.segments.count > depth else {
                    here.append(route)
                    continue
                }
                switch route.path.segments[depth] {
                case .literal(let text): literals[Substring(text), default: []].append(route)
                case .parameter: named.append(route)
                case .rest: rest.append(route)
                }
            }
            var nodes: [Substring: Node] = [:]
            for (text, routes) in literals { nodes[text] = try Node(routes, depth: depth + 1) }
            self.literals = nodes
            parameter = named.isEmpty ? nil : try Node(named, depth: depth + 1)
            self.rest = try Self.address(rest)
            address = try Self.address(here.filter { !$0.path.endsInSlash })
            slashed = try Self.address(here.filter(\.path.endsInSlash))
        }

        private static func address(_ routes: [Route<Context>]) throws(RouteCollision) -> Address? {
            guard let first = routes.first else { return nil }
            guard Set(routes.map(\.method)).count == routes.count else {
                throw RouteCollision(path: first.path)
            }
            return Address(routes: routes)
        }
    }

    /// - Throws: ``RouteCollision`` if two routes have the same method and address.
    package init(_ routes: [Route<Context>], ignoresLastSlash: Bool = false)
        throws(RouteCollision)
    {
        self.routes = routes
        self.ignoresLastSlash = ignoresLastSlash
        root = try Node(routes, depth: 0)
    }

    /// - Parameter path: A canonical one (``RequestTarget/path``).
    package func find(_ path: String) -> (address: Address, parameters: PathParameters)? {
        var found: [Substring] = []
        var rest = path.dropFirst()
        var isSlashed = rest.utf8.last == UInt8(ascii: "/")
        if isSlashed, ignoresLastSlash {
            rest.removeLast()
            isSlashed = false
        }
        guard let address = find(rest, root, isSlashed, &found),
            let first = address.routes.first
        else { return nil }
        return (address, PathParameters(first.path, found))
    }

    /// - Parameters:
    ///   - path: The rest of the path, without its leading slash.
    ///   - isSlashed: Whether the whole path has a slash at its end: only a route that is written so
    ///     takes it.
    ///   - found: The values of the routes' names so far.
    private func find(
        _ path: Substring,
        _ node: Node,
        _ isSlashed: Bool,
        _ found: inout [Substring]
    ) -> Address? {
        guard !path.isEmpty else {
            if isSlashed { return node.slashed }
            return node.address ?? rest(path, node, &found)
        }
        let end = path.utf8.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
        let segment = path[..<end]
        let left = end == path.endIndex ? path[end...] : path[path.utf8.index(after: end)...]
        if let next = node.literals[segment], let address = find(left, next, isSlashed, &found) {
            return address
        }
        if let next = node.parameter {
            found.append(segment)
            if let address = find(left, next, isSlashed, &found) { return address }
            found.removeLast()
        }
        return isSlashed ? nil : rest(path, node, &found)
    }

    private func rest(_ path: Substring, _ node: Node, _ found: inout [Substring]) -> Address? {
        if node.rest != nil { found.append(path) }
        return node.rest
    }
}

/// Two routes have the same method at the same address.
package struct RouteCollision: Error, Hashable, Sendable {
    package let path: RoutePath
}
