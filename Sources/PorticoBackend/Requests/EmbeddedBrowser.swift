import PorticoBytes
import PorticoPages

/// A web view inside another app, where Google refuses to sign anybody in (PRV-G-11, RFC 8252 §8.12).
enum EmbeddedBrowser {
    /// - Parameter userAgent: As it came. What it does not say cannot be known.
    static func isOne(_ userAgent: String?) -> Bool {
        guard let userAgent else { return false }
        return marks.contains(where: userAgent.hasBytes)
    }

    /// Which system's words help.
    static func platform(_ userAgent: String?) -> OpenInBrowserPage.Platform {
        let agent = userAgent ?? ""
        if agent.hasBytes("iPhone") || agent.hasBytes("iPad") { return .ios }
        return agent.hasBytes("Android") ? .android : .other
    }

    private static let marks: [StaticString] = [
        "; wv)", "FBAN/", "FBAV/", "Instagram", "LinkedInApp", "Line/", "MicroMessenger",
        "Snapchat", "TikTok", "musical_ly", "Twitter for", "GSA/",
    ]
}
