import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoProvider

@Suite("Paths of claims") struct ClaimPathTests {
    @Test(
        "A dot nests, a backslash takes the next character as it is",
        arguments: [
            ("a", ["a"]), ("a.b", ["a", "b"]), (#"a\.b.c"#, ["a.b", "c"]),
            (#"a\\.b"#, [#"a\"#, "b"]), (#"https://example\.com/x"#, ["https://example.com/x"]),
            ("a.b.c.d.e.f.g.h", ["a", "b", "c", "d", "e", "f", "g", "h"]), ("ä.ö", ["ä", "ö"]),
        ] as [(String, [String])]
    )
    func paths(_ text: String, _ names: [String]) {
        #expect(ClaimPath(text)?.names == names)
    }

    @Test(
        "attack: a path with an empty name, an open escape, or beyond the limits is refused",
        arguments: [
            "", ".", ".a", "a.", "a..b", #"a\"#, "a.b.c.d.e.f.g.h.i",
            String(repeating: "x", count: 513), String(repeating: ".", count: 200),
        ]
    )
    func refused(_ text: String) {
        #expect(ClaimPath(text) == nil)
    }

    @Test("The dots of a client_id do not nest, and its placeholder is not expanded again")
    func placeholder() throws {
        let path = try #require(ClaimPath("access.${client_id}.x-${client_id}"))
        #expect(path.expanded(for: "a.b").names == ["access", "a.b", "x-a.b"])
        let same = path.expanded(for: "${client_id}")
        #expect(same.names == ["access", "${client_id}", "x-${client_id}"])
        #expect(ClaimPath("a.b")?.expanded(for: "c").names == ["a", "b"])
    }

    @Test("Claims share objects, and none replaces an object by writing into a text")
    func tree() throws {
        var tree = ClaimTree()
        tree.set("1", at: ClaimPath(names: ["a", "b"]))
        tree.set("2", at: ClaimPath(names: ["a", "c"]))
        tree.set("3", at: ClaimPath(names: ["a", "b", "d"]))
        tree.add(["x", "y"], at: ClaimPath(names: ["l"]))
        tree.add(["y", "z"], at: ClaimPath(names: ["l"]))
        tree.set(.object(["in": "json"]), at: ClaimPath(names: ["j"]))
        tree.set("more", at: ClaimPath(names: ["j", "beside"]))
        tree.set("one", at: ClaimPath(names: ["s"]))
        tree.add(["two"], at: ClaimPath(names: ["s"]))
        let expected: JSONObject = [
            "a": ["b": "1", "c": "2"], "l": ["x", "y", "z"],
            "j": ["in": "json", "beside": "more"], "s": ["one", "two"],
        ]
        #expect(tree.object == expected)
        #expect(tree.object.map(\.name) == ["a", "l", "j", "s"])
    }

    @Test("Two spellings of a character are two claims")
    func bytes() throws {
        var tree = ClaimTree()
        tree.set(1, at: ClaimPath(names: ["\u{E9}"]))
        tree.set(2, at: ClaimPath(names: ["e\u{301}"]))
        #expect(tree.object.count == 2)
    }
}
