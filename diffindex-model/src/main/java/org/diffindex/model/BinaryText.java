package org.diffindex.model;

import java.io.ByteArrayOutputStream;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Bytes as text, in the notation of the HBase shell: printable ASCII as is, any other byte as {@code \xNN}. Parsing
 * also accepts characters beyond ASCII, as their UTF-8 bytes, and, unlike {@link Bytes#toBytesBinary}, never drops
 * input silently.
 */
final class BinaryText {
    private static final int ESCAPE_LENGTH = "\\xNN".length();

    private BinaryText() {}

    static String format(byte[] bytes) {
        return Bytes.toStringBinary(bytes);
    }

    /** Returns the same text as {@link #format(byte[])}, except that these printable characters are escaped too. */
    static String format(byte[] bytes, String escaped) {
        StringBuilder text = new StringBuilder();
        format(bytes)
                .chars()
                .forEach(c -> text.append(escaped.indexOf(c) < 0 ? Character.toString(c) : "\\x%02X".formatted(c)));
        return text.toString();
    }

    /**
     * Returns the bytes that the text denotes.
     *
     * @throws IllegalArgumentException if a backslash is not followed by {@code x} and two hexadecimal digits
     */
    static byte[] parse(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        int start = 0;
        for (int escape = text.indexOf('\\'); escape >= 0; escape = text.indexOf('\\', start)) {
            bytes.writeBytes(utf8(text.substring(start, escape)));
            bytes.write(escapedByte(text, escape));
            start = escape + ESCAPE_LENGTH;
        }
        bytes.writeBytes(utf8(text.substring(start)));
        return bytes.toByteArray();
    }

    /**
     * Returns the UTF-8 of a text.
     *
     * @throws IllegalArgumentException if there is none, because of half a surrogate pair; {@link Bytes#toBytes(String)}
     *     makes it a question mark
     */
    static byte[] utf8(String text) {
        try {
            return Bytes.getBytes(StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("A text with half a surrogate pair has no UTF-8: '" + text + "'", e);
        }
    }

    private static int escapedByte(String text, int escape) {
        int end = escape + ESCAPE_LENGTH;
        if (end > text.length()
                || text.charAt(escape + 1) != 'x'
                || !HexFormat.isHexDigit(text.charAt(escape + 2))
                || !HexFormat.isHexDigit(text.charAt(escape + 3))) {
            throw new IllegalArgumentException(
                    "A backslash begins a byte written \\xNN, and is itself written \\x5C; '" + text + "' has another");
        }
        return HexFormat.fromHexDigits(text, escape + 2, end);
    }
}
