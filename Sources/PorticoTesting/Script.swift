import PorticoBytes

/// What the person does at the next sign-in of a ``FakeProvider`` or a ``FakeBackend``.
public enum PersonAct: Hashable, Sendable {
    /// Signs in as this person, whatever the app expects.
    case signsIn(as: FakePerson)
    /// Says no on the provider's page (`access_denied`).
    case denies
    /// Closes the browser.
    case closesBrowser
    /// Does not finish in time.
    case takesTooLong
}

/// What a test has told a fake to do, and what the fake was asked.
struct Script<Step: Hashable & Sendable>: Sendable {
    var isOffline = false
    private var failures: [Step: [FakeFailure]] = [:]
    private var counts: [Step: Int] = [:]
    private var acts: [PersonAct] = []

    mutating func add(_ failure: FakeFailure, to step: Step) {
        failures[step, default: []].append(failure)
    }

    mutating func add(_ act: PersonAct) {
        acts.append(act)
    }

    /// Counts the step, and says how it fails.
    mutating func failure(of step: Step) -> FakeFailure? {
        counts[step, default: 0] += 1
        if isOffline { return .offline }
        guard failures[step]?.isEmpty == false else { return nil }
        return failures[step]?.removeFirst()
    }

    mutating func act() -> PersonAct? {
        acts.isEmpty ? nil : acts.removeFirst()
    }

    func count(_ step: Step) -> Int {
        counts[step] ?? 0
    }
}
