package org.diffindex.server.deliver;

import java.io.IOException;
import org.apache.hadoop.hbase.TableName;

/** Is told of the calls to index tables. Thread-safe. Its methods may not fail. */
@FunctionalInterface
public interface CallListener {
    /** Ignores calls. */
    CallListener NONE = (indexTable, updates) -> failure -> {};

    /**
     * A call to one server begins, on the thread that makes it.
     *
     * @param updates how many updates of the index the caller sends with it
     * @return receives the end of the call
     */
    Ending begins(TableName indexTable, int updates);

    /** Receives the end of a call, on the same thread. */
    @FunctionalInterface
    interface Ending {
        /**
         * The call has ended, with all attempts that HBase's client has made.
         *
         * @param failure null if all updates are durable
         */
        void ended(Throwable failure);
    }

    /** A call that may fail. */
    @FunctionalInterface
    interface Body {
        void run() throws IOException;
    }

    /** Makes a call, and tells of its beginning and its end. */
    default void during(TableName indexTable, int updates, Body call) throws IOException {
        Ending ending = begins(indexTable, updates);
        try {
            call.run();
        } catch (IOException | RuntimeException | Error e) {
            ending.ended(e);
            throw e;
        }
        ending.ended(null);
    }
}
