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
    let sentAdvice: Phrase
    let new: Phrase
    let newPassword: Phrase
    /// By the least number of characters.
    let rule: CountedPhrase
    let missing: Phrase
    let tooShort: CountedPhrase
    let tooCommon: Phrase
    let userName: Phrase
    let save: Phrase
    let expired: Phrase
    let expiredWhy: Phrase
    let used: Phrase
    let usedWhy: Phrase
    let again: Phrase
    let done: Phrase
    let doneWhat: Phrase

    static let english = ResetWords(
        forgot: "Choose a new password",
        forgotIntro: "Enter your e-mail address. We’ll send you a link to choose a new password.",
        email: "E-mail",
        emailMissing: "Enter your e-mail address in the form \(exact: "name@example.com")",
        send: "Send the link",
        problem: "There is a problem",
        sent: "Look into your e-mail",
        sentWhat: { "If there is an account with \(exact: $0), a link is on its way to it." },
        sentAdvice:
            "It can take a few minutes. Look among unwanted mail as well. The link works for 30 "
            + "minutes, once.",
        new: "Choose a new password",
        newPassword: "New password",
        rule: {
            "At least \(ours: "\($0)") characters. A few words in a row are easy to remember. You’ll "
                + "be signed out everywhere else."
        },
        missing: "Enter a new password",
        tooShort: { "Enter a password with at least \(ours: "\($0)") characters" },
        tooCommon:
            "Enter a different password: this one is among the first that somebody would try",
        userName: "User name",
        save: "Save the new password",
        expired: "This link is too old",
        expiredWhy: "It worked for 30 minutes. You can have a new one sent.",
        used: "This link has been used already",
        usedWhy: "Each link works once. If it wasn’t you, have a new one sent.",
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
        sentAdvice:
            "Das kann ein paar Minuten dauern. Sehen Sie auch bei unerwünschten E-Mails nach. "
            + "Der Link gilt 30 Minuten, und nur einmal.",
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
        userName: "Benutzername",
        save: "Neues Passwort speichern",
        expired: "Dieser Link ist zu alt",
        expiredWhy: "Er galt 30 Minuten. Sie können sich einen neuen senden lassen.",
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
        sentAdvice: "قد يستغرق ذلك بضع دقائق. انظر في البريد غير المرغوب أيضًا. يعمل الرابط لمدة 30 "
            + "دقيقة، ومرة واحدة فقط.",
        new: "اختيار كلمة مرور جديدة",
        newPassword: "كلمة المرور الجديدة",
        rule: {
            "لا تقل عن \(ours: characters($0)). يسهل تذكّر بضع كلمات متتالية. سيُسجَّل خروجك من كل "
                + "مكان آخر."
        },
        missing: "أدخل كلمة مرور جديدة",
        tooShort: { "أدخل كلمة مرور لا تقل عن \(ours: characters($0))" },
        tooCommon: "أدخل كلمة مرور أخرى، فهذه من أول ما قد يجرّبه أحد",
        userName: "اسم المستخدم",
        save: "حفظ كلمة المرور الجديدة",
        expired: "هذا الرابط قديم",
        expiredWhy: "كان يعمل لمدة 30 دقيقة. يمكنك طلب رابط جديد.",
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
