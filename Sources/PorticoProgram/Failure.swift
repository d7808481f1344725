/// Why a command ended without doing what it was asked, in words for the person who typed it.
struct Failure: Error, Sendable {
    let problem: Problem
    /// What happened: one sentence.
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
