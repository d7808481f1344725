import Foundation
import PorticoBytes
import Testing

@Suite("Programs that we start")
struct SubprocessTests {
    private func status(_ process: Int32?) throws -> Int32 {
        let process = try #require(process)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    @Test("a program has a group of its own, none of our files and nothing to read")
    func surroundings() throws {
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        let script = """
            test ! -e /dev/fd/\(file) || exit 1
            test "$(ps -o pgid= -p $$ | tr -d ' ')" = $$ || exit 2
            test -z "$(cat)" || exit 3
            """
        #expect(try status(Subprocess.start("sh", ["-c", script])) == 0)
    }

    @Test("its environment is ours, or the one it is given")
    func environment() throws {
        let script = "test \"$HOME\" = /other && exit 0; exit 7"
        let given = ["HOME=/other", "PATH=/usr/bin:/bin"]
        #expect(try status(Subprocess.start("/bin/sh", ["-c", script], environment: given)) == 0)
        #expect(try status(Subprocess.start("/bin/sh", ["-c", script])) == 7 << 8)
    }

    @Test("a path is not looked for elsewhere, and what is not there does not start")
    func missing() {
        #expect(Subprocess.start("./sh", []) == nil)
        #expect(Subprocess.start("no-such-program-here", []) == nil)
    }
}
