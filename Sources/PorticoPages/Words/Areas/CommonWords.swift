/// Words of every page, and of buttons that many pages have.
struct CommonWords: WordGroup {
    let errorPrefix: Phrase
    let withoutHTTPS: Phrase
    let aboutThisPage: Phrase
    let reference: Phrase
    let help: Phrase
    let proceed: Phrase
    let cancel: Phrase
    let tryAgain: Phrase
    let startAgain: Phrase
    let useAnotherAccount: Phrase
    let backTo: NamedText
    let backToApp: Phrase
    let sending: Phrase

    func step(to link: PageLink?, of client: String?) -> PageStep? {
        PageStep(link, client.map { backTo($0) } ?? backToApp)
    }
}
