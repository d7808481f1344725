extension SQLiteSchema {
    /// Roles that contain others, groups, client scopes and which roles they show; further facts of
    /// an imported realm; keys that are kept besides those that sign.
    ///
    /// - `role_parts`: a role is whatever is reached by it, when a token is made.
    /// - `client_role_limits`, `scope_role_limits`: the roles that a client without full scope sees,
    ///   by itself or by a scope.
    /// - `realm_parts`: what nothing here acts on, and an export gives back.
    static let groups: StaticString = """
        ALTER TABLE roles ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';

        CREATE TABLE role_parts (
            role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            part_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            PRIMARY KEY (role_id, part_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX role_parts_by_part ON role_parts (part_id);

        CREATE TABLE groups (
            id          TEXT NOT NULL PRIMARY KEY,
            realm_id    TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            parent_id   TEXT REFERENCES groups (id) ON DELETE CASCADE,
            name        TEXT NOT NULL,
            description TEXT NOT NULL,
            attributes  TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX top_groups_by_name ON groups (realm_id, name)
            WHERE parent_id IS NULL;
        CREATE UNIQUE INDEX groups_by_name ON groups (parent_id, name)
            WHERE parent_id IS NOT NULL;

        CREATE TABLE group_roles (
            group_id TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
            role_id  TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            PRIMARY KEY (group_id, role_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX group_roles_by_role ON group_roles (role_id);

        CREATE TABLE person_groups (
            person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            group_id  TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
            PRIMARY KEY (person_id, group_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX person_groups_by_group ON person_groups (group_id);

        CREATE TABLE client_scopes (
            id       TEXT NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            name     TEXT NOT NULL,
            settings TEXT NOT NULL,
            UNIQUE (realm_id, name)
        ) STRICT;

        CREATE TABLE client_role_limits (
            client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
            role_id   TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            PRIMARY KEY (client_id, role_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX client_role_limits_by_role ON client_role_limits (role_id);

        CREATE TABLE scope_role_limits (
            scope_id TEXT NOT NULL REFERENCES client_scopes (id) ON DELETE CASCADE,
            role_id  TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            PRIMARY KEY (scope_id, role_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX scope_role_limits_by_role ON scope_role_limits (role_id);

        CREATE TABLE realm_parts (
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            kind     TEXT NOT NULL,
            id       TEXT NOT NULL,
            document TEXT NOT NULL,
            sealed   TEXT,
            PRIMARY KEY (realm_id, kind, id)
        ) STRICT;

        ALTER TABLE signing_keys ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE signing_keys ADD COLUMN certificate TEXT;
        ALTER TABLE signing_keys ADD COLUMN component TEXT;

        CREATE TABLE kept_keys (
            realm_id   TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            key_id     TEXT NOT NULL,
            kind       TEXT NOT NULL,
            algorithm  TEXT NOT NULL,
            sealed     TEXT,
            public_jwk TEXT,
            priority   INTEGER NOT NULL,
            component  TEXT NOT NULL,
            PRIMARY KEY (realm_id, key_id)
        ) STRICT;
        """
}
