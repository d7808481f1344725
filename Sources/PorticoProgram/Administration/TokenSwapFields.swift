import ArgumentParser
import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoOutbound
import PorticoProtocol
import PorticoStores
import PorticoSystem

/// Whether the refresh tokens of the Keycloak that a realm comes from are swapped
/// (docs/decisions/0051).
struct TokenSwapFields: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether refresh tokens of the Keycloak that the realm comes from are swapped for new ones."
    )
    var swapTokens: Bool?

    @Option(help: .value("url", "The issuer of those tokens, if it is not the realm's."))
    var oldIssuer: String?

    @Option(
        help: .value(
            "file or url",
            "Which sessions are alive there: a list, or the realm's address in its admin REST interface."
        )
    )
    var liveSessions: String?

    @Option(help: .value("path", "The access token for that address; - for stdin."))
    var liveSessionsTokenFile: String?

    @Flag(
        help:
            "Without a list: take offline tokens all the same, also those whose session had been ended."
    )
    var acceptUnlistedOfflineSessions = false

    func validate() throws {
        guard liveSessions == nil || !acceptUnlistedOfflineSessions else {
            throw ValidationError(
                "--accept-unlisted-offline-sessions is for moving without --live-sessions."
            )
        }
        guard swapTokens != false || !isAsked else {
            throw ValidationError("--no-swap-tokens stands alone.")
        }
        if let oldIssuer, HTTPAddress(oldIssuer) == nil || oldIssuer.utf8.count > 2048 {
            throw ValidationError("--old-issuer must be an http or https address.")
        }
    }

    private var isAsked: Bool {
        swapTokens == true || oldIssuer != nil || liveSessions != nil
            || acceptUnlistedOfflineSessions
    }

    /// The realm with what was asked for. A list is read, and kept unless it is a dry run.
    ///
    /// - Parameter keys: The realm's, as they were imported.
    func apply(to realm: inout Realm, keys: [KeptKey], _ administration: Administration)
        async throws
    {
        // What is known of the old tokens is kept: without it, some would be swapped a second time.
        if swapTokens == false { realm.tokenSwap?.isOn = false }
        guard isAsked else { return }
        guard keys.contains(where: { $0.kind == .hmac && $0.sealed != nil }) else {
            throw Failure(
                .refused,
                "Realm \(realm.name) has no key that verifies refresh tokens of a Keycloak.",
                "Only a full export has it: not one of the console, which masks keys."
            )
        }
        let now = administration.moment.seconds
        var swap =
            realm.tokenSwap
            ?? TokenSwap(
                issuer: realm.issuer,
                // By then an offline session that was not swapped is too old there as well.
                closesAt: now + realm.lifetimes.offlineIdle,
                isLinear: RealmRepresentation(realm).revokesRefreshTokens
            )
        swap.isOn = true
        swap.sessionMaximum =
            swap.sessionMaximum
            ?? max(realm.lifetimes.sessionMaximum, realm.lifetimes.formerSessionMaximum)
        if let oldIssuer { swap.issuer = oldIssuer }
        if acceptUnlistedOfflineSessions { swap.takesUnlistedOffline = true }
        if let liveSessions {
            swap.listedUntil = try await read(liveSessions, realm, administration, at: now)
            swap.takesUnlistedOffline = false
        }
        if swap.listedUntil == nil, !swap.takesUnlistedOffline {
            administration.console.warn(
                "Offline tokens are refused: which of their sessions are alive, "
                    + "--live-sessions says."
            )
        }
        realm.tokenSwap = swap
    }

    /// The same for a realm that was just imported, and stays where this fails.
    func turnOn(in name: String, _ administration: Administration) async throws {
        guard isAsked, !administration.isDryRun else { return }
        guard let imported = try await administration.realms.realm(named: name) else { return }
        let keys = try await administration.realms.keptKeys(realmID: imported.id)
        var realm = imported
        do {
            try await apply(to: &realm, keys: keys, administration)
        } catch let failure as Failure {
            throw Failure(
                failure.problem,
                failure.what,
                advice: failure.advice
                    + ["The realm is there. Try again: \(command(realm.name))"]
            )
        }
        guard realm != imported else { return }
        try await administration.changing { [realm] in
            try await $0.update(realm, replacing: imported, by: .commandLine)
        }
        administration.console.done("Refresh tokens of before are swapped in realm \(realm.name).")
    }

    private func command(_ name: String) -> String {
        var words = [name]
        if swapTokens == true { words.append("--swap-tokens") }
        if let oldIssuer { words += ["--old-issuer", oldIssuer] }
        if let liveSessions { words += ["--live-sessions", liveSessions] }
        if let liveSessionsTokenFile {
            words += ["--live-sessions-token-file", liveSessionsTokenFile]
        }
        if acceptUnlistedOfflineSessions { words.append("--accept-unlisted-offline-sessions") }
        return portico("realm update \(words: words)")
    }

    /// - Returns: Since when a session may have begun that is not on the list.
    private func read(
        _ place: String,
        _ realm: Realm,
        _ administration: Administration,
        at now: Int64
    ) async throws -> Int64 {
        let grants = administration.installation.grants
        let take: ([ListedSession]) async throws -> Void = { sessions in
            guard !administration.isDryRun else { return }
            try await grants.list(sessions, realmID: realm.id, at: now)
        }
        let sessions: LiveSessions
        var asked: Int64 = 0
        do {
            if let address = HTTPAddress(place) {
                sessions = try await ask(address, administration.console, take)
                asked = now
            } else {
                sessions = try await read(file: place, take)
            }
        } catch let error as LiveSessionsError {
            throw Failure(
                .importBroken,
                "The list of live sessions cannot be read.",
                "\(printable(place)): \(printable(error.reason))"
            )
        }
        if !administration.isDryRun {
            try await grants.unlist(before: now, realmID: realm.id)
        }
        administration.console.say(
            sessions.count == 1
                ? "1 session is on the list." : "\(sessions.count) sessions are on the list."
        )
        return max(sessions.lastUsedAt, asked)
    }

    private func ask(
        _ address: HTTPAddress,
        _ console: Console,
        _ take: ([ListedSession]) async throws -> Void
    ) async throws -> LiveSessions {
        let token = try SecretInput(console: console).secret(
            path: liveSessionsTokenFile,
            name: "Access token",
            option: "--live-sessions-token-file"
        )
        return try await Administration.withOutbound { transport in
            let request = LiveSessionsRequest(realm: address, token: token, transport: transport)
            return try await request(take: take)
        }
    }

    /// Twice, so that nothing is kept of a file that is broken further on.
    private func read(file path: String, _ take: ([ListedSession]) async throws -> Void)
        async throws -> LiveSessions
    {
        var checked = LiveSessions()
        try await checked.read(file: path) { _ in }
        var sessions = LiveSessions()
        try await sessions.read(file: path, take: take)
        return sessions
    }
}

