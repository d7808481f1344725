import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoSystem
import PorticoWeb

/// The second step of a sign-in: a code of the person who has typed the right password
/// (NIST SP 800-63B §3.1.4, §3.1.2; docs/decisions/0050).
struct SecondStep: Sendable {
    let flow: BrowserFlow
    let people: PersonStore
    /// Wrong codes, by person: another browser or address does not give more of them.
    let tries: RateLimiter
    let events: SecurityEvents

    /// 5 in 15 minutes.
    static let limit = RateLimit(burst: 5, perMinute: 5.0 / 15)

    /// A person who proved both.
    struct Proven: Sendable {
        let credentials: PersonCredentials
        let rehashed: PasswordHash?
        /// The session that a provider has proven, where no password did.
        let first: LiveSession?
        /// Not spent yet.
        let use: CredentialUse
    }

    enum Outcome: Sendable {
        case proven(Proven)
        case show(Response)
        /// The password must be typed again, by the person of that name, if it can be known.
        case lost(userName: String)
    }

    /// The page that asks for the code; `nil` where the person has no second factor.
    func ask(
        _ credentials: PersonCredentials,
        _ rehashed: PasswordHash?,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response? {
        guard let password = credentials.password else { return nil }
        return try await ask(
            credentials.person,
            epoch: credentials.epoch,
            .password(Hash256(of: password.encoded), rehashed: rehashed),
            for: purpose,
            context
        )
    }

    /// The same for a person whom a provider has proven.
    func ask(_ first: LiveSession, for purpose: some SignInPurpose, _ context: RealmContext)
        async throws -> Response?
    {
        try await ask(
            first.person,
            epoch: first.session.epoch,
            .session(first.session.id),
            for: purpose,
            context
        )
    }

    private func ask(
        _ person: Person,
        epoch: Int64,
        _ first: SecondStepProof.First,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response? {
        guard let factors = try await factors(of: person) else { return nil }
        let browser = try flow.browser(context)
        let proof = SecondStepProof(
            personID: person.id,
            epoch: epoch,
            first: first,
            browser: Hash256(of: browser.value),
            transaction: purpose.transaction
        )
        let sealed = PageSeal<SecondStepProof>(ring: flow.ring, realmID: context.realm.id)
            .seal(proof, at: context.moment)
        return try page(sealed, factors, way: nil, for: purpose, context)
    }

    /// Checks the code in a form that ``ask(_:_:for:_:)`` has shown. It is not spent by that.
    func check(
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Outcome {
        guard let sealed = form["proof"],
            let (proof, isLate) = PageSeal<SecondStepProof>(
                ring: flow.ring,
                realmID: context.realm.id
            )
            .open(sealed, at: context.moment),
            try await flow.isOfThisBrowser(proof.browser, context),
            sameBytes(proof.transaction, purpose.transaction),
            let kept = try await people.credentials(id: proof.personID, realmID: context.realm.id)
        else { return .lost(userName: "") }
        guard !isLate, proof.holds(for: kept), let factors = try await factors(of: kept.person)
        else { return .lost(userName: kept.person.email ?? kept.person.username) }
        var first: LiveSession?
        if case .session(let id) = proof.first {
            first = try await flow.firstStep(context)
            guard let first, sameBytes(first.session.id, id) else { return .lost(userName: "") }
        }
        let way = form["way"].flatMap(SecondStepPage.Way.init(wire:))
        func again(_ problem: SecondStepPage.Problem?, _ way: SecondStepPage.Way?) throws -> Outcome
        {
            .show(try page(sealed, factors, way: way, problem, for: purpose, context))
        }
        if let other = form["action"].flatMap(SecondStepPage.Way.init(wire:)) {
            return try again(nil, other)
        }
        guard let typed = form["code"], !TypedCode.compact(typed).isEmpty else {
            return try again(form["code"].map { $0.isEmpty } ?? true ? .missing : .wrong, way)
        }
        if case .wait(let seconds) = tries.take(key(kept.person), at: context.moment.now) {
            let whole = Int(exactly: min(max(seconds.rounded(.up), 1), 86_400)) ?? 86_400
            return try again(.mustWait(seconds: whole), way)
        }
        let use = factors.use(
            of: typed,
            CredentialSeal(ring: flow.ring),
            at: context.now,
            drift: context.realm.realm.codeDrift
        )
        guard let use else {
            events.note(.secondStepFailed, context, person: kept.person.id)
            return try again(.wrong, way)
        }
        return .proven(
            Proven(credentials: kept, rehashed: proof.first.rehashed, first: first, use: use)
        )
    }

    /// The code was right, and is spent now: it does not count as a wrong one.
    func wasRight(_ person: Person, _ context: RealmContext) {
        tries.giveBack(key(person), at: context.moment.now)
    }

    /// The page again, because the code was right once before.
    func wasSpent(
        _ person: Person,
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response {
        events.note(.secondStepFailed, context, person: person.id)
        guard let sealed = form["proof"], let factors = try await factors(of: person) else {
            throw ForgedForm()
        }
        let way = form["way"].flatMap(SecondStepPage.Way.init(wire:))
        return try page(sealed, factors, way: way, .used, for: purpose, context)
    }

    private func factors(of person: Person) async throws -> SecondFactors? {
        SecondFactors(try await people.secondFactors(of: person.id, realmID: person.realmID))
    }

    private func key(_ person: Person) -> LimitKey {
        LimitKey("second step", person.realmID, person.id)
    }

    private func page(
        _ proof: String,
        _ factors: SecondFactors,
        way: SecondStepPage.Way?,
        _ problem: SecondStepPage.Problem? = nil,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) throws -> Response {
        let browser = try flow.browser(context)
        let hasBoth = factors.hasApp && factors.hasRecoveryCodes
        let only: SecondStepPage.Way = factors.hasApp ? .app : .recovery
        let way = hasBoth ? way ?? .app : only
        let wait: Int? = if case .mustWait(let seconds) = problem { seconds } else { nil }
        return flow.page(
            SecondStepPage(
                client: purpose.asker,
                form: try purpose.form(flow, in: browser, context)
                    .with("proof", proof).with("way", way.rawValue),
                way: way,
                hasOther: hasBoth,
                problem: problem
            ),
            context,
            status: wait == nil ? .ok : .tooManyRequests,
            redirecting: purpose.formTarget,
            cookies: browser.cookies,
            retryAfter: wait.map(Double.init)
        )
    }
}

/// That a person took the first step, carried by the page that asks for their second factor: nothing is
/// stored, and no cookie set, before that is right too (docs/decisions/0050).
struct SecondStepProof: Sendable, Equatable {
    let personID: String
    /// As it was at the first step.
    let epoch: Int64
    let first: First
    /// The hash of the form cookie of the browser that it was taken in.
    let browser: Hash256
    /// The sign-in that it was taken for (``SignInPurpose/transaction``).
    let transaction: String

    enum First: Sendable, Equatable {
        /// The right password: the SHA-256 of the hash that it was checked against, and a stronger hash, to
        /// be kept with the session.
        case password(Hash256, rehashed: PasswordHash?)
        /// The session of that id, whose person a provider has proven.
        case session(String)

        var rehashed: PasswordHash? {
            if case .password(_, let rehashed) = self { rehashed } else { nil }
        }
    }

    /// Whether it is as good now, for what is kept of the person, as when it was made. To disable
    /// someone raises the epoch, too.
    func holds(for kept: PersonCredentials) -> Bool {
        guard kept.epoch == epoch else { return false }
        guard case .password(let hash, _) = first else { return true }
        return kept.password.map { Hash256(of: $0.encoded) } == hash
    }
}

extension SecondStepProof: CarriedByPage {
    static let purpose: StaticString = "second step"
    static let patience: TimeInterval = 600
    static let maximumLength = 4096

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.text(personID)
        writer.integer(epoch)
        switch first {
        case .password(let hash, let rehashed):
            writer.byte(1)
            writer.fixed(hash.bytes)
            writer.optionalText(rehashed?.encoded)
        case .session(let id):
            writer.byte(2)
            writer.text(id)
        }
        writer.fixed(browser.bytes)
        writer.text(transaction)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws {
        var reader = ByteReader(encoded)
        personID = try reader.text()
        epoch = try reader.integer()
        switch try reader.byte() {
        case 1:
            first = .password(
                Hash256(kept: try reader.fixed(32)),
                rehashed: try reader.optionalText().map(PasswordHash.init)
            )
        case 2: first = .session(try reader.text())
        default: throw ByteReader.Malformed()
        }
        browser = Hash256(kept: try reader.fixed(32))
        transaction = try reader.text()
        try reader.end()
    }
}
