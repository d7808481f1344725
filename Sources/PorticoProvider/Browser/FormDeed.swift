import PorticoProtocol
import PorticoWeb

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
