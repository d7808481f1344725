import PorticoBytes

/// A page of a stand-in: clearly labelled, with one script at most, and unlike the pages of the
/// real provider.
struct StandInPage {
    let kind: StandInKind?
    let title: String
    let body: HTML
    var script: InlineSource?

    var html: [UInt8] {
        let banner =
            kind.map { kind in
                "Stand-in for \(kind.name): nothing here reaches \(kind.name)."
            } ?? "Stand-ins: nothing here reaches anybody."
        return HTML.document(
            language: "en",
            head: HTML([
                .element(.title, .text("\(title) (stand-in)")),
                .meta("viewport", "width=device-width, initial-scale=1"),
                .meta("robots", "noindex"),
                .style(Self.style),
            ]),
            body: .element(
                .body,
                .element(.header, .element(.p, .text(banner))),
                .element(.main, .element(.h1, .text(title)), body),
                script.map { .script($0) }
            )
        ).bytes
    }

    /// The content security policy.
    ///
    /// It has no `form-action`, which would apply to every redirect after the form: a provider does
    /// not decide where a relying party redirects its people next.
    var policy: String {
        let script = script?.hash ?? "'none'"
        return "default-src 'none'; style-src \(Self.style.hash); script-src \(script); "
            + "base-uri 'none'; frame-ancestors 'none'"
    }

    private static let style = InlineSource(
        unescaped: """
            :root{color-scheme:light dark;font:1rem/1.5 sans-serif}
            body{margin:0}
            header{background:#7a1fa2;color:#fff;padding:.5rem 1rem;font-weight:bold}
            header p{margin:0}
            main{max-width:30rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
            ul{list-style:none;padding:0}
            button{font:inherit;display:block;width:100%;min-height:3rem;margin:.5rem 0;\
            padding:.5rem 1rem;text-align:start;overflow-wrap:anywhere}
            button span{display:block}
            label{display:inline-block;padding:.5rem 0}
            """
    )
}

/// An address of the stand-in itself, or the redirect URI that is registered.
struct StandInAddress: HTMLAddress {
    let href: String
}
