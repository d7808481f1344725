/// Words of the pages on which a code is typed or shown.
struct CodeWords: Sendable {
    let heading: Phrase
    /// By address, mostly hidden.
    let sent: NamedPhrase
    let label: Phrase
    let lasts: @Sendable (_ minutes: Int) -> Phrase
    let confirm: Phrase
    let sendAgain: Phrase
    let changeAddress: Phrase
    let sentAgain: Phrase
    let problem: Phrase
    let missing: Phrase
    /// By the tries that are left.
    let wrong: CountedPhrase
    let expired: Phrase
    let used: Phrase
    let tooMany: Phrase
    let elsewhere: Phrase
    let elsewhereWhy: Phrase
    let elsewhereAdvice: Phrase

    static let english = CodeWords(
        heading: "Enter the code from the e-mail",
        sent: { "We’ve sent a code with six digits to \(exact: $0)." },
        label: "Code",
        lasts: { "It works for \(ours: Words.englishSpan(minutes: $0)), once." },
        confirm: "Confirm",
        sendAgain: "Send a new code",
        changeAddress: "Use another address",
        sentAgain: "A new code has been sent.",
        problem: "That code didn’t work",
        missing: "Enter the six digits from the e-mail",
        wrong: {
            $0 == 1
                ? "Check the code in the e-mail and enter it again. You have one more try."
                : "Check the code in the e-mail and enter it again. You have "
                    + "\(ours: "\($0)") more tries."
        },
        expired: "It is too old. Send a new code and enter that one.",
        used: "It has been used already. Send a new code and enter that one.",
        tooMany: "It was entered wrongly too often. Send a new code and enter that one.",
        elsewhere: "Enter this code in your other browser",
        elsewhereWhy: "You started in another browser or on another device. To keep you safe, the "
            + "rest happens there.",
        elsewhereAdvice: "Go back to the page where you started and enter this code. Give it to "
            + "nobody."
    )

    static let german = CodeWords(
        heading: "Geben Sie den Code aus der E-Mail ein",
        sent: { "Wir haben einen Code aus sechs Ziffern an \(exact: $0) gesendet." },
        label: "Sechs Ziffern",
        lasts: { "Er gilt \(ours: $0 == 1 ? "1 Minute" : "\($0) Minuten"), und nur einmal." },
        confirm: "Bestätigen",
        sendAgain: "Neuen Code senden",
        changeAddress: "Andere Adresse verwenden",
        sentAgain: "Ein neuer Code wurde gesendet.",
        problem: "Der Code hat nicht funktioniert",
        missing: "Geben Sie die sechs Ziffern aus der E-Mail ein",
        wrong: {
            $0 == 1
                ? "Prüfen Sie den Code in der E-Mail und geben Sie ihn noch einmal ein. Sie haben "
                    + "noch einen Versuch."
                : "Prüfen Sie den Code in der E-Mail und geben Sie ihn noch einmal ein. Sie haben "
                    + "noch \(ours: "\($0)") Versuche."
        },
        expired: "Er ist zu alt. Lassen Sie einen neuen senden und geben Sie den ein.",
        used: "Er wurde schon verwendet. Lassen Sie einen neuen senden und geben Sie den ein.",
        tooMany: "Er wurde zu oft falsch eingegeben. Lassen Sie einen neuen senden.",
        elsewhere: "Geben Sie diesen Code in Ihrem anderen Browser ein",
        elsewhereWhy:
            "Sie haben in einem anderen Browser oder auf einem anderen Gerät begonnen. Zu "
            + "Ihrer Sicherheit geht es dort weiter.",
        elsewhereAdvice: "Gehen Sie zurück zu der Seite, auf der Sie begonnen haben, und geben Sie "
            + "den Code dort ein. Geben Sie ihn niemandem weiter."
    )

    static let arabic = CodeWords(
        heading: "أدخل الرمز الوارد في البريد الإلكتروني",
        sent: { "أرسلنا رمزًا من ستة أرقام إلى \(exact: $0)." },
        label: "الرمز",
        lasts: { "يعمل لمدة \(ours: TimeWords.arabicMinutes($0))، ومرة واحدة فقط." },
        confirm: "تأكيد",
        sendAgain: "إرسال رمز جديد",
        changeAddress: "استخدام عنوان آخر",
        sentAgain: "أُرسل رمز جديد.",
        problem: "لم يعمل هذا الرمز",
        missing: "أدخل الأرقام الستة الواردة في البريد الإلكتروني",
        wrong: { "تحقق من الرمز في البريد الإلكتروني وأدخله مرة أخرى. بقي لك \(ours: tries($0))." },
        expired: "انتهت مدته. أرسل رمزًا جديدًا وأدخله.",
        used: "استُخدم من قبل. أرسل رمزًا جديدًا وأدخله.",
        tooMany: "أُدخل خطأً مرات كثيرة. أرسل رمزًا جديدًا وأدخله.",
        elsewhere: "أدخل هذا الرمز في متصفحك الآخر",
        elsewhereWhy: "بدأت في متصفح آخر أو على جهاز آخر. حفاظًا على أمانك تكتمل الخطوات هناك.",
        elsewhereAdvice: "ارجع إلى الصفحة التي بدأت منها وأدخل هذا الرمز. لا تعطه لأحد."
    )

    private static let tries = ArabicNoun(
        zero: "لا محاولات",
        one: "محاولة واحدة",
        two: "محاولتان",
        few: "محاولات",
        many: "محاولة",
        other: "محاولة"
    )
}
