import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStandIns

/// Leads to a demo's host without the DNS, and so without a network. Other hosts are reached as without the demo.
struct DemoNetwork: StoredBodyTransport {
    let host: ATHost
    /// Leads to this machine, too.
    let plain: any HTTPTransport
    let guarded: any StoredBodyTransport

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address else { throw .malformed }
        guard !isHost(address) else {
            return try await plain.send(request, body: body, limits: limits)
        }
        guard !host.isHandle(address.host) else {
            // Its handles are in the DNS alone.
            return HTTPReply(response: HTTPResponse(status: .notFound), body: [])
        }
        return try await guarded.send(request, body: body, limits: limits)
    }

    func send(_ request: HTTPRequest, stored: any StoredBytes, limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address else { throw .malformed }
        guard isHost(address) else {
            return try await guarded.send(request, stored: stored, limits: limits)
        }
        guard stored.count <= host.longestBlob else {
            return HTTPReply(response: HTTPResponse(status: .contentTooLarge), body: [])
        }
        var body = [UInt8](repeating: 0, count: stored.count)
        var read = 0
        while read < body.count {
            let count = body.withUnsafeMutableBytes {
                stored.read(at: read, into: UnsafeMutableRawBufferPointer(rebasing: $0[read...]))
            }
            guard let count, count > 0 else { throw .refused }
            read += count
        }
        return try await plain.send(request, body: body, limits: limits)
    }

    private func isHost(_ address: HTTPAddress) -> Bool {
        guard let own = HTTPAddress(host.baseURL) else { return false }
        return sameBytes(own.origin, address.origin)
    }
}

/// The DNS with the handles of a demo's host, which are in no other one.
struct DemoTexts: TextRecordResolver {
    let host: ATHost
    let otherwise: any TextRecordResolver

    func texts(at name: String) async throws(TextRecordError) -> [String] {
        guard let handle = name.dropping("_atproto."), host.isHandle(String(handle)) else {
            return try await otherwise.texts(at: name)
        }
        return host.texts[name] ?? []
    }
}

extension ATHost {
    func isHandle(_ name: String) -> Bool {
        name.utf8.reversed().starts(with: ".\(Self.domain)".utf8.reversed())
    }
}
