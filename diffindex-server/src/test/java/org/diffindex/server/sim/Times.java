package org.diffindex.server.sim;

/** Whose clock gives the writes of a run their timestamps. */
enum Times {
    /** Servers whose clocks differ by more than a region takes to move; then only puts and deletes keep their order. */
    OF_SERVERS_THAT_DIFFER(4),
    OF_SERVERS(5),
    /** Now and then a client, and far from now. */
    OF_CLIENTS_TOO(7);

    private final int kindsOfWrites;

    Times(int kindsOfWrites) {
        this.kindsOfWrites = kindsOfWrites;
    }

    /** So many of the kinds that {@link ClientWrite} knows may come. */
    int kindsOfWrites() {
        return kindsOfWrites;
    }
}
