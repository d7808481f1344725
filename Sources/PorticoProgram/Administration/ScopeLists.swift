import PorticoBytes

/// The scopes that a client has, or that new clients of a realm get: by default, and on request.
struct ScopeLists {
    var defaults: [String]
    var optionals: [String]

    /// Removes what is named first, then adds. A default scope may be asked for anyway, so it is not
    /// listed as optional too.
    ///
    /// - Parameter owner: As a sentence begins: `The client`.
    mutating func change(
        removing removed: [String],
        defaults added: [String],
        optionals asked: [String],
        of owner: String
    ) throws(Failure) {
        for scope in removed {
            let known = defaults + optionals
            guard known.contains(where: { sameBytes($0, scope) }) else {
                throw Failure(
                    .notFound,
                    "\(owner) has no scope \"\(printable(scope))\".",
                    "It has: \(known.map(printable).joined(separator: " "))"
                )
            }
            defaults.removeAll { sameBytes($0, scope) }
            optionals.removeAll { sameBytes($0, scope) }
        }
        for scope in added where !defaults.contains(where: { sameBytes($0, scope) }) {
            optionals.removeAll { sameBytes($0, scope) }
            defaults.append(scope)
        }
        let known = defaults + optionals
        for scope in asked where !known.contains(where: { sameBytes($0, scope) }) {
            optionals.append(scope)
        }
    }
}
