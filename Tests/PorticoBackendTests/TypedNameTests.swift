import PorticoPages
import PorticoProtocol
import Testing

@testable import PorticoBackend

@Suite("A name, as it is typed") struct TypedNameTests {
    @Test(
        "blanks around it are not part of it; a name of blanks is none, and shown as it was typed",
        arguments: [
            ("Ben ", "Ben", false), (" \u{A0}Ben Sample\t", "Ben Sample", false),
            ("Ben", "Ben", false), ("", "", true), (" ", " ", true),
        ]
    )
    func blanks(_ typed: String, _ name: String, _ isMissing: Bool) {
        let form = FormParameters([(name: "name", value: typed)])
        let said = ProfileForm(form, .missing, asksForEmail: false)
        #expect(said.name == name)
        #expect(said.problems.contains(.nameMissing) == isMissing)
    }
}
