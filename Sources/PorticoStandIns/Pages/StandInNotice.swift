import PorticoBytes

/// A page with one message.
enum StandInNotice: Sendable {
    case nothing
    case refused(StaticString)

    func page(_ kind: StandInKind?) -> StandInPage {
        switch self {
        case .nothing:
            StandInPage(
                kind: kind,
                title: "There is nothing here",
                body: .element(.p, .text("No endpoint has this address."))
            )
        case .refused(let words):
            StandInPage(
                kind: kind,
                title: "This request is refused",
                body: .element(.p, .text("\(words)"))
            )
        }
    }
}
