/// Words about deleting an account.
struct RemovalWords: Sendable {
    let heading: Phrase
    let intro: Phrase
    let consequencesTitle: Phrase
    let consequences: [Phrase]
    let apple: Phrase
    let sure: Phrase
    let notSure: Phrase
    let problem: Phrase
    let delete: Phrase
    let keep: Phrase
    let done: Phrase
    /// By service.
    let doneWhat: NamedPhrase
    let appleLeft: Phrase

    static let english = RemovalWords(
        heading: "Delete your account?",
        intro: "This can’t be undone.",
        consequencesTitle: "What happens",
        consequences: [
            "Your name, email address and picture are deleted.",
            "You’re signed out on all devices and in all apps.",
            "Your sign-in methods are removed. Your accounts at other services aren’t affected.",
        ],
        apple:
            "We’ll tell Apple that you’ve deleted your account. If that doesn’t work, the next page "
            + "tells you what to do.",
        sure: "Yes, I want to delete my account",
        notSure: "Tick the box if you want to delete your account",
        problem: "Your account hasn’t been deleted",
        delete: "Delete account",
        keep: "Keep my account",
        done: "Your account has been deleted",
        doneWhat: {
            "\(name: $0) has deleted your data. We keep only a record that the account was deleted."
        },
        appleLeft:
            "We couldn’t reach Apple. To finish, open Settings on your device, choose your name, "
            + "then Sign in with Apple, and stop using it for this app."
    )

    static let german = RemovalWords(
        heading: "Ihr Konto löschen?",
        intro: "Das lässt sich nicht rückgängig machen.",
        consequencesTitle: "Was geschieht",
        consequences: [
            "Ihr Name, Ihre E-Mail-Adresse und Ihr Bild werden gelöscht.",
            "Sie werden auf allen Geräten und in allen Apps abgemeldet.",
            "Ihre Anmeldewege werden gelöst. Die Konten bei anderen Diensten bleiben, wie sie sind.",
        ],
        apple:
            "Wir teilen Apple mit, dass Ihr Konto gelöscht ist. Wenn das nicht gelingt, steht auf "
            + "der nächsten Seite, was Sie selbst tun können.",
        sure: "Ja, ich möchte mein Konto löschen",
        notSure: "Kreuzen Sie das Feld an, wenn Sie Ihr Konto löschen möchten",
        problem: "Ihr Konto wurde nicht gelöscht",
        delete: "Konto löschen",
        keep: "Konto behalten",
        done: "Ihr Konto ist gelöscht",
        doneWhat: {
            "Bei \(name: $0) ist nichts mehr über Sie gespeichert außer dem Vermerk der Löschung."
        },
        appleLeft: "Wir haben Apple nicht erreicht. Öffnen Sie zum Abschluss auf Ihrem Gerät die "
            + "Einstellungen, wählen Sie Ihren Namen, dann „Mit Apple anmelden“, und beenden Sie die "
            + "Verwendung für diese App."
    )

    static let arabic = RemovalWords(
        heading: "هل تريد حذف حسابك؟",
        intro: "لا يمكن التراجع عن هذا.",
        consequencesTitle: "ما الذي يحدث",
        consequences: [
            "يُحذف اسمك وعنوان بريدك الإلكتروني وصورتك.",
            "يُسجَّل خروجك من كل الأجهزة والتطبيقات.",
            "تُفصل طرق تسجيل الدخول عن الحساب، وتبقى حساباتك لدى الخدمات الأخرى كما هي.",
        ],
        apple:
            "سنخبر Apple بأن حسابك لم يعد موجودًا. إن لم ينجح ذلك، فستخبرك الصفحة التالية بما يمكنك "
            + "فعله بنفسك.",
        sure: "نعم، أريد حذف حسابي",
        notSure: "ضع علامة في المربع إذا أردت حذف حسابك",
        problem: "لم يُحذف حسابك",
        delete: "حذف الحساب",
        keep: "الاحتفاظ بحسابي",
        done: "حُذف حسابك",
        doneWhat: { "لا يُحتفظ بشيء عنك لدى \(name: $0) سوى ملاحظة بأنه حُذف." },
        appleLeft:
            "تعذّر الوصول إلى Apple. لإنهاء ذلك، افتح الإعدادات على جهازك واختر اسمك، ثم «تسجيل "
            + "الدخول باستخدام Apple»، وأوقف استخدامه لهذا التطبيق."
    )
}
