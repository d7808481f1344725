/// Words of the pages that only a demonstration server has.
struct DemoWords: WordGroup {
    let outbox: Phrase
    let outboxIntro: Phrase
    let empty: Phrase
    let to: ExactText
    let sent: JoinedText
    let givenUp: Phrase
    let openLink: Phrase
}
