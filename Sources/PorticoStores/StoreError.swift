/// The database cannot take the work now: too much waits, or another process holds it.
///
/// A server answers 503 with `Retry-After`; nothing of what was asked has happened.
package struct StoreBusy: Error, Hashable, Sendable {
    package init() {}
}

/// A change names a realm, client, role or person that is not there. Nothing has happened.
package struct MissingReference: Error, Hashable, Sendable {
    package init() {}
}

extension StoreBusy: CustomStringConvertible {
    package var description: String { "The database is busy." }
}

extension MissingReference: CustomStringConvertible {
    package var description: String { "The change names something that is not there." }
}
