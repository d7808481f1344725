import PorticoProtocol

extension SQLTransaction {
    /// Changes the places of groups. Default groups are kept as paths (Keycloak `defaultGroups`): they
    /// follow theirs, and none becomes another's. That of a group that is gone goes, and so does that
    /// of two groups by one path, which named neither.
    func keepingDefaultGroups<Result>(
        of realmID: String,
        _ change: () throws -> Result
    ) throws -> Result {
        guard let kept = try keptRealm(realmID),
            let paths = kept.realm.keycloak?.strings(Self.defaultGroups), !paths.isEmpty
        else { return try change() }
        let before = try roleGraphs()[realmID] ?? .empty
        let result = try change()
        let after = try roleGraphs()[realmID] ?? .empty
        let still = paths.compactMap { path -> String? in
            guard let group = before.group(atPath: path) else {
                return after.group(atPath: path) == nil ? path : nil
            }
            return after.group(group.id) == nil ? nil : after.path(of: group.id)
        }
        if still != paths {
            var realm = kept.realm
            realm.keycloak?[Self.defaultGroups] = .array(still.map(JSONValue.string))
            try keep(realm, in: kept.document)
        }
        return result
    }

    private static var defaultGroups: String { "defaultGroups" }
}
