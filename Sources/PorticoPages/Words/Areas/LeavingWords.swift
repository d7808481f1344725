/// Words of the pages on which somebody goes back to an app, goes on, or signs out.
struct LeavingWords: Sendable {
    /// By app.
    let ready: NamedPhrase
    /// By person.
    let signedInAs: NamedPhrase
    let readyAdvice: Phrase
    /// By app.
    let returnTo: NamedPhrase
    let notOpened: NamedPhrase
    let notOpenedAdvice: Phrase
    /// By store.
    let get: NamedPhrase
    let already: Phrase
    let otherTab: Phrase
    /// By person.
    let continueAs: NamedPhrase
    /// By service.
    let signOut: NamedPhrase
    let signOutWhat: Phrase
    let here: Phrase
    let everywhere: Phrase
    let hereDone: Phrase
    let everywhereDone: Phrase
    /// By provider.
    let stillAt: NamedPhrase
    let signInAgain: Phrase

    static let english = LeavingWords(
        ready: { "Return to \(name: $0)" },
        signedInAs: { "You’re signed in as \(name: $0)." },
        readyAdvice:
            "Choose the button to open the app. You can close this page afterwards.",
        returnTo: { "Return to \(name: $0)" },
        notOpened: { "\(name: $0) didn’t open" },
        notOpenedAdvice:
            "Open the app yourself and sign in again. If it isn’t on this device, "
            + "install it first.",
        get: { "Get it from \(name: $0)" },
        already: "You’re already signed in",
        otherTab: "You can continue with this account or use another one.",
        continueAs: { "Continue as \(name: $0)" },
        signOut: { "Sign out of \(name: $0)?" },
        signOutWhat: "Choose where you want to sign out.",
        here: "Only in this browser",
        everywhere: "On all devices and in all apps",
        hereDone: "You’re signed out in this browser.",
        everywhereDone: "You’re signed out on all devices and in all apps.",
        stillAt: {
            "You’re still signed in to \(name: $0) in this browser. If other people use this "
                + "device, sign out of \(name: $0) too."
        },
        signInAgain: "Sign in again"
    )

    static let german = LeavingWords(
        ready: { "Zurück zu \(name: $0)" },
        signedInAs: { "Sie sind als \(name: $0) angemeldet." },
        readyAdvice: "Die App öffnet sich, wenn Sie auf die Schaltfläche tippen. Danach können Sie "
            + "diese Seite schließen.",
        returnTo: { "Zurück zu \(name: $0)" },
        notOpened: { "\(name: $0) hat sich nicht geöffnet" },
        notOpenedAdvice:
            "Öffnen Sie die App selbst und melden Sie sich dort an. Wenn sie auf diesem "
            + "Gerät fehlt, laden Sie sie zuerst.",
        get: { "Bei \(name: $0) laden" },
        already: "Sie sind schon angemeldet",
        otherTab: "Sie können mit diesem Konto weitermachen oder ein anderes verwenden.",
        continueAs: { "Weiter als \(name: $0)" },
        signOut: { "Von \(name: $0) abmelden?" },
        signOutWhat: "Wählen Sie, wo Sie abgemeldet werden möchten.",
        here: "Nur hier",
        everywhere: "Auf allen Geräten und in allen Apps",
        hereDone: "Hier sind Sie nicht mehr angemeldet.",
        everywhereDone: "Sie sind auf keinem Gerät und in keiner App mehr angemeldet.",
        stillAt: {
            "Bei \(name: $0) selbst sind Sie in diesem Browser weiter angemeldet. Wenn auch andere "
                + "dieses Gerät verwenden, melden Sie sich auch dort ab."
        },
        signInAgain: "Wieder anmelden"
    )

    static let arabic = LeavingWords(
        ready: { "العودة إلى \(name: $0)" },
        signedInAs: { "أنت مسجَّل الدخول باسم \(name: $0)." },
        readyAdvice: "يُفتح التطبيق عند اختيار الزر، ويمكنك بعدها إغلاق هذه الصفحة.",
        returnTo: { "العودة إلى \(name: $0)" },
        notOpened: { "لم يُفتح تطبيق \(name: $0)" },
        notOpenedAdvice: "افتح التطبيق بنفسك وسجّل الدخول من هناك. إن لم يكن على هذا الجهاز، فثبّته "
            + "أولًا.",
        get: { "التنزيل من \(name: $0)" },
        already: "أنت مسجَّل الدخول بالفعل",
        otherTab: "يمكنك المتابعة بهذا الحساب أو استخدام حساب آخر.",
        continueAs: { "المتابعة باسم \(name: $0)" },
        signOut: { "هل تريد تسجيل الخروج من \(name: $0)؟" },
        signOutWhat: "اختر من أين تريد تسجيل الخروج.",
        here: "من هنا فقط",
        everywhere: "من كل الأجهزة والتطبيقات",
        hereDone: "لم تعد مسجَّل الدخول هنا.",
        everywhereDone: "لم تعد مسجَّل الدخول على أي جهاز أو في أي تطبيق.",
        stillAt: {
            "ما زلت مسجَّل الدخول لدى \(name: $0) نفسه في هذا المتصفح. إذا كان غيرك يستخدم هذا "
                + "الجهاز، فسجّل الخروج هناك أيضًا."
        },
        signInAgain: "تسجيل الدخول مرة أخرى"
    )
}
