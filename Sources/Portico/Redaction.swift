// Printing or dumping these types never shows a token, a code, a state or anything of a person.

extension SignInClient: CustomStringConvertible, CustomReflectable {
    public var description: String { "SignInClient(\(clientID) at \(issuer))" }
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": issuer, "clientID": clientID])
    }
}

extension SignIn: CustomStringConvertible, CustomReflectable {
    public var description: String { "SignIn" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SignInRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "SignInRequest" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Session: CustomStringConvertible, CustomReflectable {
    public var description: String { "Session(\(user.id.subject) at \(user.id.issuer))" }
    public var customMirror: Mirror {
        Mirror(self, children: ["user": user, "isActive": isActive])
    }
}

extension SessionRecord: CustomStringConvertible, CustomReflectable {
    var description: String { "SessionRecord" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
