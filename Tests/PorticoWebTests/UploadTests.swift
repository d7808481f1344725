import Foundation
import HTTPTypes
import NIOCore
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoWeb

/// A server that takes long bodies at `/long`, from everybody but who says `X-No: 1`.
struct UploadScene: Sendable {
    static let account = UniqueID(random: .system).text
    let folder: SpoolFolder
    var limits = ConnectionLimits(connections: 1000)
    /// How often the head was judged.
    let judged = Locked(0)

    init(_ bytes: Int = 4 << 20) throws {
        folder = try SpoolFolder()
        limits.uploads = Uploads(bytes: bytes, folder: folder.path)
    }

    var uploads: @Sendable (Request) -> UploadCheck? {
        { [judged] request in
            guard request.head.path == "/long", request.method == .post else { return nil }
            return {
                judged.withLock { $0 += 1 }
                await Task.yield()
                return request.headers[values: .known("X-No")] == ["1"] ? nil : Self.account
            }
        }
    }

    /// Says what arrived: `held 1048576 HASH`.
    static func summary(_ request: Request) -> Response {
        let (kind, bytes): (String, [UInt8]?)
        switch request.upload {
        case nil: (kind, bytes) = ("short", Array(request.body.readableBytesView))
        case .held?: (kind, bytes) = ("held", Array(request.body.readableBytesView))
        case .stored(let body)?: (kind, bytes) = ("stored", all(of: body))
        case .unread(let reason)?:
            return Response(
                status: .unauthorized,
                body: ByteBuffer(string: "\(reason) \(request.body.readableBytes)")
            )
        }
        let text = bytes.map { "\(kind) \($0.count) \(digest($0))" } ?? "unreadable"
        return Response(status: .ok, body: ByteBuffer(string: text))
    }

    static func digest(_ bytes: [UInt8]) -> String {
        Hash256(of: bytes).bytes.map { String($0, radix: 16) }.joined()
    }

    static func all(of body: SpooledBody) -> [UInt8]? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 100_000)
        while true {
            guard let count = part.withUnsafeMutableBytes({ body.read(at: bytes.count, into: $0) })
            else { return nil }
            guard count > 0, bytes.count <= body.count else {
                return bytes.count == body.count ? bytes : nil
            }
            bytes += part[..<count]
        }
    }

    static func body(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 12) }
    }

    /// A request in pieces.
    static func post(
        _ body: [UInt8],
        _ fields: String = "Connection: close\r\n",
        to path: String = "/long",
        isChunked: Bool = false
    ) -> [ByteBuffer] {
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.count)"
        let head = "POST \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\(framing)\r\n\r\n"
        guard isChunked else { return [ByteBuffer(string: head), ByteBuffer(bytes: body)] }
        var pieces = [ByteBuffer(string: head)]
        for start in stride(from: 0, to: body.count, by: 50_000) {
            let part = body[start..<min(start + 50_000, body.count)]
            pieces.append(ByteBuffer(string: String(part.count, radix: 16) + "\r\n"))
            pieces.append(ByteBuffer(bytes: part))
            pieces.append(ByteBuffer(string: "\r\n"))
        }
        return pieces + [ByteBuffer(string: "0\r\n\r\n")]
    }

    func serve(
        _ answer: @escaping @Sendable (Request) async throws -> Response = {
            UploadScene.summary($0)
        },
        _ body: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        try await withServer(limits, uploads: uploads, answer: answer) { port, _ in
            try await body(port)
        }
    }
}

