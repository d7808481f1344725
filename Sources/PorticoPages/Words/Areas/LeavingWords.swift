/// Words of the pages that lead back to an app, go on, or sign out.
struct LeavingWords: WordGroup {
    let ready: NamedText
    let signedInAs: NamedText
    let readyAdvice: Phrase
    let returnTo: NamedText
    let notOpened: NamedText
    let notOpenedAdvice: Phrase
    let get: NamedText
    let already: Phrase
    let otherTab: Phrase
    let continueAs: NamedText
    let signOut: NamedText
    let signOutWhat: Phrase
    let here: Phrase
    let everywhere: Phrase
    let hereDone: Phrase
    let everywhereDone: Phrase
    let stillAt: NamedText
    let stillAtHost: Phrase
    let signInAgain: Phrase
}
