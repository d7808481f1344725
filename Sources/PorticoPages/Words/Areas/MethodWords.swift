/// Words about sign-in methods, in the vendors' own terms where they have some.
struct MethodWords: WordGroup {
    struct Terms: WordGroup {
        private let apple: NamedText
        private let google: NamedText
        private let facebook: NamedText
        private let generic: NamedText
        private let handle: Phrase

        func callAsFunction(_ label: MethodLabel) -> Phrase {
            switch label.kind {
            case .apple: apple(label.displayName)
            case .google: google(label.displayName)
            case .facebook: facebook(label.displayName)
            case .generic: generic(label.displayName)
            case .handle: handle
            }
        }
    }

    /// On a button. Apple, Google and Facebook all allow "Continue with".
    let button: Terms
    /// What the vendor calls an account of its own.
    let account: Terms
    /// The name of signing in by handle, which is no vendor's.
    private let handle: Phrase
    /// Where it is not known which provider it was, at the start of a sentence.
    let unknown: Phrase
    let lastUsed: Phrase
    let notResponding: Phrase

    func name(_ label: MethodLabel?) -> Phrase {
        guard let label else { return unknown }
        return label.kind == .handle ? handle : "\(name: label.displayName)"
    }
}
