package org.diffindex.client;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32;
import org.diffindex.client.PageTokenException.Reason;
import org.diffindex.model.IndexDefinition;

/**
 * The position of a query behind a hit, as text: base64 for URLs, without padding. Depends on nothing but its text, so it
 * outlives scanners, clients, regions and servers. Immutable.
 *
 * <p>The bytes: the version (1 byte); the names of the table and of the index, and the index's id (each a length of 2 bytes
 * and UTF-8); the digest of the query's conditions and direction (16 bytes); the key (the rest); the CRC-32 of all before
 * it (4 bytes). Every version ends with this checksum and begins with its number. Numbers are big-endian.
 *
 * @param table the name of the base table
 * @param index the name of the index
 * @param id the id of the index
 * @param digest {@link QueryBounds#digest}
 * @param key the last key that was read; empty before the first
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PageToken(String table, String index, String id, byte[] digest, byte[] key) {
    /** The length, in bytes, of the digest of a query. */
    static final int DIGEST_LENGTH = 16;

    private static final byte VERSION = 1;

    /** Returns the position behind a key of a query with these bounds; before the first one if the key is empty. */
    static PageToken of(IndexDefinition definition, QueryBounds bounds, byte[] key) {
        return new PageToken(
                definition.table().getNameAsString(), definition.logicalName(), definition.id(), bounds.digest(), key);
    }

    /**
     * Decodes a token.
     *
     * @throws PageTokenException if the text is damaged, or of a later version
     */
    static PageToken decode(String text) {
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw damaged(text, e);
        }
        int end = bytes.length - Integer.BYTES;
        if (end < 1 || ByteBuffer.wrap(bytes).getInt(end) != checksum(bytes, end)) {
            throw damaged(text, null);
        }
        if (bytes[0] != VERSION) {
            throw new PageTokenException(
                    Reason.LATER_VERSION,
                    "The token has version " + bytes[0] + ", and this client knows version " + VERSION
                            + "; nothing was read; upgrade this client, or read the first page again, without a token");
        }
        try {
            ByteBuffer content = ByteBuffer.wrap(bytes, 1, end - 1);
            return new PageToken(
                    text(content), text(content), text(content), bytes(content, DIGEST_LENGTH), rest(content));
        } catch (BufferUnderflowException e) {
            throw damaged(text, e);
        }
    }

    private static PageTokenException damaged(String text, Exception cause) {
        return damaged(text, cause, "it is no token, or was cut or changed");
    }

    private static PageTokenException damaged(String text, Exception cause, String why) {
        return new PageTokenException(
                Reason.DAMAGED,
                "The token is damaged: '" + (text.length() <= 40 ? text : text.substring(0, 40) + "...") + "' ("
                        + text.length() + " characters); " + why
                        + "; nothing was read; pass on the whole token as it was given, or read"
                        + " the first page again, without a token",
                cause);
    }

    /** Returns the text of this token. */
    String encode() {
        byte[][] names = {utf8(table), utf8(index), utf8(id)};
        int length = 1 + digest.length + key.length + Integer.BYTES;
        for (byte[] name : names) {
            length += Short.BYTES + name.length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length).put(VERSION);
        for (byte[] name : names) {
            bytes.putShort((short) name.length).put(name);
        }
        bytes.put(digest).put(key);
        bytes.putInt(checksum(bytes.array(), bytes.position()));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /** Returns whether this token is of the index with that definition, and not of an earlier one of its name. */
    boolean isOf(IndexDefinition definition) {
        return id.equals(definition.id());
    }

    /**
     * Requires that this token is of a query by an index.
     *
     * @param queried the digest of that query
     * @throws PageTokenException if it is not
     */
    void requireOf(IndexDefinition definition, byte[] queried) {
        String name = definition.logicalName() + " of table " + definition.table();
        String again = "; nothing was read; read the first page of this query again, without a token";
        if (!index.equals(definition.logicalName())
                || !table.equals(definition.table().getNameAsString())) {
            throw new PageTokenException(
                    Reason.OTHER_INDEX,
                    "The token is of index " + index + " of table " + table + ", and the query reads by index " + name
                            + "; nothing was read; repeat the query that gave the token, or read the first page of this"
                            + " one, without a token");
        }
        if (!isOf(definition)) {
            throw new PageTokenException(
                    Reason.REPLACED_INDEX,
                    "The token is of an earlier index " + name + ", which was dropped, rebuilt or changed since"
                            + again);
        }
        if (!Arrays.equals(digest, queried)) {
            throw new PageTokenException(
                    Reason.OTHER_QUERY,
                    "The token is of a query by index " + name + " with other conditions, or in the other direction"
                            + "; nothing was read; repeat the query that gave the token with the same conditions (its limit,"
                            + " its caching and whether it asks for rows may differ), or read the first page of this one,"
                            + " without a token");
        }
        if (key.length > definition.maxKeyLength()) {
            throw damaged(encode(), null, "its key of " + key.length + " bytes is longer than any of index " + name);
        }
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32 checksum = new CRC32();
        checksum.update(bytes, 0, length);
        return (int) checksum.getValue();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ByteBuffer content) {
        return new String(bytes(content, Short.toUnsignedInt(content.getShort())), StandardCharsets.UTF_8);
    }

    private static byte[] rest(ByteBuffer content) {
        return bytes(content, content.remaining());
    }

    private static byte[] bytes(ByteBuffer content, int length) {
        if (length > content.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        content.get(bytes);
        return bytes;
    }
}
