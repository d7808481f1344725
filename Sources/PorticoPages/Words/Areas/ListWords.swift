/// Words of the account pages that list ways, devices and apps.
struct ListWords: Sendable {
    let waysIntro: Phrase
    let yours: Phrase
    let more: Phrase
    /// By the time it was added.
    let added: @Sendable (Phrase) -> Phrase
    let removeWay: @Sendable (MethodLabel) -> Phrase
    let onlyOne: Phrase
    let onlyOneProblem: Phrase
    /// Of a provider that is disabled, or not set up any more.
    let unavailable: Phrase
    let wayAdded: @Sendable (MethodLabel) -> Phrase
    let wayRemoved: @Sendable (MethodLabel) -> Phrase
    let addWhat: Phrase
    let devicesIntro: Phrase
    let thisDevice: Phrase
    /// One that did not say what it is.
    let unknownDevice: Phrase
    let inApp: NamedPhrase
    /// By when it was seen last.
    let seen: @Sendable (Phrase) -> Phrase
    let address: NamedPhrase
    let end: Phrase
    let endOthers: Phrase
    let ended: Phrase
    let othersEnded: Phrase
    let noOthers: Phrase
    let appsIntro: Phrase
    let noApps: Phrase
    /// Stands before a list of what an app may do.
    let may: Phrase
    let allowed: @Sendable (Phrase) -> Phrase
    let used: @Sendable (Phrase) -> Phrase
    let removeApp: NamedPhrase
    let appRemoved: NamedPhrase
    let appRemovedNext: Phrase

    static let english = ListWords(
        waysIntro: "You can sign in to your account with any of these.",
        yours: "Your sign-in methods",
        more: "Add another method",
        added: { "Added \($0)" },
        removeWay: { "Remove \(name: $0.displayName)" },
        onlyOne: "This is your only sign-in method, so it can’t be removed. Add another one first.",
        onlyOneProblem: "Your only sign-in method can’t be removed",
        unavailable: "You can’t sign in with it at the moment.",
        wayAdded: { "\(name: $0.displayName) has been added. You can sign in with it now." },
        wayRemoved: {
            "\(name: $0.displayName) has been removed, and sessions that used it have ended."
        },
        addWhat: "Add a second method so you can still sign in if you lose the first.",
        devicesIntro:
            "You’re signed in on these devices and in these apps. If you don’t "
            + "recognise one, sign it out.",
        thisDevice: "This device",
        unknownDevice: "Unknown device",
        inApp: { "In the \(name: $0) app" },
        seen: { "Last seen \($0)" },
        address: { "From \(exact: $0)" },
        end: "Sign out this device",
        endOthers: "Sign out everywhere else",
        ended: "You’re signed out on that device.",
        othersEnded: "You’re signed out everywhere else.",
        noOthers: "You’re not signed in anywhere else.",
        appsIntro: "Apps you’ve signed in to or given access to your account.",
        noApps: "No connected apps",
        may: "It can:",
        allowed: { "Allowed \($0)" },
        used: { "Last used \($0)" },
        removeApp: { "Remove \(name: $0)" },
        appRemoved: { "\(name: $0) can no longer use your account." },
        appRemovedNext: "If you sign in with it again, it can use your account again."
    )

