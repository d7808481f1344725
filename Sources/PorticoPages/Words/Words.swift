/// Everything that pages and mails say, in one language.
///
/// A property's path is the key of its text in the language's file: `signIn.heading`. Rules: "sign in",
/// "sign out", "sign-in method"; sentence case; no exclamation marks; no blame; no codes.
package final class Words: WordGroup {
    let common: CommonWords
    let start: StartWords
    let signIn: SignInWords
    let secondStep: SecondStepWords
    let registration: RegistrationWords
    let consent: ConsentWords
    let account: AccountWords
    let signOut: SignOutWords
    let signedOut: SignedOutWords
    let expired: ExpiredWords
    let cookies: CookiesWords
    let formPost: FormPostWords
    let details: DetailsWords
    let problem: ProblemWords
    let choose: ChooseWords
    let method: MethodWords
    let handle: HandleWords
    let permission: PermissionWords
    let time: TimeWords
    let code: CodeWords
    let welcome: WelcomeWords
    let linking: LinkingWords
    let leaving: LeavingWords
    let trouble: TroubleWords
    let reset: ResetWords
    let area: AreaWords
    let lists: ListWords
    let factors: FactorWords
    let removal: RemovalWords
    let demo: DemoWords
    let error: ErrorWords
    let mail: MailWords

    /// - Returns: Also what is wrong with the file, a sentence each.
    static func read(_ file: String, _ language: Language) -> (words: Words, faults: [String]) {
        let reader = WordsReader(LanguageFile(file), language)
        // `try?`: `WordsReader` never fails for what is in a file.
        guard let words = try? Words(from: WordsDecoder(reader: reader)) else {
            preconditionFailure("Words are made of texts and of structs of texts.")
        }
        return (words, reader.faults)
    }
}

extension Language {
    package var words: Words { Self.words[self] ?? Words.read(file, self).words }

    /// Read once.
    private static let words = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Words.read($0.file, $0).words) }
    )

    /// Its texts.
    var file: String {
        let bytes =
            switch self {
            case .english: PackageResources.en_properties
            case .german: PackageResources.de_properties
            case .arabic: PackageResources.ar_properties
            }
        return String(decoding: bytes, as: UTF8.self)
    }
}
