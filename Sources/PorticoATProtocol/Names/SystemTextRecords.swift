import CResolv
import PorticoBytes
package import PorticoProtocol

/// The name servers that the system is set up with.
package final class SystemTextRecords: TextRecordResolver {
    /// A name server by its IPv4 address.
    package struct Server: Sendable {
        let address: String
        let port: UInt16

        package init(address: String, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    private static let seconds = 5
    private static let mostRecords: Int32 = 64
    private static let longestText: Int32 = 4096

    private let server: Server?
    private let calls: BlockingCalls<Result<[String], TextRecordError>>

    /// - Parameters:
    ///   - most: Names that are being looked up at one time.
    ///   - server: Asked instead of the system's.
    package init(most: Int = 32, server: Server? = nil) {
        calls = BlockingCalls(most: most)
        self.server = server
    }

    package func texts(at name: String) async throws(TextRecordError) -> [String] {
        // C ends a text at its first NUL.
        guard name.utf8.count <= 253, name.utf8.allSatisfy(\.isVisible) else { throw .malformed }
        let answer: Result<[String], TextRecordError>
        do {
            answer = try await withThrowingTaskGroup(
                of: Result<[String], TextRecordError>.self
            ) { group in
                group.addTask { [calls, server] in
                    try await calls(name) { Self.ask(server, for: name) } ?? .failure(.busy)
                }
                group.addTask {
                    // A server that answers over TCP is waited for without end.
                    try await Task.sleep(for: .seconds(Self.seconds))
                    return .failure(.unreachable)
                }
                defer { group.cancelAll() }
                return try await group.next() ?? .failure(.unreachable)
            }
        } catch {
            // The task is cancelled.
            throw .unreachable
        }
        return try answer.get()
    }

    private static func ask(_ server: Server?, for name: String)
        -> Result<[String], TextRecordError>
    {
        var out = [UInt8](repeating: 0, count: 64 * 1024)
        let count = cresolv_texts(
            name,
            server?.address,
            server?.port ?? 53,
            Int32(seconds),
            mostRecords,
            longestText,
            &out,
            Int32(out.count)
        )
        guard count >= 0 else {
            return .failure(Int(count) == CRESOLV_MALFORMED ? .malformed : .unreachable)
        }
        var texts: [String] = []
        var rest = out[...]
        for _ in 0..<count {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            let text = Array(rest.dropFirst(2).prefix(length))
            rest = rest.dropFirst(2 + length)
            guard text.allSatisfy({ $0 < 0x80 }), let text = ForeignText.decoded(text) else {
                continue
            }
            texts.append(text)
        }
        return .success(texts)
    }
}
