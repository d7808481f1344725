import PorticoBytes
import PorticoStores
import PorticoWeb

/// How often mails can be asked for (WEB-BRUTE-2): from one network address, and to one mailbox,
/// whether or not it is anybody's here.
///
/// Counted per process and in memory.
struct MailLimits: Sendable {
    /// Many people may share an address.
    private let addresses = RateLimiter(burst: 20, perMinute: 20.0 / 60)
    private let mailboxes = RateLimiter(burst: 5, perMinute: 5.0 / 60)

    init() {}

    /// Counts one mail.
    ///
    /// - Throws: ``TooManyRequests``.
    func take(_ mailbox: String, _ visit: RealmVisit) throws(TooManyRequests) {
        for (limiter, key) in [
            (addresses, visit.visit.address), (mailboxes, "\(visit.realm.realm.id) \(mailbox)"),
        ] {
            if case .wait(let seconds) = limiter.take(key, at: visit.moment.now) {
                throw TooManyRequests(seconds: seconds)
            }
        }
    }
}
