import PorticoProtocol
import Testing

@testable import PorticoOutbound

@Suite("The head of a reply") struct ReplyHeadTests {
    @Test("RFC 9110 §15.2.2: a change of protocols, which is not asked for, is no interim answer")
    func switching() throws {
        var head = ReplyHead()
        #expect(throws: HTTPTransportError.malformed) {
            try head.append(Array("HTTP/1.1 101 Switching Protocols\r\n".utf8))
        }
        var interim = ReplyHead()
        try interim.append(Array("HTTP/1.1 103 Early Hints\r\n".utf8))
        try interim.append(Array("\r\n".utf8))
        #expect(interim.response == nil)
    }
}
