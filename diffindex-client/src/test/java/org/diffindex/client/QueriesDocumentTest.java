package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles the Java examples of docs/queries.md, each as the body of a method with the parameters {@code flights}, {@code
 * connection} and {@code asyncConnection}, or, if it begins with {@code static}, as members of a class.
 */
class QueriesDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "queries.md");
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private static final String IMPORTS =
            """
            import java.io.IOException;
            import java.util.*;
            import java.util.concurrent.*;
            import java.util.stream.*;
            import org.apache.hadoop.hbase.client.*;
            import org.apache.hadoop.hbase.util.Bytes;
            import org.diffindex.client.*;
            import org.diffindex.model.*;
            """;

    @TempDir
    private Path classes;

    @Test
    void everyExampleCompiles() throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        Matcher example = EXAMPLE.matcher(Files.readString(DOCUMENT));
        while (example.find()) {
            sources.add(source("Example" + sources.size(), example.group(1)));
        }
        assertThat(sources).hasSizeGreaterThanOrEqualTo(5);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options =
                List.of("-proc:none", "-d", classes.toString(), "-classpath", System.getProperty("java.class.path"));
        boolean isCompiled =
                compiler.getTask(messages, null, null, options, null, sources).call();
        assertThat(isCompiled).as(messages.toString()).isTrue();
    }

    private static JavaFileObject source(String name, String example) {
        String members = example.startsWith("static")
                ? example
                : "void run(IndexedTable flights, Connection connection, AsyncConnection asyncConnection)"
                        + " throws Exception {\n" + example + "}\n";
        String source = IMPORTS + "class " + name + " {\n" + members + "}\n";
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };
    }
}
