package org.diffindex.server.sim;

/** The clocks that give the writes of a run their timestamps. */
enum Times {
    /** Servers whose clocks differ by more than a region takes to move; only puts and deletes keep their order then. */
    OF_SERVERS_THAT_DIFFER(4),
    OF_SERVERS(5),
    /** Servers, and now and then a client, with timestamps far from the present, or a little ahead of it. */
    OF_CLIENTS_TOO(7);

    private final int kindsOfWrites;

    Times(int kindsOfWrites) {
        this.kindsOfWrites = kindsOfWrites;
    }

    /** Returns how many of the kinds of {@link ClientWrite} may occur. */
    int kindsOfWrites() {
        return kindsOfWrites;
    }
}