extension LiveSessions {
    fileprivate mutating func read(
        file path: String,
        take: ([ListedSession]) async throws -> Void
    ) async throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw LiveSessionsError(reason: systemReason())
        }
        defer { close(descriptor) }
        try await read(FileSource(descriptor), take: take)
    }
}

/// Asks the admin REST interface of a running Keycloak which sessions are alive, page by page.
struct LiveSessionsRequest {
    /// Of the realm there: `https://id.example.com/admin/realms/acme`.
    let realm: HTTPAddress
    /// An access token with the roles `view-realm`, `view-clients` and `view-users` of `realm-management`.
    let token: SecretText
    let transport: any HTTPTransport

    private static let page = 100
    private static let limits = HTTPLimits(bytes: 4 << 20, seconds: 30)

    func callAsFunction(take: ([ListedSession]) async throws -> Void) async throws -> LiveSessions {
        // The token must not be readable on its way.
        guard realm.isSecure || realm.isThisMachine else {
            throw LiveSessionsError(reason: "its address must be https.")
        }
        var sessions = LiveSessions()
        // Names the clients that have sessions, and no others.
        for client in try await array("client-session-stats") {
            guard let id = client.object?.string("id"), Self.isID(id) else {
                throw LiveSessionsError(reason: "it does not answer like Keycloak.")
            }
            for kind in LiveSessions.Kind.allCases {
                var first = 0
                while true {
                    let path = "clients/\(id)/\(kind.rawValue)?first=\(first)&max=\(Self.page)"
                    let found = try await array(path)
                    for session in found where !sessions.add(session, of: id, kind) {
                        throw LiveSessionsError(reason: "it does not answer like Keycloak.")
                    }
                    try await sessions.hand(on: take)
                    guard found.count >= Self.page else { break }
                    first += found.count
                }
            }
        }
        return sessions
    }

    /// It becomes part of a path.
    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    }

    private func array(_ path: String) async throws -> [JSONValue] {
        guard let address = HTTPAddress(realm.text + "/" + path) else {
            throw LiveSessionsError(reason: "its address is none.")
        }
        var request = HTTPRequest(.get, to: address)
        request.headerFields[.authorization] = "Bearer " + token.reveal()
        request.headerFields[.accept] = "application/json"
        let reply: HTTPReply
        do {
            reply = try await transport.send(request, body: [], limits: Self.limits)
        } catch {
            throw LiveSessionsError(reason: "it does not answer.")
        }
        guard reply.response.status == .ok else {
            let status = reply.response.status.code
            guard reply.response.status != .unauthorized else {
                throw LiveSessionsError(
                    reason: "it answers 401: the access token is not good, or over. "
                        + "Those of admin-cli live for a minute."
                )
            }
            throw LiveSessionsError(reason: "it answers \(status).")
        }
        // `try?`: whatever is wrong with it, it is no answer of Keycloak's.
        let value = try? JSONValue(parsing: reply.body, limits: .foreign(size: Self.limits.bytes))
        guard let array = value?.array else {
            throw LiveSessionsError(reason: "it does not answer like Keycloak.")
        }
        return array
    }
}
