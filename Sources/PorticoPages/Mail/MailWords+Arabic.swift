extension MailWords {
    static let arabic = MailWords(greeting: "مرحبًا،") { mail, service in
        switch mail {
        case .confirmationCode(let code, let minutes):
            Text(
                subject: "\(exact: code) هو رمزك في \(name: service)",
                lines: [
                    "أدخل هذا الرمز في الصفحة التي تطلبه:",
                    "\(exact: code)",
                    "يعمل لمدة \(ours: TimeWords.arabicMinutes(minutes))، ومرة واحدة فقط. لا نطلبه أبدًا "
                        + "بالهاتف أو البريد الإلكتروني.",
                    "إن لم تطلب رمزًا، فلا يلزمك فعل شيء.",
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
                    "حُذف حسابك في \(name: service) وما كان محفوظًا عنك فيه.",
                    "إن لم تفعل ذلك أنت، فردّ على هذه الرسالة أو اطلب المساعدة.",
                ]
            )
        }
    }
}
