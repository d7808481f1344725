import Crypto
package import PorticoBytes
package import PorticoProtocol
package import PorticoWeb

/// A stand-in for a host of the AT Protocol: the directory of DIDs, the sites of handles, and a PDS with
/// records, all at one origin. For `--demo`, and for tests.
///
/// Its authorization server is not imitated: the requests for it go to a real one, a realm with the same
/// origin, and the stand-in changes what tests want to be changed on the way.
package final class ATHost: Sendable {
    /// `http://localhost:9001`, without a slash at the end: the PDS, its issuer, and the directory.
    package let baseURL: String
    /// Of an uploaded file, in bytes.
    package let longestBlob: Int
    package let log = ATHostLog()
    package let clock: Clock
    let nonces: DPoPNonces
    let memory: Locked<ATHostMemory>
    /// Proofs that were used.
    let proofs = SeenLately<Hash256>()

    /// Below it are the handles of the accounts here.
    package static let domain = "handles.test"

    /// - Parameter nonces: Those of the authorization server: a host has one kind for all its parts.
    /// - Throws: ``StandIns/Refusal/notAnOrigin``.
    package init(
        baseURL: String,
        clock: Clock = .system,
        nonces: DPoPNonces? = nil,
        longestBlob: Int = 5_242_880
    ) throws(StandIns.Refusal) {
        guard let address = HTTPAddress(baseURL), address.path.isEmpty, address.query == nil else {
            throw .notAnOrigin
        }
        self.baseURL = baseURL
        self.clock = clock
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

    /// Removes all faults and barriers.
    package func repair() {
        let barriers = memory.withLock { memory in
            defer { memory.barriers = [] }
            memory.faults = ATHostFaults()
            return memory.barriers
        }
        for barrier in barriers { barrier.release() }
    }

    /// Keeps the requests to an endpoint waiting.
    ///
    /// - Parameter count: When so many have come, all go on.
    package func hold(
        _ endpoint: ATHostEndpoint,
        at place: ATHostBarrier.Place = .request,
        until count: Int = .max
    ) -> ATHostBarrier {
        let barrier = ATHostBarrier(endpoint, place, until: count)
        memory.withLock { $0.barriers.append(barrier) }
        return barrier
    }

    var faults: ATHostFaults { memory.withLock { $0.faults } }

    func pass(_ place: ATHostBarrier.Place, of endpoint: ATHostEndpoint) async {
        let barriers = memory.withLock { $0.barriers }
        for barrier in barriers where barrier.endpoint == endpoint && barrier.place == place {
            await barrier.pass()
        }
    }
}
