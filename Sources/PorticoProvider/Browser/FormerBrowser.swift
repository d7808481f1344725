import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// The values that a browser's form cookie had before a person signed in, sealed in a cookie of their own:
/// what was opened in another tab before is still this browser's (docs/decisions/0104).
///
/// The values themselves are good for nothing (WEB-SESS-1): only a browser that showed one of them when
/// it got a new one has this cookie. They count beside the session that began then, and no longer: the
/// next person at the machine could send a form with a password again. Beside it they prove no password
/// anew either (``BrowserFlow/isCurrent(_:_:_:)``): a form with one may be in the browser's history.
struct FormerBrowser: Sendable {
    private let seal: Seal

    /// More tabs than one: each sign-in in one of them makes the others older.
    static let most = 4
    /// In seconds: a page may be left open overnight.
    static let lifetime = 86_400

    struct Known: Sendable {
        /// `sid` of the session that they count beside.
        let sessionID: String
        /// The newest first.
        let values: [String]
    }

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "former form cookies", realm: realmID)
    }

    /// - Parameter cookie: As the browser brought it.
    func known(_ cookie: String?, at moment: Moment) -> Known? {
        guard let cookie else { return nil }
        do {
            let bytes = try seal.open(cookie, at: moment.now, within: Double(Self.lifetime))
            var reader = ByteReader(bytes)
            let sessionID = try reader.text()
            var values: [String] = []
            for _ in 0..<(try reader.byte()) { values.append(try reader.text()) }
            try reader.end()
            return Known(sessionID: sessionID, values: values)
        } catch {
            return nil
        }
    }

    /// The cookie of a browser whose form cookie is replaced.
    ///
    /// - Parameters:
    ///   - known: What counts beside another session is left out.
    ///   - sessionID: `sid` of the session that begins, or goes on, with the new value.
    func adding(
        _ value: String,
        to known: Known?,
        beside sessionID: String,
        at moment: Moment
    ) -> String {
        let earlier: [String] =
            known.flatMap { sameBytes($0.sessionID, sessionID) ? $0.values : nil } ?? []
        let values = ([value] + earlier.filter { !sameBytes($0, value) }).prefix(Self.most)
        var writer = ByteWriter()
        writer.text(sessionID)
        writer.byte(UInt8(clamping: values.count))
        for value in values { writer.text(value) }
        return seal.seal(writer.bytes, at: moment.now, random: moment.random)
    }
}

extension BrowserFlow {
    /// What forms of this browser may be bound to: the value of its cookie, and beside the session that
    /// has lived since, those that it had before. Empty without the cookie.
    func values(_ context: RealmContext) async throws -> [String] {
        guard let current = formCookie(context).value(context.headers) else { return [] }
        guard let former = former(context), let sessionID = try await sessionID(context),
            sameBytes(former.sessionID, sessionID)
        else { return [current] }
        return [current] + former.values
    }

    /// What this browser's form cookie was before, whether it counts or not.
    func former(_ context: RealmContext) -> FormerBrowser.Known? {
        FormerBrowser(ring: ring, realmID: context.realm.id)
            .known(cookies(of: context).former(context.headers), at: context.moment)
    }

    /// Whether a seal was made for this browser.
    func isOfThisBrowser(_ hash: Hash256, _ context: RealmContext) async throws -> Bool {
        try await values(context).contains { Hash256(of: $0) == hash }
    }
}

/// What a form did that would be refused the second time (``SentForms``).
enum FormDeed: Sendable {
    /// It signed a person in, in the session with this `sid`.
    case signedIn(sessionID: String)
    /// A new password.
    case done
    /// What a mailed link is for, by a click.
    case clicked
    /// A mail with a code or link in the place of the one before, or the way to a new password: its
    /// answer is given again.
    case answered(Response)
    /// Recovery codes, kept by this id: while they are the person's, the same page shows them again.
    case made(id: String, Response)

    /// What is given again as it was.
    var answer: Response? {
        if case .answered(let answer) = self { answer } else { nil }
    }

    /// The bytes of an answer.
    var size: Int {
        if case .made(_, let page) = self { return page.size }
        return answer?.size ?? 0
    }
}

extension SentForm {
    init(_ form: FormParameters, _ context: RealmContext) {
        self.init(form, of: context.realm.id)
    }
}
