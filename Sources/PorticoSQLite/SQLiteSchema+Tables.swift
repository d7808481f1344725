extension SQLiteSchema {
    /// Times are seconds since 1970 unless a comment says otherwise; `is_…` is 0 or 1. What is
    /// `sealed` is encrypted by the key ring.
    ///
    /// Sessions and grants name their person, client and realm without a foreign key. They are dead
    /// as soon as one of these goes, because every query joins them, and are purged later. So a
    /// deletion does not walk through all of them, and a sign-in writes few indexes.
    static let tables: StaticString = """
        -- The last changes to realms, with their roles, groups, scopes and keys, or to one client
        -- (`client_id`: its `id`). Processes read what came after the number that they know.
        CREATE TABLE realm_changes (
            number INTEGER PRIMARY KEY, realm_id TEXT NOT NULL, client_id TEXT
        ) STRICT;
        INSERT INTO realm_changes (number, realm_id) VALUES (1, '');

        -- Realms: each has its own people, clients and keys, and one issuer.
        CREATE TABLE realms (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL UNIQUE, issuer TEXT NOT NULL UNIQUE,
            settings TEXT NOT NULL
        ) STRICT;

        -- The keys that sign a realm's tokens.
        CREATE TABLE signing_keys (
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            key_id TEXT NOT NULL,
            algorithm TEXT NOT NULL, sealed_private_key TEXT NOT NULL, certificate TEXT,
            created_at INTEGER NOT NULL, active_from INTEGER NOT NULL, retired_from INTEGER,
            priority INTEGER NOT NULL, component TEXT,
            PRIMARY KEY (realm_id, key_id)
        ) STRICT;

        -- Imported keys that sign nothing new: they verify old tokens, or are only exported again.
        CREATE TABLE kept_keys (
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            key_id TEXT NOT NULL,
            kind TEXT NOT NULL, algorithm TEXT NOT NULL, sealed TEXT, public_jwk TEXT,
            priority INTEGER NOT NULL, component TEXT NOT NULL,
            PRIMARY KEY (realm_id, key_id)
        ) STRICT;

        -- Parts of an imported realm that nothing here acts on; an export returns them.
        CREATE TABLE realm_parts (
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            kind TEXT NOT NULL, id TEXT NOT NULL,
            document TEXT NOT NULL, sealed TEXT,
            PRIMARY KEY (realm_id, kind, id)
        ) STRICT;

        -- Apps and services. `source`: `registered`, `dynamic`, or `document`, where its document
        -- describes it as it did when a person last let it in, at `last_used_at`
        -- (docs/decisions/0064).
        CREATE TABLE clients (
            id TEXT NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL, source TEXT NOT NULL, settings TEXT NOT NULL,
            last_used_at INTEGER,
            UNIQUE (realm_id, client_id)
        ) STRICT;

        -- Clients that a client may hand its sign-in on to, in its order.
        CREATE TABLE login_token_targets (
            client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
            target_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
            is_silent INTEGER NOT NULL, place INTEGER NOT NULL,
            PRIMARY KEY (client_id, target_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX login_token_targets_by_target ON login_token_targets (target_id);

        -- What clients are found by besides their names. `origin`: of their pages, of enabled ones;
        -- `*` is any. `scheme`: a private-use scheme of their redirect URIs. `hand_off`: of apps of the
        -- backend, how.
        CREATE TABLE client_addresses (
            realm_id TEXT NOT NULL, kind TEXT NOT NULL, address TEXT NOT NULL,
            client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
            sends_cookies INTEGER NOT NULL,
            PRIMARY KEY (realm_id, kind, address, client_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX client_addresses_by_client ON client_addresses (client_id);
        CREATE INDEX client_addresses_with_cookies ON client_addresses (realm_id, address)
            WHERE sends_cookies = 1;

        -- Client scopes of a realm. `is_limited`: only people with a role that the scope shows get it,
        -- even once no such role is left.
        CREATE TABLE client_scopes (
            id TEXT NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            name TEXT NOT NULL, is_limited INTEGER NOT NULL, settings TEXT NOT NULL,
            UNIQUE (realm_id, name)
        ) STRICT;

        -- The scopes that a client gets (`is_default`) or may ask for, in its order.
        CREATE TABLE scopes_of_clients (
            client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
            scope_id TEXT NOT NULL REFERENCES client_scopes (id) ON DELETE CASCADE,
            is_default INTEGER NOT NULL, place INTEGER NOT NULL,
            PRIMARY KEY (client_id, scope_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX scopes_of_clients_by_scope ON scopes_of_clients (scope_id);

        -- The scopes that a realm's new clients get or may ask for.
        CREATE TABLE scopes_of_new_clients (
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            scope_id TEXT NOT NULL REFERENCES client_scopes (id) ON DELETE CASCADE,
            is_default INTEGER NOT NULL, place INTEGER NOT NULL,
            PRIMARY KEY (realm_id, scope_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX scopes_of_new_clients_by_scope ON scopes_of_new_clients (scope_id);

        -- Roles of a realm, or of one client (`clients.id`).
        CREATE TABLE roles (
            id TEXT NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            client_id TEXT REFERENCES clients (id) ON DELETE CASCADE,
            name TEXT NOT NULL, description TEXT NOT NULL, attributes TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX realm_roles_by_name ON roles (realm_id, name) WHERE client_id IS NULL;
        CREATE UNIQUE INDEX client_roles_by_name ON roles (client_id, name)
            WHERE client_id IS NOT NULL;
        CREATE INDEX roles_by_realm ON roles (realm_id);

        -- The roles that a realm's new people get.
        CREATE TABLE default_roles (
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            PRIMARY KEY (realm_id, role_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX default_roles_by_role ON default_roles (role_id);

        -- Roles inside composite roles. A token contains every role that can be reached.
        CREATE TABLE role_parts (
            role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            part_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            PRIMARY KEY (role_id, part_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX role_parts_by_part ON role_parts (part_id);

        -- The roles that a client without full scope sees itself.
        CREATE TABLE client_role_limits (
            client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
            role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            PRIMARY KEY (client_id, role_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX client_role_limits_by_role ON client_role_limits (role_id);

        -- The roles that a client without full scope sees by a client scope.
        CREATE TABLE scope_role_limits (
            scope_id TEXT NOT NULL REFERENCES client_scopes (id) ON DELETE CASCADE,
            role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            PRIMARY KEY (scope_id, role_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX scope_role_limits_by_role ON scope_role_limits (role_id);

        -- Groups of people, as a tree.
        CREATE TABLE groups (
            id TEXT NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            parent_id TEXT REFERENCES groups (id) ON DELETE CASCADE,
            name TEXT NOT NULL, description TEXT NOT NULL, attributes TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX top_groups_by_name ON groups (realm_id, name) WHERE parent_id IS NULL;
        CREATE UNIQUE INDEX groups_by_name ON groups (parent_id, name) WHERE parent_id IS NOT NULL;

        -- The roles that a group gives its members.
        CREATE TABLE group_roles (
            group_id TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
            role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            PRIMARY KEY (group_id, role_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX group_roles_by_role ON group_roles (role_id);

        -- The groups that a realm's new people join.
        CREATE TABLE default_groups (
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            group_id TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            PRIMARY KEY (realm_id, group_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX default_groups_by_group ON default_groups (group_id);

        -- People of a realm, and the service accounts of clients (`service_client_id`).
        -- `holds_email`: no one else of the realm has the address. `email_proof`: `code`, `authority`, or
        -- NULL, where a verified address is only vouched for (docs/decisions/0020). `name`: the whole one,
        -- where a provider or the person said it (`is_name_own`). `registered_…`: of those who came by an
        -- identity provider.
        -- `did`: the attribute of that name, if it is a single DID. `epoch`: how often a person was
        -- signed out everywhere; sessions and grants of an earlier count are dead. It is a count
        -- because times of the same second, or of two clocks, cannot be told apart.
        CREATE TABLE people (
            id TEXT NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            username TEXT NOT NULL,
            email TEXT, email_key TEXT, is_email_verified INTEGER NOT NULL, email_proof TEXT,
            is_email_relay INTEGER NOT NULL DEFAULT 0, holds_email INTEGER NOT NULL DEFAULT 1,
            given_name TEXT, family_name TEXT, name TEXT, is_name_own INTEGER NOT NULL DEFAULT 0,
            attributes TEXT NOT NULL, did TEXT,
            is_enabled INTEGER NOT NULL, is_welcomed INTEGER NOT NULL DEFAULT 0,
            password_hash TEXT, required_actions TEXT NOT NULL, service_client_id TEXT,
            not_before INTEGER NOT NULL, epoch INTEGER NOT NULL DEFAULT 0, signed_out_at INTEGER,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, last_sign_in_at INTEGER,
            registered_by TEXT, registered_address TEXT, registered_user_agent TEXT,
            UNIQUE (realm_id, username)
        ) STRICT;
        CREATE UNIQUE INDEX people_by_held_email ON people (realm_id, email_key)
            WHERE holds_email = 1;
        CREATE INDEX people_by_email ON people (realm_id, email_key) WHERE email_key IS NOT NULL;
        CREATE UNIQUE INDEX people_by_did ON people (realm_id, did) WHERE did IS NOT NULL;
        CREATE UNIQUE INDEX people_by_service_client ON people (service_client_id)
            WHERE service_client_id IS NOT NULL;

        -- The ids of deleted people: an id is never used again.
        CREATE TABLE deleted_people (
            id TEXT NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX deleted_people_by_realm ON deleted_people (realm_id);

        -- Roles assigned to people.
        CREATE TABLE person_roles (
            person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            PRIMARY KEY (person_id, role_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX person_roles_by_role ON person_roles (role_id);

        -- Members of groups.
        CREATE TABLE person_groups (
            person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            group_id TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
            PRIMARY KEY (person_id, group_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX person_groups_by_group ON person_groups (group_id);

        -- What people allowed clients. `fingerprint`: of what the person was asked about besides the
        -- scope; we ask again once that changes.
        CREATE TABLE consents (
            person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
            scope TEXT NOT NULL, fingerprint BLOB, updated_at INTEGER NOT NULL,
            PRIMARY KEY (person_id, client_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX consents_by_client ON consents (client_id);

        -- Second factors. `used`: the last step of a one-time password, or which recovery codes
        -- are spent.
        CREATE TABLE credentials (
            id TEXT NOT NULL PRIMARY KEY,
            person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            kind TEXT NOT NULL, label TEXT NOT NULL, priority INTEGER NOT NULL,
            parameters TEXT NOT NULL, sealed_secret TEXT NOT NULL, used INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX credentials_by_person ON credentials (person_id);

        -- Accounts of people at identity providers, in the person's order (`place`). `issuer`: NULL where
        -- a file or an administrator names the provider alone, until someone signs in by it.
        CREATE TABLE identities (
            person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            realm_id TEXT NOT NULL,
            provider TEXT NOT NULL, issuer TEXT, subject TEXT NOT NULL,
            place INTEGER NOT NULL, username TEXT, email TEXT,
            is_email_verified INTEGER NOT NULL, email_proof TEXT, is_email_relay INTEGER NOT NULL,
            linked_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL, sealed_token TEXT,
            PRIMARY KEY (person_id, provider)
        ) STRICT;
        CREATE UNIQUE INDEX identities_by_subject ON identities (realm_id, subject, issuer);
        CREATE UNIQUE INDEX identities_by_provider ON identities (realm_id, subject, provider)
            WHERE issuer IS NULL;
        CREATE INDEX identities_in_order ON identities (person_id, place, provider);

        -- Requests for a new password. An address that no account has gets a row, too, with no
        -- person.
        CREATE TABLE password_resets (
            id BLOB NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL, person_id TEXT, email TEXT NOT NULL,
            link_hash BLOB NOT NULL UNIQUE, browser_hash BLOB NOT NULL, way_back TEXT,
            expires_at INTEGER NOT NULL,
            code_hash BLOB, code_expires_at INTEGER, tries INTEGER NOT NULL, used_at INTEGER
        ) STRICT;
        CREATE INDEX password_resets_by_person ON password_resets (person_id)
            WHERE person_id IS NOT NULL;

        -- People signed in, in a browser (`cookie_hash`) or an app. `issuer`, `subject`: the identity that
        -- signed in, if one did. `proven_at`: when a password did, a provider asked the person, or a code
        -- came back. `idle_seconds`: NULL if the realm says. A session that waits for its app has the
        -- hand-off code that brings it there and no `generation`, so a sign-in writes one row. `device`:
        -- what the browser or app calls itself.
        CREATE TABLE sessions (
            id TEXT NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL, person_id TEXT NOT NULL, epoch INTEGER NOT NULL,
            cookie_hash BLOB, app TEXT,
            generation INTEGER, refresh_secret BLOB, refresh_key_id BLOB, rotated_at INTEGER,
            idempotency_key BLOB,
            issuer TEXT, subject TEXT, provider_session_id TEXT,
            authenticated_at INTEGER NOT NULL, acr TEXT NOT NULL, amr TEXT NOT NULL,
            proven_at INTEGER, device TEXT NOT NULL, address TEXT,
            created_at INTEGER NOT NULL, last_seen_at INTEGER NOT NULL,
            idle_seconds INTEGER, expires_at INTEGER NOT NULL,
            code_hash BLOB, redirect_hash BLOB, challenge BLOB,
            code_expires_at INTEGER, code_spent_at INTEGER, is_new INTEGER NOT NULL,
            ended_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX sessions_by_cookie ON sessions (cookie_hash)
            WHERE cookie_hash IS NOT NULL;
        CREATE UNIQUE INDEX sessions_by_code ON sessions (code_hash) WHERE code_hash IS NOT NULL;
        CREATE INDEX sessions_by_person ON sessions (person_id);
        CREATE INDEX sessions_by_provider_session ON sessions (provider_session_id, issuer)
            WHERE provider_session_id IS NOT NULL;

        -- Clients to notify that a session has ended. No foreign keys: they may be gone.
        CREATE TABLE logout_deliveries (
            session_id TEXT NOT NULL, client_id TEXT NOT NULL,
            realm_id TEXT NOT NULL, person_id TEXT NOT NULL,
            attempts INTEGER NOT NULL, due_at INTEGER NOT NULL,
            PRIMARY KEY (session_id, client_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX logout_deliveries_by_time ON logout_deliveries (due_at);

        -- What clients may do for people. `request_id`: a request is answered with one grant.
        -- `login_token_id`, `parent_id`: the login token or the other app's grant that it came from
        -- (RFC 8693 §2.1); it ends with its parent. Few grants have them, so the indexes are
        -- partial, and other sign-ins write neither.
        -- `dpop_jkt`: the thumbprint of the key that refresh needs a proof of (RFC 9449 §5), then
        -- the first generation that needs it, unless that is the first of all. `client_key`: the
        -- key that the client must keep authenticating with.
        CREATE TABLE grants (
            id BLOB NOT NULL PRIMARY KEY, request_id BLOB UNIQUE,
            realm_id TEXT NOT NULL, client_id TEXT NOT NULL, client_key TEXT,
            person_id TEXT, epoch INTEGER NOT NULL,
            session_id TEXT, login_token_id BLOB, parent_id BLOB,
            scope TEXT NOT NULL, claims TEXT, is_offline INTEGER NOT NULL,
            authenticated_at INTEGER, acr TEXT, amr TEXT NOT NULL,
            created_at INTEGER NOT NULL, has_own_times INTEGER NOT NULL,
            idle_seconds INTEGER NOT NULL, expires_at INTEGER,
            generation INTEGER, refresh_secret BLOB, refresh_key_id BLOB, rotated_at INTEGER,
            idempotency_key BLOB, dpop_jkt TEXT,
            refused_at INTEGER, revoked_at INTEGER
        ) STRICT;
        CREATE INDEX grants_by_session ON grants (session_id) WHERE session_id IS NOT NULL;
        CREATE INDEX offline_grants_by_person ON grants (person_id) WHERE is_offline;
        CREATE UNIQUE INDEX grants_by_login_token ON grants (login_token_id)
            WHERE login_token_id IS NOT NULL;
        CREATE INDEX grants_by_parent ON grants (parent_id) WHERE parent_id IS NOT NULL;

        -- Pushed authorization requests (RFC 9126).
        CREATE TABLE pushed_requests (
            hash BLOB NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL, client_id TEXT NOT NULL,
            request_id BLOB NOT NULL, parameters BLOB NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT;

        -- What is good once and was used: client assertions, DPoP proofs, code challenges, mailed
        -- links, attempts to sign in at an identity provider.
        CREATE TABLE spent_once (
            hash BLOB NOT NULL PRIMARY KEY,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- When people last removed an app. Codes that it got before are refused; the row outlives
        -- them by a day.
        CREATE TABLE removed_apps (
            id INTEGER PRIMARY KEY,
            person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL, removed_at INTEGER NOT NULL,
            UNIQUE (person_id, client_id)
        ) STRICT;

        -- Sessions of the server before (docs/decisions/0051), by client;
        -- '' is the whole session. `listed_at`: when it was read from that server's list; NULL if
        -- it was first noted here.
        CREATE TABLE moved_sessions (
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            sid TEXT NOT NULL, is_offline INTEGER NOT NULL,
            client_id TEXT NOT NULL, person_id TEXT NOT NULL,
            started_at INTEGER NOT NULL, listed_at INTEGER, ended_at INTEGER,
            PRIMARY KEY (realm_id, sid, is_offline, client_id)
        ) STRICT, WITHOUT ROWID;

        -- Its refresh tokens that were swapped; kept as long as the key that verifies them.
        CREATE TABLE swapped_tokens (
            hash BLOB NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            grant_id BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX swapped_tokens_by_realm ON swapped_tokens (realm_id);
        """
}
