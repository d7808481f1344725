import PorticoSystem

/// How a command ended, for scripts. `docs/errors.md` lists them.
enum ExitStatus: Int32, CaseIterable, Sendable {
    case ok = 0
    case failed = 1
    /// The command line or the configuration is wrong: nothing was tried.
    case usage = 2
    /// No one is signed in, or the session has ended.
    case notSignedIn = 3
    case notAllowed = 4
    /// The server cannot be reached.
    case unreachable = 5
    /// Something is there already, or is not in the state that the command needs.
    case conflict = 6
    /// A person did not finish in time.
    case timedOut = 7
    /// `portico doctor` and its like found something to mend.
    case foundProblems = 10
    /// Ctrl-C.
    case interrupted = 130

    func endProcess() -> Never {
        exit(rawValue)
    }
}
