/// Words of the pages that bring two ways to sign in together, and of the one that asks for proof.
struct LinkingWords: Sendable {
    let found: Phrase
    /// By known and new way.
    let foundWhy: @Sendable (_ known: MethodLabel, _ new: MethodLabel) -> Phrase
    let foundWays: Phrase
    let proveIt: Phrase
    /// By address, mostly hidden.
    let byMailbox: NamedPhrase
    /// What a code takes away, where the account's address was never proven.
    let expels: Phrase
    let separate: Phrase
    /// By the way that was tried.
    let cancelled: NamedPhrase
    let notReauthenticated: NamedPhrase
    let add: @Sendable (MethodLabel) -> Phrase
    let addWhat: @Sendable (MethodLabel) -> Phrase
    let addYes: @Sendable (MethodLabel) -> Phrase
    let addNo: Phrase
    let taken: @Sendable (MethodLabel) -> Phrase
    let takenWhy: Phrase
    let takenAdvice: Phrase
    let takenSwitch: Phrase
    let secondOfProvider: @Sendable (MethodLabel) -> Phrase
    let secondAdvice: Phrase
    let confirm: Phrase
    let confirmReason: @Sendable (ConfirmItsYouPage.Reason) -> Phrase
    let confirmWays: Phrase
    let confirmNone: Phrase

    static let english = LinkingWords(
        found: "You already have an account",
        foundWhy: { known, new in
            """
            You usually sign in with \(name: known.displayName). Sign in with \
            \(name: known.displayName) once more to connect \(name: new.displayName).
            """
        },
        foundWays: "Confirm it’s you",
        proveIt: "Other ways to confirm it’s you:",
        byMailbox: { "Send a code to \(exact: $0)" },
        expels: "The code also removes the account’s other sign-in methods and signs it out "
            + "everywhere, because its email address was never confirmed.",
        separate: "Create a separate account",
        cancelled: { "You stopped signing in with \(name: $0). Nothing has changed." },
        notReauthenticated: {
            "\(name: $0) didn’t ask you to sign in again. Sign out of \(name: $0) and try again, or "
                + "use a code."
        },
        add: { "Add \(name: $0.displayName) to this account?" },
        addWhat: {
            "You’ll be able to sign in with \(name: $0.displayName) as well. You can remove it at "
                + "any time."
        },
        addYes: { "Add \(name: $0.displayName)" },
        addNo: "Don’t add",
        taken: { "That \(WayWords.english.account($0)) is connected to another account" },
        takenWhy: "It stays connected to that account.",
        takenAdvice: "Use it to sign in to that account, or continue with the one you’re using.",
        takenSwitch: "Sign in to that account",
        secondOfProvider: {
            "Another \(WayWords.english.account($0)) is already connected to this account"
        },
        secondAdvice: "If you want to use this one instead, remove the other one first.",
        confirm: "Confirm it’s you",
        confirmReason: {
            switch $0 {
            case .adding: "Before you add a sign-in method, confirm it’s you."
            case .removing: "Before you remove a sign-in method, confirm it’s you."
            case .changingEmail: "Before you change your email address, confirm it’s you."
            case .deleting: "Before you delete your account, confirm it’s you."
            case .other: "For this step, we need to confirm it’s you."
            }
        },
        confirmWays: "Ways to confirm",
        confirmNone: "None of your sign-in methods is available at the moment. Try again later, or "
            + "contact support."
    )

