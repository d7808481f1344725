/// The products that `portico client create --for` knows: one entry each, in the form of
/// ``ProductFile``, with the placeholders of ``ProductValues``. `docs/clients.md` is made of it:
///
///     portico client products --markdown > docs/clients.md
///
/// Name no setting that the product's documentation does not have. Write `ran:` only for what you ran.
/// The order does not matter. The entries stand in a file for each kind of product.
enum ProductList {
    static let text = [beginning, apps, frameworks, python, proxies, services]
        .joined(separator: "\n\n")

    /// What the page begins with.
    private static let beginning = #"""
        | # Clients
        |
        | `portico client create NAME --for PRODUCT --url URL` creates a client for one of these products and prints the
        | product's configuration to stdout, ready to paste, including the new secret. File names go to stderr: if there
        | are several files, copy each from the terminal. The configuration is printed once; to see it again, delete and
        | recreate the client. Other options, such as `--redirect-uri` or `--no-pkce`, override those of `--for`.
        | `--dry-run` shows the configuration without creating anything, `--json` is for programs. `portico client
        | products` lists the products.
        |
        | A date means that the product, unmodified and in that version, signed people in with Portico. On 2026-11-22
        | the products were set up by hand, before `--for` existed; the printed configuration comes from that setup. For
        | later dates, `scripts/peers --all` set the products up with the printed configuration. Products without a date
        | follow their documentation and were never run.
        |
        | ## All products
        |
        | - The issuer is `https://HOST/realms/REALM`. Everything else is found at `/.well-known/openid-configuration`
        |   below it.
        | - A running server sees a new or changed client within about a second.
        | - A client may send its secret as `client_secret_basic` or `client_secret_post`; with `--strict`, only as it was
        |   created.
        | - `--template web` requires PKCE or a `nonce` with each sign-in, and signs ID Tokens with RS256, access tokens with
        |   ES256. Apps (`native`, `cli`, `spa`) use PKCE, and both of their tokens are signed with ES256.
        | - Roles are in `realm_access.roles` and `resource_access.CLIENT.roles`, as Keycloak's clients expect, with the
        |   scope `roles`, which clients have by default. With the scope `groups`, which a client gets with
        |   `--optional-scope groups` and must request, they are also in the flat claim `groups`: a realm's roles by
        |   name, a client's as `CLIENT:ROLE`. `--claim NAME=roles` puts the realm's roles under another name,
        |   `--claim NAME=roles:CLIENT` those of one client.
        | - Names, addresses and other facts of a person are in ID Tokens and at UserInfo, by the scopes `profile` and
        |   `email`. Introspection has `username`. For APIs that expect them in access tokens, or an empty list of roles,
        |   add mappers to a scope ([below](#facts-of-people-in-access-tokens)).
        | - In a realm that came from Keycloak, `--template keycloak` makes a client whose tokens are like its neighbours'.
        | - For an app on this machine, use `http://127.0.0.1:PORT`; `http://localhost` needs `--development`.
        | - Create and assign roles before using them: `portico role create jupyter`, then
        |   `portico role assign jupyter ann`.
        | - A back-channel logout to an address on this machine needs `portico serve --backchannel-allow HOST:PORT`.
        |
        | ## Facts of people in access tokens
        |
        | A mapper of a scope writes for every client that has the scope. These put the username and the email address into
        | access tokens, and make sure that `realm_access.roles` is there for a person without roles:
        |
        | ```console
        | $ portico mapper add username-for-apis --scope profile --type oidc-usermodel-property-mapper --setting user.attribute=username --setting claim.name=preferred_username --into access-token
        | $ portico mapper add email-for-apis --scope email --type oidc-usermodel-property-mapper --setting user.attribute=email --setting claim.name=email --into access-token
        | $ portico mapper add empty-roles --scope roles --type oidc-hardcoded-claim-mapper --setting claim.name=realm_access --setting 'claim.value={"roles":[]}' --setting jsonType.label=JSON
        | ```
        |
        | ## FAPI 2
        |
        | A client that meets the FAPI 2.0 Security Profile (Final) proves itself by its key (`private_key_jwt`), pushes its
        | requests, uses PKCE, and has its tokens bound to a key (DPoP); its ID Tokens are signed with ES256. The template
        | has all of it. Tokens are good only with proofs, so the API must take DPoP, too.
        |
        | ```console
        | $ portico client create bank --template fapi2 --redirect-uri https://bank.example.com/callback --jwks-file jwks.json
        | ```
        |
        | `jwks.json` has the client's public keys, for ES256, PS256 or EdDSA. The audience of its assertions is the issuer, as
        | a text. For ID Tokens with PS256 the realm needs such a key first: `portico keys rotate --alg PS256`, then
        | `portico client update bank --algorithm PS256`.
        """#
}
