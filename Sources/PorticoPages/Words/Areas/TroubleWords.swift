/// Words for when a provider does not answer or refuses, and for help.
struct TroubleWords: WordGroup {
    struct Hints: WordGroup {
        private let ios: NamedText
        private let android: NamedText
        private let other: Phrase

        func callAsFunction(_ platform: OpenInBrowserPage.Platform) -> Phrase {
            switch platform {
            case .ios: ios("Safari")
            case .android: android("Chrome")
            case .other: other
            }
        }
    }

    let notAnswering: NamedText
    let notAnsweringWhy: Phrase
    let since: JoinedText
    let otherMethods: Phrase
    let openInBrowser: Phrase
    let embedded: NamedText
    let address: Phrase
    let copy: Phrase
    let hint: Hints
    let help: Phrase
    let helpIntro: NamedText
    let operatedBy: Phrase
    let contact: Phrase
    let keptTitle: Phrase
    let kept: TextList
    let keptNot: Phrase
    let privacy: Phrase
    let signingInTitle: Phrase
    let signingIn: TextList
}
