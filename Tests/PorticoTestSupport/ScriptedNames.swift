import PorticoBytes
import PorticoProtocol

/// A resolver that knows what it was told, and counts who asks.
package final class ScriptedNames: AddressResolver {
    private let answers: Locked<[[[UInt8]]]>
    private let asked = Locked<[String]>([])

    /// - Parameter answers: One after the other; the last holds from then on.
    package init(_ answers: [[UInt8]]...) {
        self.answers = Locked(answers)
    }

    package var questions: [String] { asked.withLock { $0 } }

    package func addresses(of host: String) async throws -> [[UInt8]] {
        asked.withLock { $0.append(host) }
        return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
    }
}

extension [UInt8] {
    package static let loopback4: [UInt8] = [127, 0, 0, 1]
    package static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]
}
