extension Words {
    /// What an issue is called, what it means and what to do: a table.
    static func arabicError(_ issue: ErrorPage.Issue) -> ErrorWords {
        switch issue {
        case .cancelled:
            ErrorWords(
                heading: "أوقفت تسجيل الدخول",
                sentence: "لم يتغيّر شيء.",
                next: "ارجع إلى التطبيق إذا أردت المحاولة مرة أخرى."
            )
        case .requestNotUnderstood:
            ErrorWords(
                heading: "طلب التطبيق شيئًا لا نفهمه",
                sentence: "هذا خطأ في التطبيق وليس خطأك.",
                next: "ارجع إلى التطبيق. إذا تكرر ذلك، فأخبر صانعيه."
            )
        case .unknownClient:
            ErrorWords(
                heading: "لا نعرف هذا التطبيق",
                sentence: "لم يُعَدّ لتسجيل الدخول هنا. هذا خطأ في التطبيق وليس خطأك.",
                next: "أخبر صانعي التطبيق."
            )
        case .unknownRedirect:
            ErrorWords(
                heading: "لا يمكننا إعادتك إلى هذا التطبيق",
                sentence: "أعطانا عنوانًا غير مسجَّل له، فتوقفنا هنا حفاظًا على أمانك.",
                next: "ارجع إلى التطبيق. إذا تكرر ذلك، فأخبر صانعيه."
            )
        case .signInNeeded:
            ErrorWords(
                heading: "سجّل الدخول مرة أخرى للمتابعة",
                sentence: "في هذه الخطوة نحتاج إلى التأكد من أنك أنت فعلًا.",
                next: "ارجع إلى التطبيق وسجّل الدخول من هناك."
            )
        case .accountBlocked:
            ErrorWords(
                heading: "هذا الحساب محظور",
                sentence: "لا يمكن استخدامه لتسجيل الدخول حاليًا.",
                next: "تواصل مع الدعم واذكر الرقم المرجعي أدناه."
            )
        case .notAllowed:
            ErrorWords(
                heading: "لا يمكن فتح هذه الصفحة بهذه الطريقة",
                sentence: "فُتحت من موقع آخر، أو ليست للحساب الذي تستخدمه.",
                next: "ارجع إلى التطبيق وابدأ من هناك."
            )
        case .providerNotAnswering(let provider):
            ErrorWords(
                heading: "لا استجابة من \(name: provider)",
                sentence: "المشكلة من جهتهم أو في الشبكة، وليست في حسابك.",
                next: "حاول مرة أخرى بعد لحظات، أو استخدم طريقة أخرى لتسجيل الدخول."
            )
        case .providerMisconfigured(let provider):
            ErrorWords(
                heading: "لم يُقبل طلبنا لدى \(name: provider)",
                sentence: "على القائمين على هذه الخدمة تصحيح أحد الإعدادات.",
                next: "استخدم طريقة أخرى لتسجيل الدخول."
            )
        case .organisationDenies:
            ErrorWords(
                heading: "مؤسستك لا تسمح بهذا التطبيق",
                sentence: "القرار لمسؤول مؤسستك.",
                next: "اسأل المسؤول لديك، أو استخدم حسابًا شخصيًا."
            )
        case .signUpClosed:
            ErrorWords(
                heading: "إنشاء الحسابات الجديدة متوقف",
                sentence: "لا يمكن الانضمام حاليًا إلا بدعوة.",
                next: "إن كان لديك حساب بالفعل، فاستخدم الطريقة التي استخدمتها من قبل."
            )
        case .handOffLost:
            ErrorWords(
                heading: "ارجع إلى التطبيق وحاول مرة أخرى",
                sentence: "لم يكتمل الانتقال إلى التطبيق في الوقت المحدد.",
                next: "ما زلت مسجَّل الدخول هنا."
            )
        case .busy:
            ErrorWords(
                heading: "هناك ضغط كبير الآن",
                sentence: "لم نصل إلى طلبك في الوقت المناسب. لم يتغيّر شيء.",
                next: "حاول مرة أخرى بعد لحظات."
            )
        case .serverError:
            ErrorWords(
                heading: "حدث خطأ من جهتنا",
                sentence: "هذا ليس خطأك، ولم يتغيّر شيء.",
                next: "حاول مرة أخرى بعد لحظات. إذا تكرر ذلك، فتواصل مع الدعم واذكر الرقم المرجعي "
                    + "أدناه."
            )
        case .tooLarge:
            ErrorWords(
                heading: "هذا أكثر مما يمكن قبوله دفعة واحدة",
                sentence: "أرسلت الصفحة أو التطبيق أكثر مما نقبله.",
                next: "ارجع وحاول بنص أقصر."
            )
        case .tooManyTries(let seconds):
            ErrorWords(
                heading: "محاولات كثيرة",
                sentence: "لحماية الحسابات هناك حد أقصى.",
                next: "انتظر \(ours: arabicSpan(seconds: seconds))، ثم حاول مرة أخرى."
            )
        case .notFound:
            ErrorWords(
                heading: "لا توجد صفحة هنا",
                sentence: "ربما كُتب العنوان خطأً، أو نُقلت الصفحة.",
                next: "ارجع إلى التطبيق وابدأ من هناك."
            )
        case .methodNotAllowed:
            ErrorWords(
                heading: "هذا العنوان ليس للفتح مباشرة",
                sentence: "إنه يخص نموذجًا أو تطبيقًا.",
                next: "ارجع إلى التطبيق وابدأ من هناك."
            )
        }
    }
}
