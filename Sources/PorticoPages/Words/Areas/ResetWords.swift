/// Words of the pages on which a forgotten password is replaced.
struct ResetWords: WordGroup {
    let forgot: Phrase
    let forgotIntro: Phrase
    let email: Phrase
    let emailMissing: ExactText
    let send: Phrase
    let problem: Phrase
    let sent: Phrase
    let sentWhat: ExactText
    let sentAdvice: JoinedText
    let elsewhere: Phrase
    let elsewhereWhat: Phrase
    let codeLabel: Phrase
    let codeMissing: Phrase
    let codeWrong: Phrase
    let codeTooMany: Phrase
    let new: Phrase
    let newPassword: Phrase
    let characters: CountedText
    let rule: JoinedText
    let missing: Phrase
    let tooShort: JoinedText
    let tooCommon: Phrase
    let tooLong: Phrase
    let hasName: Phrase
    let userName: Phrase
    let save: Phrase
    let expired: Phrase
    let expiredWhy: JoinedText
    let used: Phrase
    let usedWhy: Phrase
    let again: Phrase
    let done: Phrase
    let doneWhat: Phrase
}
