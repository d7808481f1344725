import PorticoBytes

/// Says at once that a button was pressed, and sends a form once: a slow answer tempts people to press
/// again. Without scripts nothing is different: a form that came twice is understood
/// (docs/decisions/0151).
enum PressedButton {
    /// Runs on every page that has no script of its own. It reads nothing of the page, and sends nothing.
    /// A form may lead to an app, after which the page is still there: the button can be pressed again
    /// after ten seconds, or when the person comes back to the page.
    static let script = InlineSource(
        unescaped: """
            (function () {
              var pressed = null, isSent = false;
              function again() {
                if (pressed) pressed.removeAttribute("aria-busy");
                var said = document.getElementById("sending");
                if (said) said.firstElementChild.hidden = true;
                pressed = null;
                isSent = false;
              }
              addEventListener("submit", function (event) {
                if (isSent) { event.preventDefault(); return; }
                isSent = true;
                pressed = event.submitter;
                if (pressed) pressed.setAttribute("aria-busy", "true");
                var said = document.getElementById("sending");
                if (said) said.firstElementChild.hidden = false;
                setTimeout(again, 10000);
              });
              addEventListener("pageshow", function (event) { if (event.persisted) again(); });
            })();
            """
    )

    /// Where a screen reader hears it.
    static func status(_ words: CommonWords) -> HTML {
        .element(
            .p,
            [.class: "unseen", .id: "sending", .role: "status"],
            .element(.span, [.hidden: ""], words.sending.html)
        )
    }
}
