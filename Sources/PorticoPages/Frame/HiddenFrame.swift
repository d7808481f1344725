import PorticoBytes

/// A page without anything to see, that an app's page shows in a hidden frame and exchanges messages
/// with. Its answers are those that Keycloak's adapter for browsers waits for.
package struct HiddenFrame: Sendable {
    package let bytes: [UInt8]
    /// The source that admits its script in the page's policy.
    package let hash: String

    private init(_ source: InlineSource) {
        hash = source.hash
        bytes = Array(
            """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <title>Sign-in status</title>
            <script>\(source.text)</script>
            </html>

            """.utf8
        )
    }

    /// Whether a cookie like ours, which only pages of the same site send, reaches us from this frame.
    /// The cookie is set, looked for, and removed again.
    private static let reaches = """
        function reaches() {
          var name = "portico-frame", rest = "=; SameSite=Lax; Path=" + location.pathname;
          document.cookie = name + rest + "; Max-Age=10";
          var found = document.cookie.split("; ").indexOf(name + "=") >= 0;
          document.cookie = name + rest + "; Max-Age=0";
          return found;
        }
        """

    /// Says `supported` or `unsupported`.
    package static let cookies = HiddenFrame(
        InlineSource(
            unescaped: reaches + """

                parent.postMessage(reaches() ? "supported" : "unsupported", "*");
                """
        )
    )

    /// Answers `CLIENT SESSION` with `unchanged`, `changed` or `error`, to the page around it and to its
    /// other frames alike (OpenID Connect Session Management §3.2): the server knows the origins that may
    /// ask. An answer of the server is good for ten seconds.
    package static let loginStatus = HiddenFrame(
        InlineSource(
            unescaped: reaches + """

                var asked = "", answer, until = 0;
                function ask(client, session, origin) {
                  var query = new URLSearchParams(
                    { client_id: client, origin: origin, session_state: session }
                  ).toString();
                  if (query !== asked || performance.now() > until) {
                    asked = query;
                    until = performance.now() + 10000;
                    answer = fetch(location.pathname + "/init?" + query, { cache: "no-store" })
                      .then(function (response) {
                        return response.status === 204 ? "unchanged"
                          : response.status === 200 ? "changed" : "error";
                      }, function () { until = 0; return "error"; });
                  }
                  return answer;
                }
                addEventListener("message", function (event) {
                  if (!event.source || typeof event.data !== "string") return;
                  var parts = event.data.split(" ");
                  if (parts.length !== 2 || event.data.length > 1000) return;
                  var told = reaches() ? ask(parts[0], parts[1], event.origin)
                    : Promise.resolve("error");
                  told.then(function (word) { event.source.postMessage(word, event.origin); });
                });
                """
        )
    )
}
