package org.diffindex.cli;

import java.util.Arrays;
import java.util.List;
import org.diffindex.client.IndexQuery;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The arguments of {@code diffindex get} that make a query: its conditions, its order, and which of its hits to read. */
final class QueryArguments {
    /** Entries per call: few calls for many hits, and the limit still keeps small reads small. */
    private static final int CACHING = 1000;

    /** A comma that separates values: not one behind a backslash. */
    private static final String SEPARATOR = "(?<!\\\\),";

    @Mixin
    private IndexArguments name;

    @Parameters(
            index = "2..*",
            arity = "0..*",
            paramLabel = "VALUE",
            description = "Values of the index's first column, the second, and so on; fewer select a prefix.")
    private List<String> values = List.of();

    @Option(
            names = "--in",
            paramLabel = "VALUE,...",
            description =
                    "Values of the next column, any of which is a hit. Write a comma within a value as '\\,'; a value"
                            + " that ends with a backslash is the last of its --in, which can be repeated.")
    private List<String> in = List.of();

    @Option(
            names = "--from",
            paramLabel = "VALUE",
            description = "Inclusive lower bound of the next column; repeat it for the column after that.")
    private List<String> from = List.of();

    @Option(
            names = "--to",
            paramLabel = "VALUE",
            description =
                    "Upper bound of the next column, exclusive without --inclusive; repeat it for the column after that.")
    private List<String> to = List.of();

    @Option(names = "--inclusive", description = "Include keys that begin with the bound of --to.")
    private boolean inclusive;

    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            description = "What the value of the next column, of type string or bytes, begins with.")
    private String prefix;

    @Option(names = "--reverse", description = "Print the hits in reverse order, the greatest key first.")
    private boolean reverse;

    @Option(names = "--limit", paramLabel = "N", description = "The most hits to print; default: all.")
    private Long limit;

    @Option(
            names = "--page",
            paramLabel = "N",
            description =
                    "Print a page of N hits, and then the token of the next page: on standard error, or as the last"
                            + " object of --format json. A page of fewer hits is the last one and has no token.")
    private Long page;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "Begin where the page that gave the token ended. Repeat its other arguments.")
    private String token;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Returns the index that the query reads by. */
    IndexArguments index() {
        return name;
    }

    /** Returns whether the token of the next page is to be printed. */
    boolean isPaged() {
        return page != null;
    }

    /** Returns the most hits of a page; only if {@link #isPaged}. */
    long pageSize() {
        return page;
    }

    /** Refuses arguments that cannot go together or have no hits, whatever the index. */
    void check() {
        require(limit == null || limit > 0, "--limit must be positive: " + limit);
        require(page == null || page > 0, "--page must be positive: " + page);
        require(page == null || limit == null, "--page and --limit exclude each other; leave --limit out");
        require(!inclusive || !to.isEmpty(), "--inclusive requires --to");
        require(
                prefix == null || (from.isEmpty() && to.isEmpty()),
                "--prefix excludes --from and --to, which are about the same column; leave one of them out");
    }

    private void require(boolean isRight, String message) {
        if (!isRight) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    /**
     * Returns the query. Its values are text, which the types of the columns parse that the index has when it is read.
     *
     * @throws IllegalArgumentException if the token is damaged
     */
    IndexQuery query(boolean withRows) {
        IndexQuery.Builder query = IndexQuery.index(name.index())
                .equalTo(texts(values))
                .from(texts(from))
                .caching(CACHING);
        if (!in.isEmpty()) {
            query.in(texts(inValues()));
        }
        if (inclusive) {
            query.toInclusive(texts(to));
        } else {
            query.to(texts(to));
        }
        if (prefix != null) {
            query.prefix(IndexQuery.ofText(prefix));
        }
        if (reverse) {
            query.reverse();
        }
        if (isPaged()) {
            query.limit(page);
        } else if (limit != null) {
            query.limit(limit);
        }
        if (token != null) {
            query.after(token);
        }
        return withRows ? query.withRows().build() : query.build();
    }

    private static Object[] texts(List<String> values) {
        return values.stream().map(IndexQuery::ofText).toArray();
    }

    private List<String> inValues() {
        return in.stream()
                .flatMap(list -> Arrays.stream(list.split(SEPARATOR, -1)))
                .map(text -> text.replace("\\,", ","))
                .toList();
    }
}
