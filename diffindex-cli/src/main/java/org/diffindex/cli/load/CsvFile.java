package org.diffindex.cli.load;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.apache.commons.csv.DuplicateHeaderMode;

/**
 * A CSV file in UTF-8, plain or, if its name ends in {@code .gz}, compressed, whose first line names its columns.
 * Errors name the file and the line. Used by one thread at a time.
 */
final class CsvFile implements Closeable {
    private static final int BUFFER = 1 << 16;
    private static final char BYTE_ORDER_MARK = '\uFEFF';
    private static final CSVFormat FORMAT = CSVFormat.RFC4180
            .builder()
            .setHeader()
            .setSkipHeaderRecord(true)
            .setIgnoreEmptyLines(true)
            .setDuplicateHeaderMode(DuplicateHeaderMode.DISALLOW)
            .get();

    private final Path path;
    private final long size;
    private final CountedBytes counted;
    private final CSVParser parser;
    private final Iterator<CSVRecord> records;

    private CsvFile(Path path, long size, CountedBytes counted, CSVParser parser) {
        this.path = path;
        this.size = size;
        this.counted = counted;
        this.parser = parser;
        this.records = parser.iterator();
    }

    /**
     * Opens a file and reads its first line.
     *
     * @throws IOException if the file does not exist, or its first line does not name columns
     */
    static CsvFile open(Path path) throws IOException {
        if (!Files.isRegularFile(path)) {
            throw new IOException("There is no file " + path.toAbsolutePath() + "; check its name");
        }
        CountedBytes counted = new CountedBytes(Files.newInputStream(path));
        try {
            CSVParser parser = FORMAT.parse(reader(path, counted));
            if (parser.getHeaderNames().isEmpty()) {
                throw new IOException("the file is empty");
            }
            return new CsvFile(path, Files.size(path), counted, parser);
        } catch (IOException | RuntimeException e) {
            counted.close();
            throw new IOException(
                    "File " + path + " does not begin with a line that names its columns: " + reason(e), e);
        }
    }

    private static Reader reader(Path path, InputStream in) throws IOException {
        InputStream plain = path.toString().endsWith(".gz") ? new GZIPInputStream(in, BUFFER) : in;
        // An explicit decoder rejects invalid UTF-8, which a charset would replace by question marks.
        Reader reader = new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8.newDecoder()), BUFFER);
        reader.mark(1);
        if (reader.read() != BYTE_ORDER_MARK) {
            reader.reset();
        }
        return reader;
    }

    /** Returns the names of the columns, in the order of the file. */
    List<String> columns() {
        return parser.getHeaderNames();
    }

    /** Returns the size of the file in bytes. */
    long size() {
        return size;
    }

    /** Returns how many of these bytes were read. */
    long position() {
        return counted.count();
    }

    /** Returns the number of the line that was read last, counted from 1. */
    long line() {
        return parser.getCurrentLineNumber();
    }

    /**
     * Returns the next row; null at the end.
     *
     * @throws IOException if it does not have as many columns as the first line names
     */
    CSVRecord next() throws IOException {
        try {
            if (!records.hasNext()) {
                return null;
            }
            CSVRecord row = records.next();
            if (row.isConsistent()) {
                return row;
            }
            throw wrong("it has " + row.size() + " columns, but the first line names "
                    + columns().size());
        } catch (UncheckedIOException | IllegalStateException e) {
            throw wrong(reason(e));
        }
    }

    /** Returns the error for the line that was read last. */
    IOException wrong(String reason) {
        return new IOException("Line " + line() + " of " + path + " cannot be loaded: " + reason);
    }

    private static String reason(Exception e) {
        Throwable cause = e instanceof UncheckedIOException && e.getCause() != null ? e.getCause() : e;
        return cause instanceof CharacterCodingException ? "it is not UTF-8" : cause.getMessage();
    }

    @Override
    public void close() throws IOException {
        try (counted) {
            parser.close();
        }
    }

    /** Counts the bytes that are read. */
    private static final class CountedBytes extends FilterInputStream {
        private long count;

        private CountedBytes(InputStream in) {
            super(in);
        }

        private long count() {
            return count;
        }

        @Override
        public int read() throws IOException {
            int read = super.read();
            count += read < 0 ? 0 : 1;
            return read;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = super.read(bytes, offset, length);
            count += Math.max(read, 0);
            return read;
        }
    }
}
