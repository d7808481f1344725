import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// A pending authorization request: the sealed state that a person's pages carry, so that nothing
/// is stored for a person who never returns (docs/decisions/0034).
struct AuthorizationFlow: Sendable, Equatable {
    /// The id of the code that is made from it; one grant per request.
    var requestID: UniqueID
    /// The effective request, form-encoded: the pushed one, if any.
    var parameters: [UInt8]
    /// The hash of the pre-session cookie of the browser it began in, so that an attacker cannot
    /// plant a request in another person's browser.
    var browser: Hash256
    /// Seconds since 1970.
    var startedAt: Int64
    /// `sid` of a session that was begun for this very request: a forced sign-in is done.
    var authenticatedSession: String?
    /// Whether the person chose to continue with the account they are signed in with.
    var hasSelectedAccount = false
    /// Whether the request was pushed: it keeps its id when it is restarted.
    var isPushed = false
    /// Whether a page of another site posted it: it is no link, although it goes on by a redirect.
    var isPosted = false
    /// What became of the action that the request asks for.
    var action: RequestedAction.Status?
    /// The session that an app has handed on, where that was accepted.
    var handedOn: HandedOnSession?
    /// Whether there was one, which counts no more. Not part of the seal.
    var wasHandedOn = false
    /// Whether it came back from a page, which can be submitted again. Not part of the seal.
    var wasShown = false
    /// Whether no page was shown for it yet: a hint at an identity provider counts. Not part of the seal.
    var isBeginning = false
    /// ``browser`` as it was in a form that is being answered. Not part of the seal.
    var sentBy: Hash256?

    /// The hashes of the form cookie of the browser that answers, before and after a sign-in.
    var browsers: [Hash256] { [browser] + [sentBy].compactMap(\.self) }

    /// How long a page may wait for a person, in seconds. After that, one button restarts the same
    /// request.
    static let patience: Int64 = 1800

    func isStale(at now: Int64) -> Bool {
        now - startedAt >= Self.patience
    }
}

/// Seals and opens the flows of one realm.
struct AuthorizationFlowSeal: Sendable {
    private let seal: Seal

    /// The longest seal: it is part of a URL and a form, which are shorter than a request may be
    /// (docs/decisions/0102).
    static let maximumLength = 24 * 1024
    /// The longest form-encoded request that always fits into a seal, in bytes: the longest `state` has
    /// three quarters of it, if each of its bytes is encoded.
    static let longestRequest = 16 * 1024
    /// A seal opens for thirty days, in seconds, so that a page that was left open can still begin its
    /// request again.
    static let lifetime: Double = 30 * 86_400

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "authorization request", realm: realmID)
    }

    static let tooLong = OAuthError(.invalidRequest, "The parameters are too long together.")

    /// - Throws: `invalid_request` if the request is too long to be carried; this shows on the first
    ///   page, if at all.
    func seal(_ flow: AuthorizationFlow, at moment: Moment) throws(OAuthError) -> String {
        guard flow.parameters.count <= Self.longestRequest else { throw Self.tooLong }
        let text = seal.seal(flow.encoded, at: moment.now, random: moment.random)
        guard text.utf8.count <= Self.maximumLength else {
            throw Self.tooLong
        }
        return text
    }

    /// - Returns: `nil` if the text is not a flow of this realm, or is older than ``lifetime``.
    func open(_ text: String, at moment: Moment) -> AuthorizationFlow? {
        // `try?`: every failure leads to the same page.
        guard
            let bytes = try? seal.open(
                text,
                at: moment.now,
                within: Self.lifetime,
                maximumLength: Self.maximumLength
            )
        else { return nil }
        // `try?`: only another version of the program writes other fields.
        guard var flow = try? AuthorizationFlow(encoded: bytes) else { return nil }
        flow.wasShown = true
        flow.sentBy = flow.browser
        return flow
    }
}

extension AuthorizationFlow {
    private static let version: UInt8 = 1
    /// With ``handedOn`` at the end.
    private static let versionHandedOn: UInt8 = 3

    fileprivate var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.byte(handedOn == nil ? Self.version : Self.versionHandedOn)
        writer.fixed(requestID.bytes)
        writer.fixed(browser.bytes)
        writer.integer(startedAt)
        // A program of the version before reads another byte than 1 as 0, and asks once more.
        writer.byte((hasSelectedAccount ? 1 : 0) | (action?.rawValue ?? 0) << 1)
        writer.byte(isPushed ? 1 : isPosted ? 2 : 0)
        writer.optionalText(authenticatedSession)
        writer.sized(parameters)
        if let handedOn {
            writer.derivation(handedOn.derivation)
            writer.text(handedOn.sessionID)
            writer.byte(handedOn.isOffline ? 1 : 0)
        }
        return writer.bytes
    }

    fileprivate init(encoded: [UInt8]) throws {
        var reader = ByteReader(encoded)
        let version = try reader.byte()
        guard version == Self.version || version == Self.versionHandedOn,
            let requestID = UniqueID(bytes: try reader.fixed(16))
        else {
            throw ByteReader.Malformed()
        }
        self.requestID = requestID
        browser = Hash256(kept: try reader.fixed(32))
        startedAt = try reader.integer()
        let marks = try reader.byte()
        hasSelectedAccount = marks & 1 == 1
        action = RequestedAction.Status.allCases.first { $0.rawValue == marks >> 1 }
        let way = try reader.byte()
        isPushed = way == 1
        isPosted = way == 2
        authenticatedSession = try reader.optionalText()
        parameters = try reader.sized()
        if version == Self.versionHandedOn {
            handedOn = HandedOnSession(
                derivation: try reader.derivation(),
                sessionID: try reader.text(),
                isOffline: try reader.byte() == 1
            )
        }
        try reader.end()
    }
}
