/// Words of the pages on which a forgotten password is replaced.
struct ResetWords: Sendable {
    let forgot: Phrase
    let forgotIntro: Phrase
    let email: Phrase
    let emailMissing: Phrase
    let send: Phrase
    let problem: Phrase
    let sent: Phrase
    /// By address.
    let sentWhat: NamedPhrase
    /// By minutes.
    let sentAdvice: CountedPhrase
    let elsewhere: Phrase
    let elsewhereWhat: Phrase
    let codeLabel: Phrase
    let codeMissing: Phrase
    let codeWrong: Phrase
    let codeTooMany: Phrase
    let new: Phrase
    let newPassword: Phrase
    /// By the least number of characters.
    let rule: CountedPhrase
    let missing: Phrase
    let tooShort: CountedPhrase
    let tooCommon: Phrase
    let tooLong: Phrase
    let hasName: Phrase
    let userName: Phrase
    let save: Phrase
    let expired: Phrase
    /// By minutes.
    let expiredWhy: CountedPhrase
    let used: Phrase
    let usedWhy: Phrase
    let again: Phrase
    let done: Phrase
    let doneWhat: Phrase

    static let english = ResetWords(
        forgot: "Choose a new password",
        forgotIntro: "Enter your email address. We’ll send you a link to choose a new password.",
        email: "Email",
        emailMissing: "Enter your email address in the form \(exact: "name@example.com")",
        send: "Send link",
        problem: "There is a problem",
        sent: "Check your email",
        sentWhat: { "If \(exact: $0) has an account, we’ve emailed a link to it." },
        sentAdvice: {
            "It can take a few minutes to arrive. Check your spam folder too. The link expires "
                + "in \(ours: Words.englishSpan(minutes: $0)) and works once."
        },
        elsewhere: "Opened the link in another browser?",
        elsewhereWhat:
            "In another browser or on another device, the link shows a code. Enter it below.",
        codeLabel: "Six-digit code",
        codeMissing: "Enter the six-digit code shown in your other browser",
        codeWrong:
            "Check the code and enter it again. If it has expired, the link shows a new one.",
        codeTooMany: "That code has expired or was tried too many times. Send a new link.",
        new: "Choose a new password",
        newPassword: "New password",
        rule: {
            "At least \(ours: "\($0)") characters. A few words in a row are easy to remember. You’ll "
                + "be signed out everywhere else."
        },
        missing: "Enter a new password",
        tooShort: { "Enter a password with at least \(ours: "\($0)") characters" },
        tooCommon: "Choose a stronger password. This one is easy to guess.",
        tooLong: "Choose a shorter password. This one is too long.",
        hasName: "Choose a different password. This one is made of your name or address.",
        userName: "Username",
        save: "Save new password",
        expired: "This link has expired",
        expiredWhy: {
            "A link works for \(ours: Words.englishSpan(minutes: $0)), or until a newer one is sent. "
                + "You can send a new one."
        },
        used: "This link has already been used",
        usedWhy: "Each link works once. If it wasn’t you, send a new one.",
        again: "Send a new link",
        done: "Your password has been changed",
        doneWhat:
            "You’re signed out on all other devices. Sign in with the new password from now on."
    )

    static let german = ResetWords(
        forgot: "Neues Passwort wählen",
        forgotIntro:
            "Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein "
            + "neues Passwort wählen.",
        email: "E-Mail-Adresse",
        emailMissing: "Geben Sie Ihre E-Mail-Adresse ein, etwa \(exact: "name@example.com")",
        send: "Link senden",
        problem: "Da stimmt etwas nicht",
        sent: "Sehen Sie in Ihre E-Mails",
        sentWhat: {
            "Wenn es ein Konto mit \(exact: $0) gibt, ist ein Link dorthin unterwegs."
        },
        sentAdvice: {
            "Das kann ein paar Minuten dauern. Sehen Sie auch bei unerwünschten E-Mails nach. "
                + "Der Link gilt \(ours: TimeWords.german.minutes($0)), und nur einmal."
        },
        elsewhere: "Den Link woanders geöffnet?",
        elsewhereWhat: "In einem anderen Browser oder auf einem anderen Gerät zeigt der Link einen "
            + "Code. Geben Sie ihn hier ein.",
        codeLabel: "Code von dort",
        codeMissing: "Geben Sie die sechs Ziffern ein, die der Link gezeigt hat",
        codeWrong:
            "Prüfen Sie den Code und geben Sie ihn noch einmal ein. Ist er zu alt, zeigt der "
            + "Link einen neuen.",
        codeTooMany:
            "Er wurde zu oft falsch eingegeben, oder er ist zu alt. Lassen Sie einen neuen "
            + "Link senden.",
        new: "Neues Passwort wählen",
        newPassword: "Neues Passwort",
        rule: {
            "Mindestens \(ours: "\($0)") Zeichen. Ein paar Wörter hintereinander merken sich leicht. "
                + "Überall sonst werden Sie abgemeldet."
        },
        missing: "Geben Sie ein neues Passwort ein",
        tooShort: { "Geben Sie ein Passwort mit mindestens \(ours: "\($0)") Zeichen ein" },
        tooCommon: "Geben Sie ein anderes Passwort ein: Dieses würde man als eines der ersten "
            + "ausprobieren",
        tooLong: "Geben Sie ein kürzeres Passwort ein: Dieses ist länger, als wir es annehmen "
            + "können",
        hasName: "Geben Sie ein anderes Passwort ein: Dieses besteht aus Ihrem Namen oder Ihrer "
            + "Adresse",
        userName: "Benutzername",
        save: "Neues Passwort speichern",
        expired: "Dieser Link ist zu alt",
        expiredWhy: {
            "Er galt \(ours: TimeWords.german.minutes($0)), oder bis ein neuerer gesendet wurde. Sie "
                + "können sich einen neuen senden lassen."
        },
        used: "Dieser Link wurde schon verwendet",
        usedWhy:
            "Jeder Link gilt einmal. Wenn Sie das nicht waren, lassen Sie sich einen neuen senden.",
        again: "Neuen Link senden",
        done: "Ihr Passwort ist geändert",
        doneWhat: "Auf allen anderen Geräten sind Sie abgemeldet. Melden Sie sich ab jetzt mit dem "
            + "neuen Passwort an."
    )

