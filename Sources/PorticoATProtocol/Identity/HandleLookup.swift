import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// Asks whose a handle is: the DNS, and the site of that name (AT Protocol, Handle Resolution).
struct HandleLookup: Sendable {
    let transport: any HTTPTransport
    let names: any TextRecordResolver
    let rules: IdentityRules

    /// Of each of the two, in seconds.
    private static let patience = 5
    private static let mostRedirects = 3

    private enum Answer {
        case did(DID)
        case nobody
        /// The handle names several accounts.
        case several
        case unreachable
        /// Not asked.
        case busy
    }

    /// Both are asked at once. The DNS is believed first, so its answer does not wait for the
    /// site's.
    func did(of handle: Handle) async throws(IdentityError) -> DID {
        async let atSite = site(of: handle)
        let inNames = await texts(of: handle)
        switch inNames {
        case .did(let did): return did
        case .several: throw .handleAmbiguous
        case .nobody, .unreachable, .busy: break
        }
        switch (inNames, await atSite) {
        case (_, .did(let did)): return did
        case (.nobody, .nobody): throw .handleNotFound
        case (.busy, _), (_, .busy): throw .busy
        default: throw .handleUnreachable
        }
    }

    private func texts(of handle: Handle) async -> Answer {
        let name = "_atproto.\(handle.text)"
        // Longer names do not exist.
        guard name.utf8.count <= 253 else { return .nobody }
        let texts: [String]
        do {
            texts = try await names.texts(at: name)
        } catch {
            return error == .busy ? .busy : .unreachable
        }
        // `try?`: what is no DID is passed over, as every other text is.
        let found = Set(texts.compactMap { $0.dropping("did=") }.compactMap { try? read($0) })
        guard let did = found.first else { return .nobody }
        return found.count == 1 ? .did(did) : .several
    }

    private func site(of handle: Handle) async -> Answer {
        let origin = ServerOrigin(of: handle.name)
        guard var address = origin.address("/.well-known/atproto-did") else { return .nobody }
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        for _ in 0...Self.mostRedirects {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return .unreachable }
            let reply: HTTPReply
            do {
                var request = HTTPRequest(.get, to: address)
                request.headerFields[.accept] = "text/plain"
                reply = try await transport.send(
                    request,
                    body: [],
                    limits: HTTPLimits(bytes: 8 * 1024, seconds: Int(left.components.seconds) + 1)
                )
            } catch {
                switch error {
                case .busy: return .busy
                // A name that does not exist is no one's handle: it was mistyped.
                case .tooLarge, .noSuchHost: return .nobody
                default: return .unreachable
                }
            }
            switch reply.response.status.code {
            case 200..<300: return answer(of: reply)
            case 301, 302, 303, 307, 308:
                guard let next = target(of: reply, from: address) else { return .nobody }
                address = next
            case 500...599: return .unreachable
            default: return .nobody
            }
        }
        return .nobody
    }

    /// The first line, which must be a DID: that is enough to tell it from a page. The type is often
    /// wrong, because the file's name has no ending.
    private func answer(of reply: HTTPReply) -> Answer {
        guard
            let text = ForeignText.decoded(
                Array(
                    reply.body.prefix { $0 != UInt8(ascii: "\n") }
                        .trimming { $0.isBlank || $0 == UInt8(ascii: "\r") }
                )
            )
        else { return .nobody }
        do {
            return .did(try read(text[...]))
        } catch {
            return .nobody
        }
    }

    private func read(_ text: Substring) throws(DID.Refusal) -> DID {
        try DID(String(text), rules)
    }

    /// https on its own port, at a public name. Where that leads, the transport checks again.
    private func target(of reply: HTTPReply, from address: HTTPAddress) -> HTTPAddress? {
        guard let location = reply.field(.location) else { return nil }
        let isPath = location.dropping("/") != nil && location.dropping("//") == nil
        let text = isPath ? "https://\(address.authority)\(location)" : location
        guard let target = HTTPAddress(text), target.isSecure, target.port == 443 else {
            return nil
        }
        // `try?`: whatever is wrong with it, it is no name to ask.
        return (try? HostName(target.host, allowsTest: rules.allowsTest)) == nil ? nil : target
    }
}
