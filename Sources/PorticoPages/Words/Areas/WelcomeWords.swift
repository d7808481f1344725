/// Words of the pages for a new account.
struct WelcomeWords: WordGroup {
    let heading: NamedText
    let given: NamedText
    let name: Phrase
    let whyName: Phrase
    let email: Phrase
    let whyEmail: Phrase
    let willConfirm: Phrase
    let noEmail: Phrase
    let relay: Phrase
    let relayWhat: Phrase
    let verified: Phrase
    let save: Phrase
    let later: Phrase
    let terms: Phrase
    let problem: Phrase
    let nameMissing: Phrase
    let emailMissing: Phrase
    let emailWrong: ExactText
    let emailTaken: Phrase
    let relayHeading: NamedText
    let relayIntro: NamedText
    let relayAdvice: NamedText
    let link: Phrase
    let create: NamedText
}
