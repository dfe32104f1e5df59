package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.ServerName;
import org.junit.jupiter.api.Test;

/** Tests on which servers the regions of a table and of its indexes are. */
class PlacementTest {
    private static final ServerName ONE = ServerName.valueOf("localhost", 1, 1);
    private static final ServerName TWO = ServerName.valueOf("localhost", 2, 1);
    private static final ServerName THREE = ServerName.valueOf("localhost", 3, 1);

    @Test
    void noIndexIsOnTheServerOfItsTable() throws IOException {
        List<ServerName> servers = List.of(ONE, TWO, THREE);
        assertThat(Placement.apart(servers, 0)).containsExactly(ONE);
        assertThat(Placement.apart(servers, 1)).containsExactly(ONE, TWO);
        assertThat(Placement.apart(servers, 4)).containsExactly(ONE, TWO, THREE, TWO, THREE);
        assertThatThrownBy(() -> Placement.apart(List.of(ONE), 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("1 region servers");
    }

    @Test
    void theOrderOfServersDoesNotDependOnThatOfTheMaster() {
        assertThat(Placement.byPreference(List.of(THREE, ONE, TWO), Optional.of(ONE)))
                .isEqualTo(Placement.byPreference(List.of(TWO, THREE, ONE), Optional.of(ONE)))
                .containsExactly(TWO, THREE, ONE);
    }
}
