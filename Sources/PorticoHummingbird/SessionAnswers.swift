import PorticoBytes
import PorticoSystem

/// A backend's recent answers about sessions: about live ones only, for seconds, and limited in
/// number so that attackers cannot fill the memory.
final class SessionAnswers: Sendable {
    private struct Answer {
        let person: AuthenticatedPerson
        let asked: Date
        let until: Date
    }

    private static let most = 4096

    private let life: TimeInterval
    private let answers = Locked<[Hash256: Answer]>([:])

    /// - Parameter life: In seconds; zero caches nothing.
    init(life: TimeInterval) {
        self.life = life
    }

    func person(_ key: Hash256, at now: Date) -> AuthenticatedPerson? {
        guard life > 0 else { return nil }
        return answers.withLock { answers in
            guard let answer = answers[key] else { return nil }
            // A clock that was set back does not show how old the answer is.
            guard now >= answer.asked, now < answer.until else {
                answers[key] = nil
                return nil
            }
            return answer.person
        }
    }

    /// - Parameters:
    ///   - asked: When the backend was asked; its answer may be as old as that.
    ///   - sessionEnd: The session is over after that, whatever the answer.
    func keep(
        _ person: AuthenticatedPerson,
        for key: Hash256,
        asked: Date,
        sessionEnd: Date?
    ) {
        guard life > 0 else { return }
        let end = asked.addingTimeInterval(life)
        let answer = Answer(person: person, asked: asked, until: min(end, sessionEnd ?? end))
        answers.withLock { answers in
            if answers.count >= Self.most {
                answers = answers.filter { $0.value.until > asked && $0.value.asked <= asked }
            }
            if answers.count >= Self.most { answers = [:] }
            answers[key] = answer
        }
    }

    var count: Int { answers.withLock { $0.count } }
}
