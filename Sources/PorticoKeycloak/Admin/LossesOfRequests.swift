import PorticoProtocol

/// What a request says and would not get. Of a file it is reported, a request is refused for it: each
/// value was good where the file comes from, and a request learns at once that one is not.
extension ImportReport {
    /// The refusal for the first loss.
    ///
    /// - Parameter counts: Which losses are meant.
    func refusal(where counts: (Outcome, Thing) -> Bool = { _, _ in true }) -> AdminRefusal? {
        for group in groups where Self.losses.contains(group.outcome) {
            for thing in group.named where !thing.isKept && counts(group.outcome, thing) {
                let place = [thing.subject, thing.detail].compactMap(\.self)
                    .joined(separator: ": ")
                return .described(
                    "invalid_input",
                    "This would not be as sent. \(place): \(group.words)"
                )
            }
        }
        return nil
    }

    private static let losses: Set<Outcome> = [.weaker, .disabled, .skipped, .changed]
}

extension JSONObject {
    /// What of it stands in another one too: members that say the same, and elements of both lists. A
    /// change is judged for what it changes.
    func staying(in other: JSONObject) -> JSONObject {
        var staying = JSONObject()
        for (name, value) in self {
            switch (value, other[name]) {
            case (.object(let inner), .object(let changed)?):
                staying[name] = .object(inner.staying(in: changed))
            case (.array(let values), .array(let changed)?):
                staying[name] = .array(values.filter(Set(changed).contains))
            case (_, let changed):
                if value == changed { staying[name] = value }
            }
        }
        return staying
    }
}
