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

    /// How many lines are read before one is refused.
    private func read(_ start: [String], then line: String) -> Int {
        var (head, count) = (ReplyHead(), 0)
        do throws(HTTPTransportError) {
            for line in start {
                try head.append(Array("\(line)\r\n".utf8))
                count += 1
            }
            while count < 10_000 {
                try head.append(Array("\(line)\r\n".utf8))
                count += 1
            }
        } catch {
            #expect(error == .malformed)
        }
        return count
    }

    @Test("attack E19: interim answers, head and trailers have 512 lines and 80 KiB at most")
    func size() {
        let start = "HTTP/1.1 200 OK"
        #expect(read([start], then: "X-A:") == 512)
        #expect(read([start, ""], then: "X-A:") == 512)
        #expect(read(["HTTP/1.1 103 Early Hints", "", start], then: "X-A:") == 512)
        // 79 lines of 1 KiB after the first one.
        #expect(read([start], then: "X-A: " + String(repeating: "a", count: 1017)) == 80)
    }
}
