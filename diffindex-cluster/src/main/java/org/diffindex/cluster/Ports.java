package org.diffindex.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Finds free TCP ports of the loopback address, and checks whether a server listens. */
public final class Ports {
    /**
     * The first port, below the range from which Linux takes the local ports of outgoing connections, so that no
     * connection occupies a server's port while that server is down.
     */
    private static final int FIRST = 20_000;

    private static final int END = 32_000;
    private static final int CONNECT_MILLIS = 500;

    private Ports() {}

    /**
     * Returns different ports on which no process listens now, and which no cluster of another process has reserved;
     * reserves them until this process ends.
     *
     * @throws IOException if there are not enough
     */
    public static List<Integer> free(int count) throws IOException {
        Set<Integer> found = new LinkedHashSet<>();
        int start = ThreadLocalRandom.current().nextInt(FIRST, END);
        for (int i = 0; i < END - FIRST && found.size() < count; i++) {
            int port = FIRST + (start - FIRST + i) % (END - FIRST);
            if (isFree(port) && ReservedPorts.reserve(port)) {
                found.add(port);
            }
        }
        if (found.size() < count) {
            throw new IOException("Only " + found.size() + " of " + count + " ports between " + FIRST + " and " + END
                    + " are free; nothing was started; end some of the servers on this machine");
        }
        return new ArrayList<>(found);
    }

    /** Returns whether a server could listen on the port now. */
    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns whether a server accepts connections on the port now. */
    static boolean accepts(int port) {
        return accepts(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /** Returns whether a server accepts connections at the address within half a second. */
    public static boolean accepts(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