@Suite("Long bodies") struct UploadTests {
    @Test(
        "decision 0068: 1 MiB is held in memory, one byte more is in a file; both arrive whole",
        arguments: [
            (65_536, "short"), (65_537, "held"), (1 << 20, "held"), (1 << 20 + 1, "stored"),
            (3_000_000, "stored"), (4 << 20, "stored"),
        ]
    )
    func whole(_ length: Int, _ kind: String) async throws {
        let scene = try UploadScene()
        let body = UploadScene.body(length)
        let hash = UploadScene.digest(body)
        try await scene.serve { port in
            for isChunked in [false, true] {
                let answer = try await RawConnection.exchange(
                    port: port,
                    bytes: UploadScene.post(body, isChunked: isChunked)
                )
                #expect(answer.statuses == [200])
                let known = isChunked && kind == "short" ? "held" : kind
                #expect(answer.hasSuffix("\(known) \(length) \(hash)"), "\(answer.suffix(90))")
            }
        }
        try await scene.folder.wait(forOpenFiles: 0)
        #expect(try scene.folder.openFiles == 0)
    }

    @Test("WEB-INPUT-1: a byte over the limit is 413, said or found out, and no file stays")
    func tooLong() async throws {
        let scene = try UploadScene(2 << 20)
        try await scene.serve { port in
            for (length, status) in [(2 << 20, 200), (2 << 20 + 1, 413)] {
                for isChunked in [false, true] {
                    scene.judged.withLock { $0 = 0 }
                    let answer = try await RawConnection.exchange(
                        port: port,
                        bytes: UploadScene.post(UploadScene.body(length), isChunked: isChunked)
                    )
                    #expect(answer.statuses == [status], "\(length) \(isChunked)")
                    // No one has to be asked where the head says it.
                    #expect(scene.judged.withLock { $0 } == (status == 413 && !isChunked ? 0 : 1))
                }
            }
        }
        try await scene.folder.wait(forOpenFiles: 0)
        #expect(try scene.folder.openFiles == 0)
    }

    @Test("Other addresses and methods keep the limit of all bodies, and so do all without uploads")
    func elsewhere() async throws {
        let scene = try UploadScene()
        let body = UploadScene.body(100_000)
        try await scene.serve { port in
            for path in ["/longer", "/long/", "/long?a=b", "/"] {
                let answer = try await RawConnection.exchange(
                    port: port,
                    bytes: UploadScene.post(body, to: path)
                )
                #expect(answer.statuses == [413], "\(path)")
            }
            let put = try await RawConnection.exchange(
                port: port,
                ["PUT /long HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n"]
            )
            #expect(put.statuses == [413])
        }
        for uploads in [nil, Uploads(bytes: 0, folder: "/"), Uploads(bytes: 65_536, folder: "/")] {
            var none = scene
            none.limits.uploads = uploads
            try await none.serve { port in
                let answer = try await RawConnection.exchange(
                    port: port,
                    bytes: UploadScene.post(body)
                )
                #expect(answer.statuses == [413])
            }
        }
    }

    @Test("decision 0068: whose head lets no one in is answered, and its body is never read")
    func notAdmitted() async throws {
        let scene = try UploadScene()
        try await scene.serve { port in
            for framing in ["Content-Length: 3000000", "Transfer-Encoding: chunked"] {
                for expectation in ["", "Expect: 100-continue\r\n"] {
                    let head =
                        "POST /long HTTP/1.1\r\nHost: h\r\nX-No: 1\r\n\(expectation)\(framing)\r\n\r\n"
                    // With the start of a body, and without.
                    for start in ["", "f4240\r\n" + String(repeating: "a", count: 10_000)] {
                        let answer = try await RawConnection.exchange(port: port, [head + start])
                        #expect(answer.statuses == [401])
                        #expect(answer.contains("connection: close"))
                        #expect(answer.hasSuffix("notAdmitted 0"))
                    }
                }
            }
            #expect(try scene.folder.openFiles == 0)
            // Who is let in and asks for it, is told to go on.
            let pieces = UploadScene.post(
                UploadScene.body(100_000),
                "Expect: 100-continue\r\nConnection: close\r\n"
            )
            let answer = try await RawConnection.exchange(port: port, bytes: pieces)
            #expect(answer.statuses == [100, 200])
        }
    }

