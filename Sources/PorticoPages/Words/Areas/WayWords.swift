/// Words about ways to sign in, in the vendors' own terms where they have some.
struct WayWords: Sendable {
    /// On a button. Apple, Google and Facebook all allow "Continue with".
    let button: @Sendable (MethodLabel) -> Phrase
    /// What the vendor calls an account of its own.
    let account: @Sendable (MethodLabel) -> Phrase
    /// Where it is not known which provider it was, at the start of a sentence.
    let somebody: Phrase
    let lastUsed: Phrase
    let notResponding: Phrase

    func name(_ label: MethodLabel?) -> Phrase {
        label.map { "\(name: $0.displayName)" } ?? somebody
    }

    static let english = WayWords(
        button: { "Continue with \(name: $0.displayName)" },
        account: {
            switch $0.kind {
            case .apple: "Apple Account"
            case .google: "Google Account"
            case .facebook: "Facebook account"
            case .generic: "account at \(name: $0.displayName)"
            }
        },
        somebody: "The other service",
        lastUsed: "Used last time",
        notResponding: "Not responding"
    )

    static let german = WayWords(
        button: {
            switch $0.kind {
            case .apple: "Mit \(name: $0.displayName) fortfahren"
            case .google, .facebook, .generic: "Weiter mit \(name: $0.displayName)"
            }
        },
        account: {
            switch $0.kind {
            case .apple: "Apple Account"
            case .google: "Google-Konto"
            case .facebook: "Facebook-Konto"
            case .generic: "Konto bei \(name: $0.displayName)"
            }
        },
        somebody: "Der andere Dienst",
        lastUsed: "Zuletzt verwendet",
        notResponding: "Antwortet nicht"
    )

    static let arabic = WayWords(
        button: { "المتابعة باستخدام \(name: $0.displayName)" },
        account: {
            switch $0.kind {
            case .apple, .google, .facebook: "حساب \(name: $0.displayName)"
            case .generic: "الحساب لدى \(name: $0.displayName)"
            }
        },
        somebody: "الخدمة الأخرى",
        lastUsed: "استُخدمت آخر مرة",
        notResponding: "لا تستجيب"
    )
}
