/// Words about deleting an account.
struct RemovalWords: WordGroup {
    let heading: Phrase
    let intro: Phrase
    let consequencesTitle: Phrase
    let consequences: TextList
    let apple: Phrase
    let sure: Phrase
    let notSure: Phrase
    let problem: Phrase
    let delete: Phrase
    let keep: Phrase
    let done: Phrase
    let doneWhat: Phrase
    let appleLeft: Phrase
}
