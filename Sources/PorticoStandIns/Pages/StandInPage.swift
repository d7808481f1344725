import Crypto
import PorticoBytes

/// A page of a stand-in: plainly labelled, without scripts but one, and nothing like the pages of
/// the provider it stands for.
struct StandInPage {
    let kind: StandInKind?
    let title: String
    /// Markup; every foreign text in it went through ``escaped(_:)``.
    let body: String
    var script: String?

    var html: [UInt8] {
        let banner =
            kind.map { kind in
                "Stand-in for \(kind.name): nothing here reaches \(kind.name)."
            } ?? "Stand-ins: nothing here reaches anybody."
        let text = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>\(Self.escaped(title)) (stand-in)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <style>\(Self.style)</style>
            </head>
            <body>
            <header><p>\(Self.escaped(banner))</p></header>
            <main>
            <h1>\(Self.escaped(title))</h1>
            \(body)
            </main>
            \(script.map { "<script>\($0)</script>" } ?? "")
            </body>
            </html>

            """
        return Array(text.utf8)
    }

    /// The content security policy.
    ///
    /// It has no `form-action`: that would hold for every redirect behind the form, and where a
    /// relying party sends its people next is none of a provider's business.
    var policy: String {
        let script = script.map(Self.source) ?? "'none'"
        return "default-src 'none'; style-src \(Self.source(Self.style)); script-src \(script); "
            + "base-uri 'none'; frame-ancestors 'none'"
    }

    /// Text as it stands in markup and in quoted attributes (HTML §13.1.2).
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    static func hidden(_ name: String, _ value: String) -> String {
        "<input type=\"hidden\" name=\"\(escaped(name))\" value=\"\(escaped(value))\">"
    }

    /// What admits an inline style or script (CSP Level 3 §2.3.1): base64 with padding, which the
    /// 32 bytes of SHA-256 end with exactly once.
    private static func source(_ inline: String) -> String {
        let hash = Base64URL.encode(Hash256(of: inline).bytes)
            .replacing("-", with: "+").replacing("_", with: "/")
        return "'sha256-\(hash)='"
    }

    private static let style = """
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
}
