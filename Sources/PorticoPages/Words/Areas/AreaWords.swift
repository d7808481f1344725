/// Words of the account pages that tell what there is.
struct AreaWords: Sendable {
    let navigation: String
    let place: @Sendable (PageNavigation.Place) -> String
    /// By person.
    let overview: NamedPhrase
    let ways: Phrase
    let devices: Phrase
    let apps: Phrase
    let lastActivity: Phrase
    let none: Phrase
    /// Between the members of a list.
    let separator: String
    let signOut: Phrase
    let delete: Phrase
    let details: Phrase
    let detailsIntro: Phrase
    let save: Phrase
    let saved: Phrase
    let confirmEmail: Phrase
    let isConfirmed: Phrase
    let isUnconfirmed: Phrase
    let dashboard: Phrase
    /// By service.
    let dashboardIntro: NamedPhrase
    /// By provider.
    let signedInWith: NamedPhrase
    let toAccount: Phrase

    static let english = AreaWords(
        navigation: "Account pages",
        place: {
            switch $0 {
            case .overview: "Overview"
            case .details: "Personal details"
            case .ways: "Sign-in methods"
            case .devices: "Devices"
            case .apps: "Connected apps"
            }
        },
        overview: { "\(name: $0)’s account" },
        ways: "Sign-in methods",
        devices: "Signed in on",
        apps: "Connected apps",
        lastActivity: "Last activity",
        none: "None",
        separator: ", ",
        signOut: "Sign out",
        delete: "Delete account",
        details: "Personal details",
        detailsIntro: "This is what we know about you. You can change it at any time.",
        save: "Save",
        saved: "Your details have been saved.",
        confirmEmail: "Send a code to confirm this email",
        isConfirmed: "Confirmed.",
        isUnconfirmed: "Not confirmed yet. Until you confirm it, we only use it to send the code.",
        dashboard: "You’re signed in",
        dashboardIntro: { "This is the page people see first after signing in to \(name: $0)." },
        signedInWith: { "You signed in with \(name: $0)." },
        toAccount: "Your account"
    )

    static let german = AreaWords(
        navigation: "Seiten zum Konto",
        place: {
            switch $0 {
            case .overview: "Übersicht"
            case .details: "Persönliche Angaben"
            case .ways: "Anmeldewege"
            case .devices: "Geräte"
            case .apps: "Verbundene Apps"
            }
        },
        overview: { "Konto von \(name: $0)" },
        ways: "Anmeldewege",
        devices: "Angemeldet auf",
        apps: "Verbundene Apps",
        lastActivity: "Letzte Aktivität",
        none: "Keine",
        separator: ", ",
        signOut: "Abmelden",
        delete: "Konto löschen",
        details: "Persönliche Angaben",
        detailsIntro: "Das wissen wir über Sie. Sie können es jederzeit ändern.",
        save: "Speichern",
        saved: "Ihre Angaben wurden gespeichert.",
        confirmEmail: "Code zum Bestätigen der Adresse senden",
        isConfirmed: "Bestätigt.",
        isUnconfirmed: "Noch nicht bestätigt. Bis dahin verwenden wir sie nur für den Code.",
        dashboard: "Sie sind angemeldet",
        dashboardIntro: { "Das ist die erste Seite von \(name: $0) für Angemeldete." },
        signedInWith: { "Sie haben sich mit \(name: $0) angemeldet." },
        toAccount: "Ihr Konto"
    )

    static let arabic = AreaWords(
        navigation: "صفحات الحساب",
        place: {
            switch $0 {
            case .overview: "نظرة عامة"
            case .details: "البيانات الشخصية"
            case .ways: "طرق تسجيل الدخول"
            case .devices: "الأجهزة"
            case .apps: "التطبيقات المرتبطة"
            }
        },
        overview: { "حساب \(name: $0)" },
        ways: "طرق تسجيل الدخول",
        devices: "مسجَّل الدخول على",
        apps: "التطبيقات المرتبطة",
        lastActivity: "آخر نشاط",
        none: "لا شيء",
        separator: "، ",
        signOut: "تسجيل الخروج",
        delete: "حذف الحساب",
        details: "البيانات الشخصية",
        detailsIntro: "هذا ما نعرفه عنك، ويمكنك تغييره في أي وقت.",
        save: "حفظ",
        saved: "حُفظت بياناتك.",
        confirmEmail: "إرسال رمز لتأكيد البريد الإلكتروني",
        isConfirmed: "مؤكَّد.",
        isUnconfirmed: "لم يُؤكَّد بعد. حتى ذلك الحين لا نستخدمه إلا لإرسال الرمز.",
        dashboard: "أنت مسجَّل الدخول",
        dashboardIntro: { "هذه الصفحة الأولى في \(name: $0) لمن سجّلوا الدخول." },
        signedInWith: { "سجّلت الدخول باستخدام \(name: $0)." },
        toAccount: "حسابك"
    )
}
