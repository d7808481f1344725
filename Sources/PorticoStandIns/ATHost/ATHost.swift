import Crypto
import HTTPTypes
package import PorticoBytes
package import PorticoProtocol
package import PorticoWeb

/// A stand-in for a host of the AT Protocol: the directory of DIDs, the sites of handles, and a PDS with
/// records, all at one origin.
///
/// Its authorization server is not imitated: the requests for it go to a real one, a realm with the same
/// origin, and the stand-in changes on the way what its faults want to be changed.
package final class ATHost: Sendable {
    /// `http://localhost:9001`, without a slash at the end: the PDS, its issuer, and the directory.
    package let baseURL: String
    /// Of an uploaded file, in bytes.
    package let longestBlob: Int
    package let clock: Clock
    let hook: StandInHook<ATHostCall>
    let nonces: DPoPNonces
    let memory: Locked<ATHostMemory>
    /// Proofs that were used.
    let proofs = SeenLately<Hash256>()

    /// Below it are the handles of the accounts here.
    package static let domain = "handles.test"

    /// - Parameters:
    ///   - nonces: Those of the authorization server: a host has one kind for all its parts.
    ///   - hook: Sees each request.
    /// - Throws: ``StandIns/Refusal/notAnOrigin``.
    package init(
        baseURL: String,
        clock: Clock = .system,
        nonces: DPoPNonces? = nil,
        longestBlob: Int = 5_242_880,
        hook: @escaping StandInHook<ATHostCall> = { call, answer in await answer(call) }
    ) throws(StandIns.Refusal) {
        guard let address = HTTPAddress(baseURL), address.path.isEmpty, address.query == nil else {
            throw .notAnOrigin
        }
        self.baseURL = baseURL
        self.clock = clock
        self.hook = hook
        self.longestBlob = longestBlob
        let key = SymmetricKey(data: clock.moment().random.bytes(32))
        self.nonces = nonces ?? DPoPNonces(keys: [key])
        memory = Locked(ATHostMemory())
    }

    /// Its own pipeline, which serves this machine only.
    ///
    /// - Parameter server: Serves a realm whose issuer is ``baseURL``, and its pages. It gets requests as
    ///   they came, with the same `Host`.
    package func responder(authorizationServer server: any Responder) -> ATHostResponder {
        ATHostResponder(self, server)
    }
}

extension ATHost {
    package var people: [ATHostPerson] { memory.withLock { $0.people } }

    package func setPeople(_ people: [ATHostPerson]) {
        memory.withLock { $0.people = people }
    }

    /// The TXT records that name the accounts, by their name: what a test network takes.
    package var texts: [String: [String]] {
        Dictionary(
            people.map { ("_atproto.\($0.handle)", ["did=\($0.did)"]) },
            uniquingKeysWith: { $0 + $1 }
        )
    }

    func person(did: String) -> ATHostPerson? {
        people.first { sameBytes($0.did, did) }
    }

    func person(handle: String) -> ATHostPerson? {
        people.first { sameBytes($0.handle, handle) }
    }
}

extension ATHost {
    /// Changes the faults, from the next request on.
    package func configure(_ change: (inout ATHostFaults) -> Void) {
        memory.withLock { change(&$0.faults) }
    }

    var faults: ATHostFaults { memory.withLock { $0.faults } }

    /// Answers a request with the faults of the moment.
    func answer(
        _ endpoint: ATHostEndpoint,
        _ request: Request,
        _ headers: SecurityHeaders,
        by answer: @escaping @Sendable (ATHostFaults) async -> Response
    ) async -> Response {
        await hook(ATHostCall(endpoint: endpoint, request: request)) { _ in
            let faults = faults
            guard !faults.down.contains(endpoint) else {
                return Response(empty: .serviceUnavailable, headers: headers)
            }
            let response = await answer(faults)
            guard !faults.losesAnswers.contains(endpoint) else {
                return Response(empty: .gatewayTimeout, headers: headers)
            }
            return response
        }
    }
}
