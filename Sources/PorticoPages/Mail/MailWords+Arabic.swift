extension MailWords {
    static let arabic = MailWords(greeting: "مرحبًا،") { mail, service in
        switch mail {
        case .confirmationCode(let code, let use, let minutes):
            Text(
                subject: "\(exact: code) هو رمزك في \(name: service)",
                lines: [
                    use.inArabic(service),
                    "\(exact: code)",
                    "يعمل لمدة \(ours: TimeWords.arabicMinutes(minutes))، ومرة واحدة فقط. لا تشاركه مع "
                        + "أحد، فنحن لا نطلبه أبدًا بالهاتف أو البريد الإلكتروني.",
                    "إن لم تطلب هذا الرمز، فتجاهل هذه الرسالة.",
                ]
            )
        case .emailChanged:
            Text(
                subject: "تم تغيير عنوان بريدك الإلكتروني",
                lines: [
                    "أصبح لحسابك في \(name: service) عنوان بريد إلكتروني آخر، ولن نراسلك بشأنه على هذا "
                        + "العنوان بعد الآن.",
                    "إن كنت أنت من غيّره، فلا يلزمك فعل شيء.",
                    "وإن لم تكن أنت، فسجّل الدخول إلى \(name: service)، وأدخل عنوانك من جديد، وسجّل خروج "
                        + "أي جهاز لا تعرفه. وإن تعذّر عليك ذلك، فردّ على هذه الرسالة أو تواصل مع الدعم.",
                ]
            )
        case .newDevice(let device, let time, let provider):
            Text(
                subject: "تسجيل دخول جديد إلى \(name: service)",
                lines: [
                    "سجّل أحدهم الدخول إلى حسابك باستخدام \(name: provider):",
                    device.isEmpty
                        ? "\(TimeWords.arabic.moment(of: time))"
                        : "\(name: device)، \(TimeWords.arabic.moment(of: time))",
                    "إن كنت أنت، فكل شيء على ما يرام.",
                    "وإن لم تكن أنت، فافتح حسابك وسجّل خروج ذلك الجهاز من «الأجهزة»، ثم غيّر كلمة مرورك "
                        + "لدى \(name: provider).",
                ]
            )
        case .wayAdded(let provider):
            Text(
                subject: "أُضيف \(name: provider) إلى حسابك",
                lines: [
                    "يمكنك الآن تسجيل الدخول إلى \(name: service) باستخدام \(name: provider) أيضًا.",
                    "إن لم تفعل ذلك أنت، فافتح حسابك وأزِله من «طرق تسجيل الدخول».",
                ]
            )
        case .wayRemoved(let provider):
            Text(
                subject: "أُزيل \(name: provider) من حسابك",
                lines: [
                    "لم يعد بإمكانك تسجيل الدخول إلى \(name: service) باستخدام \(name: provider).",
                    "إن لم تفعل ذلك أنت، فافتح حسابك وابحث في «الأجهزة» عمّا لا تعرفه.",
                ]
            )
        case .passwordReset(let address, let minutes):
            Text(
                subject: "اختيار كلمة مرور جديدة في \(name: service)",
                lines: [
                    "افتح هذا العنوان في المتصفح الذي تريد تسجيل الدخول به:",
                    "\(exact: address)",
                    "يعمل لمدة \(ours: TimeWords.arabicMinutes(minutes))، ومرة واحدة فقط.",
                    "إن لم تطلب ذلك، فلا يلزمك فعل شيء، وتبقى كلمة مرورك كما هي.",
                ]
            )
        case .passwordChanged:
            Text(
                subject: "تم تغيير كلمة مرورك",
                lines: [
                    "تم تغيير كلمة مرور حسابك في \(name: service)، وتم تسجيل خروجك من كل مكان.",
                    "إن كنت أنت، فسجّل الدخول بكلمة المرور الجديدة.",
                    "وإن لم تكن أنت، فهناك من يستطيع قراءة بريدك: غيّر كلمة مرور بريدك أولًا، ثم اختر "
                        + "كلمة مرور جديدة في \(name: service).",
                ]
            )
        case .accountDeleted:
            Text(
                subject: "حُذف حسابك",
                lines: [
                    "حُذف حسابك في \(name: service) وحُذفت بياناتك فيه. لا نحتفظ إلا بما يفيد أن الحساب "
                        + "حُذف.",
                    "إن لم تطلب ذلك، فردّ على هذه الرسالة أو تواصل مع الدعم.",
                ]
            )
        }
    }
}

extension MailText.CodeUse {
    fileprivate func inArabic(_ service: String) -> Phrase {
        switch self {
        case .confirmAddress(let address):
            "استخدم هذا الرمز لتأكيد \(exact: address) عنوانًا لبريدك الإلكتروني في \(name: service):"
        case .claimAccount(let provider):
            "استخدم هذا الرمز لتسجيل الدخول إلى حسابك في \(name: service) وإضافة \(name: provider) إلى "
                + "طرق تسجيل الدخول:"
        case .confirmItsYou:
            "استخدم هذا الرمز لتأكيد أنك تريد تغيير حسابك في \(name: service) أو حذفه:"
        }
    }
}
