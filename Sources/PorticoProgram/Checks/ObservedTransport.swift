import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSystem

extension HTTPTransportError {
    /// The fix where another party's server did not answer.
    var remedy: String {
        switch self {
        case .untrusted:
            "It needs a certificate that this machine trusts; a CA of your own belongs among the "
                + "system's. Or does it speak http there?"
        case .tooLarge, .wrongType, .malformed: "Is this the right address?"
        default: "Is the address right, does it run, and may this machine reach it?"
        }
    }
}

/// Sends requests by another transport and remembers the outcome, so that a command can show it.
struct ObservedTransport: HTTPTransport {
    struct Exchange: Sendable {
        let address: String
        let milliseconds: Int64
        /// When the reply was there. Seconds since 1970.
        let at: Int64
        let result: Result<HTTPReply, HTTPTransportError>

        var reply: HTTPReply? {
            if case .success(let reply) = result { reply } else { nil }
        }

        /// How many seconds this machine is ahead of the one that answered (RFC 9110 §6.6.1).
        var clockLead: Int64? {
            guard let field = reply?.response.headerFields[.date],
                let date = HTTPDate.date(field)
            else { return nil }
            return at - Moment(now: date, random: .system).seconds
        }
    }

    private let next: any HTTPTransport
    private let now: @Sendable () -> Date
    private let seen = Locked<[Exchange]>([])

    init(_ next: any HTTPTransport, now: @escaping @Sendable () -> Date) {
        self.next = next
        self.now = now
    }

    /// The same transport, with nothing remembered yet.
    var anew: ObservedTransport { ObservedTransport(next, now: now) }

    /// In the order in which they ended.
    var exchanges: [Exchange] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        let start = ContinuousClock.now
        let result: Result<HTTPReply, HTTPTransportError>
        do throws(HTTPTransportError) {
            result = .success(try await next.send(request, body: body, limits: limits))
        } catch {
            result = .failure(error)
        }
        let time = (ContinuousClock.now - start).components
        let exchange = Exchange(
            address: request.address?.text ?? "",
            milliseconds: time.seconds &* 1000 &+ time.attoseconds / 1_000_000_000_000_000,
            at: Moment(now: now(), random: .system).seconds,
            result: result
        )
        seen.withLock { $0.append(exchange) }
        return try result.get()
    }

    /// Fetches an address without following a redirect.
    func get(_ address: String) async -> Result<HTTPReply, HTTPTransportError> {
        guard let address = HTTPAddress(address) else { return .failure(.malformed) }
        var request = HTTPRequest(.get, to: address)
        request.headerFields[.accept] = "application/json"
        do throws(HTTPTransportError) {
            return .success(
                try await send(
                    request,
                    body: [],
                    limits: HTTPLimits(bytes: 256 * 1024, seconds: 10)
                )
            )
        } catch {
            return .failure(error)
        }
    }
}
