package com.example.notes

import java.util.UUID
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext

/** No one is signed in, or the session has ended. */
class SignedOut : Exception()

/** Gives out a session token that is fresh, renewed once for all who ask. */
class SessionKeeper(private val backend: Backend, private val store: SessionStore) {
    private val mutex = Mutex()

    /** From the store alone: no network, no question. */
    suspend fun user(): String? = io { store.read()?.user }

    suspend fun signedIn(session: NewSession) = mutex.withLock { io { store.write(kept(session)) } }

    /** @throws SignedOut if only a new sign-in helps; an IOException leaves the session as it was. */
    suspend fun token(): String = mutex.withLock {
        // Once it is begun, a refresh is finished: a caller that leaves in the middle would lose the session.
        withContext(NonCancellable) {
            val session = io { store.read() } ?: throw SignedOut()
            if (session.expiresAt - System.currentTimeMillis() > 60_000) return@withContext session.sessionToken
            // The key is stored before the request is sent: whatever happens, a repetition is recognised as one.
            val key = session.pendingKey ?: UUID.randomUUID().toString().also { key ->
                io { store.write(session.copy(pendingKey = key)) }
            }
            val fresh = try {
                backend.refresh(session.refreshToken, key)
            } catch (error: Refused) {
                // Nothing else ends a session.
                if (error.error != "invalid_grant") throw java.io.IOException(error)
                io { store.remove() }
                throw SignedOut()
            }
            io { store.write(kept(fresh)) }
            fresh.sessionToken
        }
    }

    /** First here, so that it is over even without a network. */
    suspend fun signOut() = mutex.withLock {
        val session = io { store.read().also { store.remove() } } ?: return@withLock
        try {
            backend.signOut(session.sessionToken)
        } catch (_: java.io.IOException) {
            // The backend's session expires by itself.
        }
    }

    private fun kept(session: NewSession) = StoredSession(
        session.sessionToken,
        session.refreshToken,
        System.currentTimeMillis() + session.expiresIn * 1000,
        session.user,
    )

    private suspend fun <T> io(body: () -> T): T = withContext(Dispatchers.IO) { body() }
}
