import Testing

@testable import PorticoProtocol

private let allActions = Set(ATScope.RepoAction.allCases)

@Suite("Permissions of the AT Protocol") struct ATScopeTests {
    @Test(
        "ATP-SC-3: granular permissions are read, positional or by name",
        arguments: [
            ("atproto", .atproto), ("transition:generic", .transitionGeneric),
            ("transition:email", .transitionEmail), ("transition:chat.bsky", .transitionChat),
            (
                "repo:app.bsky.feed.post",
                .repo(collections: ["app.bsky.feed.post"], actions: allActions)
            ),
            (
                "repo:app.bsky.feed.post?action=create",
                .repo(collections: ["app.bsky.feed.post"], actions: [.create])
            ),
            (
                "repo:*?action=delete&action=update",
                .repo(collections: ["*"], actions: [.delete, .update])
            ),
            (
                "repo?collection=app.bsky.feed.post&collection=app.bsky.feed.like&action=create",
                .repo(
                    collections: ["app.bsky.feed.post", "app.bsky.feed.like"],
                    actions: [.create]
                )
            ),
            (
                "repo:app.bsky.feed.post?",
                .repo(collections: ["app.bsky.feed.post"], actions: allActions)
            ),
            (
                "repo:%61pp.bsky.feed.post",
                .repo(collections: ["app.bsky.feed.post"], actions: allActions)
            ),
            (
                "rpc:app.bsky.feed.getFeed?aud=did:web:api.example.com%23svc",
                .rpc(methods: ["app.bsky.feed.getFeed"], audience: "did:web:api.example.com#svc")
            ),
            (
                "rpc:*?aud=did:web:api.example.com#svc",
                .rpc(methods: ["*"], audience: "did:web:api.example.com#svc")
            ),
            ("rpc:a.b.c?aud=*", .rpc(methods: ["a.b.c"], audience: "*")),
            (
                "rpc?aud=*&lxm=a.b.c&lxm=a.b.d", .rpc(methods: ["a.b.c", "a.b.d"], audience: "*")
            ),
            ("blob:*/*", .blob(types: ["*/*"])), ("blob:image/*", .blob(types: ["image/*"])),
            (
                "blob?accept=video/*&accept=text/html", .blob(types: ["video/*", "text/html"])
            ),
            ("blob:image/svg+xml", .blob(types: ["image/svg+xml"])),
            ("account:email", .account(.email, .read)),
            ("account:repo?action=manage", .account(.repo, .manage)),
            ("account?attr=status&action=read", .account(.status, .read)),
            ("identity:handle", .identity(attribute: "handle")),
            ("identity:*", .identity(attribute: "*")),
            ("identity?attr=handle", .identity(attribute: "handle")),
        ] as [(String, ATScope)]
    )
    func known(token: String, permission: ATScope) {
        #expect(ATScope(token) == permission)
    }

    @Test(
        "ATP-SC-3: what is unknown or ill-formed is no permission",
        arguments: [
            "", "openid", "foo:bar", "Atproto", "atproto:", "atproto?x=y", "transition:",
            "transition:other", "transition:generic?x=y", "repo", "repo:", "repo?", "repo:app.bsky",
            "repo:app.bsky.feed.*", "repo:app.bsky.feed.post?action=read",
            "repo:app.bsky.feed.post?action=", "repo:app.bsky.feed.post?actions=create",
            "repo:app.bsky.feed.post?collection=app.bsky.feed.like", "repo?action=create",
            "repo:app.bsky.feed.post?Action=create", "repo:app.bsky.feed.post#x", "repos:a.b.c",
            "repo:1pp.bsky.feed", "repo:app.bsky.feed-post", "repo:app..feed", "repo:-a.b.c",
            "repo:app.bsky.%zz", "repo:app.bsky.po%20st", "repo:app.bsky.p%C3%A4st",
            "repo:" + String(repeating: "a.", count: 158) + "bc", "rpc:a.b.c", "rpc:*?aud=*",
            "rpc?lxm=a.b.c&lxm=*&aud=*", "rpc:a.b.c?aud=did:web:x.com", "rpc:a.b.c?aud=x",
            "rpc:a.b.c?aud=did:web:x.com#", "rpc:a.b.c?aud=#x", "rpc:a.b.c?aud=did:key:x#y",
            "rpc:a.b.c?aud=did:web:#x", "rpc:a.b.c?aud=*&aud=*", "rpc?aud=*", "rpc:a.b?aud=*",
            "rpc:a.b.c?aud=did:web:x.com%23a%23b", "blob", "blob:", "blob:image", "blob:/png",
            "blob:image/", "blob:*/png", "blob:image/png/x", "blob:image/p*", "blob:*",
            "blob:image/png?x=y", "blob?accept=image/svg+xml", "account", "account:password",
            "account:email?action=write", "account:email?action=read&action=manage",
            "account?attr=email&attr=repo", "account:*", "identity", "identity:did",
            "identity:handle?action=read", "identity?attr=handle&attr=*", "include:a.b.c",
            "account:email?attr=email",
        ]
    )
    func unknown(token: String) {
        #expect(ATScope(token) == nil, "\(token)")
    }

    private func granted(_ asked: String, of declared: String) throws
        -> (granted: String, dropped: [String])
    {
        let result = try ATScope.granted(try Scope(asked), of: try Scope(declared))
        return (result.granted.text, result.dropped)
    }

    @Test("ATP-SC-3: what is known is granted as asked, what is unknown is left out and said")
    func granted() throws {
        let declared = "transition:generic foo:bar atproto repo:a.b.c?action=create openid"
        let result = try granted(
            "repo:a.b.c?action=create foo:bar atproto openid",
            of: declared
        )
        #expect(result.granted == "repo:a.b.c?action=create atproto")
        #expect(result.dropped == ["foo:bar", "openid"])
        let least = try granted("atproto", of: declared)
        #expect(least.granted == "atproto" && least.dropped.isEmpty)
    }

    @Test("ATP-SC-1: transition:chat.bsky counts only beside transition:generic")
    func chat() throws {
        let declared = "atproto transition:generic transition:chat.bsky"
        let alone = try granted("atproto transition:chat.bsky", of: declared)
        #expect(alone.granted == "atproto")
        #expect(alone.dropped == ["transition:chat.bsky"])
        let both = try granted(declared, of: declared)
        #expect(both.granted == declared)
        #expect(both.dropped.isEmpty)
    }

    @Test(
        "ATP-AR-8: a scope without atproto, or with what the document has not, is invalid_scope",
        arguments: [
            ("", "atproto"), ("openid", "atproto openid"), ("transition:generic", "atproto"),
            ("atproto transition:generic", "atproto"), ("atproto foo:bar", "atproto"),
            ("atproto repo:a.b.c?action=create", "atproto repo:a.b.c"),
            ("atproto include:a.b.c", "atproto include:a.b.c"),
            ("atproto include:nonsense", "atproto include:nonsense"),
            ("atproto include?nsid=a.b.c", "atproto include?nsid=a.b.c"),
        ]
    )
    func invalid(asked: String, declared: String) {
        #expect {
            _ = try granted(asked, of: declared)
        } throws: {
            ($0 as? OAuthError)?.code == .invalidScope
        }
    }
}
