import ArgumentParser
import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStores

/// Where people are signed in, what they sign in with, and whether they may.
extension UserCommand {
    struct Sessions: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "List where a person is signed in, the last used first."
        )

        @OptionGroup var name: Name
        @OptionGroup(title: "General options") var options: ReadingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(name.realm.realm)
            let person = try await administration.person(name.name, in: realm).person
            let time = administration.timeForReading
            try console.show(
                Listing(
                    try await administration.sessions(of: person, in: realm),
                    Table("SESSION", "DEVICE", "APP", "ADDRESS", "LAST SEEN", "ENDS"),
                    none: "\(person.called) is not signed in anywhere.",
                    row: {
                        [
                            $0.id, $0.device.isEmpty ? nil : $0.device, $0.app, $0.address,
                            time($0.lastSeenAt), time($0.expiresAt),
                        ]
                    },
                    json: \.item
                ),
                options.read
            )
        }
    }

    struct Identities: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the identity providers that a person signs in with."
        )

        @OptionGroup var name: Name
        @OptionGroup(title: "General options") var options: ReadingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(name.realm.realm)
            let person = try await administration.person(name.name, in: realm).person
            let time = administration.timeForReading
            try console.show(
                Listing(
                    try await administration.people.identities(of: person.id),
                    Table("PROVIDER", "SUBJECT", "EMAIL", "LINKED", "LAST USED"),
                    none: "\(person.called) signs in with no identity provider.",
                    row: {
                        [
                            $0.provider, $0.subject, $0.email?.address, time($0.linkedAt),
                            time($0.lastUsedAt),
                        ]
                    },
                    json: \.json
                ),
                options.read
            )
        }
    }

    struct SignOut: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out",
            abstract: "Sign a person out everywhere, or end one of their sessions.",
            discussion: """
                Everywhere means each browser and app, also apps that stay signed in by themselves. \
                Identity providers are asked to revoke the tokens that no other session uses. If one \
                does not answer, the session ends all the same, and the command says which token was \
                not revoked.
                """
        )

        @OptionGroup var name: Name
        @Option(help: .value("id", "Only this session.")) var session: String?
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(name.realm.realm)
            let person = try await administration.person(name.name, in: realm).person
            let sessions = try await administration.sessions(of: person, in: realm)
            guard let session else {
                return try await everywhere(person, sessions.count, administration)
            }
            guard let found = sessions.first(where: { sameBytes($0.id, session) }) else {
                throw administration.missing(
                    "live session",
                    session,
                    among: [],
                    portico("user sessions \(person.username) --realm \(realm.name)")
                )
            }
            try await end(found, of: person, administration)
        }

        private func everywhere(_ person: Person, _ count: Int, _ administration: Administration)
            async throws
        {
            let subject = "\(count.counting("session")) of \(person.called)"
            guard administration.mayWrite("ended \(subject)") else { return }
            try await administration.depart(
                of: person,
                "User \(person.username)",
                done: "Ended \(subject). They can sign in again."
            ) { departure, moment in
                try await departure.signOutEverywhere(person.id, at: moment.seconds)
            }
        }

        private func end(
            _ session: PersonSession,
            of person: Person,
            _ administration: Administration
        ) async throws {
            let device = session.device.isEmpty ? "an unknown device" : printable(session.device)
            let subject = "the session of \(person.called) on \(device)"
            guard administration.mayWrite("ended \(subject)") else { return }
            let done = "Ended \(subject). They can sign in again."
            guard session.identity != nil else {
                let now = administration.moment.seconds
                try await administration.changing {
                    try await $0.endSession(
                        session.id,
                        in: person.realmID,
                        by: .commandLine,
                        at: now
                    )
                }
                return console.done(done)
            }
            try await administration.depart(
                of: person,
                "Session \(session.id)",
                done: done
            ) { departure, moment in
                try await departure.signOut(session.id, of: person.id, at: moment.seconds)
            }
        }
    }

    struct Block: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop a person from signing in, and sign them out everywhere."
        )

        @OptionGroup var name: Name
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            try await administration.setBlocked(true, name)
        }
    }

    struct Unblock: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a blocked person sign in again."
        )

        @OptionGroup var name: Name
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            try await administration.setBlocked(false, name)
        }
    }
}

extension PersonSession {
    var item: JSONObject {
        [
            "id": .string(id),
            "form": .string(app == nil ? "browser" : "app"),
            "app": app.map(JSONValue.string) ?? .null,
            "device": .string(device),
            "address": address.map(JSONValue.string) ?? .null,
            "created_at": .string(Times.standard(createdAt)),
            "last_seen_at": .string(Times.standard(lastSeenAt)),
            "expires_at": .string(Times.standard(expiresAt)),
        ]
    }
}

