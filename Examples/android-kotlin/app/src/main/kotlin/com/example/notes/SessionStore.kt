package com.example.notes

import android.content.Context
import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyProperties
import android.util.AtomicFile
import java.io.File
import java.io.FileNotFoundException
import java.security.GeneralSecurityException
import java.security.KeyStore
import javax.crypto.Cipher
import javax.crypto.KeyGenerator
import javax.crypto.SecretKey
import javax.crypto.spec.GCMParameterSpec
import org.json.JSONException
import org.json.JSONObject

/** What is kept of a session. */
data class StoredSession(
    val sessionToken: String,
    val refreshToken: String,
    /** Milliseconds since 1970. */
    val expiresAt: Long,
    val user: String,
    /** The key of a refresh that has no stored answer yet. */
    val pendingKey: String? = null,
) {
    // No token in a log.
    override fun toString() = "StoredSession"
}

/** Keeps one session in a file, encrypted with a key that the Android Keystore does not give away. */
class SessionStore(context: Context) {
    // noBackupFilesDir: a session must not turn up on another device.
    private val file = AtomicFile(File(context.noBackupFilesDir, "session"))

    /** Null if nothing is stored, or what is stored cannot be read any more: the person signs in again. */
    fun read(): StoredSession? = try {
        val bytes = file.readFully()
        val cipher = Cipher.getInstance(TRANSFORMATION)
        cipher.init(Cipher.DECRYPT_MODE, key(), GCMParameterSpec(128, bytes, 0, NONCE))
        val json = JSONObject(cipher.doFinal(bytes, NONCE, bytes.size - NONCE).toString(Charsets.UTF_8))
        StoredSession(
            json.getString("session_token"),
            json.getString("refresh_token"),
            json.getLong("expires_at"),
            json.getString("user"),
            json.optString("pending_key").ifEmpty { null },
        )
    } catch (_: FileNotFoundException) {
        null
    } catch (_: GeneralSecurityException) {
        null
    } catch (_: JSONException) {
        null
    } catch (_: IllegalArgumentException) {
        // Shorter than a nonce.
        null
    }

    /** Whole or not at all, and on the disk when it returns. */
    fun write(session: StoredSession) {
        val json = JSONObject()
            .put("session_token", session.sessionToken)
            .put("refresh_token", session.refreshToken)
            .put("expires_at", session.expiresAt)
            .put("user", session.user)
            .put("pending_key", session.pendingKey ?: "")
        val cipher = Cipher.getInstance(TRANSFORMATION)
        cipher.init(Cipher.ENCRYPT_MODE, key())
        val sealed = cipher.iv + cipher.doFinal(json.toString().toByteArray(Charsets.UTF_8))
        val stream = file.startWrite()
        try {
            stream.write(sealed)
            file.finishWrite(stream)
        } catch (error: java.io.IOException) {
            file.failWrite(stream)
            throw error
        }
    }

    fun remove() = file.delete()

    private fun key(): SecretKey {
        val keys = KeyStore.getInstance(PROVIDER).apply { load(null) }
        (keys.getKey(ALIAS, null) as SecretKey?)?.let { return it }
        val generator = KeyGenerator.getInstance(KeyProperties.KEY_ALGORITHM_AES, PROVIDER)
        generator.init(
            KeyGenParameterSpec.Builder(ALIAS, KeyProperties.PURPOSE_ENCRYPT or KeyProperties.PURPOSE_DECRYPT)
                .setBlockModes(KeyProperties.BLOCK_MODE_GCM)
                .setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_NONE)
                .setKeySize(256)
                .build()
        )
        return generator.generateKey()
    }

    private companion object {
        const val PROVIDER = "AndroidKeyStore"
        const val ALIAS = "session"
        const val TRANSFORMATION = "AES/GCM/NoPadding"

        /** The Keystore's nonces for GCM have 12 bytes. */
        const val NONCE = 12
    }
}
