import PorticoAdministration
import PorticoBackend
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoSeals
import PorticoSignIn
import PorticoStores
import PorticoSystem
import PorticoUpstream

/// Why a command ended without doing what it was asked, in words for the person who typed it.
struct Failure: Error, Sendable {
    let problem: Problem
    let what: String
    /// Why, where that is known, and last the command or line that mends it.
    let advice: [String]
    /// For a command whose statuses mean something else; `nil`: the problem's.
    var status: ExitStatus?

    var exitStatus: ExitStatus { status ?? problem.exitStatus }

    init(_ problem: Problem, _ what: String, _ advice: String...) {
        self.problem = problem
        self.what = what
        self.advice = advice
    }

    init(_ problem: Problem, _ what: String, advice: [String]) {
        self.problem = problem
        self.what = what
        self.advice = advice
    }

    /// What mends it, as far as that is one line.
    var remedy: String { advice.last ?? what }
}

/// What went wrong, as one word that scripts and `docs/errors.md` know.
enum Problem: String, CaseIterable, Sendable {
    // The command line and the configuration
    case usage = "usage"
    case wrongValue = "wrong-value"
    case unknownSetting = "unknown-setting"
    case configUnreadable = "config-unreadable"
    case confirmationMissing = "confirmation-missing"
    case realmUnclear = "realm-unclear"
    case secretMissing = "secret-missing"
    case listenExposed = "listen-exposed"
    case publicURLMissing = "public-url-missing"

    // The data directory
    case dataDirectory = "data-directory"
    case keyRing = "key-ring"
    case database = "database"
    case alreadyRunning = "already-running"
    case notADemo = "not-a-demo"
    case portInUse = "port-in-use"
    case issuerMismatch = "issuer-mismatch"
    case importBroken = "import-broken"

    // Realms, clients, people, roles, keys
    case notFound = "not-found"
    case exists = "exists"
    case changedMeanwhile = "changed-meanwhile"
    case refused = "refused"
    case differs = "differs"

    // Signing in
    case notSignedIn = "not-signed-in"
    case sessionEnded = "session-ended"
    case needsPerson = "needs-person"
    case declined = "declined"
    case timedOut = "timed-out"
    case unreachable = "unreachable"
    case misconfigured = "misconfigured"
    case rejected = "rejected"
    case storage = "storage"
    case tokenInvalid = "token-invalid"

    // Looking for what is wrong
    case problemsFound = "problems-found"

    case output = "output"
    case interrupted = "interrupted"
    case unexpected = "unexpected"

    var exitStatus: ExitStatus {
        switch self {
        case .usage, .wrongValue, .unknownSetting, .configUnreadable, .confirmationMissing,
            .realmUnclear, .secretMissing, .listenExposed, .publicURLMissing:
            .usage
        case .alreadyRunning, .notADemo, .portInUse, .issuerMismatch, .exists,
            .changedMeanwhile:
            .conflict
        case .notSignedIn, .sessionEnded, .needsPerson: .notSignedIn
        case .declined: .notAllowed
        case .timedOut: .timedOut
        case .unreachable: .unreachable
        case .problemsFound: .foundProblems
        case .interrupted: .interrupted
        case .dataDirectory, .keyRing, .database, .importBroken, .notFound, .refused, .differs,
            .misconfigured, .rejected, .storage, .tokenInvalid, .output, .unexpected:
            .failed
        }
    }
}

/// How a command ended, for scripts. `docs/errors.md` lists them.
enum ExitStatus: Int32, CaseIterable, Sendable {
    case ok = 0
    case failed = 1
    /// The command line or the configuration is wrong: nothing was tried.
    case usage = 2
    /// No one is signed in, or the session has ended.
    case notSignedIn = 3
    case notAllowed = 4
    case unreachable = 5
    /// Something is there already, or is not in the state that the command needs.
    case conflict = 6
    /// A person did not finish in time.
    case timedOut = 7
    /// `portico doctor` and its like found something to mend.
    case foundProblems = 10
    case interrupted = 130

    func endProcess() -> Never {
        exit(rawValue)
    }
}

