import PorticoMail
import Testing

@Suite("When a mail is tried again")
struct DeliveryTests {
    @Test("RFC 5321 §4.5.4.1: 1, 5 and 30 minutes, 2 hours, then every 4; a day in all")
    func pauses() {
        var (now, tries, times) = (Int64(1000), 1, [Int64]())
        while let next = Delivery.standard.nextTry(afterTries: tries, writtenAt: 1000, at: now) {
            times.append((next - 1000) / 60)
            now = next
            tries += 1
            guard tries < 50 else { break }
        }
        #expect(times == [1, 6, 36, 156, 396, 636, 876, 1116, 1356])
    }

    @Test("A mail that is of no more use by then is given up")
    func useless() {
        let delivery = Delivery.standard
        #expect(delivery.nextTry(afterTries: 1, writtenAt: 0, goodUntil: 600, at: 0) == 60)
        #expect(delivery.nextTry(afterTries: 3, writtenAt: 0, goodUntil: 600, at: 360) == nil)
        #expect(delivery.nextTry(afterTries: 1, writtenAt: 0, goodUntil: 60, at: 0) == nil)
    }

    @Test("Numbers that cannot be right give it up, and nothing traps")
    func foreign() {
        let delivery = Delivery.standard
        #expect(delivery.nextTry(afterTries: 1, writtenAt: 0, at: .max) == nil)
        #expect(delivery.nextTry(afterTries: 1, writtenAt: .max, at: 0) == nil)
        #expect(delivery.nextTry(afterTries: .min, writtenAt: 0, at: 0) == 14_400)
        #expect(delivery.nextTry(afterTries: .max, writtenAt: 0, at: 0) == 14_400)
        let none = Delivery(pauses: [], patience: 10)
        #expect(none.nextTry(afterTries: 1, writtenAt: 0, at: 0) == nil)
    }
}
