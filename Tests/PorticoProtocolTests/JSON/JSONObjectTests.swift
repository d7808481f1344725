import PorticoProtocol
import Testing

@Suite("JSON object")
struct JSONObjectTests {
    @Test("Members keep the order in which they were set")
    func keepsOrder() {
        var object: JSONObject = ["z": 1, "a": 2]
        object["m"] = 3
        object["z"] = 4
        object["a"] = nil
        object["missing"] = nil
        #expect(object.map(\.name) == ["z", "m"])
        #expect(object.count == 2)
        #expect(object.serialized() == Array(#"{"z":4,"m":3}"#.utf8))
    }

    @Test("RFC 8259 §4: two objects with the same members are equal whatever their order")
    func equality() {
        let one: JSONObject = ["a": 1, "b": [true]]
        let other: JSONObject = ["b": [true], "a": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1, "b": [false]])
        #expect(one != ["a": 1])
        #expect(one != ["a": 1, "c": [true]])
    }

    @Test("A getter gives nothing where the type differs")
    func typedGetters() {
        let object: JSONObject = [
            "text": "1", "integer": 1, "whole": 2.0, "part": 1.5, "huge": 1e300, "bool": true,
            "texts": ["a", "b"], "mixed": ["a", 1], "object": ["a": 1], "null": .null, "empty": [],
        ]
        #expect(object.string("text") == "1")
        #expect(object.string("integer") == nil)
        #expect(object.string("null") == nil)
        #expect(object.string("missing") == nil)
        #expect(object.int64("integer") == 1)
        #expect(object.int64("whole") == 2)
        #expect(object.int64("part") == nil)
        #expect(object.int64("huge") == nil)
        #expect(object.int64("text") == nil)
        #expect(object.int64("bool") == nil)
        #expect(object.bool("bool") == true)
        #expect(object.bool("integer") == nil)
        #expect(object.strings("texts") == ["a", "b"])
        #expect(object.strings("mixed") == nil)
        #expect(object.strings("text") == nil)
        #expect(object.strings("empty") == [])
        #expect(object.array("mixed") == ["a", 1])
        #expect(object.object("object") == ["a": 1])
        #expect(object.object("texts") == nil)
        #expect(object["null"] == .some(.null))
        #expect(object["missing"] == nil)
    }
}
