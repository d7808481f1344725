#include <sqlite3.h>

/* Swift cannot call C functions with a variable number of arguments. */

/* SQLite then does not count its memory under one lock for all threads. To be called before
 * anything else; later it does nothing. */
static inline int portico_sqlite_without_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* A text in double quotes is then a name and nothing else, as in other databases. */
static inline void portico_sqlite_strict_quotes(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}
