/// Words of the pages on which a code is typed or shown.
struct CodeWords: WordGroup {
    let heading: Phrase
    let sent: ExactText
    let label: Phrase
    let lasts: JoinedText
    let confirm: Phrase
    let sendAgain: Phrase
    let changeAddress: Phrase
    let sentAgain: Phrase
    let problem: Phrase
    let missing: Phrase
    let wrong: JoinedText
    let tries: CountedText
    let expired: Phrase
    let used: Phrase
    let tooMany: Phrase
    let confirmFirst: Phrase
    let confirmWhy: ExactText
    let send: Phrase
    let elsewhereAsked: Phrase
    let elsewhereWhy: Phrase
    let elsewhereDoubt: Phrase
    let show: Phrase
    let elsewhere: Phrase
    let elsewhereAdvice: Phrase
    let linkAsked: Phrase
    let linkWhy: ExactText
    let linkAccount: Phrase
    let linkProves: ExactText
    let linkSignIn: Phrase
    let linkDemands: Phrase
    let linkDemanded: Phrase
    let linkDone: Phrase
    let linkDoneWhat: Phrase
    let linkOver: Phrase
}
