/// A page that says one thing.
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
                body: "<p>No endpoint has this address.</p>"
            )
        case .down:
            StandInPage(
                kind: kind,
                title: "Out of order",
                body: "<p>This stand-in was told to be down.</p>"
            )
        case .refused(let words):
            StandInPage(
                kind: kind,
                title: "This request is refused",
                body: "<p>\(StandInPage.escaped("\(words)"))</p>"
            )
        case .signedOut:
            StandInPage(
                kind: kind,
                title: "You are signed out",
                body: "<p>The session at this stand-in has ended.</p>"
            )
        }
    }
}