extension Failure {
    /// What the rules and stores throw, in words for the command line; `nil`: something unforeseen.
    init?(translating error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let refusal as AdministrationRefusal: self.init(refusal)
        case let refusal as AdminRefusal:
            self.init(.refused, sentence(printable(refusal.text)), "Nothing was changed.")
        case RealmImportError.realm(_, let refusal): self.init(translating: refusal)
        case let refusal as RealmCreation.Refusal: self.init(refused: refusal.field, refusal.rule)
        case let refusal as ClientRegistration.Refusal: self.init(refusal)
        case let refusal as RoleRegistration.Refusal:
            self.init(refused: refusal.field, refusal.rule)
        case let refusal as IdentityProviderRefusal: self.init(provider: refusal)
        case let refusal as HandleProviderRefusal:
            if case .malformed(let setting) = refusal {
                self.init(.refused, "\(setting.option) is malformed.", "Nothing was written.")
            } else {
                self.init(.refused, refusal.description, "Nothing was written.")
            }
        case let refusal as PersonRegistration.Refusal:
            self.init(refused: refusal.field, refusal.rule)
        case let refusal as PasswordPolicy.Refusal:
            self.init(refused: "password", refusal.description)
        case KeyRotation.Refusal.underWay(let keyID, _):
            self.init(
                .exists,
                "A rotation is under way: key \(keyID) waits to sign.",
                "See it: \(portico("keys list"))",
                "Sign with it at once: \(portico("keys rotate --now"))"
            )
        case let error as KeyRingError: self.init(.keyRing, "\(error.explanation)")
        case let error as DatabaseOpeningError: self.init(.database, error.description)
        case let error as SQLError where error.reason == .corrupt:
            self.init(
                .database,
                "The database is damaged (code \(error.code)).",
                "Put the whole data directory back from your backup."
            )
        case let error as SQLError where error.whyUnwritable != nil:
            self.init(
                .database,
                "The database cannot be written.",
                error.description,
                "Nothing was changed. See what is left: \(portico("doctor"))"
            )
        case is StoreBusy:
            self.init(.database, "The database is busy.", "Try again in a moment.")
        case is ChangedMeanwhile:
            self.init(
                .changedMeanwhile,
                "It was changed by another command in the meantime.",
                "Nothing was changed. Look at it and try again."
            )
        case is MissingReference:
            self.init(.notFound, "Something of it was deleted meanwhile.", "Nothing was changed.")
        case is SealError:
            self.init(
                .keyRing,
                "A secret in the database does not open with this key ring.",
                "Are the database and the key ring of the same backup?"
            )
        default: return nil
        }
    }
}

extension Failure {
    private init(refused field: some CustomStringConvertible, _ rule: some CustomStringConvertible)
    {
        self.init(.refused, "The \(field) is refused.", "\(rule)")
    }

    fileprivate init(_ refusal: ClientRegistration.Refusal) {
        let place = refusal.index.map { " (number \($0 + 1))" } ?? ""
        var advice = ["\(refusal.rule)"]
        if refusal.isOfDevelopment {
            advice.append(
                "An app that cannot be changed, and a tool under development, can have it: --development"
            )
        }
        self.init(.refused, "\(refusal.field)\(place) is refused.", advice: advice)
    }

    fileprivate init(_ refusal: AdministrationRefusal) {
        switch refusal {
        case .client(let refusal): self.init(refusal)
        case .role(let refusal): self.init(refused: refusal.field, refusal.rule)
        case .person(let refusal, _): self.init(refused: refusal.field, refusal.rule)
        case .password(let refusal): self.init(refused: "password", refusal.description)
        case .forbidden: self.init(.refused, "It is refused.", "Nothing was changed.")
        case .notFound:
            self.init(.notFound, "It was deleted in the meantime.", "Nothing was changed.")
        case .taken(let taken): self.init(.exists, taken.words, "Nothing was changed.")
        case .invalid(let rule):
            self.init(.refused, sentence(rule.sentence), "Nothing was changed.")
        }
    }
}

private func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }

extension AdministrationRefusal.Taken {
    fileprivate var words: String {
        switch self {
        case .realm(let name): "Realm \(printable(name)) already exists."
        case .client(let name): "Client \(printable(name)) already exists."
        case .scope(let name): "Client scope \(printable(name)) already exists."
        case .role(let name): "Role \(printable(name)) already exists."
        case .group(let name, _): "Group \(printable(name)) already exists."
        case .username: "The username is taken."
        case .email: "The email address is taken."
        case .identity: "The account at the provider belongs to another person."
        case .id: "Its id is taken."
        }
    }
}

extension Failure {
    /// Settings are named as the options that say them.
    fileprivate init(provider refusal: IdentityProviderRefusal) {
        switch refusal {
        case .missing(let setting):
            self.init(
                .refused,
                "Something is missing: \(setting.option).",
                "See: portico provider add --help"
            )
        case .malformed(let setting):
            self.init(.refused, "\(setting.option) is malformed.", "Nothing was written.")
        case .otherSecret:
            self.init(
                .refused,
                refusal.description,
                "Apple, and any provider with --key-id, takes a private key; the others a text."
            )
        case .insecureIssuer:
            self.init(
                .refused,
                refusal.description,
                "Nothing was written.",
                "On this machine, for a trial, it may be http: --allow-insecure-loopback"
            )
        case .key:
            self.init(
                .refused,
                refusal.description,
                "Apple gives it as a file once: AuthKey_KEYID.p8"
            )
        default: self.init(.refused, refusal.description, "Nothing was written.")
        }
    }
}

extension ClientRegistration.Refusal {
    /// Whether the switch for development admits it.
    fileprivate var isOfDevelopment: Bool {
        switch self {
        case .redirectURI(_, let refusal), .postLogoutRedirectURI(_, let refusal):
            [.dotlessScheme, .authority, .localhost].contains(refusal)
        default: false
        }
    }
}