    static let arabic = ResetWords(
        forgot: "اختيار كلمة مرور جديدة",
        forgotIntro: "أدخل عنوان بريدك الإلكتروني، وسنرسل إليك رابطًا لاختيار كلمة مرور جديدة.",
        email: "البريد الإلكتروني",
        emailMissing: "أدخل عنوان بريدك الإلكتروني، مثل \(exact: "name@example.com")",
        send: "إرسال الرابط",
        problem: "هناك مشكلة",
        sent: "انظر في بريدك الإلكتروني",
        sentWhat: { "إذا كان هناك حساب بالعنوان \(exact: $0)، فقد أُرسل إليه رابط." },
        sentAdvice: {
            "قد يستغرق ذلك بضع دقائق. انظر في البريد غير المرغوب أيضًا. يعمل الرابط لمدة "
                + "\(ours: TimeWords.arabicMinutes($0))، ومرة واحدة فقط."
        },
        elsewhere: "هل فتحت الرابط في مكان آخر؟",
        elsewhereWhat: "في متصفح آخر أو على جهاز آخر يعرض الرابط رمزًا. أدخله هنا.",
        codeLabel: "الرمز من هناك",
        codeMissing: "أدخل الأرقام الستة التي عرضها الرابط",
        codeWrong: "تحقق من الرمز وأدخله مرة أخرى. إن انتهت مدته، يعرض الرابط رمزًا جديدًا.",
        codeTooMany: "أُدخل خطأً مرات كثيرة، أو انتهت مدته. اطلب رابطًا جديدًا.",
        new: "اختيار كلمة مرور جديدة",
        newPassword: "كلمة المرور الجديدة",
        rule: {
            "لا تقل عن \(ours: characters($0)). يسهل تذكّر بضع كلمات متتالية. سيُسجَّل خروجك من كل "
                + "مكان آخر."
        },
        missing: "أدخل كلمة مرور جديدة",
        tooShort: { "أدخل كلمة مرور لا تقل عن \(ours: characters($0))" },
        tooCommon: "أدخل كلمة مرور أخرى، فهذه من أول ما قد يجرّبه أحد",
        tooLong: "أدخل كلمة مرور أقصر، فهذه أطول مما يمكننا قبوله",
        hasName: "أدخل كلمة مرور أخرى، فهذه مكوّنة من اسمك أو عنوانك",
        userName: "اسم المستخدم",
        save: "حفظ كلمة المرور الجديدة",
        expired: "هذا الرابط قديم",
        expiredWhy: {
            "كان يعمل لمدة \(ours: TimeWords.arabicMinutes($0))، أو حتى أُرسل رابط أحدث. يمكنك طلب "
                + "رابط جديد."
        },
        used: "استُخدم هذا الرابط من قبل",
        usedWhy: "يعمل كل رابط مرة واحدة. إن لم تكن أنت من استخدمه، فاطلب رابطًا جديدًا.",
        again: "إرسال رابط جديد",
        done: "تم تغيير كلمة المرور",
        doneWhat: "تم تسجيل خروجك من كل الأجهزة الأخرى. سجّل الدخول من الآن بكلمة المرور الجديدة."
    )

    private static let characters = ArabicNoun(
        zero: "لا شيء",
        one: "حرف واحد",
        two: "حرفين",
        few: "أحرف",
        many: "حرفًا",
        other: "حرف"
    )
}
