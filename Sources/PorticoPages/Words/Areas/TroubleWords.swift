/// Words for when something in between does not work, and for help.
struct TroubleWords: Sendable {
    /// By provider.
    let notAnswering: NamedPhrase
    let notAnsweringWhy: Phrase
    /// By how long ago that was.
    let since: @Sendable (Phrase) -> Phrase
    let otherWays: Phrase
    let openInBrowser: Phrase
    /// By provider.
    let embedded: NamedPhrase
    let address: Phrase
    let copy: Phrase
    let hint: @Sendable (OpenInBrowserPage.Platform) -> Phrase
    let help: Phrase
    /// By service.
    let helpIntro: NamedPhrase
    let operatedBy: Phrase
    let contact: Phrase
    let keptTitle: Phrase
    let kept: [Phrase]
    let keptNot: Phrase
    let privacy: Phrase
    let signingInTitle: Phrase
    let signingIn: [Phrase]

    static let english = TroubleWords(
        notAnswering: { "\(name: $0) isn’t answering" },
        notAnsweringWhy:
            "We’ve tried twice. This is a problem on their side or on the network, not "
            + "with your account.",
        since: { "It started \($0)." },
        otherWays: "Use another sign-in method",
        openInBrowser: "Open this page in your browser",
        embedded: { "\(name: $0) doesn’t allow sign-in inside other apps." },
        address: "Address of this page",
        copy: "Copy the address and paste it into your browser.",
        hint: {
            switch $0 {
            case .ios: "Or choose the menu with the three dots, then Open in Safari."
            case .android: "Or choose the menu with the three dots, then Open in Chrome."
            case .other: "Or look for Open in browser in the app’s menu."
            }
        },
        help: "Help and privacy",
        helpIntro: { "About signing in to \(name: $0)." },
        operatedBy: "Who runs this service",
        contact: "Contact",
        keptTitle: "What we keep about you",
        kept: [
            "Your name, email address and picture, if you or the service you sign in with gave them "
                + "to us.",
            "Your account’s sign-in methods, and when each was added.",
            "The devices and apps you’re signed in on, with the time and the network address.",
            "A record of sign-ins and changes to your account, for security.",
        ],
        keptNot: "We never see your passwords for other services.",
        privacy: "Privacy notice",
        signingInTitle: "If signing in doesn’t work",
        signingIn: [
            "Allow cookies for this site in your browser’s settings.",
            "Finish within 10 minutes, in the browser where you started.",
            "Sign in the same way as last time. Another method may create a second account.",
        ]
    )

    static let german = TroubleWords(
        notAnswering: { "\(name: $0) antwortet nicht" },
        notAnsweringWhy:
            "Wir haben es zweimal versucht. Das liegt am Anbieter oder am Netz, nicht an "
            + "Ihrem Konto.",
        since: { "Das begann \($0)." },
        otherWays: "Anderen Weg verwenden",
        openInBrowser: "Öffnen Sie diese Seite in Ihrem Browser",
        embedded: { "\(name: $0) erlaubt keine Anmeldung innerhalb anderer Apps." },
        address: "Adresse dieser Seite",
        copy: "Kopieren Sie die Adresse und fügen Sie sie in Ihrem Browser ein.",
        hint: {
            switch $0 {
            case .ios: "Oder öffnen Sie das Menü mit den drei Punkten und dann „In Safari öffnen“."
            case .android:
                "Oder öffnen Sie das Menü mit den drei Punkten und dann „In Chrome öffnen“."
            case .other: "Oder suchen Sie im Menü der App nach „Im Browser öffnen“."
            }
        },
        help: "Hilfe und Datenschutz",
        helpIntro: { "Über die Anmeldung bei \(name: $0)." },
        operatedBy: "Betreiber",
        contact: "Kontakt",
        keptTitle: "Was über Sie gespeichert ist",
        kept: [
            "Ihr Name, Ihre E-Mail-Adresse und Ihr Bild, soweit Sie oder der Dienst, mit dem Sie sich "
                + "anmelden, sie angegeben haben.",
            "Welche Anmeldewege zu Ihrem Konto gehören, und seit wann.",
            "Die Geräte und Apps, in denen Sie angemeldet sind, mit Zeit und Netzadresse.",
            "Eine Liste der Anmeldungen und der Änderungen an Ihrem Konto, zur Sicherheit.",
        ],
        keptNot: "Ihr Passwort bei einem anderen Dienst bekommen wir nie zu sehen.",
        privacy: "Datenschutzhinweise",
        signingInTitle: "Wenn die Anmeldung nicht gelingt",
        signingIn: [
            "Erlauben Sie Cookies für diese Website in den Einstellungen Ihres Browsers.",
            "Werden Sie innerhalb von 10 Minuten fertig, in dem Browser, in dem Sie begonnen haben.",
            "Nehmen Sie den Weg, den Sie schon verwendet haben: Ein anderer kann zu einem zweiten "
                + "Konto führen.",
        ]
    )

    static let arabic = TroubleWords(
        notAnswering: { "لا استجابة من \(name: $0)" },
        notAnsweringWhy: "حاولنا مرتين. المشكلة من جهتهم أو في الشبكة، وليست في حسابك.",
        since: { "بدأ ذلك \($0)." },
        otherWays: "استخدام طريقة أخرى",
        openInBrowser: "افتح هذه الصفحة في متصفحك",
        embedded: { "لا يسمح \(name: $0) بتسجيل الدخول داخل تطبيقات أخرى." },
        address: "عنوان هذه الصفحة",
        copy: "انسخ العنوان والصقه في متصفحك.",
        hint: {
            switch $0 {
            case .ios: "أو اختر قائمة النقاط الثلاث، ثم «فتح في \(name: "Safari")»."
            case .android: "أو اختر قائمة النقاط الثلاث، ثم «فتح في \(name: "Chrome")»."
            case .other: "أو ابحث عن «فتح في المتصفح» في قائمة التطبيق."
            }
        },
        help: "المساعدة والخصوصية",
        helpIntro: { "عن تسجيل الدخول إلى \(name: $0)." },
        operatedBy: "القائم على الخدمة",
        contact: "التواصل",
        keptTitle: "ما نحتفظ به عنك",
        kept: [
            "اسمك وعنوان بريدك الإلكتروني وصورتك، بقدر ما قدّمته أنت أو الخدمة التي تسجّل الدخول بها.",
            "طرق تسجيل الدخول المرتبطة بحسابك، ومنذ متى.",
            "الأجهزة والتطبيقات التي سجّلت الدخول عليها، مع الوقت وعنوان الشبكة.",
            "قائمة بعمليات تسجيل الدخول وبالتغييرات في حسابك، من أجل الأمان.",
        ],
        keptNot: "لا نرى أبدًا كلمة مرورك لدى خدمة أخرى.",
        privacy: "إشعار الخصوصية",
        signingInTitle: "إذا لم ينجح تسجيل الدخول",
        signingIn: [
            "اسمح بملفات تعريف الارتباط لهذا الموقع في إعدادات متصفحك.",
            "أكمل خلال 10 دقائق، في المتصفح الذي بدأت فيه.",
            "استخدم الطريقة التي استخدمتها من قبل، فقد تؤدي طريقة أخرى إلى حساب ثانٍ.",
        ]
    )
}
