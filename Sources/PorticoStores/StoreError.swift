/// The database cannot take the work now: too much waits, or another process holds it.
///
/// A server answers 503 with `Retry-After`; nothing of what was asked has happened.
package struct StoreBusy: Error, Hashable, Sendable {
    package init() {}
}

/// A change would have given two things one name.
package struct StoreConflict: Error, Hashable, Sendable {
    package init() {}
}

/// A change names a realm, client, role or person that is not there. Nothing has happened.
package struct MissingReference: Error, Hashable, Sendable {
    package init() {}
}

/// What is kept is not what a change was made from: another process has changed it, or taken it away,
/// meanwhile. Nothing has happened, so that no change is undone by one that had not seen it.
package struct ChangedMeanwhile: Error, Hashable, Sendable {
    package init() {}
}

/// The apps of the backend are clients of another realm: one realm has them all. Nothing has happened.
package struct AppsElsewhere: Error, Hashable, Sendable {
    /// The name of that realm.
    package let realm: String

    package init(realm: String) { self.realm = realm }
}

extension StoreBusy: CustomStringConvertible {
    package var description: String { "The database is busy." }
}

extension ChangedMeanwhile: CustomStringConvertible {
    package var description: String { "It was changed meanwhile." }
}

extension MissingReference: CustomStringConvertible {
    package var description: String { "The change names something that is not there." }
}
