import Foundation
import Testing

@testable import PorticoProgram

@Suite("A file, line by line") struct FileLinesTests {
    private func lines(_ text: String, limit: Int = 10) throws -> [FileLines.Line] {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "lines-\(ProcessInfo.processInfo.globallyUniqueString)")
        try Data(text.utf8).write(to: file)
        // `try?`: what stays behind goes with the folder of the run.
        defer { try? FileManager.default.removeItem(at: file) }
        let reader = try FileLines(file.path, limit: limit)
        var lines: [FileLines.Line] = []
        while let line = try reader.next() { lines.append(line) }
        return lines
    }

    private func text(_ text: String) -> FileLines.Line { .text(Array(text.utf8)) }

    @Test("lines come one by one, the last one also without its line feed")
    func whole() throws {
        #expect(try lines("") == [])
        #expect(try lines("\n") == [text("")])
        #expect(try lines("a\n\nb") == [text("a"), text(""), text("b")])
        #expect(try lines("a\r\nb\n") == [text("a\r"), text("b")])
    }

    @Test("a line that is too long is passed over, wherever the file is cut into pieces")
    func long() throws {
        let ten = String(repeating: "x", count: 10)
        #expect(try lines(ten + "\n" + ten + "x\n" + ten) == [text(ten), .tooLong, text(ten)])
        let large = String(repeating: "y", count: 200_000)
        #expect(
            try lines("a\n" + large + "\nb\n" + large) == [
                text("a"), .tooLong, text("b"), .tooLong,
            ]
        )
        // Over the edge of a piece.
        let edge = String(repeating: "z", count: 65_530)
        #expect(
            try lines(edge + "\nabcdefghij\n", limit: 65_530) == [
                text(edge), text("abcdefghij"),
            ]
        )
    }

    @Test("a file that is not there is said")
    func missing() {
        #expect(throws: Failure.self) { _ = try FileLines("/nowhere/at/all", limit: 10) }
    }
}