extension Administration {
    /// Where a person is signed in, the last used first.
    func sessions(of person: Person, in realm: Realm) async throws -> [PersonSession] {
        let now = moment.seconds
        return try await installation.sessions.sessions(
            of: person.id,
            realmID: realm.id,
            at: now,
            idle: realm.lifetimes.sessionIdle,
            limit: .max
        )
    }

    fileprivate func setBlocked(_ isBlocked: Bool, _ name: UserCommand.Name) async throws {
        let realm = try realm(name.realm.realm)
        let former = try await person(name.name, in: realm).person
        let words = [former.username, "--realm", realm.name]
        let (done, undo) = isBlocked ? ("Blocked", "unblock") : ("Unblocked", "block")
        guard former.isEnabled == isBlocked else {
            return console.say("Nothing to change: \(former.called) is \(former.state).")
        }
        guard mayWrite("\(done.lowercased()) \(former.called)") else { return }
        var person = former
        person.isEnabled = !isBlocked
        person.updatedAt = moment.seconds
        let changed = person
        _ = try await changing {
            try await $0.update(changed, replacing: former, by: .commandLine, at: moment)
        }
        console.done("\(done) \(former.called). Undo: \(portico("user \(undo) \(words: words)"))")
    }

    /// Times relative to now on a person's screen, RFC 3339 elsewhere.
    var timeForReading: (Int64) -> String {
        let now = moment.seconds
        return console.showsDataOnTerminal
            ? { Times.relative($0, at: now) } : { Times.standard($0) }
    }
}

extension Administration {
    /// Ends something of a person as they themselves would: providers revoke their tokens.
    ///
    /// - Parameters:
    ///   - subject: As a sentence begins.
    ///   - leaving: `nil` where they were deleted in the meantime.
    func depart(
        of person: Person,
        _ subject: String,
        done: String,
        _ leaving: (AccountDeparture, Moment) async throws -> AccountDeparture.Report?
    ) async throws {
        let report = try await withDeparture(in: person.realmID) {
            try await leaving($0, moment)
        }
        guard let report else { return try expectChanged(.notFound, subject) }
        console.done(done)
        for (provider, outcome) in report.revocations { say(outcome, of: printable(provider)) }
    }

    /// - Parameter realmID: Whose identity providers are told.
    private func withDeparture<Value>(
        in realmID: String,
        _ body: (AccountDeparture) async throws -> Value
    ) async throws -> Value {
        try await Self.withOutbound { outbound in
            // Known before, so that nothing stands between what is taken away and the revocation.
            let directory = try await ProviderDirectory(store: installation.backend) { record in
                try client(of: record, over: transport(of: record, over: outbound))
            }
            return try await body(
                AccountDeparture(
                    accounts: installation.accounts,
                    sessions: installation.sessions,
                    directory: realmList.first { $0.id == realmID }.map(directory.at) ?? directory,
                    ring: installation.ring
                )
            )
        }
    }

    /// Deletes a person, and has providers revoke the tokens that they gave us.
    func delete(_ person: Person) async throws -> Change {
        try await withDeparture(in: person.realmID) { departure in
            let identities = try await people.identities(of: person.id)
            let change = try await deleting { try await $0.delete(person, by: .commandLine) }
            for (provider, outcome) in await departure.revoke(identities) {
                say(outcome, of: printable(provider))
            }
            return change
        }
    }

    private func say(_ outcome: AccountDeparture.Revocation, of provider: String) {
        switch outcome {
        case .revoked: console.say("  \(provider) has revoked its token.")
        case .notRevoked:
            console.warn("\(provider) did not revoke its token: it cannot, or does not answer.")
        case .providerGone:
            console.warn(
                "\(provider) is no longer set up, or is disabled: its token was not revoked."
            )
        case .tokenLost:
            console.warn("\(provider): its token can no longer be opened, and was not revoked.")
        }
    }
}

extension Identity {
    var json: JSONObject {
        [
            "provider": .string(provider),
            "issuer": issuer.map(JSONValue.string) ?? .null,
            "subject": .string(subject),
            "email": (email?.address).map(JSONValue.string) ?? .null,
            "email_verified": .bool(email?.isVerified ?? false),
            "has_token": .bool(sealedToken != nil),
            "linked_at": .string(Times.standard(linkedAt)),
            "last_used_at": .string(Times.standard(lastUsedAt)),
        ]
    }
}

extension Registration {
    var json: JSONObject {
        [
            "provider": .string(provider),
            "at": .string(Times.standard(at)),
            "address": address.map(JSONValue.string) ?? .null,
            "user_agent": userAgent.map(JSONValue.string) ?? .null,
        ]
    }
}

extension EmailVerification {
    /// `nil`: a provider at most vouches for the address.
    var provenBy: String? {
        switch self {
        case .unverified, .vouched: nil
        case .authoritative: "authority"
        case .mailedCode: "code"
        }
    }
}
