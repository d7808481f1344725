import PorticoBytes
import Testing

@Suite("HTML") struct HTMLTests {
    private struct Address: HTMLAddress {
        let href: String
    }

    private func written(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

    @Test(
        "WEB-XSS-1: text is escaped byte by byte, in elements and in attributes alike",
        arguments: [
            ("<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;"),
            // With its accent the mark is another character, but a browser still sees the mark.
            ("\"\u{301}<\u{338}", "&quot;\u{301}&lt;\u{338}"),
            ("a\r\nb", "a&#13;\nb"), ("\0", "\u{FFFD}"), ("", ""), ("Zoë 名前", "Zoë 名前"),
            ("{{csrf}}", "{{csrf}}"),
        ]
    )
    func escaping(text: String, expected: String) {
        #expect(Array(written(.text(text)).utf8) == Array(expected.utf8))
        let input = HTML.element(.input, [.value: text])
        #expect(Array(written(input).utf8) == Array("<input value=\"\(expected)\">".utf8))
        let link = HTML.element(.a, to: Address(href: text), [:])
        #expect(Array(written(link).utf8) == Array("<a href=\"\(expected)\"></a>".utf8))
    }

    @Test("attributes keep their order; one without a value is left out")
    func attributes() {
        let html = HTML.element(.span, [.id: "a", .class: nil, .role: ""], .text("x"), nil)
        #expect(written(html) == "<span id=\"a\" role=\"\">x</span>")
    }

    @Test("each element that has an address names it by its own attribute")
    func addresses() {
        let names = [
            (HTMLTag.a, "href"), (.form, "action"), (.button, "formaction"), (.img, "src"),
        ]
        for (tag, name) in names {
            #expect(written(.element(tag, to: Address(href: "/"), [:])).contains(" \(name)=\"/\""))
        }
        #expect(!written(.element(.p, to: Address(href: "/"), [:])).contains("/\""))
    }

    @Test("CSP Level 3 §2.3.1: what stands inline is admitted by the hash of its bytes")
    func inline() {
        let style = InlineSource(unescaped: "p > a{}")
        #expect(written(.style(style)) == "<style>p > a{}</style>\n")
        #expect(
            InlineSource(unescaped: "").hash
                == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
        )
    }
}
