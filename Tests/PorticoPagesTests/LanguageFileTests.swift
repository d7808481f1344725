import PorticoTestSupport
import Testing

@testable import PorticoPages

@Suite("Files of the languages") struct LanguageFileTests {
    @Test(
        "each has every text that pages use and no other, in every plural form, with its values",
        arguments: Language.allCases
    )
    func complete(language: Language) {
        #expect(Words.read(language.file, language).faults == [])
    }

    /// The values in each text, by key; a text with a number counts as one.
    private static func values(_ language: Language) throws -> [String: Set<String>] {
        let forms = Set(language.plurals.map { "\($0)" })
        var values: [String: Set<String>] = [:]
        for (key, text) in LanguageFile(language.file).texts {
            let template = try #require(Template(text), "\(key)")
            var parts = key.split(separator: ".")
            if let last = parts.last, parts.count > 2, forms.contains(String(last)),
                key != "linking.confirmReason.other", key != "trouble.hint.other",
                key != "consent.grant.other"
            {
                parts.removeLast()
            }
            values[parts.joined(separator: "."), default: []].formUnion(template.places)
        }
        return values
    }

    @Test(
        "each text has the same values in all languages",
        arguments: Language.allCases.filter { $0 != .english }
    )
    func sameValues(language: Language) throws {
        let (ours, english) = (try Self.values(language), try Self.values(.english))
        #expect(Set(ours.keys) == Set(english.keys))
        for (key, values) in ours { #expect(values == english[key], "\(key)") }
    }

    @Test("no page and no mail shows the name of a value in the place of the value")
    func filled() {
        for state in RenderedState.all {
            let page = state.html.replacing(/<style>[\s\S]*<\/style>/, with: "")
            #expect(!page.contains(/\{[A-Za-z]+\}/), "\(state.testDescription)")
        }
        for mail in MailTextTests.mails {
            for language in Language.allCases {
                let text = mail.text(in: language, service: "Demo")
                #expect(!([text.subject] + text.lines).joined().contains("{"))
            }
        }
    }

    @Test(
        "what is wrong with a file is told, and a page then shows the key",
        arguments: [
            ("common.cancel = Cancel\n", "", "Missing: common.cancel"),
            ("common.cancel = Cancel\n", "common.cancel = {x}\n", "common.cancel: {x}"),
            ("common.backTo = Back to {client}\n", "common.backTo = Back\n", "common.backTo: Back"),
            ("{count} devices", "devices", "time.devices.other: devices"),
            ("time.devices.one = 1 device\n", "", "Missing: time.devices.one"),
            ("removal.consequences.1", "removal.consequences.9", "Missing: removal.consequences.1"),
            (
                "common.help = Help\n", "common.help = Help\ncommon.hepl = x\n",
                "No page has common.hepl"
            ),
            ("common.help = Help\n", "common.help = Help\ncommon.help = x\n", "Twice: common.help"),
            ("common.help = Help\n", "common.help = Help\nand more\n", "No key and text: and more"),
            ("{client} will be", "{client will be", "consent.grants: {client will be"),
        ]
    )
    func faults(old: String, new: String, fault: String) {
        let file = Language.english.file
        #expect(file.contains(old))
        let (words, faults) = Words.read(file.replacing(old, with: new), .english)
        #expect(faults.contains { $0.contains(fault) }, "\(faults)")
        let cancel = fault.contains("cancel") ? "common.cancel" : "Cancel"
        #expect(words.common.cancel.plain == cancel)
    }

    @Test("a line that ends with a backslash goes on in the next one; comments are not read")
    func lines() {
        let file = LanguageFile("# a = b\nx.y = one \\\n    two\n\n  z = {a} = b \n")
        #expect(file.texts == ["x.y": "one two", "z": "{a} = b"])
        #expect(file.faults == [])
        #expect(LanguageFile("x = y \\").faults.count == 1)
    }
}
