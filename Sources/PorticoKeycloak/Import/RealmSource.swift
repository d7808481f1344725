import PorticoBytes
import PorticoProtocol

/// The realms in files, by the places where they stand: one realm, an array of realms, or the parts
/// that Keycloak exports to a folder (`R-realm.json` and `R-users-0.json`), in any order.
package struct RealmSource: Sendable {
    package private(set) var realms: [RealmPlace] = []

    /// Gives the one realm of the files another name.
    ///
    /// - Returns: `false` where there are several.
    package mutating func rename(to name: String) -> Bool {
        guard realms.count == 1 else { return false }
        realms[0].name = name
        return true
    }

    /// Reads the files from their beginnings to their ends, and keeps places.
    ///
    /// - Throws: where a file is no strict JSON, has a realm twice, or has people of a realm that is
    ///   not there.
    package init(_ files: [RealmFile]) throws(RealmFileError) {
        var parts: [(found: RealmIndex.Found, file: RealmFile)] = []
        var known: [ExactText: Int] = [:]
        for file in files {
            var index = RealmIndex(file)
            let first = realms.count
            var unfilled: [Placeholders.Unfilled] = []
            for found in try index.objects() {
                unfilled.note(found.unfilled)
                if found.isPart {
                    parts.append((found, file))
                    continue
                }
                let name = ExactText(found.name)
                guard known.updateValue(realms.count, forKey: name) == nil else {
                    throw RealmFileError(
                        file: file.name,
                        reason: .repeatedRealm(path: found.path)
                    )
                }
                realms.append(
                    RealmPlace(
                        name: found.name,
                        file: file,
                        path: found.path,
                        stretch: found.stretch,
                        own: found.people,
                        hasFederatedUsers: found.hasFederatedUsers
                    )
                )
            }
            guard unfilled.isEmpty else {
                // Those of the rest too, so that nobody has to ask twice.
                var all: [Placeholders.Unfilled] = []
                for realm in realms[first...] { all.note(realm.unfilled()) }
                all.note(unfilled)
                throw RealmFileError(file: file.name, reason: .placeholders(all))
            }
        }
        for (part, file) in parts {
            guard let realm = known[ExactText(part.name)] else {
                throw RealmFileError(file: file.name, reason: .peopleAlone(path: part.path))
            }
            if let people = part.people { realms[realm].others.append(people) }
            if part.hasFederatedUsers { realms[realm].hasFederatedUsers = true }
        }
    }
}

/// Where a realm stands, and where its people do.
package struct RealmPlace: Sendable {
    /// What it is called here.
    package fileprivate(set) var name: String
    let file: RealmFile
    /// In the file: `[1]`; empty where the file is one realm.
    let path: String
    let stretch: Range<Int>
    /// The `users` of the realm itself.
    let own: PeoplePlace?
    /// Those of other files.
    var others: [PeoplePlace] = []
    var hasFederatedUsers: Bool

    var people: [PeoplePlace] { [own].compactMap(\.self) + others }

    func expectUnchanged() throws(RealmFileError) {
        try file.expectUnchanged()
        for other in others { try other.file.expectUnchanged() }
    }

    /// Placeholders that are not replaced, without those of its people.
    fileprivate func unfilled() -> [Placeholders.Unfilled] {
        do throws(RealmFileError) {
            _ = try representation()
            return []
        } catch {
            // What else is wrong with it is told once these are replaced.
            guard case .placeholders(let unfilled) = error.reason else { return [] }
            return unfilled
        }
    }

    /// Everything of the realm but its people, with what Keycloak puts into every realm.
    func representation() throws(RealmFileError) -> Representation {
        try said().completed(named: name)
    }

    /// The same without what the file does not say.
    func said() throws(RealmFileError) -> Representation {
        let whole = stretch
        var parts = [RealmBytes.Part.stretch(whole)]
        if let users = own?.stretch {
            parts = [
                .stretch(whole.lowerBound..<users.lowerBound), .text("[]"),
                .stretch(users.upperBound..<whole.upperBound),
            ]
        }
        var reader = JSONReader(RealmBytes(file, parts), limits: RealmImport.limits)
        do {
            let value = try file.placeholders.filling(reader.value(), path: path)
            guard var object = value.object else {
                throw RealmImportError.wrongType(path: path, expected: "an object")
            }
            object["realm"] = .string(name)
            return try Representation(.object(object), path: path)
        } catch let error as JSONReadError {
            throw RealmFileError(file: file.name, reason: .json(error, in: path))
        } catch let error as RealmImportError {
            throw RealmFileError(file: file.name, reason: error)
        } catch {
            throw RealmFileError(file: file.name, reason: .missing(path: path))
        }
    }
}

extension RealmPlace {
    /// Says where people are that did not come along.
    func reportMissingPeople(_ realm: Representation, report: inout ImportReport) {
        if hasFederatedUsers {
            report.add(
                .skipped,
                "federatedUsers",
                "what is known of people of a user federation: it is not imported"
            )
        }
        guard people.isEmpty else { return }
        let words: StaticString =
            realm.holdsKeys
            ? "there are none: an export to a folder has them in files beside (…-users-0.json)"
            : "there are none: a partial export leaves them out"
        report.add(.skipped, "people", "\(words)")
    }
}

extension Representation {
    /// Whether it is a whole export: a partial one has no private keys.
    fileprivate var holdsKeys: Bool {
        let providers = object.object("components")?.array(PartImport.keyComponents) ?? []
        return providers.contains { provider in
            guard let config = provider.object?.object("config") else { return false }
            return ["privateKey", "secret", "ecdsaPrivateKey", "eddsaPrivateKey"].contains {
                guard let text = config.array($0)?.first?.string else { return false }
                return !text.utf8.allSatisfy { $0 == UInt8(ascii: "*") }
            }
        }
    }
}
