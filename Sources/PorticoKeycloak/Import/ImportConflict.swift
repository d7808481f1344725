/// What becomes of a realm that is here already (docs/decisions/0054).
package enum ImportConflict: Hashable, Sendable {
    /// It is refused.
    case fail
    /// It is added to, and nothing that is here changes.
    case skip
    /// It becomes what the file says.
    ///
    /// - Parameters:
    ///   - people: Its people, too.
    ///   - prune: What the file lacks is deleted; people only with `people`.
    case overwrite(people: Bool = false, prune: Bool = false)

    var writesOver: Bool { self != .fail && self != .skip }

    var writesOverPeople: Bool {
        if case .overwrite(people: true, _) = self { true } else { false }
    }

    var prunes: Bool { if case .overwrite(_, prune: true) = self { true } else { false } }

    var prunesPeople: Bool { prunes && writesOverPeople }
}
