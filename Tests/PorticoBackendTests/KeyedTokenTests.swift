import PorticoBytes
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend

/// Neither a leaked database nor a leaked key alone forges one (docs/decisions/0014).
@Suite("Tokens of an app's session") struct KeyedTokenTests {
    private static let sessionID = UniqueID(random: .system)

    private static func state(
        secret: [UInt8] = [UInt8](repeating: 7, count: 32),
        ring: KeyRing = TestRealm.ring
    ) -> RefreshState {
        RefreshState(
            generation: 3,
            secret: secret,
            keyID: ring.activeID.bytes,
            rotatedAt: 1_800_000_000,
            idempotencyKey: nil
        )
    }

    private static func text(
        _ kind: KeyedToken.Kind = .session,
        of id: UniqueID = sessionID,
        number: Int64 = 3,
        _ state: RefreshState = state(),
        ring: KeyRing = TestRealm.ring
    ) throws -> String {
        try #require(
            KeyedToken(kind, of: id, number: number, state: state, ring: ring)
        ).text(kind)
    }

    private static func isGenuine(
        _ text: String,
        _ kind: KeyedToken.Kind = .session,
        _ state: RefreshState = state()
    ) -> Bool {
        KeyedToken(text, kind)?.isGenuine(kind, for: state, ring: TestRealm.ring) ?? false
    }

    @Test("A token is genuine for its own row, and says which session and which number it is of")
    func genuine() throws {
        let token = try #require(KeyedToken(try Self.text(), .session))
        #expect(token.sessionID == Self.sessionID && token.number == 3)
        #expect(token.isGenuine(.session, for: Self.state(), ring: TestRealm.ring))
    }

    @Test(
        "WEB-CMP-1: the MAC is over kind, key, session, number and the row's secret, each by itself"
    )
    func bound() throws {
        let mac = { (text: String) in Array((Base64URL.decode(text) ?? []).suffix(32)) }
        let own = mac(try Self.text())
        #expect(mac(try Self.text(.refresh)) != own)
        #expect(mac(try Self.text(of: UniqueID(random: .system))) != own)
        #expect(mac(try Self.text(number: 4)) != own)
        let other = Self.state(secret: [UInt8](repeating: 8, count: 32))
        #expect(mac(try Self.text()) == own)
        #expect(mac(try Self.text(.session, of: Self.sessionID, number: 3, other)) != own)
        #expect(!Self.isGenuine(try Self.text(), .session, other))
        let ring = try KeyRing(random: .system)
        let elsewhere = try Self.text(
            .session,
            of: Self.sessionID,
            number: 3,
            Self.state(ring: ring),
            ring: ring
        )
        #expect(!Self.isGenuine(elsewhere))
    }

    @Test("With any one bit changed it is no one's, and of another length it is none")
    func altered() throws {
        let bytes = try #require(Base64URL.decode(try Self.text()))
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(!Self.isGenuine(Base64URL.encode(changed)), "byte \(index)")
            }
        }
        for text in ["", "A", Base64URL.encode(bytes.dropLast()), Base64URL.encode(bytes + [0])] {
            #expect(KeyedToken(text, .session) == nil)
        }
    }

    @Test("A token of one kind is none of the other")
    func kinds() throws {
        #expect(KeyedToken(try Self.text(.refresh), .session) == nil)
        #expect(KeyedToken(try Self.text(.session), .refresh) == nil)
    }
}
