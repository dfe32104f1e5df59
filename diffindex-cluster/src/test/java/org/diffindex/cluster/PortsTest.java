package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {
    /** Prints for each port whether it could be reserved. */
    public static final class OtherProcess {
        private OtherProcess() {}

        public static void main(String[] ports) throws IOException {
            for (String port : ports) {
                System.out.println(ReservedPorts.reserve(Integer.parseInt(port)));
            }
        }
    }

    @Test
    void noTwoClustersOfAProcessGetTheSamePort() throws IOException {
        Set<Integer> taken = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            for (int port : Ports.free(14)) {
                assertThat(taken.add(port)).as("port %d", port).isTrue();
            }
        }
    }

    @Test
    void noOtherProcessGetsThePortsOfAClusterThatHasNotStarted() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OtherProcess.class.getName()));
        Ports.free(3).forEach(port -> command.add(Integer.toString(port)));
        Process other = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(said.lines()).containsExactly("false", "false", "false");
    }
}
