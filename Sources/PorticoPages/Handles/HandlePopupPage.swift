package import PorticoBytes

/// The end of a sign-in in a window that a web app opened: a script tells the app, and closes the
/// window.
///
/// The app reads the result from `localStorage`, or from the message. Both reach pages of this
/// origin only, and neither is a secret: the session is in the cookie.
package struct HandlePopupPage: Page {
    package let did: String
    /// The confirmed handle, or `handle.invalid`.
    package let handle: String
    /// What admits the script in the page's policy, once.
    package let nonce: String
    /// Where a person goes on without scripts.
    package let proceed: PageLink?

    package init(did: String, handle: String, nonce: String, proceed: PageLink?) {
        self.did = did
        self.handle = handle
        self.nonce = nonce
        self.proceed = proceed
    }

    /// The values are read from the page, so that nothing foreign is ever part of a script.
    private static let telling = InlineSource(
        unescaped: """
            (function () {
              function value(name) { return document.getElementsByName(name)[0].value; }
              var result = {
                type: "oauth-callback", success: true, did: value("did"), handle: value("handle"),
                timestamp: Number(new Date)
              };
              try {
                localStorage.setItem("pwa-oauth-result", JSON.stringify(result));
              } catch (blocked) {}
              if (opener) opener.postMessage(result, location.origin);
              close();
            })();
            """
    )

    /// It has one that is admitted by its nonce.
    package var script: InlineSource? { nil }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.area.dashboard }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.handle.closeWindow),
            .step(PageStep(proceed, words.common.proceed)),
            .hidden("did", did),
            .hidden("handle", handle),
            .script(Self.telling, nonce: nonce),
        ])
    }
}
