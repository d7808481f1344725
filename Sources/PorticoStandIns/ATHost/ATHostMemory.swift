import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// The state of the stand-in of a host while it runs; nothing is stored.
struct ATHostMemory: Sendable {
    var people: [ATHostPerson] = [.ann, .bob]
    var faults = ATHostFaults()
    var sessions = ATHostSessions()
    /// Where the authorization server has its endpoints, once that is known.
    var addresses: ATHostAddresses?
    /// What it signs access tokens with.
    var keys: [VerificationKey] = []
    /// By DID, the oldest first.
    private var records: [String: [ATHostRecord]] = [:]
    private var lastTime: UInt64 = 0

    /// Of each account; older ones are dropped.
    private static let mostRecords = 1000

    func records(of did: String, in collection: String) -> [ATHostRecord] {
        records[did, default: []].filter { sameBytes($0.collection, collection) }
    }

    mutating func keep(_ record: ATHostRecord, of did: String) {
        records[did, default: []].append(record)
        if records[did, default: []].count > Self.mostRecords { records[did]?.removeFirst() }
    }

    /// The key of a record, or the revision of all: 13 characters, of which a later one sorts after an
    /// earlier one (AT Protocol, Timestamp Identifiers).
    mutating func timeID(at now: Date) -> String {
        let microseconds = (now.timeIntervalSince1970 * 1_000_000).rounded(.down)
        lastTime = max(lastTime + 1, (UInt64(exactly: microseconds) ?? 0) << 10)
        let alphabet = Array("234567abcdefghijklmnopqrstuvwxyz".utf8)
        let digits = stride(from: UInt64(60), through: 0, by: -5).map { shift in
            alphabet[Int(lastTime >> shift & 31)]
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

struct ATHostRecord: Sendable {
    let collection: String
    let key: String
    let contentID: String
    let value: JSONObject
}

/// What is known of the sessions whose tokens passed by.
struct ATHostSessions: Sendable {
    /// The session of each token.
    private var sessions: [Hash256: Int] = [:]
    /// The newest access token of each session: a refresh ends the one before.
    private var access: [Int: Hash256] = [:]
    private var ended: Set<Int> = []
    /// Refresh tokens that came, and whether the answer with their successor has gone out.
    private var taken: [Hash256: Bool] = [:]
    private var last = 0

    /// Whether an access token is good as far as is known here.
    func isGood(_ token: String) -> Bool {
        let hash = Hash256(of: token)
        guard let session = sessions[hash] else { return true }
        return !ended.contains(session) && access[session] == hash
    }

    mutating func end(_ token: String) {
        ended.insert(session(of: token))
    }

    /// A refresh token has come.
    ///
    /// - Returns: What is answered at once. `nil`: the authorization server is asked, and then
    ///   ``note(_:replacing:)`` follows, or ``giveBack(_:)``.
    mutating func take(_ token: String, _ losers: ATHostFaults.Losers?) -> ATHostFaults.Refused? {
        let session = session(of: token)
        if ended.contains(session) { return .invalidGrant }
        guard let losers else { return nil }
        let hash = Hash256(of: token)
        guard let isReplaced = taken[hash] else {
            taken[hash] = false
            return nil
        }
        if !isReplaced, losers == .serverError {
            return ATHostFaults.Refused(status: 500, code: "server_error")
        }
        ended.insert(session)
        return .invalidGrant
    }

    /// The authorization server gave nothing for it.
    mutating func giveBack(_ token: String) {
        taken[Hash256(of: token)] = nil
    }

    /// - Parameter former: The refresh token that was exchanged, if any.
    mutating func note(_ answer: JSONObject, replacing former: String?) {
        if sessions.count > 10_000 { self = ATHostSessions() }
        let session: Int
        if let former {
            session = self.session(of: former)
            taken[Hash256(of: former)] = true
        } else {
            last += 1
            session = last
        }
        for name in ["access_token", "refresh_token"] {
            if let token = answer.string(name) { sessions[Hash256(of: token)] = session }
        }
        access[session] = answer.string("access_token").map { Hash256(of: $0) }
    }

    /// A new one of a token that did not pass by.
    private mutating func session(of token: String) -> Int {
        let hash = Hash256(of: token)
        if let session = sessions[hash] { return session }
        last += 1
        sessions[hash] = last
        return last
    }
}

/// A person with an account at the stand-in of a host of the AT Protocol.
package struct ATHostPerson: Hashable, Sendable {
    /// In lower case.
    package var handle: String
    package var did: String
    package var email: String
    /// Where the directory says that the account is, if it is not at this host: an origin.
    package var movedTo: String?

    package init(handle: String, did: String, email: String, movedTo: String? = nil) {
        self.handle = handle
        self.did = did
        self.email = email
        self.movedTo = movedTo
    }

    // DIDs as the directory makes them, 24 letters of base32, though not from any key.

    package static let ann = ATHostPerson(
        handle: "ann.handles.test",
        did: "did:plc:annstandin2222222222222a",
        email: "ann@example.com"
    )
    package static let bob = ATHostPerson(
        handle: "bob.handles.test",
        did: "did:plc:bobstandin2222222222222b",
        email: "bob@example.com"
    )
}
