/// Words of the page where a sign-in method is chosen.
struct ChooseWords: WordGroup {
    let signIn: NamedText
    let signUp: NamedText
    let signInIntro: Phrase
    let signUpIntro: Phrase
    let noMethods: Phrase
    let signInMethods: Phrase
    let signUpMethods: Phrase
    let remember: Phrase
    let isNew: Phrase
    let toSignUp: Phrase
    let isKnown: Phrase
    let toSignIn: Phrase
}
