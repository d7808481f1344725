import PorticoWeb
import Testing

@Suite("What a device is called") struct DeviceNameTests {
    private static let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15"

    @Test(
        "WEB-SESS-7, RFC 9110 §10.1.5: a browser is called what it calls itself, and no more of it",
        arguments: [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "Firefox · Linux"
            ),
            (mac + " (KHTML, like Gecko) Version/18.0 Safari/605.1.15", "Safari · Mac"),
            (mac + " (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36", "Chrome · Mac"),
            (
                "Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
                "Edge · Windows"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) FxiOS/140 Safari/605",
                "Firefox · iPhone"
            ),
            ("Mozilla/5.0 (Linux; Android 16) Chrome/140 Mobile Safari/537", "Chrome · Android"),
            ("curl/8.14.1", "curl"), ("Mozilla/5.0 (X11; Linux)", "Linux"), ("", ""),
            ("<script>alert(1)</script>", ""), ("\u{0}\u{1B}[31m Firefox \r\n", "Firefox"),
            (String(repeating: "x", count: 500) + "Firefox", ""),
        ]
    )
    func browsers(_ userAgent: String, _ expected: String) {
        #expect(DeviceName.of(userAgent) == expected)
    }

    @Test("an app is called by its own name, and what says nothing is called nothing")
    func others() {
        #expect(DeviceName.of("Notes/1 (iPhone)", app: "Notes") == "Notes · iPhone")
        #expect(DeviceName.of(nil, app: "Notes") == "Notes")
        #expect(DeviceName.of(nil) == "")
    }
}
