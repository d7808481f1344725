/// Words of the pages that only a demonstration server has.
struct DemoWords: Sendable {
    let outbox: Phrase
    let outboxIntro: Phrase
    let empty: Phrase
    let to: NamedPhrase
    let sent: @Sendable (Phrase) -> Phrase
    let waiting: Phrase
    let givenUp: Phrase
    let gallery: Phrase
    let galleryIntro: Phrase

    static let english = DemoWords(
        outbox: "Demo mailbox",
        outboxIntro:
            "Nothing is really sent. Emails are shown on this page instead, newest first.",
        empty: "No emails yet.",
        to: { "To \(exact: $0)" },
        sent: { "Sent \($0)" },
        waiting: "Waiting to be sent",
        givenUp: "Couldn’t be sent",
        gallery: "All pages",
        galleryIntro: "Every page in every state, with made-up names."
    )

    static let german = DemoWords(
        outbox: "E-Mails dieser Vorführung",
        outboxIntro:
            "Nichts verlässt diesen Rechner: Hier steht, was gesendet würde, das Neueste oben.",
        empty: "Noch keine E-Mail.",
        to: { "An \(exact: $0)" },
        sent: { "Gesendet \($0)" },
        waiting: "Wird noch gesendet",
        givenUp: "Aufgegeben",
        gallery: "Alle Seiten",
        galleryIntro: "Jede Seite in jedem Zustand, mit erfundenen Namen."
    )

    static let arabic = DemoWords(
        outbox: "رسائل هذا العرض",
        outboxIntro: "لا يغادر شيء هذا الجهاز: ما كان سيُرسل يظهر هنا، الأحدث أولًا.",
        empty: "لا رسائل بعد.",
        to: { "إلى \(exact: $0)" },
        sent: { "أُرسلت \($0)" },
        waiting: "في انتظار الإرسال",
        givenUp: "تُركت",
        gallery: "كل الصفحات",
        galleryIntro: "كل صفحة في كل حالاتها، بأسماء مختلقة."
    )
}
