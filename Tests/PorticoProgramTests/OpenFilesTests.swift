import Foundation
import PorticoTestSupport
import Testing

@testable import PorticoProgram
@testable import PorticoWeb

@Suite("How the open files are shared out") struct OpenFilesTests {
    /// What is promised when all is taken: each request of seven transports has a connection, each name of
    /// five resolvers and of two for TXT records has two files, and long bodies have one each.
    private func promised(_ files: OpenFiles, cores: Int) -> Int {
        let outgoing = 7 * files.outgoing + 2 * (5 + 2) * files.names
        return files.connections + outgoing + UploadPlaces.most + OpenFiles.own(cores: cores)
    }

    @Test(
        "decision 0067: connections, requests, names, bodies and the database stay within them",
        arguments: [256, 1024, 8192, 65_536],
        [1, 2, 8, 64]
    )
    func within(allowed: Int, cores: Int) {
        // The program's own for so many cores are more.
        guard allowed > OpenFiles.own(cores: cores) else { return }
        for wanted in [nil, 16, 900, 100_000] {
            let files = OpenFiles(allowed, cores: cores, wanted: wanted)
            #expect(promised(files, cores: cores) <= allowed)
            #expect(files.connections >= 8 && files.connections <= wanted ?? 8192)
            #expect(files.outgoing >= 8 && files.outgoing <= 256)
        }
    }

    @Test("few files are fewer requests to others, and many are all that there may be")
    func shares() {
        func share(_ allowed: Int, wanted: Int? = nil) -> [Int] {
            let files = OpenFiles(allowed, cores: 2, wanted: wanted)
            return [files.connections, files.outgoing, files.names]
        }
        #expect(share(256) == [56, 8, 1])
        #expect(share(1024) == [455, 49, 6])
        #expect(share(8192) == [5760, 256, 32])
        #expect(share(65_536) == [8192, 256, 32])
        #expect(share(1024, wanted: 16) == [16, 97, 12])
        #expect(share(1024, wanted: 900) == [824, 8, 1])
        // Too few for anything: it starts, and says what it cannot do.
        #expect(share(0) == [8, 8, 1])
        #expect(OpenFiles().connections >= 8)
    }

    @Test("serve raises the limit that it was started with")
    func raised() async throws {
        let portico = try PorticoProcess()
        let server = try await EarnestServer(in: portico, openFiles: "512:1024")
        let path = "/proc/\(server.running.process.id)/limits"
        let limits = try String(contentsOfFile: path, encoding: .utf8)
        try await server.stop()
        let files = try #require(limits.firstMatch(of: /Max open files +(\d+) +(\d+)/))
        #expect(files.1 == "1024" && files.2 == "1024")
    }
}
