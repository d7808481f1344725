import PorticoBytes

/// Keeps good answers of strangers for a while; errors are never kept.
///
/// Bounded by two generations: a full young one becomes the old one, and the old one is dropped.
package final class AnswerCache<Answer: Sendable>: Sendable {
    private struct Entry: Sendable {
        let answer: Answer
        let keptAt: Int64
    }

    private struct Generations: Sendable {
        var young: [Hash256: Entry] = [:]
        var old: [Hash256: Entry] = [:]
    }

    private let seconds: Int64
    private let most: Int
    private let generations = Locked(Generations())

    /// - Parameters:
    ///   - seconds: How long an answer is good.
    ///   - most: At least half as many are kept.
    package init(seconds: Int64, most: Int = 4096) {
        self.seconds = seconds
        self.most = max(2, most)
    }

    func answer(to question: String, at now: Int64) -> Answer? {
        let key = Hash256(of: question)
        let entry = generations.withLock { $0.young[key] ?? $0.old[key] }
        guard let entry, (0..<seconds).contains(now - entry.keptAt) else { return nil }
        return entry.answer
    }

    func keep(_ answer: Answer, to question: String, at now: Int64) {
        let key = Hash256(of: question)
        let entry = Entry(answer: answer, keptAt: now)
        generations.withLock { generations in
            if generations.young.count >= most / 2 {
                generations.old = generations.young
                generations.young = [:]
            }
            generations.young[key] = entry
        }
    }

    func forget(_ question: String) {
        let key = Hash256(of: question)
        generations.withLock { generations in
            generations.young[key] = nil
            generations.old[key] = nil
        }
    }
}