    static let german = ListWords(
        waysIntro: "Mit jedem davon können Sie sich bei Ihrem Konto anmelden.",
        yours: "Ihre Anmeldewege",
        more: "Weiteren Weg hinzufügen",
        added: { "Hinzugefügt \($0)" },
        removeWay: { "\(name: $0.displayName) entfernen" },
        onlyOne:
            "Das ist Ihr einziger Anmeldeweg, deshalb lässt er sich nicht entfernen. Fügen Sie "
            + "zuerst einen weiteren hinzu.",
        onlyOneProblem: "Ihr einziger Anmeldeweg lässt sich nicht entfernen",
        unavailable: "Damit können Sie sich zurzeit nicht anmelden.",
        wayAdded: {
            "\(name: $0.displayName) wurde hinzugefügt. Sie können sich jetzt damit anmelden."
        },
        wayRemoved: {
            "\(name: $0.displayName) wurde entfernt, und Sitzungen darüber wurden beendet."
        },
        addWhat: "Mit einem zweiten Weg kommen Sie auch hinein, wenn der erste ausfällt.",
        devicesIntro: "Auf diesen Geräten und in diesen Apps sind Sie angemeldet. Wenn Sie etwas "
            + "davon nicht kennen, melden Sie sich dort ab.",
        thisDevice: "Dieses Gerät",
        unknownDevice: "Unbekanntes Gerät",
        inApp: { "In der App \(name: $0)" },
        seen: { "Zuletzt gesehen \($0)" },
        address: { "Von \(exact: $0)" },
        end: "Dort abmelden",
        endOthers: "Überall sonst abmelden",
        ended: "Dort sind Sie abgemeldet.",
        othersEnded: "Überall sonst sind Sie abgemeldet.",
        noOthers: "Sonst sind Sie nirgends angemeldet.",
        appsIntro: "Diese Apps können Ihr Konto verwenden: Sie haben es erlaubt oder sich damit "
            + "angemeldet.",
        noApps: "Keine App darf Ihr Konto verwenden.",
        may: "Sie kann:",
        allowed: { "Erlaubt \($0)" },
        used: { "Zuletzt verwendet \($0)" },
        removeApp: { "\(name: $0) entfernen" },
        appRemoved: { "\(name: $0) kann Ihr Konto nicht mehr verwenden." },
        appRemovedNext: "Wenn Sie sich wieder damit anmelden, kann sie es wieder."
    )

    static let arabic = ListWords(
        waysIntro: "يمكنك تسجيل الدخول إلى حسابك بأي من هذه الطرق.",
        yours: "طرقك",
        more: "إضافة طريقة أخرى",
        added: { "أُضيفت \($0)" },
        removeWay: { "إزالة \(name: $0.displayName)" },
        onlyOne: "هذه طريقتك الوحيدة لتسجيل الدخول، لذا لا يمكن إزالتها. أضف طريقة أخرى أولًا.",
        onlyOneProblem: "لا يمكن إزالة طريقتك الوحيدة لتسجيل الدخول",
        unavailable: "لا يمكنك تسجيل الدخول بها حاليًا.",
        wayAdded: { "أُضيف \(name: $0.displayName)، ويمكنك تسجيل الدخول به الآن." },
        wayRemoved: { "أُزيل \(name: $0.displayName)، وأُنهيت الجلسات التي استخدمته." },
        addWhat: "بطريقة ثانية يمكنك الدخول حتى إن تعطّلت الأولى.",
        devicesIntro: "أنت مسجَّل الدخول على هذه الأجهزة وفي هذه التطبيقات. إن لم تعرف أحدها، فسجّل "
            + "الخروج منه.",
        thisDevice: "هذا الجهاز",
        unknownDevice: "جهاز غير معروف",
        inApp: { "في تطبيق \(name: $0)" },
        seen: { "آخر ظهور \($0)" },
        address: { "من \(exact: $0)" },
        end: "تسجيل الخروج هناك",
        endOthers: "تسجيل الخروج من كل ما سواه",
        ended: "تم تسجيل خروجك هناك.",
        othersEnded: "تم تسجيل خروجك من كل ما سواه.",
        noOthers: "لست مسجَّل الدخول في أي مكان آخر.",
        appsIntro: "يمكن لهذه التطبيقات استخدام حسابك: سمحت بذلك أو سجّلت الدخول بها.",
        noApps: "لا يُسمح لأي تطبيق باستخدام حسابك.",
        may: "يمكنه:",
        allowed: { "سُمح به \($0)" },
        used: { "آخر استخدام \($0)" },
        removeApp: { "إزالة \(name: $0)" },
        appRemoved: { "لم يعد بإمكان \(name: $0) استخدام حسابك." },
        appRemovedNext: "إذا سجّلت الدخول به مرة أخرى، أمكنه ذلك من جديد."
    )
}
