/// Words of the page where a way to sign in is chosen.
struct ChooseWords: Sendable {
    /// By app or service.
    let signIn: NamedPhrase
    let signUp: NamedPhrase
    let signInIntro: Phrase
    let signUpIntro: Phrase
    let noWays: Phrase
    let waysToSignIn: Phrase
    let waysToSignUp: Phrase
    let remember: Phrase
    let isNew: Phrase
    let toSignUp: Phrase
    let isKnown: Phrase
    let toSignIn: Phrase

    static let english = ChooseWords(
        signIn: { "Sign in to \(name: $0)" },
        signUp: { "Create your \(name: $0) account" },
        signInIntro: "Choose how you signed in last time.",
        signUpIntro: "Use an account you already have. No new password to remember.",
        noWays: "Sign-in isn’t set up yet. Contact the people who run this service.",
        waysToSignIn: "Sign-in methods",
        waysToSignUp: "Sign-up methods",
        remember: "Keep me signed in on this device",
        isNew: "New here?",
        toSignUp: "Create an account",
        isKnown: "Already have an account?",
        toSignIn: "Sign in"
    )

    static let german = ChooseWords(
        signIn: { "Bei \(name: $0) anmelden" },
        signUp: { "Ihr Konto für \(name: $0) anlegen" },
        signInIntro: "Wählen Sie den Weg, den Sie schon verwendet haben.",
        signUpIntro:
            "Verwenden Sie ein Konto, das Sie schon haben. Ein neues Passwort brauchen Sie "
            + "nicht.",
        noWays: "Hier ist noch kein Anmeldeweg eingerichtet. Das müssen die Betreiber dieses "
            + "Dienstes nachholen.",
        waysToSignIn: "Anmeldewege",
        waysToSignUp: "Wege zu einem Konto",
        remember: "Auf diesem Gerät angemeldet bleiben",
        isNew: "Neu hier?",
        toSignUp: "Konto anlegen",
        isKnown: "Sie haben schon ein Konto?",
        toSignIn: "Anmelden"
    )

    static let arabic = ChooseWords(
        signIn: { "تسجيل الدخول إلى \(name: $0)" },
        signUp: { "إنشاء حسابك في \(name: $0)" },
        signInIntro: "اختر الطريقة التي استخدمتها من قبل.",
        signUpIntro: "استخدم حسابًا لديك بالفعل، ولن تحتاج إلى كلمة مرور جديدة.",
        noWays: "لا توجد هنا طريقة لتسجيل الدخول بعد. على القائمين على هذه الخدمة إضافة واحدة.",
        waysToSignIn: "طرق تسجيل الدخول",
        waysToSignUp: "طرق إنشاء حساب",
        remember: "إبقائي مسجَّل الدخول على هذا الجهاز",
        isNew: "هل أنت جديد هنا؟",
        toSignUp: "إنشاء حساب",
        isKnown: "هل لديك حساب بالفعل؟",
        toSignIn: "تسجيل الدخول"
    )
}
