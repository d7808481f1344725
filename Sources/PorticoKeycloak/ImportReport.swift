import PorticoAdministration

/// The outcome of importing a realm: nothing in the file is dropped without being named. It contains
/// no secrets.
///
/// What became of many things in one way is one group, with how many there were and the names of the
/// first: a report of a million people is as long as one of twenty.
package struct ImportReport: Hashable, Sendable {
    /// In the order in which an administrator must know of them.
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
        /// Protection that it had there is gone here. The import takes the administrator's consent.
        case weaker
        /// It was imported disabled: here it would not have the protection that it had there.
        case disabled
        /// Who administers afterwards.
        case administers
        /// It was here, is not in the file, and was deleted.
        case deleted
        /// It is new in a realm that was here, or was written over what was.
        case written
        /// It is here, and stays as it is.
        case stays
        /// It was left out.
        case skipped
        /// It was imported in another form.
        case changed
        /// It is kept for an export, and nothing here acts on it.
        case ignored
        /// It was imported.
        case read
    }

    /// Things of which the same became.
    package struct Group: Hashable, Sendable {
        package let outcome: Outcome
        package let words: String
        package fileprivate(set) var count = 0
        /// The first of them.
        package fileprivate(set) var named: [Thing] = []
    }

    package struct Thing: Hashable, Sendable {
        /// `client shop`
        package let subject: String
        /// A part of it: `redirect URI https://a.example/*`.
        package let detail: String?
        /// Whether a request of the administration may say it: it is kept, and protects no one.
        let isKept: Bool
    }

    private struct Key: Hashable {
        let outcome: Outcome
        let words: String
    }

    /// How many subjects of a group are named.
    private let mostNamed: Int
    /// How many groups there are for each outcome; what comes later is counted in one more.
    private static let mostGroups = 1000

    /// The realm's name.
    package let realm: String
    private var kept: [Group] = []
    private var places: [Key: Int] = [:]
    private var sizes: [Outcome: Int] = [:]

    /// - Parameter mostNamed: How many subjects of a group are named.
    init(realm: String, naming mostNamed: Int = 20) {
        self.mostNamed = mostNamed
        self.realm = PlainText.shown(realm)
    }

    mutating func add(_ outcome: Outcome, _ subject: String, _ words: String) {
        add(outcome, subject, nil, words)
    }

    /// - Parameters:
    ///   - subject: May contain text from the file; it is made safe to print.
    ///   - detail: A part of the subject, out of the file, too.
    ///   - words: Our own text, the same for all things of which the same became.
    mutating func add(
        _ outcome: Outcome,
        _ subject: String,
        _ detail: String?,
        _ words: String,
        isKept: Bool = false
    ) {
        let place = place(outcome, words)
        kept[place].count += 1
        guard kept[place].named.count < mostNamed else { return }
        kept[place].named.append(
            Thing(
                subject: PlainText.shown(subject),
                detail: detail.map { PlainText.shown($0) },
                isKept: isKept
            )
        )
    }

    /// What it says beyond another one; `nil`: nothing.
    func news(since former: ImportReport) -> ImportReport? {
        var news = ImportReport(realm: realm)
        for group in kept {
            let known = former.places[Key(outcome: group.outcome, words: group.words)]
                .map { former.kept[$0] }
            let named = group.named.filter { known?.named.contains($0) != true }
            let count = max(named.count, group.count - (known?.count ?? 0))
            if count > 0 { news.add(group, named, count) }
        }
        return news.kept.isEmpty ? nil : news
    }

    /// Adds what another one says.
    mutating func add(_ report: ImportReport) {
        for group in report.kept { add(group, group.named, group.count) }
    }

    private mutating func add(_ group: Group, _ named: [Thing], _ count: Int) {
        let place = place(group.outcome, group.words)
        kept[place].count += count
        kept[place].named += named
    }

    private mutating func place(_ outcome: Outcome, _ words: String) -> Int {
        let key = Key(outcome: outcome, words: words)
        if let place = places[key] { return place }
        guard sizes[outcome, default: 0] < Self.mostGroups else {
            let rest = Key(outcome: outcome, words: "of further kinds")
            if let place = places[rest] { return place }
            return begin(rest)
        }
        return begin(key)
    }

    private mutating func begin(_ key: Key) -> Int {
        kept.append(Group(outcome: key.outcome, words: key.words))
        sizes[key.outcome, default: 0] += 1
        places[key] = kept.count - 1
        return kept.count - 1
    }

    /// What is lost comes first, and of that what protected people.
    package var groups: [Group] {
        Outcome.allCases.flatMap { outcome in kept.filter { $0.outcome == outcome } }
    }

    /// How many things had that outcome.
    package func count(_ outcome: Outcome) -> Int {
        kept.filter { $0.outcome == outcome }.reduce(0) { $0 + $1.count }
    }
}
