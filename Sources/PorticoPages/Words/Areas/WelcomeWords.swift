/// Words for somebody who is new.
struct WelcomeWords: Sendable {
    /// By service.
    let heading: NamedPhrase
    /// By provider.
    let given: NamedPhrase
    let name: Phrase
    let whyName: Phrase
    let email: Phrase
    let whyEmail: Phrase
    let willConfirm: Phrase
    let noEmail: Phrase
    let relay: Phrase
    let relayWhat: Phrase
    let verified: Phrase
    let save: Phrase
    let later: Phrase
    let terms: Phrase
    let problem: Phrase
    let nameMissing: Phrase
    let emailMissing: Phrase
    let emailWrong: Phrase
    let emailTaken: Phrase
    /// By service.
    let relayHeading: NamedPhrase
    /// By provider.
    let relayIntro: NamedPhrase
    let relayAdvice: Phrase
    let link: Phrase
    /// By service.
    let create: NamedPhrase

    static let english = WelcomeWords(
        heading: { "Welcome to \(name: $0)" },
        given: {
            "Your account is ready. Here’s what \(name: $0) shared. Edit anything that’s wrong."
        },
        name: "Your name",
        whyName: "So we know what to call you.",
        email: "Email",
        whyEmail: "So you can get back in if you lose access, and for notices about your account.",
        willConfirm: "We’ll send a code to this address to confirm that it’s yours.",
        noEmail: "We didn’t get an email address. Add one so you can get back in if you lose "
            + "access.",
        relay: "Hidden email",
        relayWhat: "Apple forwards what we send to this address. We don’t know your own address.",
        verified: "Confirmed email",
        save: "Continue",
        later: "Not now",
        terms: "Terms of use",
        problem: "There is a problem",
        nameMissing: "Enter your name",
        emailMissing: "Enter your email address",
        emailWrong: "Enter an email address in the form \(exact: "name@example.com")",
        emailTaken: "Another account already uses this address.",
        relayHeading: { "Do you already have an account with \(name: $0)?" },
        relayIntro: {
            "\(name: $0) hides your email address, so we can’t tell whether you’ve been here before."
        },
        relayAdvice: "If you do, sign in to it and add this sign-in method. Otherwise you’ll "
            + "have two accounts.",
        link: "I have an account",
        create: { "Create your \(name: $0) account" }
    )

    static let german = WelcomeWords(
        heading: { "Willkommen bei \(name: $0)" },
        given: {
            "Ihr Konto ist angelegt. Das hat uns \(name: $0) mitgeteilt; ändern Sie, was nicht stimmt."
        },
        name: "Ihr Name",
        whyName: "Damit wir wissen, wie wir Sie ansprechen.",
        email: "E-Mail-Adresse",
        whyEmail: "Damit Sie wieder hineinkommen, wenn Sie den Zugang verlieren, und für Hinweise "
            + "zu Ihrem Konto.",
        willConfirm: "Wir senden einen Code an diese Adresse, um zu bestätigen, dass es Ihre ist.",
        noEmail: "Wir haben keine E-Mail-Adresse bekommen. Geben Sie eine an, damit Sie wieder "
            + "hineinkommen, wenn Sie den Zugang verlieren.",
        relay: "Verborgene E-Mail-Adresse",
        relayWhat:
            "Apple leitet an Sie weiter, was wir an diese Adresse senden. Ihre eigene Adresse "
            + "kennen wir nicht.",
        verified: "Bestätigte E-Mail-Adresse",
        save: "Weiter",
        later: "Jetzt nicht",
        terms: "Nutzungsbedingungen",
        problem: "Da stimmt etwas nicht",
        nameMissing: "Geben Sie Ihren Namen ein",
        emailMissing: "Geben Sie Ihre E-Mail-Adresse ein",
        emailWrong: "Geben Sie eine E-Mail-Adresse wie \(exact: "name@example.com") ein",
        emailTaken: "Nehmen Sie eine andere Adresse: Diese gehört zu einem anderen Konto",
        relayHeading: { "Haben Sie schon ein Konto für \(name: $0)?" },
        relayIntro: {
            """
            \(name: $0) verbirgt Ihre E-Mail-Adresse. Deshalb erkennen wir nicht, ob Sie schon einmal \
            hier waren.
            """
        },
        relayAdvice: "Wenn Sie ein Konto haben, melden Sie sich dort an und fügen Sie diesen Weg "
            + "hinzu. Sonst hätten Sie zwei.",
        link: "Ich habe eins: anmelden und hinzufügen",
        create: { "Ich bin neu: Konto für \(name: $0) anlegen" }
    )

    static let arabic = WelcomeWords(
        heading: { "مرحبًا بك في \(name: $0)" },
        given: { "حسابك جاهز. هذا ما أخبرنا به \(name: $0)، فغيّر ما ليس صحيحًا." },
        name: "اسمك",
        whyName: "لنعرف كيف نخاطبك.",
        email: "البريد الإلكتروني",
        whyEmail: "لتتمكن من العودة إذا فقدت الوصول، ولإشعارات حسابك.",
        willConfirm: "سنرسل رمزًا إلى هذا العنوان للتأكد من أنه لك.",
        noEmail: "لم نحصل على عنوان بريد إلكتروني. أضف عنوانًا لتتمكن من العودة إذا فقدت الوصول.",
        relay: "بريد إلكتروني مخفي",
        relayWhat: "يحوّل إليك Apple ما نرسله إلى هذا العنوان. نحن لا نعرف عنوانك نفسه.",
        verified: "بريد إلكتروني مؤكَّد",
        save: "متابعة",
        later: "ليس الآن",
        terms: "شروط الاستخدام",
        problem: "هناك مشكلة",
        nameMissing: "أدخل اسمك",
        emailMissing: "أدخل عنوان بريدك الإلكتروني",
        emailWrong: "أدخل عنوان بريد إلكتروني مثل \(exact: "name@example.com")",
        emailTaken: "استخدم عنوانًا آخر، فهذا العنوان يخص حسابًا آخر",
        relayHeading: { "هل لديك حساب في \(name: $0) بالفعل؟" },
        relayIntro: { "يُخفي \(name: $0) عنوان بريدك الإلكتروني، فلا نعرف إن كنت هنا من قبل." },
        relayAdvice: "إذا كان لديك حساب، فسجّل الدخول إليه وأضف هذه الطريقة، وإلا صار لديك حسابان.",
        link: "لديّ حساب: تسجيل الدخول وإضافتها",
        create: { "أنا جديد: إنشاء حساب في \(name: $0)" }
    )
}
