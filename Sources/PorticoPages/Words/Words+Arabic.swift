extension Words {
    static let arabic = Words(
        common: CommonWords(
            errorPrefix: "خطأ: ",
            withoutHTTPS: "يعمل هذا الخادم بدون https وعلى هذا الجهاز فقط.",
            aboutThisPage: "عن هذه الصفحة",
            reference: "الرقم المرجعي",
            help: "مساعدة",
            proceed: "متابعة",
            cancel: "إلغاء",
            tryAgain: "المحاولة مرة أخرى",
            startAgain: "البدء من جديد",
            useAnotherAccount: "استخدام حساب آخر",
            backTo: { "العودة إلى \(name: $0)" },
            backToApp: "العودة إلى التطبيق"
        ),
        start: StartWords(
            heading: "سجّل الدخول من أحد التطبيقات",
            comeFromApp: "يصل الناس إلى هنا من تطبيق لتسجيل الدخول، ثم يعودون إليه.",
            nothingToDo: "لا يوجد ما يمكن فعله في هذه الصفحة نفسها."
        ),
        signIn: SignInWords(
            heading: { "تسجيل الدخول إلى \(name: $0)" },
            intro: { "استخدم حسابك في \(name: $0)." },
            again: "سجّل الدخول مرة أخرى للمتابعة",
            whyAgain: "في هذه الخطوة نحتاج إلى التأكد من أنك أنت فعلًا.",
            endsAnother:
                "إذا سجّلت الدخول بحساب آخر، فسيتم تسجيل الخروج من الحساب المستخدم آخر مرة في "
                + "هذا المتصفح ومن تطبيقاته.",
            userName: "اسم المستخدم أو البريد الإلكتروني",
            password: "كلمة المرور",
            signIn: "تسجيل الدخول",
            forgot: "هل نسيت كلمة المرور؟",
            problem: "هناك مشكلة",
            wrongPair: "اسم المستخدم وكلمة المرور غير متطابقين. تحقق منهما وحاول مرة أخرى.",
            wrongPassword: "هذه ليست كلمة مرور هذا الحساب. حاول مرة أخرى.",
            enterUserName: "أدخل اسم المستخدم أو البريد الإلكتروني",
            enterPassword: "أدخل كلمة المرور",
            tooManyTries: "محاولات كثيرة",
            wait: { "انتظر \(ours: arabicSpan(seconds: $0))، ثم حاول مرة أخرى." },
            busy: "كثيرون يسجّلون الدخول الآن",
            busyAdvice: "حاول مرة أخرى بعد لحظات."
        ),
        consent: ConsentWords(
            heading: { "هل تسمح لتطبيق \(name: $0) باستخدام حسابك؟" },
            appOnThisDevice: "تطبيق على هذا الجهاز",
            appAdvice: "لا يمكننا التحقق من صانعه. تابع فقط إذا بدأت هذا من تطبيق تثق به.",
            site: { "موقع على \(exact: $0)" },
            siteAdvice: "لا نعرف من يديره. تابع فقط إذا كنت تثق به.",
            grants: { "سيتمكن \(name: $0) من" },
            grant: { arabicGrant(of: $0) },
            account: "حسابك",
            allow: "سماح",
            deny: "عدم السماح"
        ),
        account: AccountWords(
            heading: "أنت مسجَّل الدخول بالفعل",
            choose: { "أي حساب تريد استخدامه مع \(name: $0)؟" },
            otherExpected: { "يتوقع \(name: $0) حسابًا غير هذا." },
            continueAs: { "المتابعة باسم \(name: $0)" }
        ),
        signOut: SignOutWords(
            heading: { "هل تريد تسجيل الخروج من \(name: $0)؟" },
            asked: { "يطلب \(name: $0) تسجيل خروجك في هذا المتصفح." },
            askedElsewhere: { "يطلب \(name: $0) تسجيل خروجك في متصفح آخر أو على جهاز آخر." },
            intro: "سيؤدي هذا إلى تسجيل خروجك في هذا المتصفح.",
            still: "ما زلت مسجَّل الدخول. يمكنك تسجيل الخروج هنا.",
            signOut: "تسجيل الخروج",
            stay: "البقاء مسجَّل الدخول"
        ),
        signedOut: SignedOutWords(
            heading: "تم تسجيل خروجك",
            done: { "لم تعد مسجَّل الدخول إلى \(name: $0) في هذا المتصفح." },
            stillOpen: "قد تبقى مسجَّل الدخول في تطبيقات فتحتها من قبل إلى أن تسجّل الخروج منها.",
            nobodyWas: "لم تكن مسجَّل الدخول",
            stayed: "ما زلت مسجَّل الدخول",
            nothingChanged: "لم يتغيّر شيء. يمكنك إغلاق هذه الصفحة."
        ),
        expired: ExpiredWords(
            tookTooLong: "استغرق هذا وقتًا طويلًا",
            closed: {
                """
                بدأ تسجيل الدخول قبل أكثر من \(ours: arabicSpan(minutes: $0))، فأُغلق حفاظًا على أمانك.
                """
            },
            unmatched: "تعذّرت مطابقة محاولة تسجيل الدخول هذه",
            otherBrowser: "بدأت في متصفح آخر، أو لم يحتفظ متصفحك بملف تعريف الارتباط الخاص بنا.",
            answered: "لقد أكملت تسجيل الدخول هذا من قبل",
            worksOnce: "يعمل مرة واحدة فقط. إذا لم يسجّل التطبيق دخولك، فابدأ من جديد.",
            returnToApp: "ارجع إلى التطبيق وسجّل الدخول من هناك."
        ),
        cookies: CookiesWords(
            heading: "ملفات تعريف الارتباط محظورة",
            why: "لتسجيل دخول آمن نحتاج إلى ملف تعريف ارتباط واحد من هذا الموقع، ولم يرسله متصفحك.",
            advice: "اسمح بملفات تعريف الارتباط لهذا الموقع في إعدادات متصفحك، ثم حاول مرة أخرى."
        ),
        formPost: FormPostWords(
            heading: { "العودة إلى \(name: $0)" },
            advice: "إذا لم يحدث شيء، فاختر «متابعة»."
        ),
        details: DetailsWords(
            title: "تفاصيل تقنية",
            code: "الرمز",
            reason: "السبب",
            client: "التطبيق",
            time: "الوقت",
            reference: "الرقم المرجعي"
        ),
        problem: { .arabic($0) },
        choose: .arabic,
        way: .arabic,
        time: .arabic,
        code: .arabic,
        welcome: .arabic,
        linking: .arabic,
        leaving: .arabic,
        trouble: .arabic,
        reset: .arabic,
        area: .arabic,
        lists: .arabic,
        removal: .arabic,
        demo: .arabic,
        error: { arabicError($0) }
    )

    static func arabicSpan(seconds: Int) -> String {
        switch Wait(seconds: seconds) {
        case .seconds(let seconds): TimeWords.arabicSeconds(seconds)
        case .minutes(let minutes): arabicSpan(minutes: minutes)
        }
    }

    static func arabicSpan(minutes: Int) -> String { TimeWords.arabicMinutes(minutes) }

    private static func arabicGrant(of scope: String) -> Phrase {
        switch scope {
        case "openid": "معرفة أنك أنت عند تسجيل الدخول"
        case "profile": "الاطلاع على اسمك وبقية ملفك الشخصي"
        case "email": "الاطلاع على بريدك الإلكتروني"
        case "address": "الاطلاع على عنوانك البريدي"
        case "phone": "الاطلاع على رقم هاتفك"
        case "roles": "الاطلاع على أدوارك"
        case "groups": "الاطلاع على المجموعات التي تنتمي إليها"
        case "offline_access": "الاحتفاظ بهذا الإذن حتى عندما لا تستخدمه"
        default: "استخدام الإذن \(name: scope)"
        }
    }
}
