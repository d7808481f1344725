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
    let confirmFirst: Phrase
    /// By address, mostly hidden.
    let confirmWhy: NamedPhrase
    let send: Phrase
    let elsewhereAsked: Phrase
    let elsewhereWhy: Phrase
    let elsewhereDoubt: Phrase
    let show: Phrase
    let elsewhere: Phrase
    let elsewhereAdvice: Phrase

    static let english = CodeWords(
        heading: "Enter the code from the email",
        sent: { "We’ve sent a six-digit code to \(exact: $0)." },
        label: "Code",
        lasts: { "It expires in \(ours: Words.englishSpan(minutes: $0)) and works once." },
        confirm: "Confirm",
        sendAgain: "Send a new code",
        changeAddress: "Use another address",
        sentAgain: "We’ve sent a new code.",
        problem: "That code didn’t work",
        missing: "Enter the six-digit code from the email",
        wrong: {
            $0 == 1
                ? "Check the code in the email and enter it again. You have one more try."
                : "Check the code in the email and enter it again. You have "
                    + "\(ours: "\($0)") more tries."
        },
        expired: "That code has expired. Send a new code and enter that one.",
        used: "That code has already been used. Send a new code and enter that one.",
        tooMany: "That code was tried too many times. Send a new code and enter that one.",
        confirmFirst: "Confirm your email first",
        confirmWhy: {
            "We’ll send a code to \(exact: $0). This stops anyone else using your "
                + "address."
        },
        send: "Send code",
        elsewhereAsked: "You started in another browser",
        elsewhereWhy: "Or on another device. To keep you safe, you need to finish where you "
            + "started. We’ll show you a code to enter on that page.",
        elsewhereDoubt: "If you didn’t ask for this email, close this page. Nothing will change.",
        show: "Show code",
        elsewhere: "Enter this code in the browser where you started",
        elsewhereAdvice: "Don’t share it with anyone."
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
        confirmFirst: "Bestätigen Sie bitte zuerst Ihre E-Mail-Adresse",
        confirmWhy: {
            "Wir senden einen Code an \(exact: $0). Das schützt Sie davor, dass jemand anders Ihre "
                + "Adresse verwendet."
        },
        send: "Code senden",
        elsewhereAsked: "Sie haben in einem anderen Browser begonnen",
        elsewhereWhy:
            "Oder auf einem anderen Gerät. Zu Ihrer Sicherheit geht es dort weiter: Wir zeigen "
            + "Ihnen einen Code, den Sie auf der Seite eingeben, auf der Sie begonnen haben.",
        elsewhereDoubt: "Haben Sie diese E-Mail nicht angefordert? Dann schließen Sie diese Seite: "
            + "Es ändert sich nichts.",
        show: "Code anzeigen",
        elsewhere: "Geben Sie diesen Code in Ihrem anderen Browser ein",
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
        confirmFirst: "أكّد بريدك الإلكتروني أولًا",
        confirmWhy: {
            "سنرسل رمزًا إلى \(exact: $0). يحميك ذلك من أن يستخدم شخص آخر عنوانك."
        },
        send: "إرسال الرمز",
        elsewhereAsked: "بدأت في متصفح آخر",
        elsewhereWhy: "أو على جهاز آخر. حفاظًا على أمانك تكتمل الخطوات هناك: سنعرض لك رمزًا تدخله في "
            + "الصفحة التي بدأت منها.",
        elsewhereDoubt: "لم تطلب هذه الرسالة؟ أغلق هذه الصفحة ولن يتغير شيء.",
        show: "عرض الرمز",
        elsewhere: "أدخل هذا الرمز في متصفحك الآخر",
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
