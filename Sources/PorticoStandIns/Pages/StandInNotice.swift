import PorticoBytes

/// A page with one message.
enum StandInNotice: Sendable {
    case nothing
    case down
    case refused(StaticString)
    case signedOut

    func page(_ kind: StandInKind?) -> StandInPage {
        switch self {
        case .nothing:
            StandInPage(
                kind: kind,
                title: "There is nothing here",
                body: .element(.p, .text("No endpoint has this address."))
            )
        case .down:
            StandInPage(
                kind: kind,
                title: "Out of order",
                body: .element(.p, .text("This stand-in was told to be down."))
            )
        case .refused(let words):
            StandInPage(
                kind: kind,
                title: "This request is refused",
                body: .element(.p, .text("\(words)"))
            )
        case .signedOut:
            StandInPage(
                kind: kind,
                title: "You are signed out",
                body: .element(.p, .text("The session at this stand-in has ended."))
            )
        }
    }
}