    @Test("Attack H01: a body may take as long as it goes on, and one that drips is ended")
    func time() async throws {
        var scene = try UploadScene()
        // Far above the pauses below, however busy the machine is.
        scene.limits.bodyTime = .seconds(3)
        try await scene.serve { port in
            async let steady = RawConnection.with(port: port) { incoming, outbound in
                let body = UploadScene.body(400_000)
                try await outbound.write(UploadScene.post(body)[0])
                // 4 s.
                for start in stride(from: 0, to: 400_000, by: 10_000) {
                    try await outbound.write(ByteBuffer(bytes: body[start..<start + 10_000]))
                    try await Task.sleep(for: .milliseconds(100))
                }
                return await RawConnection.rest(&incoming)
            }
            let dripped = try await RawConnection.with(port: port) { incoming, outbound in
                try await outbound.write(
                    UploadScene.post(UploadScene.body(70_000), isChunked: true)[0]
                )
                let dripping = Task {
                    while true {
                        try await outbound.write(ByteBuffer(string: "1\r\na\r\n"))
                        try await Task.sleep(for: .milliseconds(50))
                    }
                }
                defer { dripping.cancel() }
                return await RawConnection.rest(&incoming)
            }
            #expect(dripped.isEmpty || dripped.statuses == [408])
            #expect(try await steady.statuses == [200])
        }
    }

    @Test("decision 0068: who sent much at once and then nothing is ended, and its place is free")
    func silent() async throws {
        var scene = try UploadScene()
        scene.limits.bodyTime = .seconds(2)
        let (folder, body) = (scene.folder, UploadScene.body(1_500_000))
        try await scene.serve { port in
            for isChunked in [false, true] {
                // 90 s by the bytes alone.
                let answer = try await RawConnection.with(port: port) { incoming, outbound in
                    for piece in UploadScene.post(
                        isChunked ? body : body + body,
                        isChunked: isChunked
                    ).dropLast() {
                        try await outbound.write(piece)
                    }
                    if !isChunked { try await outbound.write(ByteBuffer(bytes: body)) }
                    return await RawConnection.rest(&incoming)
                }
                #expect(answer.statuses == [408], "\(isChunked)")
                try await folder.wait(forOpenFiles: 0)
                #expect(try folder.openFiles == 0)
            }
        }
        let places = try #require(scene.limits.uploads).places
        _ = try (0..<4).map { _ in try places.take(for: UploadScene.account, stored: 0) }
    }

    @Test("Uploads.slowest: each 16 KiB gives a second more, as long as the peer is not silent")
    func deadline() throws {
        var limits = ConnectionLimits(connections: 1)
        limits.bodyTime = .seconds(10)
        let place = try UploadPlaces(room: 0).take(for: UploadScene.account, stored: 0)
        let start = NIODeadline.now()
        let upload = ArrivingUpload(place: place, start: start)
        func deadline(after received: Int, at seconds: Int64) -> NIODeadline {
            upload.deadline(after: received, at: start + .seconds(seconds), limits)
        }
        #expect(deadline(after: 0, at: 0) == start + .seconds(10))
        #expect(deadline(after: 0, at: 5) == start + .seconds(10))
        #expect(deadline(after: 16 * 1024, at: 0) == start + .seconds(10))
        #expect(deadline(after: 16 * 1024, at: 5) == start + .seconds(11))
        #expect(deadline(after: 50 << 20, at: 60) == start + .seconds(70))
        #expect(deadline(after: 50 << 20, at: 3205) == start + .seconds(10 + 3200))
    }

