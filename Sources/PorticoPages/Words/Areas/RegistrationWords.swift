/// Words of the page on which people create an account of the Provider's.
struct RegistrationWords: WordGroup {
    let heading: Phrase
    let intro: NamedText
    let givenName: Phrase
    let familyName: Phrase
    let email: Phrase
    let userName: Phrase
    let userNameHint: Phrase
    let rule: JoinedText
    let create: Phrase
    let haveAccount: Phrase
    let givenNameMissing: Phrase
    let givenNameWrong: Phrase
    let familyNameWrong: Phrase
    let userNameMissing: Phrase
    let userNameWrong: Phrase
    let userNameTaken: Phrase
    /// On the page for signing in.
    let offer: Phrase
}
