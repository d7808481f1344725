package import HTTPTypes
import NIOCore
package import PorticoATProtocol
package import PorticoBytes
package import PorticoProtocol
import PorticoProvider
package import PorticoStandIns
import PorticoStores
import PorticoWeb

/// The whole of a host of the AT Protocol in this process: the stand-in, and behind it the realm `test`
/// of ours. `alice` has the account of ``ATHostPerson/ann``, and `bob` that of ``ATHostPerson/bob``.
package struct JoinedHost: TextRecordResolver {
    package static let authority = "pds.handles.test"
    package static let origin = "https://pds.handles.test"

    package let provider: ProviderUnderTest
    package let host: ATHost
    /// What it was asked.
    package let log = RequestLog<ATHostCall>()
    /// Set in the documents of its directory.
    package let didMembers = Locked<JSONObject>([:])
    package let responder: ATHostResponder
    /// Answers browsers and servers alike.
    package let server: InProcessServer
    package let transport: InProcessTransport
    package let rules: IdentityRules

    /// - Parameters:
    ///   - origin: Its own; one of plain http is on `localhost`.
    ///   - documents: What the realm fetches documents of clients by.
    ///   - accounts: Whose account people of the realm have, by their names there.
    package init(
        at origin: String = JoinedHost.origin,
        clock: StoppedClock = StoppedClock(),
        documentsBy documents: any HTTPTransport,
        accounts: [String: ATHostPerson] = ["alice": .ann, "bob": .bob]
    ) async throws {
        let isPlain = origin.hasPrefix("http://")
        let provider = try await ProviderUnderTest(
            clock: clock,
            documentsBy: documents,
            // Another name than the host's, as wherever a realm has a host of its own.
            publicURL: isPlain
                ? origin.replacing("localhost", with: "127.0.0.1") : "https://op.example.com"
        ) { new in
            new.realm.issuer = origin
            new.realm.profile = .atProtocol(resource: origin)
            for index in new.people.indices {
                guard let account = accounts[new.people[index].person.username] else { continue }
                new.people[index].person.attributes["did"] = [account.did]
                new.people[index].person.attributes["handle"] = [account.handle]
            }
        }
        self.provider = provider
        host = try ATHost(
            baseURL: origin,
            clock: Clock { clock.now },
            nonces: DPoPNonces(ring: provider.ring),
            hook: log.hook(settingOfDIDs: didMembers)
        )
        responder = host.responder(
            authorizationServer: ProviderBehind(
                provider: provider,
                scheme: isPlain ? "http" : "https"
            )
        )
        server = InProcessServer(responder, peer: "127.0.0.1")
        let authority = origin.split(separator: "/").last.map { String($0) } ?? ""
        transport = InProcessTransport([authority: server])
        var rules = IdentityRules()
        rules.allowsTest = true
        if isPlain { rules.plainOrigins = [origin] }
        self.rules = rules
    }

    package var clock: Clock { Clock { [clock = provider.clock] in clock.now } }

    package func texts(at name: String) async throws(TextRecordError) -> [String] {
        host.texts[name] ?? []
    }
}

/// The Provider under test as its proxy asks it.
private struct ProviderBehind: Responder {
    let provider: ProviderUnderTest
    let scheme: String

    func respond(to request: Request) async -> Response {
        do {
            let reply = try await provider.send(
                request.method,
                request.head.path ?? "/",
                headers: request.headers,
                body: Array(request.body.readableBytesView),
                host: request.head.authority ?? "",
                scheme: scheme
            )
            return Response(
                status: HTTPResponse.Status(code: reply.status),
                headers: reply.headers,
                bytes: reply.body
            )
        } catch {
            return Response(status: .internalServerError)
        }
    }
}

/// The sites of clients that are made after the host that fetches their documents.
package final class LateSites: HTTPTransport {
    private let site = Locked<(@Sendable (HTTPRequest) async throws -> Reply)?>(nil)

    package init() {}

    package func answer(by site: @escaping @Sendable (HTTPRequest) async throws -> Reply) {
        self.site.withLock { $0 = site }
    }

    package func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let site = site.withLock({ $0 }) else { throw .unreachable }
        do {
            let reply = try await site(request)
            let head = HTTPResponse(
                status: HTTPResponse.Status(code: reply.status),
                headerFields: reply.headers
            )
            return HTTPReply(response: head, body: reply.body)
        } catch {
            throw .unreachable
        }
    }
}
