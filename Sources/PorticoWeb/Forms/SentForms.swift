import PorticoBytes
package import PorticoProtocol

/// A form that was sent, as it is known again: by the hash of all that it says. No one can make the same
/// who has not its token, and that is bound to the browser's cookie (``FormToken``).
package struct SentForm: Hashable, Sendable {
    private let hash: Hash256

    /// - Parameter owner: The service or realm of the form.
    package init(_ form: FormParameters, of owner: String) {
        hash = Hash256(of: FormEncoding.encode([(name: "owner", value: owner)] + form.all))
    }
}

/// What forms did that were sent a moment ago: the very same one again, by a second click, does nothing a
/// second time, and its sender goes on as if it were the first (docs/decisions/0104).
///
/// It is in memory, bounded in bytes, and per process. What failed is not remembered: a wrong password
/// counts each time.
package final class SentForms<Deed: Sendable>: Sendable {
    /// For how long a form is known, in seconds: longer than anyone clicks, or a slow answer takes.
    package static var memory: Int64 { 60 }

    private struct Done: Sendable {
        let deed: Deed
        let at: Int64
    }

    private let deeds: Locked<TwoGenerations<SentForm, Done>>
    /// The forms that are being worked on, with those that are the same and wait.
    private let working = Locked<[SentForm: [CheckedContinuation<Void, Never>]]>([:])

    /// - Parameters:
    ///   - capacity: Of each of two generations, in bytes. Anyone can fill it: some 200 pages of forms that
    ///     asked for a mail, or many thousand deeds without a page.
    ///   - size: The bytes of a deed that are not in the value itself, for instance of a page.
    package init(capacity: Int = 4 << 20, size: @escaping @Sendable (Deed) -> Int) {
        deeds = Locked(
            TwoGenerations(capacity: capacity) { done in
                MemoryLayout<(SentForm, Done)>.stride + size(done.deed)
            }
        )
    }

    package func note(_ deed: Deed, of form: SentForm, at now: Int64) {
        deeds.withLock { $0.insert(Done(deed: deed, at: now), for: form) }
    }

    private func deed(of form: SentForm, at now: Int64) -> Deed? {
        let done = deeds.withLock { $0[form] }
        return done.flatMap { now - $0.at < Self.memory ? $0.deed : nil }
    }

    /// Works on a form, one after the other where several are the same.
    ///
    /// - Parameter body: Gets what the same form did before.
    package func callAsFunction<Answer>(
        _ form: SentForm,
        at now: Int64,
        _ body: (Deed?) async throws -> Answer
    ) async throws -> Answer {
        await begin(form)
        defer { end(form) }
        return try await body(deed(of: form, at: now))
    }

    private func begin(_ form: SentForm) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isFirst = working.withLock { working in
                guard working[form] != nil else {
                    working[form] = []
                    return true
                }
                working[form]?.append(continuation)
                return false
            }
            if isFirst { continuation.resume() }
        }
    }

    private func end(_ form: SentForm) {
        let next: CheckedContinuation<Void, Never>? = working.withLock { working in
            guard var waiting = working[form], !waiting.isEmpty else {
                working[form] = nil
                return nil
            }
            let next = waiting.removeFirst()
            working[form] = waiting
            return next
        }
        next?.resume()
    }
}