    @Test("decision 0068: places are bounded, of an account and in all, and so is the disk")
    func places() throws {
        let places = UploadPlaces(room: 100)
        let (one, other) = (UniqueID(random: .system).text, UniqueID(random: .system).text)
        // A quarter of 100, and a quarter of 76.
        var taken = try (0..<4).map { _ in try places.take(for: one, stored: 6) }
        #expect(throws: Upload.Unread.tooMany) { try places.take(for: one, stored: 0) }
        #expect(throws: Upload.Unread.full) { try places.take(for: other, stored: 20) }
        taken.append(try places.take(for: other, stored: 10))
        #expect(throws: Upload.Unread.full) { try places.take(for: other, stored: 10) }
        let (fits, fitsMore) = (taken[4].take(9), taken[4].take(1))
        #expect(fits && !fitsMore)
        // A quarter of 81.
        taken.removeFirst()
        #expect(throws: Upload.Unread.full) { try places.take(for: one, stored: 3) }
        taken.append(try places.take(for: one, stored: 2))
        #expect(throws: Upload.Unread.tooMany) { try places.take(for: one, stored: 0) }
        taken = []
        for _ in 0..<64 {
            taken.append(try places.take(for: UniqueID(random: .system).text, stored: 0))
        }
        #expect(throws: Upload.Unread.full) { try places.take(for: one, stored: 0) }
    }

    @Test("decision 0068: five accounts do not take all of the disk, whatever they announce")
    func room() throws {
        let uploads = Uploads(bytes: 50 << 20, folder: "/")
        let places = uploads.places
        var taken: [UploadPlaces.Place] = []
        // As many of the longest ones as it gets.
        func fill(_ length: Int?) -> Int {
            let (account, before) = (UniqueID(random: .system).text, taken.count)
            do {
                while true {
                    taken.append(
                        try places.take(for: account, stored: uploads.stored(of: length))
                    )
                }
            } catch {
                return taken.count - before
            }
        }
        let longest = (0..<9).map { _ in fill(50 << 20) }
        #expect(longest == [4, 4, 3, 2, 1, 1, 1, 1, 0])
        let shorter = fill(5 << 20)
        #expect(shorter == 4)
        taken = []
        // Of whom no length is known, nothing is counted yet.
        let unknown = (0..<15).map { _ in fill(nil) }
        #expect(unknown == Array(repeating: 4, count: 15))
        let last = fill(50 << 20)
        #expect(last == 4)
    }

    @Test("decision 0068: a body without a length takes room on the disk as it comes")
    func grows() throws {
        let folder = try SpoolFolder()
        let uploads = Uploads(bytes: 2 << 20, folder: folder.path)
        let place = try uploads.places.take(for: UploadScene.account, stored: 0)
        var upload = ArrivingUpload(place: place, start: .now())
        // A quarter of 40 MiB.
        let half = ByteBuffer(repeating: 1, count: 5 << 20)
        for _ in 1...2 { upload.spool = uploads.store(half, of: upload) }
        let more = uploads.store(ByteBuffer(repeating: 1, count: 1), of: upload)
        #expect(more == nil && upload.spool?.count == 10 << 20)
        // What was announced is counted already.
        upload.isCounted = true
        #expect(uploads.store(half, of: upload)?.count == 15 << 20)
    }

    @Test("decision 0068: who goes away in the middle leaves neither a file nor a place")
    func gone() async throws {
        let scene = try UploadScene()
        let start = ByteBuffer(bytes: UploadScene.body(2_000_000))
        try await scene.serve { port in
            for _ in 0..<10 {
                try await RawConnection.with(port: port) { _, outbound in
                    try await outbound.write(UploadScene.post(UploadScene.body(3_000_000))[0])
                    try await outbound.write(start)
                    try await scene.folder.wait(forOpenFiles: 1)
                    #expect(try scene.folder.openFiles == 1)
                    // A file that has no name is gone with the process.
                    #expect(try scene.folder.names.isEmpty)
                }
                try await scene.folder.wait(forOpenFiles: 0)
                #expect(try scene.folder.openFiles == 0)
            }
        }
        let places = try #require(scene.limits.uploads).places
        _ = try (0..<4).map { _ in try places.take(for: UploadScene.account, stored: 0) }
    }

