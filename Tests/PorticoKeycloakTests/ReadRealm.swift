import PorticoBytes
import PorticoProtocol
import PorticoStores

@testable import PorticoKeycloak

/// A realm of a file with all of its people, and what the report says.
struct ReadRealm {
    var realm: NewRealm
    var report: ImportReport

    /// Reads as an import does, and keeps everything.
    static func all(_ files: [RealmFile], _ realmImport: RealmImport, at moment: Moment)
        async throws -> [ReadRealm]
    {
        var read: [ReadRealm] = []
        for place in try RealmSource(files).realms {
            var report = ImportReport(realm: place.name, naming: 1000)
            var imported = try realmImport(place.representation(), at: moment, report: &report)
            var realm = imported.realm
            var reader = PeopleReader(place.people)
            while let user = try reader.next() {
                if let person = try await imported.people(user, report: &report) {
                    realm.people.append(person)
                }
            }
            for account in try imported.people.missingAccounts(of: realm) {
                if let person = try await imported.people(account, report: &report) {
                    realm.people.append(person)
                }
            }
            place.reportMissingPeople(try place.representation(), report: &report)
            read.append(ReadRealm(realm: realm, report: report))
        }
        return read
    }
}

extension RealmFile {
    init(_ bytes: [UInt8], name: String = "file") {
        self.init(name: name) { offset throws(FileBytes.Refusal) in
            BytesSource(Array(bytes[offset...]))
        }
    }

    init(_ text: String, name: String = "file") {
        self.init(Array(text.utf8), name: name)
    }
}

extension ImportReport {
    struct Line: Hashable {
        let outcome: Outcome
        let subject: String
        let words: String
    }

    /// A line for each thing that is named.
    var lines: [Line] {
        groups.flatMap { group in
            group.named.map { thing in
                Line(
                    outcome: group.outcome,
                    subject: thing.subject,
                    words: thing.detail.map { "\($0): \(group.words)" } ?? group.words
                )
            }
        }
    }

    func lines(_ outcome: Outcome) -> [Line] {
        lines.filter { $0.outcome == outcome }
    }
}
