import HTTPTypes
import PorticoProtocol

// What requests of the system's own type become, and what their answers are made of. The type is
// Apple's alone; this is the same on every system.

extension HTTPLimits {
    /// What such a request may take: 16 MiB, and from a second to an hour.
    ///
    /// - Parameter timeout: In seconds. As a whole number, one that is no time would trap.
    init(timeout: Double) {
        self.init(bytes: 16 << 20, seconds: timeout >= 1 ? Int(min(timeout, 3600)) : 1)
    }
}

extension HTTPFields {
    /// The fields of an answer; what is no text is none.
    init(received fields: [AnyHashable: Any]) {
        self.init()
        for (name, value) in fields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }),
                let value = value as? String
            else { continue }
            append(HTTPField(name, received: value))
        }
    }

    /// Sets the fields of a request; what has no field's name is none.
    mutating func set(_ fields: [String: String]) {
        for (name, value) in fields {
            guard let name = HTTPField.Name(name) else { continue }
            self[name] = value
        }
    }

    /// Each name once, with its values in their order (RFC 9110 §5.3).
    var joinedByName: [String: String] {
        var joined: [HTTPField.Name: String] = [:]
        for field in self {
            joined[field.name] = joined[field.name].map { "\($0), \(field.value)" } ?? field.value
        }
        return Dictionary(uniqueKeysWithValues: joined.map { ($0.key.rawName, $0.value) })
    }
}
