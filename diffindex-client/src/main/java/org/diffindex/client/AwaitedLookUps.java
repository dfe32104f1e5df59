package org.diffindex.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/**
 * The lookups that the present step of a read has made. When the step is taken again it asks for the same rows, and gets the
 * answer of the first time; so all that it does is based on one image of each row. They are forgotten as soon as the read
 * goes on: a later step that asks for the same rows needs them as they are then.
 *
 * <p>Used by one thread at a time.
 */
final class AwaitedLookUps {
    /** What was asked for. A step asks a table for the same rows in the same way each time. */
    private record Asked(TableName table, List<ByteBuffer> rows) {
        static Asked of(TableName table, List<Get> gets) {
            List<ByteBuffer> rows = new ArrayList<>(gets.size());
            for (Get get : gets) {
                rows.add(ByteBuffer.wrap(get.getRow()));
            }
            return new Asked(table, rows);
        }
    }

    private final Map<Asked, CompletableFuture<List<Result>>> answers = new HashMap<>();

    /**
     * Returns the answer to a lookup, in the order of the gets.
     *
     * @param call makes the call, if the step has not made it yet
     * @throws AwaitedAnswer if it is not answered yet
     */
    List<Result> answer(TableName table, List<Get> gets, Supplier<CompletableFuture<List<Result>>> call)
            throws IOException {
        return AwaitedAnswer.of(answers.computeIfAbsent(Asked.of(table, gets), asked -> call.get()));
    }

    /** Forgets the lookups, because the read has gone on. */
    void forget() {
        answers.clear();
    }
}
