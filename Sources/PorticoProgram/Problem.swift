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
