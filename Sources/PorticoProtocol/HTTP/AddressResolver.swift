import Dispatch
import PorticoBytes
import PorticoSystem

/// Resolves a host name to its addresses.
package protocol AddressResolver: Sendable {
    /// Every address of `host`, in the order in which to try them, of four or sixteen bytes each.
    /// Empty if it has none.
    ///
    /// - Parameter host: A name, or an IP literal without brackets.
    func addresses(of host: String) async throws -> [[UInt8]]
}

/// The system's resolver: hosts file, DNS, and other configured sources.
package final class SystemResolver: AddressResolver {
    /// The most lookups at one time: `getaddrinfo` blocks its thread, at worst for a minute.
    private static let most = 32

    private let queue = DispatchQueue(label: "portico.resolver", attributes: .concurrent)
    private let underWay = Locked(0)

    package init() {}

    package func addresses(of host: String) async throws -> [[UInt8]] {
        let mayAsk = underWay.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
        guard mayAsk else { return [] }
        let answer = Answer()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.expect(continuation)
                queue.async { [underWay] in
                    let addresses = Self.ask(host)
                    underWay.withLock { $0 -= 1 }
                    answer.give(.success(addresses))
                }
            }
        } onCancel: {
            // The cancelled task does not wait for the system; the thread ends by itself.
            answer.give(.failure(CancellationError()))
        }
    }

    private static func ask(_ host: String) -> [[UInt8]] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = Int32(SOCK_STREAM)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [[UInt8]] = []
        var next = list
        while let entry = next?.pointee {
            if let address = bytes(of: entry), !addresses.contains(address) {
                addresses.append(address)
            }
            next = entry.ai_next
        }
        return addresses
    }

    /// Addresses other than IPv4 and IPv6 are not requested and not used.
    private static func bytes(of entry: addrinfo) -> [UInt8]? {
        guard let address = entry.ai_addr else { return nil }
        let raw = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
        // Family and port come first; in IPv6 the flow too.
        switch entry.ai_family {
        case AF_INET: return raw.count >= 8 ? Array(raw[4..<8]) : nil
        case AF_INET6: return raw.count >= 24 ? Array(raw[8..<24]) : nil
        default: return nil
        }
    }
}

/// Ends a wait with whichever comes first: the system's answer, or the task's cancellation.
private final class Answer: Sendable {
    private enum State {
        case open
        case expected(CheckedContinuation<[[UInt8]], any Error>)
        case given(Result<[[UInt8]], any Error>)
    }

    private let state = Locked(State.open)

    func expect(_ continuation: CheckedContinuation<[[UInt8]], any Error>) {
        let given: Result<[[UInt8]], any Error>? = state.withLock { state in
            if case .given(let result) = state { return result }
            state = .expected(continuation)
            return nil
        }
        if let given { continuation.resume(with: given) }
    }

    func give(_ result: Result<[[UInt8]], any Error>) {
        let waiting: CheckedContinuation<[[UInt8]], any Error>? = state.withLock { state in
            defer { state = .given(result) }
            if case .expected(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(with: result)
    }
}
