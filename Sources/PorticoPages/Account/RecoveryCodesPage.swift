package import PorticoBytes

/// New recovery codes, shown this once. A script copies, prints or saves them; without scripts a person
/// does it with their browser.
package struct RecoveryCodesPage: Page {
    /// Whose they are: it stands on the paper, and in the file.
    package let account: PageAccount
    package let codes: [String]
    /// Whether there were others before.
    package let replacesOthers: Bool
    /// To the page they were made on.
    package let done: PageLink?

    package init(
        account: PageAccount,
        codes: [String],
        replacesOthers: Bool = false,
        done: PageLink?
    ) {
        self.account = account
        self.codes = codes
        self.replacesOthers = replacesOthers
        self.done = done
    }

    package var script: InlineSource? { Self.keeping }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.factors.newCodes }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let factors = words.factors
        return HTML([
            .line(factors.newCodesWhat),
            .account(account),
            .element(
                .ul,
                [.class: "codes", .id: "codes", .dir: "ltr"],
                HTML(codes.map { .element(.li, .exact(ShownText(Self.grouped($0)))) })
            ),
            .element(
                .div,
                [.class: "actions pair", .id: "keep", .hidden: ""],
                Self.button("copy", factors.copy),
                Self.button("print", factors.print),
                Self.button("save", factors.download)
            ),
            .element(
                .p,
                [.class: "note", .id: "copied", .role: "status"],
                .element(.span, [.hidden: ""], factors.copied.html)
            ),
            .strong(
                replacesOthers
                    ? "\(factors.newCodesOnce) \(factors.newCodesReplace)" : factors.newCodesOnce
            ),
            .step(PageStep(done, factors.saved)),
        ])
    }

    private static func button(_ value: String, _ label: Phrase) -> HTML {
        .element(.button, [.class: "button second", .type: "button", .value: value], label.html)
    }

    private static func grouped(_ code: String) -> String {
        let bytes = Array(code.utf8)
        return stride(from: 0, to: bytes.count, by: 4)
            .map { String(decoding: bytes[$0..<min($0 + 4, bytes.count)], as: UTF8.self) }
            .joined(separator: "-")
    }

    /// The codes leave the page by the person's hand only: into the clipboard, onto paper, into a file.
    private static let keeping = InlineSource(
        unescaped: """
            (function () {
              var list = document.getElementById("codes"), keep = document.getElementById("keep");
              var copied = document.getElementById("copied").firstElementChild;
              var owner = document.title + "\\n" + document.querySelector(".who").textContent;
              var text = Array.prototype.map.call(list.children, function (item) {
                return item.textContent + "\\n";
              }).join("");
              function select() {
                var range = document.createRange();
                range.selectNodeContents(list);
                getSelection().removeAllRanges();
                getSelection().addRange(range);
                return document.execCommand("copy");
              }
              var act = {
                copy: function () {
                  function done() { copied.hidden = false; }
                  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, select);
                  else if (select()) done();
                },
                print: function () { window["print"](); },
                save: function () {
                  var link = document.createElement("a");
                  var file = new Blob([owner + "\\n\\n" + text], { type: "text/plain" });
                  link.href = URL.createObjectURL(file);
                  link.download = "recovery-codes.txt";
                  link.click();
                  setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
                }
              };
              keep.hidden = false;
              keep.addEventListener("click", function (event) {
                var name = event.target.value;
                if (Object.prototype.hasOwnProperty.call(act, name)) act[name]();
              });
            })();
            """
    )
}