    static let german = LinkingWords(
        found: "Sie haben schon ein Konto",
        foundWhy: { known, new in
            """
            Sie melden sich sonst mit \(name: known.displayName) an. Tun Sie das einmal, dann fügen \
            wir \(name: new.displayName) hinzu.
            """
        },
        foundWays: "Zeigen Sie, dass Sie es sind",
        proveIt: "Sie können es auch anders zeigen:",
        byMailbox: { "Code an \(exact: $0) senden" },
        expels: "Mit dem Code werden auch die anderen Anmeldewege des Kontos entfernt und alle "
            + "Sitzungen beendet, weil seine E-Mail-Adresse nie bestätigt wurde.",
        separate: "Eigenes Konto anlegen",
        cancelled: {
            "Sie haben die Anmeldung mit \(name: $0) abgebrochen. Es wurde nichts geändert."
        },
        notReauthenticated: {
            "\(name: $0) hat keine neue Anmeldung verlangt. Melden Sie sich bei \(name: $0) ab und "
                + "versuchen Sie es noch einmal, oder verwenden Sie einen Code."
        },
        add: { "\(name: $0.displayName) zu diesem Konto hinzufügen?" },
        addWhat: {
            "Dann können Sie sich auch mit \(name: $0.displayName) anmelden. Entfernen können Sie es "
                + "jederzeit."
        },
        addYes: { "\(name: $0.displayName) hinzufügen" },
        addNo: "Nicht hinzufügen",
        taken: { "Dieses \(WayWords.german.account($0)) ist vergeben" },
        takenWhy: "Es gehört hier zu einem anderen Konto und bleibt dort.",
        takenAdvice: "Melden Sie sich damit bei jenem Konto an, oder bleiben Sie bei diesem.",
        takenSwitch: "Bei jenem Konto anmelden",
        secondOfProvider: { "Zu diesem Konto gehört schon ein \(WayWords.german.account($0))" },
        secondAdvice: "Entfernen Sie das zuerst, wenn Sie ein anderes verwenden möchten.",
        confirm: "Bestätigen Sie, dass Sie es sind",
        confirmReason: {
            switch $0 {
            case .adding:
                "Bevor Sie einen Anmeldeweg hinzufügen, zeigen Sie uns, dass Sie es wirklich sind."
            case .removing:
                "Bevor Sie einen Anmeldeweg entfernen, zeigen Sie uns, dass Sie es wirklich sind."
            case .changingEmail:
                "Bevor Sie Ihre E-Mail-Adresse ändern, zeigen Sie uns, dass Sie es wirklich sind."
            case .deleting:
                "Bevor Sie Ihr Konto löschen, zeigen Sie uns, dass Sie es wirklich sind."
            case .other:
                "Für diesen Schritt müssen wir wissen, dass Sie es wirklich sind."
            }
        },
        confirmWays: "So können Sie es bestätigen",
        confirmNone: "Zurzeit steht keiner Ihrer Anmeldewege bereit. Versuchen Sie es später noch "
            + "einmal oder bitten Sie um Hilfe."
    )

    static let arabic = LinkingWords(
        found: "لديك حساب بالفعل",
        foundWhy: { known, new in
            """
            تسجّل الدخول عادةً باستخدام \(name: known.displayName). افعل ذلك مرة واحدة وسنضيف لك \
            \(name: new.displayName).
            """
        },
        foundWays: "أثبت أنك أنت",
        proveIt: "يمكنك إثبات ذلك بطرق أخرى:",
        byMailbox: { "إرسال رمز إلى \(exact: $0)" },
        expels: "يزيل الرمز أيضًا طرق تسجيل الدخول الأخرى من الحساب ويُخرجه من كل الأجهزة، لأن عنوان "
            + "بريده الإلكتروني لم يُؤكَّد قط.",
        separate: "إنشاء حساب منفصل",
        cancelled: { "أوقفت تسجيل الدخول باستخدام \(name: $0). لم يتغيّر شيء." },
        notReauthenticated: {
            "لم يُطلب منك تسجيل الدخول مجددًا لدى \(name: $0). سجّل الخروج من \(name: $0) وحاول مرة "
                + "أخرى، أو استخدم رمزًا."
        },
        add: { "هل تريد إضافة \(name: $0.displayName) إلى هذا الحساب؟" },
        addWhat: {
            "بعدها يمكنك تسجيل الدخول باستخدام \(name: $0.displayName) أيضًا. يمكنك إزالته في أي وقت."
        },
        addYes: { "إضافة \(name: $0.displayName)" },
        addNo: "عدم الإضافة",
        taken: { "\(WayWords.arabic.account($0)) مستخدم بالفعل" },
        takenWhy: "إنه مرتبط هنا بحساب آخر ويبقى فيه.",
        takenAdvice: "سجّل الدخول به إلى ذلك الحساب، أو تابع بالحساب الذي تستخدمه.",
        takenSwitch: "تسجيل الدخول إلى ذلك الحساب",
        secondOfProvider: { "يوجد في هذا الحساب \(WayWords.arabic.account($0)) بالفعل" },
        secondAdvice: "أزِله أولًا إذا أردت استخدام غيره.",
        confirm: "أكّد أنك أنت",
        confirmReason: {
            switch $0 {
            case .adding: "قبل إضافة طريقة لتسجيل الدخول، أثبت لنا أنك أنت فعلًا."
            case .removing: "قبل إزالة طريقة لتسجيل الدخول، أثبت لنا أنك أنت فعلًا."
            case .changingEmail: "قبل تغيير عنوان بريدك الإلكتروني، أثبت لنا أنك أنت فعلًا."
            case .deleting: "قبل حذف حسابك، أثبت لنا أنك أنت فعلًا."
            case .other: "في هذه الخطوة نحتاج إلى التأكد من أنك أنت فعلًا."
            }
        },
        confirmWays: "طرق التأكيد",
        confirmNone: "لا تتوفر أي من طرق تسجيل دخولك حاليًا. حاول لاحقًا أو اطلب المساعدة."
    )
}