    @Test("decision 0068: with a full disk, or no folder, the request is answered all the same")
    func full() async throws {
        let scene = try UploadScene()
        let files: [@Sendable () -> Int32?] = [{ open("/dev/full", O_RDWR) }, { nil }]
        for file in files {
            var scene = scene
            scene.limits.uploads?.file = file
            try await scene.serve { port in
                for isChunked in [false, true] {
                    let answer = try await RawConnection.exchange(
                        port: port,
                        bytes: UploadScene.post(UploadScene.body(3_000_000), isChunked: isChunked)
                    )
                    #expect(answer.statuses == [401] && answer.hasSuffix("full 0"))
                }
            }
        }
        #expect(Uploads(bytes: 1, folder: scene.folder.path + "/none").file() == nil)
    }

    @Test("decision 0068: the file is its owner's and has no name, or none any more")
    func file() throws {
        let folder = try SpoolFolder()
        let named = try #require(Uploads.named(in: folder.path))
        let chosen = try #require(Uploads(bytes: 1, folder: folder.path).file())
        let nameless = Uploads.nameless(in: folder.path)
        let files = [named, chosen] + (nameless.map { [$0] } ?? [])
        defer { for file in files { close(file) } }
        for file in files {
            var status = stat()
            #expect(fstat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(status.st_nlink == 0 && fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
            let written = write(file, "a", 1)
            #expect(written == 1)
        }
        #expect(try folder.names.isEmpty)
        // Where the file system has files without names, it never had one.
        let link = try FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\(chosen)"
        )
        #expect(link.contains("/upload-") == (nameless == nil))
    }

    @Test("The connection goes on after a long body, and what was sent with its end is answered")
    func next() async throws {
        let scene = try UploadScene()
        let get = "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        try await scene.serve { port in
            for (length, isChunked) in [
                (3_000_000, false), (3_000_000, true), (5, true), (100_000, false),
            ] {
                var pieces = UploadScene.post(UploadScene.body(length), "", isChunked: isChunked)
                pieces.append(ByteBuffer(string: get))
                let whole = pieces.reduce(into: ByteBuffer()) { $0.writeImmutableBuffer($1) }
                for pieces in [pieces, [whole]] {
                    let answer = try await RawConnection.exchange(port: port, bytes: pieces)
                    #expect(answer.statuses == [200, 200], "\(length) \(isChunked)")
                    #expect(answer.contains(" \(length) ") && answer.contains("short 0"))
                }
            }
        }
    }

    @Test("RFC 9112 §9.3.2: a refused long body waits for the answers before it")
    func order() async throws {
        let scene = try UploadScene()
        let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
        let post = "POST /long HTTP/1.1\r\nHost: h\r\nX-No: 1\r\nContent-Length: 90000\r\n\r\n"
        try await scene.serve({ request in
            if request.method == .get { try await Task.sleep(for: .milliseconds(200)) }
            return UploadScene.summary(request)
        }) { port in
            let answer = try await RawConnection.exchange(port: port, [get + post + get])
            #expect(answer.statuses == [200, 401])
        }
    }

    @Test("What is stored of a body is not in memory, and its limit counts all of it")
    func counted() throws {
        var limits = ConnectionLimits(connections: 1)
        limits.uploads = Uploads(bytes: 100_000, folder: "/")
        let part = ByteBuffer(repeating: 1, count: 65_537)
        var short = ArrivingRequest()
        let isShort = short.append(part, within: limits)
        #expect(!isShort)
        let place = try UploadPlaces(room: 0).take(for: UploadScene.account, stored: 0)
        var arriving = ArrivingRequest()
        arriving.upload = ArrivingUpload(place: place, start: .now())
        let fits = arriving.append(part, within: limits)
        #expect(fits && arriving.received == 65_537)
        let taken = arriving.takeBody()
        #expect(taken == part && arriving.body == nil)
        let fitsAgain = arriving.append(part, within: limits)
        #expect(!fitsAgain)
    }
}
